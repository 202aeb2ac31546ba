"""The work of a Spark worker on its partition: counting, and summing histograms.

All histograms are concatenated into one list of numbered cells, which is divided into blocks of
equal length. A worker sends the occupied cells of each block; others sum those of the same block.
Nothing but numpy and Arrow is needed.

Privacy: reads every row of a part; the result is private until a ``PrivateTable`` answers from it.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdv_prefair.columns._lookups import Lookup

# -- Histograms to which chunks of codes are added: the kernel, here and on Spark's workers --------
#
# It needs numpy alone, so that a worker has almost nothing to import.

# A chunk whose codes and histograms stay in cache counts about twice as fast as whole columns.
CHUNK_ROWS = 131_072
DENSE_CELLS = 65_536

Observed = tuple[np.ndarray | None, np.ndarray]


class Histograms:
    """The histograms of cliques of columns; large ones keep only occupied cells.

    Args:
        domain: Number of codes of each column.
        cliques: The cliques to count.
    """

    def __init__(self, domain: Mapping[str, int], cliques: Iterable[Sequence[str]]):
        self._domain = dict(domain)
        self._cliques = [tuple(clique) for clique in cliques]
        self._dense: dict[tuple[str, ...], np.ndarray] = {}
        self._sparse: dict[tuple[str, ...], list[tuple[np.ndarray, np.ndarray]]] = {}
        for clique in self._cliques:
            cells = self._cells(clique)
            if cells <= DENSE_CELLS:
                self._dense[clique] = np.zeros(cells, dtype=np.int64)
            else:
                self._sparse[clique] = []

    def add(self, codes: Mapping[str, np.ndarray]) -> None:
        """Count one chunk: an integer array of equal length for each column."""
        wide = {column: np.asarray(values).astype(np.intp) for column, values in codes.items()}
        for clique in self._cliques:
            flat = wide[clique[0]]
            for column in clique[1:]:
                flat = flat * self._domain[column] + wide[column]
            if clique in self._dense:
                self._dense[clique] += np.bincount(flat, minlength=self._cells(clique))
            else:
                self._sparse[clique] = [merge_cells([*self._sparse[clique], _tally(flat)])]

    def observed(self) -> dict[tuple[str, ...], Observed]:
        """Return, for each clique, cells that may be non-zero (None for all) and their counts."""
        empty = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        return {
            clique: (None, self._dense[clique])
            if clique in self._dense
            else (self._sparse[clique] or [empty])[0]
            for clique in self._cliques
        }

    def _cells(self, clique: tuple[str, ...]) -> int:
        return math.prod(self._domain[column] for column in clique)


def merge_cells(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells of all parts, each once and in order, with their summed counts."""
    if len(parts) == 1:
        return parts[0]
    cells, inverse = np.unique(np.concatenate([cells for cells, _ in parts]), return_inverse=True)
    counts = np.zeros(cells.size, dtype=np.int64)
    np.add.at(counts, inverse, np.concatenate([counts for _, counts in parts]))
    return cells, counts


def _tally(flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    cells, counts = np.unique(flat, return_counts=True)
    return cells, counts.astype(np.int64)


BLOCK_CELLS = 1024
SCHEMA = 'block bigint, cells binary, rows binary'

Codes = dict[str, np.ndarray]
Worker = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


@dataclass(frozen=True)
class Layout:
    """The position of each clique's histogram.

    Attributes:
        domain: Number of codes of each column.
        cliques: The cliques, in order.
    """

    domain: Mapping[str, int]
    cliques: Sequence[tuple[str, ...]]

    @property
    def starts(self) -> np.ndarray:
        """The first cell of each clique, and the number of all cells."""
        sizes = [math.prod(self.domain[column] for column in clique) for clique in self.cliques]
        return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])

    @property
    def num_cells(self) -> int:
        """Number of cells of all histograms."""
        return int(self.starts[-1])

    @property
    def num_blocks(self) -> int:
        """Number of blocks."""
        return self.num_cells // BLOCK_CELLS + 1


def with_names(
    batches: Iterable[pa.RecordBatch], names: Sequence[str], worker: Worker
) -> Iterator[pa.RecordBatch]:
    """Yield what a worker makes of batches whose columns have their own names again."""
    yield from worker(pa.RecordBatch.from_arrays(b.columns, names=list(names)) for b in batches)


def count_part(
    batches: Iterable[pa.RecordBatch], lookups: Mapping[str, Lookup], layout: Layout
) -> Iterator[pa.RecordBatch]:
    """Yield the occupied cells of all histograms of a part."""
    histograms = Histograms(layout.domain, layout.cliques)
    encoded = (
        {column: lookup.encode(batch.column(column)) for column, lookup in lookups.items()}
        for batch in slices(batches)
    )
    for codes in in_chunks(encoded):
        histograms.add(codes)
    yield packed_histograms(histograms, layout)


def packed_histograms(histograms: Histograms, layout: Layout) -> pa.RecordBatch:
    """Return the occupied cells of all histograms, in blocks."""
    places, counts = [], []
    observed = histograms.observed()
    for start, clique in zip(layout.starts.tolist(), layout.cliques, strict=False):
        cells, rows = observed[clique]
        occupied = np.flatnonzero(rows)
        places.append(start + (occupied if cells is None else cells[occupied]))
        counts.append(rows[occupied])
    if not places:
        return packed(np.zeros(0, np.int64), np.zeros(0, np.int64))
    return packed(np.concatenate(places), np.concatenate(counts))


def packed(places: np.ndarray, rows: np.ndarray) -> pa.RecordBatch:
    """Return cells with their counts as blocks.

    Args:
        places: The cells, in increasing order.
        rows: The counts, none of them 0.
    """
    blocks, firsts = np.unique(places // BLOCK_CELLS, return_index=True)
    within = (places % BLOCK_CELLS).astype(np.uint16)
    ends = [*firsts[1:].tolist(), len(places)]
    cuts = [slice(first, end) for first, end in zip(firsts.tolist(), ends, strict=False)]
    return pa.RecordBatch.from_arrays(
        [
            pa.array(blocks, pa.int64()),
            pa.array([within[cut].tobytes() for cut in cuts], pa.binary()),
            pa.array([_narrow(rows[cut]).tobytes() for cut in cuts], pa.binary()),
        ],
        ['block', 'cells', 'rows'],
    )


def unpacked(batch: pa.RecordBatch | pa.Table) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yield each block of a batch: its number, cells within it, and their counts."""
    columns = (batch.column(place).to_pylist() for place in range(3))
    for block, cells, rows in zip(*columns, strict=True):
        within = np.frombuffer(cells, np.uint16)
        width = len(rows) // max(len(within), 1)
        yield block, within, np.frombuffer(rows, f'u{width or 1}').astype(np.int64)


def merge_parts(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the sums of all blocks with the same number."""
    sums: dict[int, np.ndarray] = {}
    for batch in batches:
        for block, cells, rows in unpacked(batch):
            of_block = sums.setdefault(block, np.zeros(BLOCK_CELLS, dtype=np.int64))
            of_block[cells] += rows
    for block, of_block in sums.items():
        occupied = np.flatnonzero(of_block)
        yield packed(block * BLOCK_CELLS + occupied, of_block[occupied])


def tally_part(
    batches: Iterable[pa.RecordBatch], columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """Yield how often each value of each column occurs in a part, as serialised Arrow tables."""
    found: dict[str, list[pa.Table]] = {column: [] for column in columns}
    for batch in slices(batches):
        for column, tables in found.items():
            counted = pc.value_counts(batch.column(column))
            tables.append(pa.table({'value': counted.field(0), 'rows': counted.field(1)}))
            if len(tables) > 50:
                tables[:] = [_added(tables)]
    written = {c: _written(_added(tables)) for c, tables in found.items() if tables}
    yield pa.RecordBatch.from_pydict({
        'name': pa.array(list(written), pa.string()),
        'tally': pa.array(list(written.values()), pa.binary()),
    })


def _added(tables: list[pa.Table]) -> pa.Table:
    summed = pa.concat_tables(tables).group_by('value', use_threads=False)
    return summed.aggregate([('rows', 'sum')]).rename_columns(['value', 'rows'])


def _written(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def slices(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches of at most one chunk of rows."""
    for batch in batches:
        for start in range(0, batch.num_rows, CHUNK_ROWS):
            yield batch.slice(start, CHUNK_ROWS)


def in_chunks(parts: Iterable[Codes]) -> Iterator[Codes]:
    """Join small batches: the kernel has a cost per chunk."""
    waiting, num_rows = [], 0
    for codes in parts:
        waiting.append(codes)
        num_rows += len(next(iter(codes.values())))
        if num_rows >= CHUNK_ROWS:
            yield _joined(waiting)
            waiting, num_rows = [], 0
    if waiting:
        yield _joined(waiting)


def _joined(parts: list[Codes]) -> Codes:
    return {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}


def _narrow(counts: np.ndarray) -> np.ndarray:
    """Return counts in the smallest sufficient integer type."""
    return counts.astype(np.min_scalar_type(int(counts.max())))
