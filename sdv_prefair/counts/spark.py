"""Counting a Spark DataFrame: the kernel runs in every partition, its histograms are added up.

One pass over the rows. Encoders, which hold public facts only, go to the workers; histograms come
back. The workers need this package.
"""

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.counts.batches import count_batches, tally_batches
from sdv_prefair.counts.kernel import Clique, Counts, check_cells, gather
from sdv_prefair.counts.reshape import Reshape
from sdv_prefair.counts.source import Encoder, Progress, sizes
from sdv_prefair.counts.streams import reading
from sdv_prefair.counts.tally import Tally

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Worker = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_NTH_ROW = 'sdv_prefair_nth_row'
_CELLS = 'clique int, cell bigint, rows bigint'


class SparkSource:
    """A Spark DataFrame.

    Args:
        frame: The DataFrame.
        dtypes: The dtypes that stand for the columns' types.
        reshape: How some columns are made of others.
    """

    can_be_read_again = True

    def __init__(self, frame: 'DataFrame', dtypes: pd.Series, reshape: Reshape | None = None):
        self._frame = frame
        self.dtypes = dtypes
        self._reshape = reshape

    def reshaped(self, reshape: Reshape, dtypes: pd.Series) -> 'SparkSource':
        """Return the table with other columns in place of some."""
        return SparkSource(self._frame, dtypes, reshape)

    def count(
        self,
        encoders: Mapping[str, Encoder],
        cliques: Iterable[Sequence[str]],
        progress: Progress = iter,
    ) -> Counts:
        """Return the histograms of the cliques, over the codes of the encoders."""
        declared = [tuple(clique) for clique in cliques]
        for clique in declared:
            check_cells(clique, sizes(encoders))
        with reading():
            counted = self._map(encoders, _counter(dict(encoders), declared, self._reshape), _CELLS)
            answer = counted.groupBy('clique', 'cell').sum('rows').toArrow()
        return _counts_of(answer, sizes(encoders), declared)

    def value_counts(self, columns: Iterable[str]) -> dict[str, Tally]:
        """Return how often each value of each column occurs; nulls are left out."""
        columns = list(columns)
        total: dict[str, Tally] = {column: Counter() for column in columns}
        with reading():
            answer = self._map(columns, _tallier(columns, self._reshape), 'tally binary').toArrow()
            for part in answer.column(0).to_pylist():
                for column, tally in pickle.loads(part).items():
                    total[column].update(tally)
        return total

    def _map(self, columns: Iterable[str], worker: Worker, schema: str) -> 'DataFrame':
        read = list(columns) if self._reshape is None else self._reshape.columns_read(columns)
        return self._frame.select(*map(_quoted, read)).mapInArrow(worker, schema)


def bound_rows(frame: 'DataFrame', person_column: str, max_rows: int) -> 'DataFrame':
    """Return the DataFrame with at most so many rows of each person.

    Privacy: partitions have no order among them. So those rows stay that come first when all
    columns are compared: they depend on that person's rows alone.
    """
    from pyspark.sql import Window, functions

    order = [_quoted(column) for column in frame.columns if column != person_column]
    window = Window.partitionBy(_quoted(person_column)).orderBy(*order)
    numbered = frame.withColumn(_NTH_ROW, functions.row_number().over(window))
    return numbered.where(functions.col(_NTH_ROW) <= max_rows).drop(_NTH_ROW)


def _quoted(column: str) -> str:
    return '`' + column.replace('`', '``') + '`'


def _counter(
    encoders: Mapping[str, Encoder], cliques: list[Clique], reshape: Reshape | None
) -> Worker:
    """Return what counts a partition."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        counts = count_batches(batches, encoders, cliques, reshape)
        for number, clique in enumerate(cliques):
            cells, rows = counts.observed(clique)
            occupied = rows > 0
            clique_number = np.full(np.count_nonzero(occupied), number, dtype=np.int32)
            yield pa.RecordBatch.from_pydict({
                'clique': clique_number,
                'cell': cells[occupied].astype(np.int64),
                'rows': rows[occupied],
            })

    return count


def _tallier(columns: list[str], reshape: Reshape | None) -> Worker:
    """Return what tells how often each value occurs in a partition."""

    def tally(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tallies = tally_batches(batches, columns, reshape)
        yield pa.RecordBatch.from_pydict({'tally': [pickle.dumps(tallies)]})

    return tally


def _counts_of(answer: pa.Table, domain: Mapping[str, int], cliques: list[Clique]) -> Counts:
    number, cell, rows = (answer.column(place).to_numpy() for place in range(3))
    observed = {}
    for position, clique in enumerate(cliques):
        here = number == position
        shape = tuple(domain[column] for column in clique)
        observed[clique] = gather(cell[here], rows[here], shape)
    return Counts(domain, observed)
