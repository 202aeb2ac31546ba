"""Counting a Spark DataFrame: the kernel runs where the rows are, and histograms are summed.

There is one pass over the rows. Public facts go to the workers, histograms come back. The workers'
code is sent by value and needs numpy and Arrow only, see ``spark_workers``; an encoder without a
lookup table, or a constraint, needs this package there.
"""

import importlib
import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import types

from sdv_prefair.columns._lookups import Flags, Lookup, Numbers, Run, Texts, limits_of
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
    WORD_BITS,
    Histograms,
    Layout,
    Reading,
    Slot,
    count_part,
    in_chunks,
    merge_parts,
    num_bits,
    packed_histograms,
    slices,
    tally_part,
    unpacked,
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


# -- Expressions by which Spark numbers the values of a column, and packs the numbers of many ------
#
# The numbers are found by comparison: nothing is rounded, and strings are compared as bytes,
# whatever their collation. So the codes are exactly those of the lookup. Floats, and columns with
# too many values, go to the workers unchanged.


_WORD = 'sdv_prefair_word_'
_MOST_PLACES = 65_536
_MOST_TEXTS = 1024
# Java interprets methods of more than 8,000 bytes, and Spark generates one for all of a row. These
# are the measured sizes per column, unchanged and numbered. With more columns, the cost of
# transferring them matters less, because there are many more pairs.
_MOST_BYTES = 7000
_BYTES_PLAIN = 56
_BYTES = {Texts: 430, Run: 240, Numbers: 240, Flags: 80}
_BYTES_MORE_OF_DATES = 160

Hashes = Mapping[bytes, int]


@dataclass(frozen=True)
class Places:
    """A column whose values Spark numbers.

    Attributes:
        expression: The place of a value, counted from 0; never null.
        codes: The code of each place.
    """

    expression: str
    codes: np.ndarray


def quoted(column: str) -> str:
    """Return the name of a column, quoted for Spark's SQL."""
    return '`' + column.replace('`', '``') + '`'


def packed(
    lookups: Mapping[str, Lookup], schema: pa.Schema, session: 'SparkSession'
) -> tuple[list[str], dict[str, Reading]]:
    """Return the expressions that Spark selects, and how workers read each column from them.

    Args:
        lookups: The lookups of all columns.
        schema: The types of the columns.
        session: Computes the hashes of public strings.
    """
    numbered = _numbered(lookups, schema)
    hashes = _hashes(session, numbered.values())
    found = {c: places_of(c, known, schema.field(c).type, hashes) for c, known in numbered.items()}
    selected, slots = _words({c: places for c, places in found.items() if places is not None})
    plain = {c: Reading(c, lookup) for c, lookup in lookups.items() if c not in slots}
    return [*selected, *map(quoted, plain)], slots | plain


def _numbered(lookups: Mapping[str, Lookup], schema: pa.Schema) -> dict[str, Lookup]:
    """Return the lookups that Spark does itself: strings first, the costliest to transfer."""
    found: dict[str, Lookup] = {}
    left = _MOST_BYTES - _BYTES_PLAIN * len(lookups)
    for column, lookup in sorted(lookups.items(), key=lambda c: not isinstance(c[1], Texts)):
        needed = _BYTES.get(type(lookup), _MOST_BYTES)
        needed += _BYTES_MORE_OF_DATES * types.is_date32(schema.field(column).type)
        if needed <= left and not _has_many(lookup):
            found[column] = lookup
            left -= needed
    return found


def _has_many(lookup: Lookup) -> bool:
    return isinstance(lookup, Texts) and len(lookup.texts) > _MOST_TEXTS


def places_of(column: str, lookup: Lookup, kind: pa.DataType, hashes: Hashes) -> Places | None:
    """Return how Spark numbers the values of a column; None if it transfers them unchanged.

    Args:
        column: Its name.
        lookup: Its lookup.
        kind: Its type in Arrow.
        hashes: Spark's hash of each public string.
    """
    value = quoted(column)
    if isinstance(lookup, Flags):
        return _places(f'coalesce(cast({value} as bigint), 2L)', [*lookup.codes, lookup.unread])
    if isinstance(lookup, Run):
        return _run(value, kind, lookup)
    if isinstance(lookup, Numbers) and types.is_integer(kind):
        return _numbers(f'cast({value} as bigint)', lookup)
    if isinstance(lookup, Texts):
        return _texts(value, lookup, hashes)
    return None


def _places(expression: str, codes: Sequence[int]) -> Places:
    numbered = np.array(codes, dtype=np.int64)
    return Places(expression, numbered.astype(np.min_scalar_type(int(numbered.max()))))


def _run(value: str, kind: pa.DataType, run: Run) -> Places:
    number, below, above = f'cast({value} as bigint)', '0L', f'{len(run.codes) - 1}L'
    null = f'{len(run.codes)}L'
    if types.is_date32(kind):  # some of them cannot be read
        first, last = limits_of(kind)
        number = f'unix_date({value})'
        below = f'if({number} < {first}, {null}, {below})'
        above = f'if({number} > {last}, {null}, {above})'
    start, end = _long(run.first), _long(run.first + len(run.codes) - 1)
    place = f'if({number} < {start}, {below}, if({number} > {end}, {above}, {number} - {start}))'
    return _places(f'coalesce({place}, {null})', [*run.codes, run.unread])


def _numbers(number: str, lookup: Numbers) -> Places | None:
    *codes, other = lookup.codes.tolist()
    numbers = lookup.numbers.tolist() or [0]
    first, last = numbers[0], numbers[-1]
    if last - first >= _MOST_PLACES:
        return None
    of_number = dict(zip(numbers, codes, strict=False))
    places = [of_number.get(held, other) for held in range(first, last + 1)]
    outside = f'if({number} < {_long(first)} or {number} > {_long(last)}, {len(places)}L'
    place = f'{outside}, {number} - {_long(first)})'
    return _places(f'coalesce({place}, {len(places) + 1}L)', [*places, other, lookup.unread])


def _texts(value: str, lookup: Texts, hashes: Hashes) -> Places:
    """Return the place of a string among the public ones, found in the group of its hash."""
    texts = [text.encode() for text in lookup.texts.to_pylist()]
    groups: list[list[str]] = [[] for _ in range(1 << num_bits(len(texts)))]
    # Of equal strings, the first one counts, as in the lookup.
    for text, number in {text: texts.index(text) for text in texts}.items():
        groups[hashes[text] & (len(groups) - 1)].append(f'{_bytes(text)}, {number}L')
    maps = ', '.join(f'map({", ".join(group)})' if group else 'null' for group in groups)
    written = f'cast({value} as binary)'
    group = f'cast(xxhash64({written}) & {len(groups) - 1}L as int)'
    place = f'get(array({maps}), {group})[{written}]' if texts else 'cast(null as bigint)'
    others = f'if(is_valid_utf8({value}), {len(texts)}L, {len(texts) + 1}L)'
    return _places(f'coalesce({place}, {others})', [*lookup.codes, lookup.unread])


def _hashes(session: 'SparkSession', lookups: Iterable[Lookup]) -> dict[bytes, int]:
    """Return Spark's own hashes of the strings of lookups, computed by the driver without a job."""
    texts = {
        text.encode()
        for lookup in lookups
        if isinstance(lookup, Texts)
        for text in lookup.texts.to_pylist()
    }
    if not texts:
        return {}
    values = ', '.join(f'({_bytes(text)})' for text in sorted(texts))
    hashed = session.sql(f'select held, xxhash64(held) from values {values} as texts(held)')
    return dict(zip(*(column.to_pylist() for column in hashed.toArrow().columns), strict=True))


def _bytes(text: bytes) -> str:
    return f"X'{text.hex()}'"


def _long(number: int) -> str:
    # The smallest integer cannot be written with a minus sign.
    return f'{number}L' if number > -(2**63) else f'({number + 1}L - 1L)'


def _words(found: Mapping[str, Places]) -> tuple[list[str], dict[str, Reading]]:
    """Return the words that Spark selects, and the position of each column in them."""
    terms: list[list[str]] = [[]]
    readings, filled = {}, 0
    for column, places in found.items():
        bits = num_bits(len(places.codes))
        if filled + bits > WORD_BITS:
            terms, filled = [*terms, []], 0
        word = f'{_WORD}{len(terms) - 1}'
        readings[column] = Reading(word, Slot(filled, places.codes))
        terms[-1].append(f'shiftleft({places.expression}, {filled})')
        filled += bits
    written = [' | '.join(f'({term})' for term in word) for word in terms if word]
    return [f'{term} as {_WORD}{place}' for place, term in enumerate(written)], readings


# --------------------------------------------------------------------------------------------------


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
