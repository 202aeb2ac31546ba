"""Change-point detection: noisy counts along a line as few pieces of constant density.

Least squares with a penalty per piece (the Potts functional), solved exactly by dynamic
programming with the pruning of Killick, Fearnhead and Eckley (2012). The penalty is what noise
alone would gain from a cut, so that a uniform column stays in one piece. Sampling error of the rows
counts as noise too.
"""

import math
from dataclasses import dataclass

import numpy as np

from sdv_prefair.values._arrays import Floats

# A cut that noise alone suggests is accepted in less than one histogram of a hundred.
_PRICE, _PRICE_PER_LOG = 6.0, 1.2
# A single real number has no width; this fraction of the range is used instead.
_NARROWEST = 1e-6


@dataclass(frozen=True)
class Pieces:
    """Consecutive pieces of a line, with their noisy counts.

    Attributes:
        starts: Where each begins, as a fine cell, and where the last ends.
        rows: How many rows each has, with noise.
        variances: Variances of the noise.
    """

    starts: np.ndarray
    rows: Floats
    variances: Floats

    def __len__(self) -> int:
        return len(self.rows)


def merge_pieces(pieces: Pieces, widths: Floats, num_tried: int) -> Pieces:
    """Return the pieces, merging those that differ only by noise.

    Privacy: post-processing of released values.

    Args:
        pieces: Noisy counts, whose noise is independent.
        widths: How wide each of them is.
        num_tried: The number of candidate cuts, here and elsewhere.
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
