"""Histograms to which chunks of codes are added: the kernel, here and on Spark's workers.

It needs numpy alone, so that a worker has almost nothing to import.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

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
