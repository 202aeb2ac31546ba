"""Private bounds of a column: the outermost cells of a public grid that noise cannot explain."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from sdv_prefair.values._arrays import Flags

_FALSE_ALARM = 1e-5
# The share of rows that may be left out at one end, because they are clipped to the bound.
FEW_ROWS = 0.01
# The least and the greatest threshold, in standard deviations, above which cells count as holding
# rows. A high threshold misses rows. A low one takes noise for rows, which costs less: the next
# level measures inside and finds nothing.
_AT_LEAST, _AT_MOST = 0.7, 4.0
# By how many standard deviations nulls, or rows with more decimals, must stand out.
CLEAR = 3.0
_LARGEST_POWER = 63
_SMALLEST_POWER = -32
SMALLEST = 2.0**_SMALLEST_POWER
# January 1900, counted from January 1970, and the number of months from then to January 2100.
FIRST_MONTH, NUM_MONTHS = -70 * 12, 200 * 12

CountCells = Callable[[np.ndarray, int], tuple[np.ndarray, float]]
"""From first cells and a width, returns noisy counts of groups of that many cells, and sigma."""


@dataclass(frozen=True)
class Grid:
    """A public partition of the line: cell i is [edges[i], edges[i + 1]).

    Attributes:
        edges: The edges of the cells, in increasing order.
        fallback: Bounds to use if nothing stands out from the noise.
    """

    edges: np.ndarray
    fallback: tuple[float, float]

    def span(self, first: int, last: int) -> tuple[float, float]:
        """Return the lower edge of the first cell and the upper edge of the last."""
        return self.edges[first].item(), self.edges[last + 1].item()


def powers_of_two() -> Grid:
    """Return the grid for numbers of unknown size: zero, and powers of two on either side."""
    powers = 2.0 ** np.arange(_SMALLEST_POWER, _LARGEST_POWER + 1)
    # Zero has a cell of its own, [0, tiny), so that a column of zeros does not get a bound of 1.
    return Grid(np.concatenate([-powers[::-1], [0.0], powers]), (0.0, 1.0))


def stands_out(noisy: np.ndarray, sigma: float) -> Flags:
    """Return the cells whose counts stand out from the noise.

    Privacy: post-processing. The probability that any cell of an empty histogram exceeds the
    threshold is at most one in a hundred thousand.
    """
    bar = sigma * float(norm.isf(_FALSE_ALARM / noisy.size))
    above: Flags = noisy > max(bar, 0.0)
    return above


def num_empty(noisy: np.ndarray, sigma: float, few: float) -> int:
    """Return how many cells at the beginning may be left out; the last cell never is.

    The cells left out may hold very few rows in total, because these rows are clipped to the bound:
    ``few``, within limits that depend on the noise.

    Privacy: post-processing.

    Args:
        noisy: Noisy counts of the cells.
        sigma: Standard deviation of their noise.
        few: How many rows may be left out, as far as the noise permits.
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
    """Find, level by level, the first cell that holds rows and the cell after the last one.

    Privacy: each level is one histogram of disjoint groups of cells, and which groups these are
    depends on the levels before it alone.

    Args:
        ends: The first cells of the first and of the last group that hold rows.
        widths: The number of cells in a group: on the level of ``ends``, and on each measured
            level.
        num_cells: The number of cells.
        total: The approximate number of rows.
        count: Measures one level.
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
