"""The one test of a statement: do rows show that two groups of columns are independent?

The groups are joint: one for each combination of the left columns, and likewise the outcomes. Under
the statement the outcomes of a stratum, the rows that agree on the given columns, are in random
order. So the null distribution is that of shuffles within strata, and all margins stay as they are.

    looks:  1. each group and outcome, counted over all strata      gaps in the same direction
            2. squared distance of each group from its stratum      gaps that cancel in a sum
            3. each group and outcome of each stratum alone         a gap in one stratum
    p1, p3: Bennett's bound, times the number of counts looked at   valid at every level
    p2:     gamma distribution with the exact mean and variance     approximate, so
            unless it is above .05 or below 1e-9: shuffles          valid
    p    =  min(4 p1, 2 p2, 4 p3)

A count is hypergeometric, that is, a sum of independent events (Vatutin and Mikhailov 1982), as is
a sum of counts over strata; Bennett's inequality therefore holds for both. Shuffles stop when ten
have reached the rows' own distance (Besag and Clifford 1991), or when the level can be decided.

| constant | value | what it does |
|---|---|---|
| ``LEVEL`` | .001 | false accusations, and errors of the bounds |
| ``_POWER`` | .9 | how often a gap that the test "would have seen" is seen |
| ``_LEAST_VARIANCE`` | 1 | counts of a stratum that vary less are not looked at alone |
| ``_KINDS`` | 20; 1,000 | more groups or outcomes are merged with neighbours in look 1 |
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import brentq
from scipy.stats import gamma, norm

from sdv_prefair._arrays import Floats, Integers

Values = NDArray[Any]
"""One value for each row, of any type."""

LEVEL = 0.001
"""How often fair rows are called unfair, and how often a bound is exceeded, at most."""

ENOUGH_ROWS = 30
"""From here on a group is large enough for a rate."""

_POWER = 0.9
_LEAST_VARIANCE = 1.0
_KINDS = 20, 1_000
_APPROXIMATE_ABOVE, _APPROXIMATE_BELOW = 0.05, 1e-9
_REACHED = 10


@dataclass(frozen=True)
class JointTest:
    """The result of the test.

    Attributes:
        p_value: The probability of rows as uneven as these under the statement, at most; 1 if they
            cannot show anything.
        sees: The smallest gap, the same in all strata, that nine of ten such tables would show, for
            every group of at least 30 rows; NaN if there is none below 1.
        sees_crossed: The smallest gap that they would show if its direction changes.
    """

    p_value: float
    sees: float
    sees_crossed: float


class ComparableRows:
    """The rows of strata that hold at least two groups, sorted by stratum, as numbers.

    Args:
        left: The group of each row, of any type.
        right: The outcome of each row.
        strata: The stratum of each row: equal where rows agree on the given columns.
    """

    def __init__(self, left: Values, right: Values, strata: Values) -> None:
        group, self.groups = numbered(left)
        outcome, self.outcomes = numbered(right)
        stratum, self.strata = numbered(strata)
        self.num_rows = len(group)
        held = np.unique(stratum * len(self.groups) + group) // max(1, len(self.groups))
        compared = (np.bincount(held, minlength=len(self.strata)) >= 2)[stratum]
        order = np.flatnonzero(compared)[np.argsort(stratum[compared], kind='stable')]
        self.group, self.outcome = group[order], outcome[order]
        kept, self.stratum = np.unique(stratum[order], return_inverse=True)
        self.strata = self.strata[kept]
        self.coverage = len(order) / self.num_rows if self.num_rows else 0.0
        self.num_outcomes = max(2, len(self.outcomes))
        cells, self.cell = np.unique(
            self.stratum * len(self.groups) + self.group, return_inverse=True
        )
        self.cell_stratum, self.cell_group = np.divmod(cells, max(1, len(self.groups)))
        self.cell_rows = np.bincount(self.cell, minlength=len(cells)).astype(np.float64)
        self.rows_of = np.bincount(self.stratum, minlength=len(kept)).astype(np.float64)

    def shuffled(self, rng: np.random.Generator) -> Integers:
        """Return the outcomes shuffled within strata."""
        # Sorts one integer, stratum | random | outcome: quicker than a lexsort of three arrays.
        outcome_bits = self.num_outcomes.bit_length()
        random_bits = 63 - len(self.rows_of).bit_length() - outcome_bits
        packed = self.stratum << random_bits
        packed |= rng.integers(1 << random_bits, size=len(packed))
        packed <<= outcome_bits
        packed |= self.outcome
        packed.sort()
        shuffled: Integers = packed & ((1 << outcome_bits) - 1)
        return shuffled

    def joint_counts(self, outcome: Integers) -> Integers:
        """Return the rows of each cell and outcome; those that do not occur may be left out."""
        return self._counted(outcome)[1]

    def counts(self, outcome: Integers) -> tuple[Integers, Integers, Floats]:
        """Return cell, outcome and number of rows, where there are any."""
        kinds, number = self._counted(outcome)
        if kinds is None:
            kinds = np.flatnonzero(number)
            number = number[kinds]
        cell, kind = np.divmod(kinds, self.num_outcomes)
        return cell, kind, number.astype(np.float64)

    def _counted(self, outcome: Integers) -> tuple[Integers | None, Integers]:
        joint = self.cell * self.num_outcomes + outcome
        if len(self.cell_rows) * self.num_outcomes <= 8 * len(joint):
            return None, np.bincount(joint)
        kinds, number = np.unique(joint, return_counts=True)
        return kinds, number

    @cached_property
    def rates(self) -> Floats:
        """How often each outcome (columns) occurs in each cell (rows)."""
        return self.rates_of(self.outcome)

    def rates_of(self, outcome: Integers) -> Floats:
        """Return the rates with these outcomes in place of the rows' own."""
        cell, kind, number = self.counts(outcome)
        rates = np.zeros((len(self.cell_rows), self.num_outcomes))
        rates[cell, kind] = number / self.cell_rows[cell]
        return rates

    @cached_property
    def outcomes_of(self) -> sparse.csr_array:
        """How many rows have each outcome (rows) in each stratum (columns)."""
        return _by_stratum(self.outcome, self.stratum, self.num_outcomes, len(self.rows_of))


def as_values(values: Sequence[Any] | Values) -> Values:
    """Return one value for each row as an array: a list of texts and null stays one, and tuples."""
    return values if isinstance(values, np.ndarray) else pd.Series(values).to_numpy()


def joint_codes(codes: Sequence[Values]) -> Integers:
    """Return one code for each row: equal where all of several codes are equal."""
    joint, _ = numbered(codes[0])
    for code in codes[1:]:
        other, kinds = numbered(code)
        joint, _ = numbered(joint * max(1, len(kinds)) + other)  # keeps the products small
    return joint


def numbered(values: Values) -> tuple[Integers, Values]:
    """Return values as numbers in their order; missing ones are equal, and no text is missing.

    Numbers in order of appearance would depend on which values occur in the same row, and merging
    neighbours would then make independent columns dependent.
    """
    number, kinds = pd.factorize(as_values(values), use_na_sentinel=False)
    sortable = (
        [f'{type(kind).__name__} {kind}' for kind in kinds] if kinds.dtype == object else kinds
    )
    order = np.argsort(np.asarray(sortable), kind='stable')
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place[number], np.asarray(kinds)[order]


def joint_test(
    rows: ComparableRows, level: float = LEVEL, rng: np.random.Generator | None = None
) -> JointTest:
    """Test whether outcomes depend on groups within strata.

    Args:
        rows: The rows.
        level: The level that the p-value must be able to reach.
        rng: Shuffles, if needed; by default always the same.
    """
    if not len(rows.group):
        return JointTest(1.0, np.nan, np.nan)
    squares, sums = Squares(rows), [_Sums(rows, most) for most in _KINDS[: _looks(rows)]]
    summed = min(one.p_value for one in sums) * len(sums)
    found = min(4 * summed, 4 * _look_at_strata(rows))
    if found > level / 10:
        found = min(found, 2 * squares.p_value(level / 2, rng or np.random.default_rng(0)))
    return JointTest(min(1.0, found), sums[-1].sees(level / 4 / len(sums)), squares.sees(level / 2))


def _looks(rows: ComparableRows) -> int:
    """Return how often sums over all strata are looked at: a second time with less merged."""
    return 1 + (max(len(rows.groups), rows.num_outcomes) > _KINDS[0])


def bennett(distance: Floats, variance: Floats) -> Floats:
    """Return a bound of how often a sum of independent events is as far from its mean, or farther.

    Args:
        distance: From the mean, in either direction.
        variance: Of the sum; positive.
    """
    ratio = np.abs(distance) / variance
    exponent = variance * ((1 + ratio) * np.log1p(ratio) - ratio)
    bound: Floats = np.minimum(1.0, 2 * np.exp(-exponent))
    return bound


class _Sums:
    """Look 1: counts of each group and outcome over all strata."""

    def __init__(self, rows: ComparableRows, most: int) -> None:
        group = _merged(rows.group, rows.groups, most)
        outcome = _merged(rows.outcome, rows.outcomes, most)
        size = rows.rows_of
        one, other = (
            _by_stratum(side, rows.stratum, int(side.max()) + 1, len(size))
            for side in (group, outcome)
        )
        shape = one.shape[0], other.shape[0]
        together = np.bincount(group * shape[1] + outcome, minlength=shape[0] * shape[1])
        self.distance = together.reshape(shape) - (one.multiply(1 / size) @ other.T).toarray()
        scale = 1 / (size**2 * np.maximum(size - 1, 1.0))
        variance = (_apart(one, size).multiply(scale) @ _apart(other, size).T).toarray()
        self.variance: Floats = np.maximum(variance, 0.0)
        self.contrast = np.asarray((_apart(one, size).multiply(1 / size)).sum(axis=1)).ravel()
        self.rows = np.asarray(one.sum(axis=1)).ravel()
        self.looked_at = np.prod([1 if side == 2 else side for side in shape])

    @property
    def p_value(self) -> float:
        varies = self.variance > 1e-9
        if not varies.any():
            return 1.0
        return float(bennett(self.distance[varies], self.variance[varies]).min() * self.looked_at)

    def sees(self, level: float) -> float:
        """Return the smallest gap of one direction that is seen, for all groups large enough."""
        enough = (self.rows >= ENOUGH_ROWS) & (self.contrast > 0)
        variance = self.variance.max(axis=1)[enough]
        if not variance.size or variance.min() <= 0:
            return np.nan
        limit = [_farthest(one, level / self.looked_at) for one in variance]
        gaps = (np.array(limit) + norm.ppf(_POWER) * np.sqrt(variance)) / self.contrast[enough]
        return float(gaps.max()) if gaps.max() < 1 else np.nan


def _farthest(variance: float, level: float) -> float:
    """Return the distance at which Bennett's bound reaches a level."""

    def beyond(distance: float) -> float:
        return float(np.log(2 / level) - variance * _exponent(distance / variance))

    return float(brentq(beyond, 0.0, 40 * (1 + np.sqrt(variance)) * np.log(2 / level)))


def _exponent(ratio: float) -> float:
    return float((1 + ratio) * np.log1p(ratio) - ratio)


class Squares:
    """Look 2: the squared distances of groups from their strata, times their rows, summed."""

    def __init__(self, rows: ComparableRows) -> None:
        self.rows = rows
        self.mean, self.variance = (float(part.sum()) for part in _moments(rows))
        self.own = self.of(rows.outcome)
        share = rows.cell_rows / rows.rows_of[rows.cell_stratum]
        # What the sum is, at most, if no two groups of a stratum differ by more than 1.
        self.most = float(2 * (rows.cell_rows * (1 - share) ** 2).sum())

    @cached_property
    def _within(self) -> float:
        squared = self.rows.outcomes_of.power(2).sum(axis=0)
        return float((np.asarray(squared).ravel() / self.rows.rows_of).sum())

    def of(self, outcome: Integers) -> float:
        """Return the sum for these outcomes."""
        cell, _, number = self.rows.counts(outcome)
        return float((number**2 / self.rows.cell_rows[cell]).sum() - self._within)

    def p_value(self, level: float, rng: np.random.Generator) -> float:
        """Return the share of shuffles that reach the rows' own sum."""
        if self.variance <= 1e-12:
            return 1.0
        shape, scale = self._shape_and_scale
        approximate = float(gamma.sf(self.own, shape, scale=scale))
        if approximate > _APPROXIMATE_ABOVE or approximate < _APPROXIMATE_BELOW:
            return approximate
        reached, draws = 0, int(np.ceil(1.2 / level))
        for drawn in range(1, draws + 1):
            reached += self.of(self.rows.shuffled(rng)) >= self.own - 1e-9
            if reached == _REACHED:
                return reached / drawn
        return (1 + reached) / (1 + draws)

    @property
    def _shape_and_scale(self) -> tuple[float, float]:
        return self.mean**2 / self.variance, self.variance / self.mean

    def _reached(self, level: float) -> float:
        """Return what shuffles exceed with this probability."""
        shape, scale = self._shape_and_scale
        return float(gamma.isf(level, shape, scale=scale))

    def sees(self, level: float) -> float:
        """Return the smallest gap that is seen whatever its direction in each stratum."""
        if self.variance <= 1e-12:
            return np.nan
        needed = self._reached(level) - self.mean
        return self._as_gap(needed, norm.ppf(_POWER))

    def at_least(self, level: float) -> float:
        """Return a lower bound of the largest gap, by the root mean square of all; approximate."""
        if self.variance <= 1e-12:
            return 0.0
        spread = float(np.sqrt(self.variance))
        tail = (self._reached(level) - self.mean) / spread
        excess = self.own - self.mean
        # excess - signal = tail * sqrt(variance + 2 signal), solved for the signal.
        signal = excess + tail**2 - np.sqrt(tail**4 + tail**2 * (2 * excess + self.variance))
        return float(np.sqrt(np.clip(signal / self.most, 0.0, 1.0))) if excess > 0 else 0.0

    def _as_gap(self, needed: float, tail: float) -> float:
        signal = needed + tail**2 + np.sqrt(tail**4 + tail**2 * (2 * needed + self.variance))
        gap = float(np.sqrt(signal / self.most))
        return gap if gap < 1 else np.nan


def _moments(rows: ComparableRows) -> tuple[Floats, Floats]:
    """Return mean and variance of each stratum's squared distances over all its shuffles.

    Kazi-Aoual, Hitier, Sabatier and Lebreton (1995), for the trace of a product of two centred
    matrices: that of the groups' projection and that of equal outcomes. Of three rows, only two and
    one can be shuffled in more than one way.
    """
    n = rows.rows_of
    groups = np.bincount(rows.cell_stratum)
    inverse = np.bincount(rows.cell_stratum, 1 / rows.cell_rows)
    share = rows.outcomes_of.multiply(1 / n)
    second, third = (np.asarray(share.power(power).sum(axis=0)).ravel() for power in (2, 3))
    trace, other_trace = groups - 1.0, n * (1 - second)
    squares = groups - 1.0
    other_squares = n**2 * (second - 2 * third + second**2)
    diagonal = inverse - 2 * groups / n + 1 / n
    # The mean over rows of (1 - 2 p + sum of p^2)^2, with p the share of the row's outcome.
    other_diagonal = n * ((1 + second) ** 2 - 4 * (1 + second) * second + 4 * third)
    mean = trace * other_trace / (n - 1)
    m = np.maximum(n, 4.0)
    plain = (
        2
        * ((m - 1) * squares - trace**2)
        * ((m - 1) * other_squares - other_trace**2)
        / ((m - 1) ** 2 * (m + 1) * (m - 2))
    )
    sides = [
        m * (m + 1) * d - (m - 1) * (t**2 + 2 * s)
        for d, t, s in (
            (diagonal, trace, squares),
            (other_diagonal, other_trace, other_squares),
        )
    ]
    skew = sides[0] * sides[1] / ((m + 1) * m * (m - 1) * (m - 2) * (m - 3))
    of_three = (n == 3) & (groups == 2) & (np.asarray((share > 0).sum(axis=0)).ravel() == 2)
    variance = np.where(n >= 4, plain + skew, np.where(of_three, 2 / 9, 0.0))
    return mean, np.maximum(variance, 0.0)


def _look_at_strata(rows: ComparableRows) -> float:
    """Look 3: return the p-value of the count that is farthest out in any one stratum."""
    cell, kind, number = rows.counts(rows.outcome)
    stratum = rows.cell_stratum[cell]
    size, of_group = rows.rows_of[stratum], rows.cell_rows[cell]
    of_outcome = np.asarray(rows.outcomes_of[kind, stratum]).ravel()
    variance = of_group * (size - of_group) * of_outcome * (size - of_outcome)
    variance = variance / (size**2 * np.maximum(size - 1, 1.0))
    enough = variance >= _LEAST_VARIANCE
    if not enough.any():
        return 1.0
    expected = of_group * of_outcome / size
    bounds = bennett((number - expected)[enough], variance[enough])
    return float(bounds.min()) * _counts_that_vary(rows)


def _counts_that_vary(rows: ComparableRows) -> int:
    """Return how many counts of single strata can be looked at, by their margins alone."""
    looked_at = 0
    sizes = rows.outcomes_of.tocsc()
    starts = np.searchsorted(rows.cell_stratum, np.arange(len(rows.rows_of) + 1))
    for stratum, size in enumerate(rows.rows_of):
        if size < 2 * _LEAST_VARIANCE:
            continue
        groups = rows.cell_rows[starts[stratum] : starts[stratum + 1]]
        outcomes = sizes.data[sizes.indptr[stratum] : sizes.indptr[stratum + 1]]
        one, other = groups * (size - groups), outcomes * (size - outcomes)
        scale = size**2 * max(size - 1, 1.0)
        vary = int((np.multiply.outer(one, other) >= _LEAST_VARIANCE * scale).sum())
        # With two groups, or two outcomes, the counts of one determine those of the other.
        looked_at += vary // ((2 if len(one) == 2 else 1) * (2 if len(other) == 2 else 1))
    return max(1, looked_at)


def _merged(number: Integers, kinds: Values, most: int) -> Integers:
    """Return values as numbers; many are merged with neighbours, which keeps independence."""
    return number if len(kinds) <= most else number * most // len(kinds)


def _by_stratum(number: Integers, stratum: Integers, kinds: int, strata: int) -> sparse.csr_array:
    """Return how many rows have each value (rows) in each stratum (columns)."""
    ones = np.ones(number.size)
    return sparse.csr_array(sparse.coo_array((ones, (number, stratum)), shape=(kinds, strata)))


def _apart(counts: sparse.csr_array, size: Floats) -> sparse.csr_array:
    """Return, for each value and stratum, the number of rows with it times that without it."""
    return sparse.csr_array(counts.multiply(size) - counts.multiply(counts))
