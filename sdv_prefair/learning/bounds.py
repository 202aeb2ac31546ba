"""Private bounds of a column: the outermost cells of a public grid that noise cannot explain."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from sdv_prefair.values.arrays import Flags

_FALSE_ALARM = 1e-6
# The share of rows that may be left out. A range that is too wide costs little: bins follow rows.
_FEW_ROWS = 0.02
_LARGEST_POWER = 63
_SMALLEST_POWER = -32
SMALLEST = 2.0**_SMALLEST_POWER
# January 1900, counted from January 1970, and the months from then to January 2100.
FIRST_MONTH, NUM_MONTHS = -70 * 12, 200 * 12


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
    probability one in a million.
    """
    bar = sigma * float(norm.isf(_FALSE_ALARM / noisy.size))
    above: Flags = noisy > max(bar, 0.0)
    return above


def num_empty(noisy: np.ndarray, sigma: float, total: float) -> int:
    """Return how many cells at the beginning may be left out; the last is none of them.

    What is left out must hold next to no rows altogether, for rows are moved to the bound.

    Privacy: post-processing.

    Args:
        noisy: Counts of cells.
        sigma: Of their noise.
        total: About how many rows there are.
    """
    at_most = np.cumsum(noisy[:-1]) + sigma * np.sqrt(np.arange(1, len(noisy)))
    few = np.flatnonzero(at_most <= _FEW_ROWS * total)
    return int(few[-1]) + 1 if few.size else 0
