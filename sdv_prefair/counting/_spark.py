"""Counting a Spark DataFrame: the kernel runs where the rows are, and histograms are summed.

There is one pass over the rows. Public facts go to the workers, histograms come back. The workers'
code is sent by value and needs numpy and Arrow only; an encoder without a
lookup table, or a constraint, needs this package there.
"""

import importlib
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.counting._arrow import Reshape
from sdv_prefair.counting._batches import encode_batch, tally_batches
from sdv_prefair.counting._compiled import compiled
from sdv_prefair.counting._frame import Tally, tally_cells, values_of
from sdv_prefair.counting._kernel import Clique, Counts, check_cells, gather
from sdv_prefair.counting._source import Encoder, Progress, sizes
from sdv_prefair.counting._streams import reading
from sdv_prefair.counting._worker_counts import (
    BLOCK_CELLS,
    SCHEMA,
    Histograms,
    Layout,
    Worker,
    count_part,
    in_chunks,
    merge_parts,
    packed_histograms,
    slices,
    tally_part,
    unpacked,
    with_names,
)
from sdv_prefair.errors import PrivateDataError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# -- What Spark's workers need in order to count, and how it reaches them --------------------------
#
# The counting functions and their lookup tables are sent by value: workers need pyarrow and numpy,
# but not this package. Only encoders without a lookup table (decimals, dates written as strings,
# clocks of a time zone) and constraints are sent as objects of this package; then workers must be
# able to import it.

_BY_VALUE = ('columns._lookups', 'counting._worker_counts')
_ROUNDS = 4  # parts per core, so that a slow or lost worker causes little delay
_FEWEST_PARTS = 200
_BYTES_OF_CELL = 10
_FEWEST_PARTS_SEND = 2**31
_WORKERS_ASKED = 8


def send_by_value() -> None:
    """Have the modules that workers run sent by value, not by name."""
    from pyspark import cloudpickle

    for name in _BY_VALUE:
        module = importlib.import_module(f'sdv_prefair.{name}')
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]


def most_parts(frame: 'DataFrame', num_cells: int = 0) -> int:
    """Return the maximum number of parts into which rows are gathered, each with histograms.

    There are a few for each core. Executors may start after this is called, so there are never very
    few, unless histograms are so large that sending them often would be slow.

    Args:
        frame: The DataFrame.
        num_cells: Number of cells of all histograms.
    """
    try:
        cores: Any = frame.sparkSession.sparkContext.defaultParallelism
    except Exception:  # Spark Connect has no context to ask
        cores = 2
    sent = _FEWEST_PARTS_SEND // (_BYTES_OF_CELL * max(num_cells, 1))
    return max(min(_FEWEST_PARTS, sent), _ROUNDS * int(cores))


def check_package(session: 'SparkSession') -> None:
    """Raise unless workers can import this package, in the same version as here."""
    import sdv_prefair

    asked = session.range(0, _WORKERS_ASKED, 1, _WORKERS_ASKED)
    answers = asked.mapInArrow(_ask_version(), 'version string, missing string').toArrow()
    missing = [name for name in answers.column(1).to_pylist() if name is not None]
    if missing or set(answers.column(0).to_pylist()) != {sdv_prefair.__version__}:
        lack = f'cannot import {min(missing)}' if missing else 'have another version of it'
        raise PrivateDataError(
            "Spark's workers read decimals, dates in text, local times and constraints with this "
            f'package, but they {lack}. Install sdv-prefair {sdv_prefair.__version__} on them, or '
            'rename its wheel to .zip and ship it with sparkContext.addPyFile(zip) or '
            'spark.addArtifact(zip, pyfile=True); or cast such columns to double, or to UTC.'
        )


def _ask_version() -> Any:
    """Return a function that a worker runs; it imports what counting would import."""

    def versions(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import importlib

        for _ in batches:
            version, missing = None, None
            try:
                version = importlib.import_module('sdv_prefair').__version__
            except ImportError as error:
                missing = error.name or 'sdv_prefair'
            answer = {'version': [version], 'missing': [missing]}
            schema = pa.schema([('version', pa.string()), ('missing', pa.string())])
            yield pa.RecordBatch.from_pydict(answer, schema)

    return versions


# -- The DataFrame as a source ---------------------------------------------------------------------


_NTH_ROW = 'sdv_prefair_nth_row'
_TALLIES = 'name string, tally binary'
# This many blocks are summed at a time: a reducer holds at most 8 kB of each.
_BLOCKS_A_REDUCER = 256
_MOST_REDUCERS = 2000


def by_position(frame: 'DataFrame') -> tuple['DataFrame', dict[str, str]]:
    """Return the DataFrame with columns named by their positions, and these names.

    Spark takes a name for an expression, and upper case for lower: a column may be called ``a.b``,
    ``*``, or ``AGE`` beside ``age``.
    """
    plain = {column: f'c{place}' for place, column in enumerate(frame.columns)}
    return frame.toDF(*(f'c{place}' for place in range(len(frame.columns)))), plain


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
        self._by_position, self._plain = by_position(frame)
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
            answer = self._map(columns, worker, _TALLIES).toArrow()
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
            return list(lookups), partial(count_part, lookups=lookups, layout=layout)
        check_package(session)
        worker = _encoding_counter(dict(encoders), layout, self._reshape)
        return self._read(encoders), worker

    def _read(self, columns: Iterable[str]) -> list[str]:
        return list(columns) if self._reshape is None else self._reshape.columns_read(columns)

    def _map(
        self, selected: list[str], worker: Worker, schema: str, num_cells: int = 0
    ) -> 'DataFrame':
        # Fewer and larger parts, without a shuffle: each produces one set of histograms.
        num_parts = most_parts(self._frame, num_cells)
        parts = self._by_position.select(*(self._plain[c] for c in selected)).coalesce(num_parts)
        return parts.mapInArrow(partial(with_names, names=selected, worker=worker), schema)


def bound_rows(frame: 'DataFrame', person_column: str, max_rows: int) -> 'DataFrame':
    """Return the DataFrame with at most this many rows of each person.

    Privacy: partitions have no order. So the rows kept are the first in the sort order over all
    columns: they depend on that person's rows alone.
    """
    from pyspark.sql import Window, functions

    plain_frame, plain = by_position(frame)
    order = [name for column, name in plain.items() if column != person_column]
    window = Window.partitionBy(plain[person_column]).orderBy(*order)
    numbered = plain_frame.withColumn(_NTH_ROW, functions.row_number().over(window))
    kept = numbered.where(functions.col(_NTH_ROW) <= max_rows).drop(_NTH_ROW)
    return kept.toDF(*frame.columns)


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
