"""The expected error of a noisy table, for all pairs of columns at once.

The error of a cell is its noise, of which about three quarters remain after estimation from several
tables; but where independence predicts almost nothing, an estimate, which is never negative, is off
by at most about twice that prediction. So with mean absolute noise x the L1 error of a table is the
sum over its cells of min(x, 2 times the expected count).

The codes of a column are grouped into a few levels of about equal expected counts, so that a table
of any size becomes a small one of levels, and the sum is computed once, for a range of noise.

Privacy: computed from released one-way marginals; post-processing.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from sdv_prefair.values._arrays import Floats, Integers

# Mean absolute value of a standard Gaussian, and the share of it that remains after estimation.
_MEAN_OF_NOISE = 0.75 * math.sqrt(2 / math.pi)
_MOST_OF_EXPECTED = 2.0
_LEVELS = 16
_GRID = 32
_AT_ONCE = 500  # pairs; their tables of levels, times the grid, take 33 MB


class ExpectedErrors:
    """The expected L1 error of columns and pairs, as functions of the noise of a cell.

    Args:
        expected: The expected counts of each column in a table, all of one total.
        over_codes: The same for columns on their own, of which no codes are merged.
        places: The positions of the columns of each pair that will be queried.
        merged: The part of ``over_codes`` that tables hold as one code, for columns with such a
            part.
    """

    def __init__(
        self,
        expected: Mapping[str, Floats],
        over_codes: Mapping[str, Floats],
        places: Integers,
        merged: Mapping[str, Floats] = MappingProxyType({}),
    ):
        total = max(float(counts.sum()) for counts in expected.values())
        self.most = _MOST_OF_EXPECTED * total  # no error is larger
        self._caps = np.geomspace(1e-3, max(10.0, 2 * total), _GRID)
        levels = [_levels(counts) for counts in expected.values()]
        alone = [_levels(over_codes[column]) for column in expected]
        self._of_columns = np.stack([_capped(*level, self._caps) for level in alone])
        inside = [_levels(merged.get(column, np.zeros(1))) for column in expected]
        self._of_merged = np.stack([_capped(*level, self._caps) for level in inside])
        self._of_pairs = _curves(levels, places, total, self._caps)

    def of_columns(self, sigma: Floats) -> Floats:
        """Return the error of every column, given the standard deviation of the noise on each."""
        return self._read(self._of_columns, sigma)

    def of_merged(self, sigma: Floats) -> Floats:
        """Return the error inside the merged codes of every column, which no table reduces."""
        return self._read(self._of_merged, sigma)

    def of_pairs(self, which: Integers | slice, sigma: Floats) -> Floats:
        """Return the error of some of the pairs, given the noise on each."""
        return self._read(self._of_pairs[which], sigma)

    def _read(self, curves: Floats, sigma: Floats) -> Floats:
        """Interpolate in the logarithm of the noise; below the grid, errors are noise alone."""
        low, step = math.log(self._caps[0]), math.log(self._caps[1] / self._caps[0])
        at = (np.log(_MEAN_OF_NOISE * sigma / _MOST_OF_EXPECTED) - low) / step
        inside = np.clip(at, 0, _GRID - 1.001)
        left = inside.astype(np.int64)
        right_part, row = inside - left, np.arange(len(left))
        value = curves[row, left] * (1 - right_part) + curves[row, left + 1] * right_part
        errors: Floats = _MOST_OF_EXPECTED * value * np.exp(np.minimum(0.0, at) * step)
        return errors


def _levels(counts: Floats) -> tuple[Floats, Floats]:
    """Return the mean count and the number of codes of a few levels; empty levels have none."""
    order = np.log(np.maximum(counts, max(1e-300, 1e-9 * counts.max())))
    spread = max(float(np.ptp(order)), 1e-12)
    level = np.minimum((order - order.min()) / spread * _LEVELS, _LEVELS - 1).astype(np.int64)
    codes = np.bincount(level, minlength=_LEVELS).astype(np.float64)
    sums = np.bincount(level, weights=counts, minlength=_LEVELS)
    return sums / np.maximum(codes, 1.0), codes


def _capped(values: Floats, number: Floats, caps: Floats) -> Floats:
    """Return the sum of min(value, cap) for each cap."""
    sums: Floats = np.minimum(values[..., None], caps).swapaxes(-1, -2) @ number[..., None]
    return sums[..., 0]


def _curves(
    levels: list[tuple[Floats, Floats]], places: Integers, total: float, caps: Floats
) -> Floats:
    means = np.stack([mean for mean, _ in levels])
    codes = np.stack([number for _, number in levels])
    curves = np.empty((len(places), caps.size))
    for start in range(0, len(places), _AT_ONCE):
        first, second = places[start : start + _AT_ONCE].T
        cells = len(first), _LEVELS * _LEVELS
        values = (means[first][:, :, None] * (means[second] / total)[:, None, :]).reshape(cells)
        number = (codes[first][:, :, None] * codes[second][:, None, :]).reshape(cells)
        curves[start : start + _AT_ONCE] = _capped(values, number, caps)
    return curves
