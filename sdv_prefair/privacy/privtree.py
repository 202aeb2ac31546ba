"""PrivTree: private bins that are narrow where rows are dense.

Zhang, Xiao and Xie (2016). Uniform bins waste themselves on skewed numbers: of incomes or
gains nearly all rows fall in the first bin. PrivTree halves an interval as long as its noisy
count, lowered with depth, exceeds a bar; only the resulting intervals are released.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from sdv_prefair.privacy.mechanisms import exponential_epsilon


def pure_epsilon(rho: Fraction) -> Fraction:
    """Return the epsilon (rounded down) whose pure DP costs ``rho``: epsilon^2/2-zCDP.

    Proof: proofs/privtree.md
    """
    return exponential_epsilon(rho) / 2


def noise_scale(epsilon: Fraction, rows: int) -> Fraction:
    """Return PrivTree's lambda for binary splits: (2 b - 1)/(b - 1) = 3 over epsilon.

    Proof: proofs/privtree.md
    """
    return 3 * rows / epsilon


def split_intervals(
    cells: np.ndarray, bar: int, scale: Fraction, noise: Callable[[], int]
) -> list[int]:
    """Return the starts of the final intervals over a row of cell counts.

    Privacy: with discrete Laplace noise of scale lambda = 3/epsilon and a decay of at least
    lambda ln 2 a level the intervals are epsilon-DP for one row, whatever the depth.

    Proof: proofs/privtree.md
    """
    decay = math.ceil(scale * Fraction(math.log(2)) * (1 + Fraction(1, 10**9)))
    prefix = np.concatenate([[0], np.cumsum(cells)])
    waiting, starts = [(0, len(cells), 0)], []
    while waiting:
        start, end, depth = waiting.pop()
        lowered = int(prefix[end] - prefix[start]) - depth * decay
        if end - start > 1 and max(lowered, bar - decay) + noise() > bar:
            middle = (start + end) // 2
            waiting += [(start, middle, depth + 1), (middle, end, depth + 1)]
        else:
            starts.append(start)
    return sorted(starts)
