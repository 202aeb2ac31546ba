"""Exact histograms of integer codes, accumulated chunk by chunk.

One kernel for every source of rows: it sees small arrays of codes and adds to histograms, so
memory does not grow with rows. Histograms of large products are kept sparse (observed cells
only); all are int64, because float32 rounds counts above 2^24.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from sdv_prefair.counts._histograms import (
    CHUNK_ROWS,
    DENSE_CELLS,
    Histograms,
    Observed,
    merge_cells,
)
from sdv_prefair.counts._spreading import Spread
from sdv_prefair.errors import DomainError, StructureError

__all__ = [
    'CHUNK_ROWS',
    'Accumulator',
    'Clique',
    'Counts',
    'check_cells',
    'gather',
    'is_measurable',
]

Clique = tuple[str, ...]

MAX_CELLS = 10_000_000


class Counts:
    """The histograms of declared cliques of columns. Private: only a ``PrivateTable`` holds one.

    Args:
        domain: Number of codes of each column.
        observed: For each clique the flat indices of its cells that may be non-zero, and their
            counts; ``None`` for the indices means every cell in order.
    """

    def __init__(
        self,
        domain: Mapping[str, int],
        observed: Mapping[Clique, Observed],
    ):
        self.domain = dict(domain)
        self._observed = dict(observed)

    @property
    def cliques(self) -> list[Clique]:
        """The cliques that were declared and counted."""
        return list(self._observed)

    def shape(self, clique: Sequence[str]) -> tuple[int, ...]:
        """Return the number of codes of each column of the clique."""
        return tuple(self.domain[column] for column in clique)

    def observed(self, clique: Clique) -> tuple[np.ndarray, np.ndarray]:
        """Return the flat indices of cells that may be non-zero, and their counts."""
        cells, counts = self._find(clique)
        return (np.arange(counts.size) if cells is None else cells), counts

    def project(self, clique: Clique) -> np.ndarray:
        """Return the whole histogram of a declared clique."""
        cells, counts = self._find(clique)
        if cells is None:
            return counts.reshape(self.shape(clique))
        dense = np.zeros(math.prod(self.shape(clique)), dtype=np.int64)
        dense[cells] = counts
        return dense.reshape(self.shape(clique))

    def only(self, clique: Clique) -> 'Counts':
        """Return the histogram of one declared clique, without the others."""
        domain = {column: self.domain[column] for column in clique}
        return Counts(domain, {tuple(clique): self._find(clique)})

    def regroup(
        self,
        group_of: Mapping[str, np.ndarray],
        spread: Mapping[str, Spread] = MappingProxyType({}),
    ) -> 'Counts':
        """Return the histograms after merging codes: ``group_of[column][code]`` is the new code.

        Merging is applied to each row alone, so it changes no sensitivity; nor does redistribution.
        Each histogram is merged when it is first requested: of thousands, few ever are.

        Args:
            group_of: The new codes.
            spread: For some of these columns, a code whose rows are redistributed over the new
                codes.
        """
        _check_groups(group_of, self.domain)
        domain = {
            column: int(group_of[column].max()) + 1 if column in group_of else size
            for column, size in self.domain.items()
        }
        if any(domain[column] != len(of_code.shares) for column, of_code in spread.items()):
            raise ValueError('A spread needs a share for each of the new codes.')
        groups = {column: np.array(of_codes) for column, of_codes in group_of.items()}
        return _RegroupedCounts(domain, self, groups, dict(spread))

    def _find(self, clique: Sequence[str]) -> Observed:
        try:
            return self._observed[tuple(clique)]
        except KeyError:
            raise StructureError(
                f'The histogram of {list(clique)} was not declared, so it was not counted. A '
                'structure may read only the pairs that its declare() returns and that can be '
                'measured.'
            ) from None


class _RegroupedCounts(Counts):
    """Histograms with merged codes, each merged when it is first requested."""

    def __init__(
        self,
        domain: Mapping[str, int],
        before: Counts,
        group_of: Mapping[str, np.ndarray],
        spread: Mapping[str, Spread],
    ):
        super().__init__(domain, {})
        self._before, self._group_of, self._spread = before, group_of, spread

    @property
    def cliques(self) -> list[Clique]:
        return self._before.cliques

    def _find(self, clique: Sequence[str]) -> Observed:
        clique = tuple(clique)
        if clique not in self._observed:
            self._observed[clique] = self._merged(clique)
        return self._observed[clique]

    def _merged(self, clique: Clique) -> Observed:
        indices, counts = self._before.observed(clique)
        codes = list(np.unravel_index(indices, self._before.shape(clique)))
        for axis, column in enumerate(clique):
            spread = self._spread.get(column)
            hidden = None if spread is None else codes[axis] == spread.code
            if column in self._group_of:
                codes[axis] = self._group_of[column][codes[axis]]
            if spread is not None and hidden is not None:
                codes, counts = spread.apply(codes, counts, axis, hidden)
        shape = self.shape(clique)
        return gather(np.ravel_multi_index(codes, shape), counts, shape)


class Accumulator:
    """Adds chunks of codes to the histograms of the declared cliques.

    Args:
        domain: Number of codes of each column.
        cliques: The cliques to count; nothing else is counted.
    """

    def __init__(self, domain: Mapping[str, int], cliques: Iterable[Sequence[str]]):
        self._domain = dict(domain)
        declared = [tuple(clique) for clique in cliques]
        for clique in declared:
            check_cells(clique, self._domain)
        self._histograms = Histograms(self._domain, declared)

    def add(self, codes: Mapping[str, np.ndarray]) -> None:
        """Count one chunk: an integer array of equal length for each column."""
        self._histograms.add(codes)

    def counts(self) -> Counts:
        """Return the histograms of everything added so far."""
        return Counts(self._domain, self._histograms.observed())


def is_measurable(clique: Sequence[str], domain: Mapping[str, int]) -> bool:
    """Whether the histogram of the clique is small enough to be measured."""
    return math.prod(domain[column] for column in clique) <= MAX_CELLS


def check_cells(clique: Sequence[str], domain: Mapping[str, int]) -> None:
    """Raise if the histogram of the clique would be too large to measure."""
    cells = math.prod(domain[column] for column in clique)
    if not is_measurable(clique, domain):
        sizes = ', '.join(f"'{column}' has {domain[column]:,} codes" for column in clique)
        raise DomainError(
            f'The histogram of {list(clique)} would have {cells:,} cells, more than the '
            f'{MAX_CELLS:,} that can be measured ({sizes}). Coarsen one of these columns: fewer '
            'range_values, or a smaller numeric_bins.'
        )


def _check_groups(group_of: Mapping[str, np.ndarray], domain: Mapping[str, int]) -> None:
    """Raise unless every code has a group.

    In a sparse histogram only occupied cells are visited; without this check, the rows would decide
    whether a code without a group is noticed.
    """
    for column, groups in group_of.items():
        is_whole = np.issubdtype(groups.dtype, np.integer)
        if groups.shape != (domain[column],) or not is_whole or groups.min() < 0:
            raise ValueError('Groups must be whole numbers of at least 0, one for each code.')


def gather(flat: np.ndarray, counts: np.ndarray, shape: tuple[int, ...]) -> Observed:
    """Return the histogram of cells that may be repeated, as ``Counts`` stores it."""
    if math.prod(shape) > DENSE_CELLS:
        return merge_cells([(flat, counts), (flat[:0], counts[:0])])
    dense = np.zeros(math.prod(shape), dtype=np.int64)
    np.add.at(dense, flat, counts)
    return None, dense
