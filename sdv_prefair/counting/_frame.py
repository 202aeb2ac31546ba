"""Tables in memory: their rows, the rows of each person, and how often values occur."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from sdv_prefair.columns._cells import boxed, is_arrow, object_of
from sdv_prefair.columns._lookups import is_text
from sdv_prefair.columns._texts import CanonicalValue, canonical_value
from sdv_prefair.counting._arrow import Reshape, plain_array
from sdv_prefair.counting._kernel import Accumulator, Counts
from sdv_prefair.counting._source import Encoder, Progress, sizes
from sdv_prefair.counting._worker_counts import CHUNK_ROWS

# -- How often each canonical value of a column occurs, in any kind of table -----------------------

Tally = Counter[CanonicalValue]


def value_counts(column: pd.Series) -> Tally:
    """Return how often each value of a column occurs; nulls and objects without value are left out.

    Privacy: reads every row, each on its own; the result is private until ``frequent_values``
    thresholds it. One more row increases one count by one.
    """
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy()
        rows = np.bincount(codes[codes >= 0], minlength=len(dtype.categories))
        return tally_cells(boxed(dtype.categories), rows.tolist(), typed=False)
    if pd.api.types.is_object_dtype(dtype):
        texts = Counter(cell for cell in column if type(cell) is str)
        others = [cell for cell in column if type(cell) is not str]
        tally = tally_cells(texts, texts.values(), typed=False)
        return tally + tally_cells(others, [1] * len(others), typed=False)
    if is_arrow(dtype):
        return array_counts(pa.chunked_array(pa.array(column.array)).combine_chunks())
    if isinstance(dtype, np.dtype) and dtype.kind == 'f':
        column = column.astype(np.float64)  # pandas has no index of the shortest floats
    counts = column.dropna().value_counts(sort=False)
    return tally_cells(boxed(counts.index), counts.tolist())


def array_counts(array: pa.Array, typed: bool = True) -> Tally:
    """Return how often each value of an Arrow array occurs, as ``value_counts`` does.

    Args:
        array: The cells.
        typed: Whether the array has the type of its column.
    """
    counted = pc.value_counts(plain_array(array))
    values, rows = values_of(counted.field('values')), counted.field('counts').to_pylist()
    return tally_cells(values, rows, typed)


def tally_cells(cells: Iterable[Any], rows: Iterable[int], typed: bool = True) -> Tally:
    """Return the canonical values of cells, and how many rows have each.

    Args:
        cells: Values, possibly with repetitions.
        rows: In how many rows each occurs.
        typed: Whether the cells have the type of the column.
    """
    tally: Tally = Counter()
    for cell, count in zip(cells, rows, strict=True):
        value = canonical_value(cell, typed) if count else None
        if value is not None:
            tally[value] += count
    return tally


def decoded(text: bytes | None) -> str | None:
    """Return a string, or None if its bytes are invalid: one row must not stop the others."""
    try:
        return None if text is None else text.decode('utf-8')
    except UnicodeError:
        return None


def values_of(values: pa.Array) -> Iterable[Any]:
    """Return the values of an Arrow array, None for each that Python has no object for."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    values = plain_array(values)
    if is_text(values.type):
        return map(decoded, values.cast(_binary_of(values.type)).to_pylist())
    return map(object_of, values)


def _binary_of(kind: pa.DataType) -> pa.DataType:
    return pa.large_binary() if pa.types.is_large_string(kind) else pa.binary()


# -- A limit on the rows of each person, in a stream -----------------------------------------------


class RowsPerPerson:
    """Keeps the first rows of each person.

    Memory grows with the number of persons, because the rows of each must be counted to the end.

    Privacy: which rows of a person are kept depends on that person's rows alone, in the order of
    the stream. Rows without a person, or with one that cannot be read, count as one person's.

    Args:
        person_column: The column that identifies persons.
        max_rows: How many rows of a person are kept.
    """

    def __init__(self, person_column: str, max_rows: int):
        self._person_column = person_column
        self._max_rows = max_rows
        self._passed: Counter[Any] = Counter()

    def keep(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows of the next batch that are kept."""
        persons, row_of = self._persons(batch.column(self._person_column))
        earlier = np.array([self._passed[person] for person in persons], dtype=np.int64)
        nth = pd.Series(row_of).groupby(row_of).cumcount().to_numpy()
        passes = earlier[row_of] + nth < self._max_rows
        passed = np.bincount(row_of[passes], minlength=len(persons))
        self._passed.update(dict(zip(persons, passed.tolist(), strict=True)))
        plain = [plain_array(column) for column in batch.columns]  # views cannot be filtered
        return pa.RecordBatch.from_arrays(plain, batch.schema.names).filter(pa.array(passes))

    def _persons(self, column: pa.Array) -> tuple[list[Any], np.ndarray]:
        """Return the distinct persons of a batch, and the person of each row."""
        column = plain_array(column)
        if pa.types.is_dictionary(column.type):
            column = plain_array(column.dictionary_decode())
        encoded = column.dictionary_encode(null_encoding='encode')
        number: dict[Any, int] = {}
        of_value = [
            number.setdefault(None if value != value else value, len(number))
            for value in map(object_of, encoded.dictionary)
        ]
        return list(number), np.array(of_value, dtype=np.int64)[encoded.indices.to_numpy()]


# -- The unit of privacy: a person with a bounded number of rows -----------------------------------


def bound_rows_per_person(
    table: pd.DataFrame, person_column: str | None, max_rows: int
) -> pd.DataFrame:
    """Return the table with at most ``max_rows`` rows of each person, namely the first ones.

    Privacy: which rows of a person are kept depends on that person's rows alone, so adding or
    removing a person changes at most ``max_rows`` rows of the result. Rows without a person, or
    with one that is not a plain value, count as one person's.
    """
    if person_column is None:
        return table
    return table[_earlier_rows(table[person_column]) < max_rows]


class PersonsSeen:
    """Keeps the first rows of each person in a sequence of frames.

    Memory grows with the number of persons.

    Privacy: as in ``bound_rows_per_person``, for all frames together.

    Args:
        max_rows: How many rows of a person are kept.
    """

    def __init__(self, max_rows: int):
        self._max_rows = max_rows
        self._number: dict[Any, int] = {}
        self._passed: Counter[int] = Counter()

    def may_stay(self, persons: pd.Series) -> np.ndarray:
        """Return which rows of the next frame are kept."""
        number = np.array([_number_of(p, self._number) for p in boxed(persons)], dtype=np.int64)
        different, row_of = np.unique(number, return_inverse=True)
        earlier = np.array([self._passed[n] for n in different.tolist()], dtype=np.int64)
        nth = pd.Series(number).groupby(number).cumcount().to_numpy()
        passes: np.ndarray = earlier[row_of] + nth < self._max_rows
        passed = np.bincount(row_of[passes], minlength=len(different))
        self._passed.update(dict(zip(different.tolist(), passed.tolist(), strict=True)))
        return passes


def _earlier_rows(person: pd.Series) -> np.ndarray:
    """Return, for each row, the number of rows above it of the same person."""
    if isinstance(person.dtype, pd.CategoricalDtype):
        number = person.cat.codes.to_numpy()
    elif pd.api.types.is_object_dtype(person.dtype):
        number = _numbered(person)
    else:
        number = person.factorize(use_na_sentinel=True)[0]
    return pd.Series(number).groupby(number).cumcount().to_numpy()


def _numbered(persons: Iterable[Any]) -> np.ndarray:
    """Return a number for each person, -1 for anything else; each cell is parsed on its own."""
    number: dict[Any, int] = {}
    return np.array([_number_of(person, number) for person in persons], dtype=np.int64)


def _number_of(person: Any, number: dict[Any, int]) -> int:
    """Return the number of a person, identified by plain values alone.

    An object of another class could claim to be equal to somebody else, and use up their rows.
    """
    if type(person) is not str:
        known = canonical_value(person)
        if known is None:
            return -1
        person = known.value
    return number.setdefault(person, len(number))


# -- Counting rows that are in memory --------------------------------------------------------------


class FrameSource:
    """A table in memory.

    Args:
        frame: The private table.
        dtypes: The dtypes to assume, if different from those it has.
    """

    can_be_read_again = True

    def __init__(self, frame: pd.DataFrame, dtypes: pd.Series | None = None):
        self._frame = frame
        self.dtypes = frame.dtypes if dtypes is None else dtypes

    def reshaped(self, reshape: Reshape, dtypes: pd.Series) -> 'FrameSource':
        """Return the table with some columns replaced by others."""
        return FrameSource(reshape.transform(self._frame), dtypes)

    def count(
        self,
        encoders: Mapping[str, Encoder],
        cliques: Iterable[Sequence[str]],
        progress: Progress = iter,
    ) -> Counts:
        """Return the histograms of the cliques, over the codes of the encoders."""
        codes = {column: e.encode(self._frame[column]) for column, e in encoders.items()}
        return count_codes(codes, sizes(encoders), cliques, progress)

    def value_counts(self, columns: Iterable[str]) -> dict[str, Tally]:
        """Return how often each value of each column occurs; nulls are left out."""
        return {column: value_counts(self._frame[column]) for column in columns}


def count_codes(
    codes: Mapping[str, np.ndarray],
    domain: Mapping[str, int],
    cliques: Iterable[Sequence[str]],
    progress: Progress = iter,
) -> Counts:
    """Count the declared cliques in columns of integer codes.

    Privacy: reads every row; the result is private until a ``PrivateTable`` answers from it.

    Args:
        codes: One integer array per column, all of the same length.
        domain: Number of codes of each column.
        cliques: The cliques to count; nothing else is counted.
        progress: Wraps the sequence of chunks, to show a progress bar.
    """
    accumulator = Accumulator(domain, cliques)
    num_rows = len(next(iter(codes.values())))
    for start in progress(range(0, num_rows, CHUNK_ROWS)):
        chunk = slice(start, start + CHUNK_ROWS)
        accumulator.add({column: values[chunk] for column, values in codes.items()})
    return accumulator.counts()
