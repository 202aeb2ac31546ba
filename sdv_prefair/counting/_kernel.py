"""Checks that histograms can come from one table: they must agree where they overlap."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from types import MappingProxyType

import numpy as np

from sdv_prefair._arrays import Flags, Floats, Integers
from sdv_prefair.counting._worker_counts import DENSE_CELLS, Histograms, Observed, merge_cells
from sdv_prefair.errors import DomainError, PrivateDataError, StructureError

# -- Rows whose code is never sampled, redistributed over the other codes --------------------------
#
# An undeclared null, or a value outside the domain, cannot be shown. Its rows are redistributed in
# proportion to all other rows, as if a value of the column had been imputed to each of them
# independently of the rest of the row.

# After this many rows, turns begin again; shares are exact to one part in this many.
_TURNS = 1 << 16
_BITS = 16
# Cells begin at different turns; otherwise single rows would all go to the same code.
_NEXT_CELL = 40_503


@dataclass(frozen=True, eq=False)
class Spread:
    """One code of a column, and the codes that get its rows in turn.

    Privacy: each cell has an order of codes that depends on public facts and released values, and
    its n rows go to the first n of them. One more row is one more row of one code: it changes one
    cell by one, as before.

    Proof: proofs/histogram.md

    Attributes:
        code: The code that is never sampled.
        shares: The proportions in which its rows go to the new codes.
    """

    code: int
    shares: Floats

    def __post_init__(self) -> None:
        usable = np.isfinite(self.shares).all() and (self.shares >= 0).all()
        if self.shares.ndim != 1 or not usable or not self.shares.sum() > 0:
            raise ValueError('The shares of a spread must be numbers of at least 0, not all 0.')

    def apply(
        self, codes: Sequence[Integers], counts: Integers, axis: int, hidden: Flags
    ) -> tuple[list[Integers], Integers]:
        """Return cells and their numbers of rows, after those of the code are redistributed.

        Args:
            codes: The codes of each cell, along every axis; new ones along this axis.
            counts: How many rows each cell has.
            axis: The axis of the column.
            hidden: Which cells have the code.
        """
        if not counts[hidden].any():  # in most histograms no row has the code
            return [of_axis[~hidden] for of_axis in codes], counts[~hidden]
        cells = np.zeros(np.count_nonzero(hidden), dtype=np.int64)
        for other, of_axis in enumerate(codes):
            if other != axis:
                cells = (cells * _NEXT_CELL + of_axis[hidden]) % _TURNS
        place, code, shared = self._split(cells, counts[hidden])
        spread = [np.append(of_axis[~hidden], of_axis[hidden][place]) for of_axis in codes]
        spread[axis] = np.append(codes[axis][~hidden], code)
        return spread, np.append(counts[~hidden], shared)

    @cached_property
    def _turns(self) -> tuple[Integers, Integers]:
        """The code of each turn; and for each code, in order, its turns in two rounds."""
        turns = _in_turn(self.shares)
        # Small integers are sorted by radix, in a tenth of the time.
        kinds = np.tile(turns.astype(np.min_scalar_type(len(self.shares))), 2)
        order = np.argsort(kinds, kind='stable')
        return turns, kinds[order].astype(np.int64) * 2 * _TURNS + order

    def _split(self, cells: Integers, counts: Integers) -> tuple[Integers, Integers, Integers]:
        """Return which rows of each cell go to which code.

        Args:
            cells: A number for each cell.
            counts: How many rows there are.

        Returns:
            The position of a cell, a new code and a count, for all counts that are not 0.
        """
        turns, keys = self._turns
        line = np.arange(len(self.shares)) * 2 * _TURNS
        first = (cells * _NEXT_CELL % _TURNS)[:, np.newaxis] + line
        rounds, left = np.divmod(counts, _TURNS)
        until = np.searchsorted(keys, first + left[:, np.newaxis])
        of_code = until - np.searchsorted(keys, first)
        of_code += rounds[:, np.newaxis] * np.bincount(turns, minlength=len(self.shares))
        place, code = np.nonzero(of_code)
        return place, code, of_code[place, code]


def _in_turn(shares: Floats) -> Integers:
    """Return codes in turn, evenly mixed: any run has about the right share of each."""
    reached = np.cumsum(shares) / np.sum(shares)
    turns: Integers = np.searchsorted(reached[:-1], _mixed_evenly(), side='right')
    return turns


@cache
def _mixed_evenly() -> Floats:
    """Return points of the unit interval, any run of which is spread over all of it."""
    reversed_bits = np.zeros(_TURNS, dtype=np.int64)
    for bit in range(_BITS):
        reversed_bits |= (np.arange(_TURNS) >> bit & 1) << (_BITS - 1 - bit)
    points: Floats = (reversed_bits + 0.5) / _TURNS
    return points


# -- Exact histograms of integer codes, accumulated chunk by chunk ---------------------------------
#
# One kernel for every source of rows: it sees small arrays of codes and adds to histograms, so
# memory does not grow with rows. Histograms of large products are kept sparse (observed cells
# only); all are int64, because float32 rounds counts above 2^24.


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


# -- Checks that histograms can come from one table: they must agree where they overlap ------------


def check_consistent(counts: Counts, reason: str) -> None:
    """Raise unless all histograms agree with those of single columns, and there is a row.

    Args:
        counts: The histograms, with those of all single columns.
        reason: What it means if they do not agree.

    Raises:
        PrivateDataError: Names the clique; no count is in the message.
    """
    for clique in counts.cliques:
        histogram = counts.project(clique)
        for axis, column in enumerate(clique):
            others = tuple(other for other in range(len(clique)) if other != axis)
            if not np.array_equal(histogram.sum(axis=others), counts.project((column,))):
                raise PrivateDataError(
                    f"The counts of {list(clique)} do not add up to those of '{column}': {reason}"
                )
    totals = {int(counts.observed(clique)[1].sum()) for clique in _single(counts)}
    if len(totals) > 1:
        raise PrivateDataError(f'The counts of single columns differ in their sum: {reason}')
    check_not_empty(counts)


def check_not_empty(counts: Counts) -> None:
    """Raise if no row was counted."""
    if not counts.observed(counts.cliques[0])[1].any():
        raise PrivateDataError('The table has no rows. Give at least one.')


def _single(counts: Counts) -> list[Clique]:
    return [clique for clique in counts.cliques if len(clique) == 1]
