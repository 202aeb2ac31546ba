"""Counting a stream of Arrow record batches: memory does not grow with rows.

Every chunk is encoded and added to the histograms before the next one is read. Memory does grow
with the number of distinct values of a column whose categories have to be learnt, and with the
number of persons if there is a person column.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.counts._arrow_columns import encode_array
from sdv_prefair.counts._kernel import Accumulator, Counts
from sdv_prefair.counts._part_types import batch_as, is_typed
from sdv_prefair.counts._partition_counts import in_chunks, slices
from sdv_prefair.counts._persons import RowsPerPerson
from sdv_prefair.counts._reshape import Reshape
from sdv_prefair.counts._source import Encoder, Progress, sizes
from sdv_prefair.counts._streams import Stream, reading
from sdv_prefair.counts._tally import Tally, array_counts, value_counts

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
