"""Counting a table that comes as a sequence of pandas frames: CSV files, and Dask's partitions.

Every part is read as ``fit`` reads a whole frame, so the codes are the same. One part is in memory
at a time.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import types

from sdv_prefair.columns._cells import as_float, boxed
from sdv_prefair.columns._dtypes import read_numbers
from sdv_prefair.counting._arrow import Reshape, encode_array, value_type
from sdv_prefair.counting._frame import (
    PersonsSeen,
    RowsPerPerson,
    Tally,
    array_counts,
    value_counts,
)
from sdv_prefair.counting._kernel import Accumulator, Counts
from sdv_prefair.counting._source import Encoder, Progress, sizes
from sdv_prefair.counting._streams import Stream, reading
from sdv_prefair.counting._worker_counts import CHUNK_ROWS, in_chunks, slices

# -- Counting a stream of Arrow record batches: memory does not grow with rows ---------------------
#
# Every chunk is encoded and added to the histograms before the next one is read. Memory does grow
# with the number of distinct values of a column whose categories have to be learnt, and with the
# number of persons if there is a person column.

Codes = dict[str, np.ndarray]
Made = pd.DataFrame | dict[str, pd.Series]


def count_batches(
    batches: Iterable[pa.RecordBatch],
    encoders: Mapping[str, Encoder],
    cliques: Iterable[Sequence[str]],
    reshape: Reshape | None = None,
) -> Counts:
    """Return the histograms of the cliques in all rows of the batches.

    Privacy: reads every row; the result is private until a ``PrivateTable`` answers from it.
    """
    accumulator = Accumulator(sizes(encoders), cliques)
    for codes in in_chunks(encode_batch(batch, encoders, reshape) for batch in slices(batches)):
        accumulator.add(codes)
    return accumulator.counts()


def encode_batch(
    batch: pa.RecordBatch, encoders: Mapping[str, Encoder], reshape: Reshape | None = None
) -> Codes:
    """Return the codes of one batch."""
    made: Made = {} if reshape is None else reshape(batch)
    return {
        column: encoder.encode(made[column])
        if column in made
        else encode_array(encoder, batch.column(column))
        for column, encoder in encoders.items()
    }


def tally_batches(
    batches: Iterable[pa.RecordBatch],
    columns: Iterable[str],
    reshape: Reshape | None = None,
    schema: pa.Schema | None = None,
) -> dict[str, Tally]:
    """Return how often each value of each column occurs in the batches; nulls are left out.

    Args:
        batches: The rows.
        columns: The columns.
        reshape: How some columns are computed from others.
        schema: The schema of the table, if types may differ between batches.
    """
    tallies: dict[str, Tally] = {column: Counter() for column in columns}
    typed = {f.name: is_typed(f) for f in schema or ()}
    for batch in slices(batches):
        made: Made = {} if reshape is None else reshape(batch)
        for column, tally in tallies.items():
            in_batch = made[column] if column in made else batch.column(column)
            tally.update(_tally(in_batch, typed.get(column, True)))
    return tallies


@dataclass(frozen=True)
class BatchSource:
    """A table that is read as a stream.

    Attributes:
        stream: The source of the batches.
        dtypes: The dtypes that correspond to the columns' types.
        person_column: Column that identifies persons, if any.
        max_rows: How many rows of a person are counted, the first ones of the stream.
        reshape: How some columns are computed from others.
    """

    stream: Stream
    dtypes: pd.Series
    person_column: str | None = None
    max_rows: int = 1
    reshape: Reshape | None = None

    @property
    def can_be_read_again(self) -> bool:
        """Whether it can be counted more than once."""
        return self.stream.can_be_read_again

    def reshaped(self, reshape: Reshape, dtypes: pd.Series) -> 'BatchSource':
        """Return the table with some columns replaced by others."""
        return replace(self, reshape=reshape, dtypes=dtypes)

    def count(
        self,
        encoders: Mapping[str, Encoder],
        cliques: Iterable[Sequence[str]],
        progress: Progress = iter,
    ) -> Counts:
        """Return the histograms of the cliques, over the codes of the encoders."""
        with reading():
            batches = progress(self._read(list(encoders)))
            return count_batches(batches, encoders, cliques, self.reshape)

    def value_counts(self, columns: Iterable[str]) -> dict[str, Tally]:
        """Return how often each value of each column occurs; nulls are left out."""
        columns = list(columns)
        with reading():
            return tally_batches(self._read(columns), columns, self.reshape, self.stream.schema)

    def _read(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        wanted = columns if self.reshape is None else self.reshape.columns_read(columns)
        schema = self.stream.schema
        if self.person_column is None:
            return (batch_as(batch, schema) for batch in self.stream.read(wanted))
        bound = RowsPerPerson(self.person_column, self.max_rows)
        rows = self.stream.read([*wanted, self.person_column])
        return (bound.keep(batch_as(batch, schema)) for batch in rows)


def _tally(column: pa.Array | pd.Series, typed: bool) -> Tally:
    return value_counts(column) if isinstance(column, pd.Series) else array_counts(column, typed)


# -- Parts of a table with different types: each cell is read by the table's description -----------
#
# pandas has no null among integers, so one null turns a part into floats; a part of nothing but
# nulls has a type of its own. If such a part were refused, or read differently, that would reveal
# something about its rows. So no part is refused: the result for a cell depends on the
# description and on that cell alone.


_TRUTH = {'True': True, 'False': False}


def as_described(part: pd.DataFrame, dtypes: pd.Series) -> pd.DataFrame:
    """Return a part of a table with its columns read as those of the whole table.

    Privacy: the result for a cell depends on public dtypes and on that cell alone.

    Args:
        part: Some rows.
        dtypes: The dtypes of the whole table.
    """
    return pd.DataFrame(
        {name: _column_as(part[name], dtypes[name]) for name in part.columns}, index=part.index
    )


def _column_as(column: pd.Series, dtype: Any) -> pd.Series:
    if _kind(column.dtype) == _kind(dtype):
        return column
    if pd.api.types.is_float_dtype(dtype):
        numbers, nulls = read_numbers(column)
        return pd.Series(np.where(nulls, np.nan, numbers.astype(np.float64)), column.index)
    # Among objects, an integer is an integer, however it was stored.
    cells = boxed(column)
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_numeric_dtype(column.dtype):
        cells = np.fromiter(map(_unwritten, cells), object, len(cells))
    return pd.Series(cells, column.index, dtype=object)


def _unwritten(cell: Any) -> Any:
    """Return a number or boolean that is stored as a string, as Dask stores objects."""
    if not isinstance(cell, str):
        return cell
    return _TRUTH[cell] if cell in _TRUTH else as_float(cell)


def _kind(dtype: Any) -> Any:
    """Return a dtype; for a category, without its values, which may differ."""
    return 'category' if isinstance(dtype, pd.CategoricalDtype) else dtype


def batch_as(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch with floats where a schema has them; all other columns keep their types.

    Privacy: the result for a cell depends on public types and on that cell alone.

    Args:
        batch: Some rows, with columns of the schema.
        schema: The schema of the whole table.
    """
    for place, (name, stored) in enumerate(
        zip(batch.schema.names, batch.schema.types, strict=True)
    ):
        read = value_type(schema.field(name).type)
        if types.is_floating(read) and types.is_integer(stored):
            batch = batch.set_column(place, name, batch.column(place).cast(read, safe=False))
    return batch


def is_typed(field: pa.Field) -> bool:
    """Whether all batches of a column have the same type, with integral floats as floats."""
    return bool(types.is_floating(value_type(field.type)))


# -- Counting a table that comes as a sequence of pandas frames ------------------------------------


Parts = Callable[[list[str]], Iterator[pd.DataFrame]]


@dataclass(frozen=True)
class FramePartsSource:
    """A table in parts, which can be read more than once.

    Attributes:
        parts: Returns some columns of all parts, from the first on.
        dtypes: The dtypes of the columns, the same in all parts.
        person_column: Column that identifies persons, if any.
        max_rows: How many rows of a person are counted, the first ones.
        reshape: How some columns are computed from others.
    """

    parts: Parts
    dtypes: pd.Series
    person_column: str | None = None
    max_rows: int = 1
    reshape: Reshape | None = None

    can_be_read_again = True

    def reshaped(self, reshape: Reshape, dtypes: pd.Series) -> 'FramePartsSource':
        """Return the table with some columns replaced by others."""
        return replace(self, reshape=reshape, dtypes=dtypes)

    def count(
        self,
        encoders: Mapping[str, Encoder],
        cliques: Iterable[Sequence[str]],
        progress: Progress = iter,
    ) -> Counts:
        """Return the histograms of the cliques, over the codes of the encoders."""
        accumulator = Accumulator(sizes(encoders), cliques)
        with reading():
            for frame in progress(self._read(list(encoders))):
                codes = {c: encoder.encode(frame[c]) for c, encoder in encoders.items()}
                for start in range(0, len(frame), CHUNK_ROWS):
                    chunk = slice(start, start + CHUNK_ROWS)
                    accumulator.add({column: values[chunk] for column, values in codes.items()})
        return accumulator.counts()

    def value_counts(self, columns: Iterable[str]) -> dict[str, Tally]:
        """Return how often each value of each column occurs; nulls are left out."""
        tallies: dict[str, Tally] = {column: Counter() for column in columns}
        with reading():
            for frame in self._read(list(tallies)):
                for column, tally in tallies.items():
                    tally.update(value_counts(frame[column]))
        return tallies

    def _read(self, columns: list[str]) -> Iterator[pd.DataFrame]:
        wanted = columns if self.reshape is None else self.reshape.columns_read(columns)
        persons = None
        if self.person_column is not None:
            wanted = list(dict.fromkeys([*wanted, self.person_column]))
            persons = PersonsSeen(self.max_rows)
        for frame in self.parts(wanted):
            if persons is not None:
                frame = frame[persons.may_stay(frame[self.person_column])]
            yield self._reshape(frame)

    def _reshape(self, frame: pd.DataFrame) -> pd.DataFrame:
        if self.reshape is None:
            return frame
        made = self.reshape.transform(frame[list(self.reshape.dtypes)])
        kept = frame[[c for c in frame if c not in self.reshape.dtypes]]
        return pd.concat([kept, made], axis=1)
