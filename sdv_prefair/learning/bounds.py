"""Private bounds of a column: the outermost cells of a public grid that noise cannot explain."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from sdv_prefair.values.arrays import Flags

_FALSE_ALARM = 1e-5
# The share of rows that may be left out at an end, for they are moved to the bound.
FEW_ROWS = 0.01
# Cells hold rows if their count is above so many standard deviations at least, and at most: a high
# bar hides rows, and a low one takes noise for rows. Then the next level looks inside and finds
# nothing, so that less is lost by a low one.
_AT_LEAST, _AT_MOST = 0.7, 4.0
# A null among values, or the need of a decimal more, must stand out by so many.
CLEAR = 3.0
_LARGEST_POWER = 63
_SMALLEST_POWER = -32
SMALLEST = 2.0**_SMALLEST_POWER
# January 1900, counted from January 1970, and the months from then to January 2100.
FIRST_MONTH, NUM_MONTHS = -70 * 12, 200 * 12

CountCells = Callable[[np.ndarray, int], tuple[np.ndarray, float]]
"""Returns noisy counts of so many cells together, from each of some cells on, and their sigma."""


@dataclass(frozen=True)
class Grid:
    """A public partition of the line: cell i is [edges[i], edges[i + 1]).

    Attributes:
        edges: The edges of the cells, rising.
        fallback: Bounds to use when nothing stands out of the noise.
    """

    edges: np.ndarray
    fallback: tuple[float, float]

    def span(self, first: int, last: int) -> tuple[float, float]:
        """Return the lower edge of the first cell and the upper edge of the last."""
        return self.edges[first].item(), self.edges[last + 1].item()


def powers_of_two() -> Grid:
    """Return the grid for numbers of unknown size: zero, and powers of two either side."""
    powers = 2.0 ** np.arange(_SMALLEST_POWER, _LARGEST_POWER + 1)
    # Zero has a cell of its own, [0, tiny), so that a column of zeros is not one of ones.
    return Grid(np.concatenate([-powers[::-1], [0.0], powers]), (0.0, 1.0))


def stands_out(noisy: np.ndarray, sigma: float) -> Flags:
    """Return the cells whose counts stand out of the noise.

    Privacy: post-processing. All cells of an empty histogram stay below the bar but with
    probability one in a hundred thousand.
    """
    bar = sigma * float(norm.isf(_FALSE_ALARM / noisy.size))
    above: Flags = noisy > max(bar, 0.0)
    return above


def num_empty(noisy: np.ndarray, sigma: float, few: float) -> int:
    """Return how many cells at the beginning may be left out; the last is none of them.

    What is left out must hold next to no rows altogether, for rows are moved to the bound: a small
    share of all if noise hides fewer.

    Privacy: post-processing.

    Args:
        noisy: Counts of cells.
        sigma: Of their noise.
        few: How many rows of a cell may be left out, if noise hides no more.
    """
    bar = np.clip(few, _AT_LEAST * sigma, _AT_MOST * sigma) * np.sqrt(np.arange(1, len(noisy)))
    empty = np.flatnonzero(np.cumsum(noisy[:-1]) <= bar)
    return int(empty[-1]) + 1 if empty.size else 0


def narrow(
    ends: tuple[int, int],
    widths: Sequence[int],
    num_cells: int,
    total: float,
    count: CountCells,
) -> tuple[int, int]:
    """Return the first cell that holds rows, and the one after the last, level by level.

    Privacy: each level is one histogram of disjoint groups of cells, and which groups these are
    depends on the levels before it alone.

    Args:
        ends: Where the first and the last group of cells begin that hold rows.
        widths: How many cells are a group: on the level of these, and on each that is measured.
        num_cells: How many cells there are.
        total: About how many rows there are.
        count: Answers for one level.
    """
    first, last = ends
    few = FEW_ROWS * total / max(1, len(widths) - 1)
    for before, together in zip(widths, widths[1:], strict=False):
        inner = [np.arange(end, min(end + before, num_cells), together) for end in (first, last)]
        starts = np.union1d(*inner)
        noisy, sigma = count(starts, together)
        left, right = (noisy[np.searchsorted(starts, part)] for part in inner)
        first = int(inner[0][num_empty(left, sigma, few)])
        last = max(first, int(inner[1][::-1][num_empty(right[::-1], sigma, few)]))
    return first, min(last + widths[-1], num_cells)
