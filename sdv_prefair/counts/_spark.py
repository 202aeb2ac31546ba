"""Counting a Spark DataFrame: the kernel runs where the rows are, and histograms are summed.

There is one pass over the rows. Public facts go to the workers, histograms come back. The workers'
code is sent by value and needs numpy and Arrow only, see ``spark_workers``; an encoder without a
lookup table, or a constraint, needs this package there.
"""

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.counts._batches import encode_batch, tally_batches
from sdv_prefair.counts._compiled import compiled
from sdv_prefair.counts._histograms import Histograms
from sdv_prefair.counts._kernel import Clique, Counts, check_cells, gather
from sdv_prefair.counts._partition_counts import (
    BLOCK_CELLS,
    SCHEMA,
    Layout,
    count_part,
    in_chunks,
    merge_parts,
    packed_histograms,
    slices,
    tally_part,
    unpacked,
)
from sdv_prefair.counts._reshape import Reshape
from sdv_prefair.counts._source import Encoder, Progress, sizes
from sdv_prefair.counts._spark_places import packed, quoted
from sdv_prefair.counts._spark_workers import check_package, most_parts, send_by_value
from sdv_prefair.counts._streams import reading
from sdv_prefair.counts._tally import Tally, tally_cells, values_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Worker = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_NTH_ROW = 'sdv_prefair_nth_row'
_TALLIES = 'name string, tally binary'
# This many blocks are summed at a time: a reducer holds at most 8 kB of each.
_BLOCKS_A_REDUCER = 256
_MOST_REDUCERS = 2000


class SparkSource:
    """A Spark DataFrame.

    Args:
        frame: The DataFrame.
        dtypes: The dtypes that correspond to the columns' types.
        schema: The types of the columns, as Spark passes them to Arrow; queried if None.
        reshape: How some columns are computed from others.
    """

    can_be_read_again = True

    def __init__(
        self,
        frame: 'DataFrame',
        dtypes: pd.Series,
        schema: pa.Schema | None = None,
        reshape: Reshape | None = None,
    ):
        self._frame = frame
        self.dtypes = dtypes
        self._schema = schema
        self._reshape = reshape
        send_by_value()

    def reshaped(self, reshape: Reshape, dtypes: pd.Series) -> 'SparkSource':
        """Return the table with some columns replaced by others."""
        return SparkSource(self._frame, dtypes, self._schema, reshape)

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
        layout = Layout(sizes(encoders), declared)
        with reading():
            selected, worker = self._counter(encoders, layout)
            counted = self._map(selected, worker, SCHEMA, layout.num_cells)
            reducers = min(layout.num_blocks // _BLOCKS_A_REDUCER + 1, _MOST_REDUCERS)
            added = counted.repartition(reducers, 'block').mapInArrow(merge_parts, SCHEMA)
            answer = added.toArrow()
        return counts_of(answer, layout)

    def value_counts(self, columns: Iterable[str]) -> dict[str, Tally]:
        """Return how often each value of each column occurs; nulls are left out."""
        columns = list(columns)
        if self._reshape is not None:
            return self._reshaped_value_counts(columns)
        total: dict[str, Tally] = {column: Counter() for column in columns}
        with reading():
            worker = partial(tally_part, columns=columns)
            answer = self._map(list(map(quoted, columns)), worker, _TALLIES).toArrow()
            for column, part in zip(*(answer.column(n).to_pylist() for n in range(2)), strict=True):
                table = pa.ipc.open_stream(part).read_all()
                values = values_of(table['value'].combine_chunks())
                total[column].update(tally_cells(values, table['rows'].to_pylist()))
        return total

    def _reshaped_value_counts(self, columns: list[str]) -> dict[str, Tally]:
        total: dict[str, Tally] = {column: Counter() for column in columns}
        check_package(self._frame.sparkSession)
        with reading():
            worker = _tallier(columns, self._reshape)
            answer = self._map(self._read(columns), worker, 'tally binary').toArrow()
            for part in answer.column(0).to_pylist():
                for column, tally in pickle.loads(part).items():
                    total[column].update(tally)
        return total

    def _counter(self, encoders: Mapping[str, Encoder], layout: Layout) -> tuple[list[str], Worker]:
        """Return what to select, and a function that counts a part: by lookups, or by encoders."""
        lookups = None
        session = self._frame.sparkSession
        if self._reshape is None:
            schema = self._schema or self._frame.limit(0).toArrow().schema
            lookups = compiled(encoders, schema)
        if lookups is not None:
            selected, readings = packed(lookups, schema, session)
            return selected, partial(count_part, readings=readings, layout=layout)
        check_package(session)
        worker = _encoding_counter(dict(encoders), layout, self._reshape)
        return self._read(encoders), worker

    def _read(self, columns: Iterable[str]) -> list[str]:
        read = list(columns) if self._reshape is None else self._reshape.columns_read(columns)
        return list(map(quoted, read))

    def _map(
        self, selected: list[str], worker: Worker, schema: str, num_cells: int = 0
    ) -> 'DataFrame':
        # Fewer and larger parts, without a shuffle: each produces one set of histograms.
        num_parts = most_parts(self._frame, num_cells)
        parts = self._frame.selectExpr(*selected).coalesce(num_parts)
        return parts.mapInArrow(worker, schema)


def bound_rows(frame: 'DataFrame', person_column: str, max_rows: int) -> 'DataFrame':
    """Return the DataFrame with at most this many rows of each person.

    Privacy: partitions have no order. So the rows kept are the first in the sort order over all
    columns: they depend on that person's rows alone.
    """
    from pyspark.sql import Window, functions

    order = [quoted(column) for column in frame.columns if column != person_column]
    window = Window.partitionBy(quoted(person_column)).orderBy(*order)
    numbered = frame.withColumn(_NTH_ROW, functions.row_number().over(window))
    return numbered.where(functions.col(_NTH_ROW) <= max_rows).drop(_NTH_ROW)


def _encoding_counter(
    encoders: Mapping[str, Encoder], layout: Layout, reshape: Reshape | None
) -> Worker:
    """Return a function that counts a part by the encoders, on workers with this package."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        histograms = Histograms(layout.domain, layout.cliques)
        encoded = (encode_batch(_in_utc(batch), encoders, reshape) for batch in slices(batches))
        for codes in in_chunks(encoded):
            histograms.add(codes)
        yield packed_histograms(histograms, layout)

    return count


def _tallier(columns: list[str], reshape: Reshape | None) -> Worker:
    """Return a function that counts each value in a part."""

    def tally(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tallies = tally_batches(map(_in_utc, batches), columns, reshape)
        yield pa.RecordBatch.from_pydict({'tally': [pickle.dumps(tallies)]})

    return tally


def _in_utc(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch with instants in UTC: workers get them by the clock of the session."""
    for place, field in enumerate(batch.schema):
        if pa.types.is_timestamp(field.type) and field.type.tz is not None:
            instants = batch.column(place).cast(pa.timestamp(field.type.unit, 'UTC'))
            batch = batch.set_column(place, field.name, instants)
    return batch


def counts_of(answer: pa.Table, layout: Layout) -> Counts:
    """Return the histograms that blocks contain, each as a slice of one sorted list of cells."""
    blocks = sorted(unpacked(answer), key=lambda block: block[0])
    places = [number * BLOCK_CELLS + cells.astype(np.int64) for number, cells, _ in blocks]
    cells = np.concatenate([*places, np.zeros(0, np.int64)])
    rows = np.concatenate([*(rows for *_, rows in blocks), np.zeros(0, np.int64)])
    starts = layout.starts
    cuts = np.searchsorted(cells, starts)
    observed: dict[Clique, tuple[np.ndarray | None, np.ndarray]] = {}
    for number, clique in enumerate(layout.cliques):
        here = slice(cuts[number], cuts[number + 1])
        shape = tuple(layout.domain[column] for column in clique)
        observed[clique] = gather(cells[here] - starts[number], rows[here], shape)
    return Counts(layout.domain, observed)
