"""Rows whose code is never sampled, redistributed over the other codes.

An undeclared null, or a value outside the domain, cannot be shown. Its rows are redistributed in
proportion to all other rows, as if a value of the column had been imputed to each of them
independently of the rest of the row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from sdv_prefair.values._arrays import Flags, Floats, Integers

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
