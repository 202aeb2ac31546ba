"""Noisy counts along a line, as few pieces of constant density as noise allows.

Least squares with a price for every piece (the Potts functional), solved exactly by dynamic
programming with the pruning of Killick, Fearnhead and Eckley (2012). The price is what noise alone
would gain from a cut, so that an even column stays in one piece. Rows that are drawn evenly do not
lie evenly: chance counts as noise too.
"""

import math
from dataclasses import dataclass

import numpy as np

from sdv_prefair.values.arrays import Floats

# A cut that noise alone suggests is accepted in about one histogram of a thousand.
_PRICE, _PRICE_PER_LOG = 4.0, 1.2
_NARROWEST = 1e-9


@dataclass(frozen=True)
class Leaves:
    """Noisy counts of consecutive intervals.

    Attributes:
        starts: Where each begins, as a fine cell, and where the last ends.
        counts: How many rows each holds, with noise.
        variances: Of the noise.
        widths: How wide each is.
    """

    starts: np.ndarray
    counts: Floats
    variances: Floats
    widths: Floats


@dataclass(frozen=True)
class Segments:
    """Pieces of constant density.

    Attributes:
        starts: Where each begins, as a fine cell, and where the last ends.
        rows: About how many rows each holds, never below 0.
        doubts: The standard errors of these numbers.
    """

    starts: np.ndarray
    rows: Floats
    doubts: Floats

    def __len__(self) -> int:
        return len(self.rows)


def segment(leaves: Leaves) -> Segments:
    """Return the pieces of constant density that fit the counts best at the price of each.

    Privacy: post-processing of released values.
    """
    widths = np.maximum(leaves.widths, _NARROWEST * leaves.widths.sum())
    chance = np.maximum(leaves.counts.sum(), 0.0) * widths / widths.sum()
    exactness = 1 / (leaves.variances + chance)
    sums = np.stack([
        _prefix(leaves.counts**2 * exactness),
        _prefix(widths * leaves.counts * exactness),
        _prefix(widths**2 * exactness),
    ])
    cuts = _best_cuts(sums, _PRICE + _PRICE_PER_LOG * math.log(len(widths)))
    _, cross, square = sums[:, cuts[1:]] - sums[:, cuts[:-1]]
    total_width = np.diff(_prefix(widths)[cuts])
    rows = np.maximum(cross / square * total_width, 0.0)
    return Segments(leaves.starts[cuts], rows, total_width / np.sqrt(square))


def _best_cuts(sums: Floats, price: float) -> np.ndarray:
    size = sums.shape[1] - 1
    best, before = np.full(size + 1, -price), np.zeros(size + 1, dtype=np.int64)
    alive = np.array([0])
    for end in range(1, size + 1):
        total, cross, square = sums[:, end, None] - sums[:, alive]
        unpriced = best[alive] + total - cross**2 / square
        chosen = int(np.argmin(unpriced))
        best[end], before[end] = unpriced[chosen] + price, alive[chosen]
        alive = np.append(alive[unpriced <= best[end]], end)
    cuts = [size]
    while cuts[-1]:
        cuts.append(int(before[cuts[-1]]))
    return np.array(cuts[::-1])


def _prefix(values: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(values)])
