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

# A cut that noise alone suggests is accepted in less than one histogram of a hundred.
_PRICE, _PRICE_PER_LOG = 6.0, 1.2
# A value has no width among real numbers; this part of the whole is its stand-in.
_NARROWEST = 1e-6


@dataclass(frozen=True)
class Pieces:
    """Consecutive pieces of a line, with the rows that they may hold.

    Attributes:
        starts: Where each begins, as a fine cell, and where the last ends.
        rows: How many rows each holds, with noise.
        variances: Of the noise.
    """

    starts: np.ndarray
    rows: Floats
    variances: Floats

    def __len__(self) -> int:
        return len(self.rows)


def merge_pieces(pieces: Pieces, widths: Floats, num_tried: int) -> Pieces:
    """Return the pieces with those merged between which only noise makes a difference.

    Privacy: post-processing of released values.

    Args:
        pieces: Noisy counts, whose noise is independent.
        widths: How wide each of them is.
        num_tried: Among how many cuts, here and elsewhere, those are found that pay.
    """
    # Only how they compare to each other counts. All have none if every piece is one value.
    widest = widths.max(initial=0.0)
    widths = widths / widest if widest > 0 else np.ones(len(pieces))
    widths = np.maximum(widths, _NARROWEST * widths.sum())
    chance = max(pieces.rows.sum(), 0.0) * widths / widths.sum()
    exactness = 1 / (pieces.variances + chance)
    sums = np.stack([
        _prefix(pieces.rows**2 * exactness),
        _prefix(widths * pieces.rows * exactness),
        _prefix(widths**2 * exactness),
    ])
    cuts = _best_cuts(sums, _PRICE + _PRICE_PER_LOG * math.log(num_tried))
    first = cuts[:-1]
    return Pieces(
        pieces.starts[cuts],
        np.add.reduceat(pieces.rows, first),
        np.add.reduceat(pieces.variances, first),
    )


def _best_cuts(sums: Floats, price: float) -> np.ndarray:
    size = sums.shape[1] - 1
    best, before = np.full(size + 1, -price), np.zeros(size + 1, dtype=np.int64)
    alive = np.array([0])
    for end in range(1, size + 1):
        total, cross, square = sums[:, end, None] - sums[:, alive]
        unpriced = best[alive] + np.maximum(total - cross**2 / square, 0.0)
        chosen = int(np.argmin(unpriced))
        best[end], before[end] = unpriced[chosen] + price, alive[chosen]
        alive = np.append(alive[unpriced <= best[end]], end)
    cuts = [size]
    while cuts[-1]:
        cuts.append(int(before[cuts[-1]]))
    return np.array(cuts[::-1])


def _prefix(values: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(values)])
