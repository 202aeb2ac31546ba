"""Confidence intervals for a ratio of two numbers with normal noise, by Fieller's theorem.

A share, or a mean, is ``N / D`` of a table's counts, and both have noise of a known scale. For the
true ratio ``R`` the difference ``N - R D`` has mean zero and a variance that is quadratic in
``R``; all ``R`` for which it is no further from zero than the level allows form an interval
between the roots of a quadratic. It has its nominal coverage at any noise scale. If the
denominator may be zero, anything is possible, and the interval is the whole range.

For the population there is sampling error as well, whose variance is also quadratic in ``R``:
``D R (1 - R)`` for a share. Without noise the interval is then Wilson's.

E. C. Fieller (1954), Some problems in interval estimation, JRSS B 16(2).
E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22.
G. Y. Zou and A. Donner (2008), Construction of confidence limits about effect measures, Statistics
in Medicine 27(10), for differences.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

from scipy.stats import norm


class Interval(NamedTuple):
    """An estimate, its standard error, and its confidence interval."""

    estimate: float
    standard_error: float
    lower: float
    upper: float

    def within(self, low: float, high: float) -> 'Interval':
        """Return the interval and the estimate, clipped to the possible values."""
        estimate, lower, upper = (min(max(x, low), high) for x in (self[0], *self[2:]))
        return Interval(estimate, self.standard_error, lower, upper)

    def holding(self, estimate: float) -> 'Interval':
        """Return the interval for another estimate, widened if that lies outside."""
        lower, upper = min(self.lower, estimate), max(self.upper, estimate)
        return Interval(estimate, self.standard_error, lower, upper)

    def widened(self, below: float, above: float, level: float) -> 'Interval':
        """Return the interval widened on either side, with a matching standard error."""
        lower, upper = self.lower - below, self.upper + above
        if below == above == 0:
            return self
        return Interval(self.estimate, (upper - lower) / (2 * quantile_of(level)), lower, upper)


@dataclass(frozen=True)
class Quadratic:
    """The variance of ``N - R D``, as ``constant - 2 R linear + R^2 square``."""

    constant: float
    linear: float
    square: float

    def __add__(self, other: 'Quadratic') -> 'Quadratic':
        return Quadratic(
            self.constant + other.constant, self.linear + other.linear, self.square + other.square
        )

    def at(self, ratio: float) -> float:
        """Return the variance for one ratio."""
        return self.constant - 2 * ratio * self.linear + ratio**2 * self.square


NO_VARIANCE = Quadratic(0.0, 0.0, 0.0)


def variance_of_share(rows: float) -> Quadratic:
    """Return the sampling variance of the numerator of a share of so many rows."""
    return Quadratic(0.0, -rows / 2, -rows)


def quantile_of(level: float) -> float:
    """Return how many standard deviations an interval of that level extends."""
    return float(norm.isf((1 - level) / 2))  # (1 + level) / 2 may round to 1


def ratio_interval(
    numerator: float,
    denominator: float,
    noise: Quadratic,
    chance: Quadratic,
    level: float,
    limits: tuple[float, float],
) -> Interval:
    """Return the interval for a ratio.

    Args:
        numerator: Its estimate.
        denominator: Its estimate.
        noise: The variance of their noise.
        chance: The sampling variance of the rows, for intervals about the population.
        level: Confidence level of the interval.
        limits: Bounds of the possible ratios.
    """
    z, low, high = quantile_of(level), *limits
    if denominator <= 0:
        middle = (low + high) / 2
        return Interval(middle, (high - low) / (2 * z), low, high)
    ratio = min(max(numerator / denominator, low), high)
    # Sampling variance is zero beyond the limits, so a ratio beyond them has that of noise alone.
    spread = math.sqrt(max(0.0, noise.at(ratio)) + max(0.0, chance.at(ratio))) / denominator
    roots = _roots(numerator, denominator, noise + chance, z)
    if roots is None:
        roots = _roots(numerator, denominator, noise, z)
    lower, upper = (low, high) if roots is None else roots
    return Interval(ratio, spread, lower, upper).within(low, high)


def _roots(
    numerator: float, denominator: float, variance: Quadratic, z: float
) -> tuple[float, float] | None:
    """Return the bounds of Fieller's interval; None if it is unbounded."""
    square = denominator**2 - z**2 * variance.square
    linear = numerator * denominator - z**2 * variance.linear
    constant = numerator**2 - z**2 * variance.constant
    discriminant = linear**2 - square * constant
    if square <= 0 or discriminant < 0:
        return None
    root = math.sqrt(discriminant)
    return (linear - root) / square, (linear + root) / square


def difference(first: Interval, second: Interval) -> Interval:
    """Return the interval for the difference of two independent estimates.

    Each bound combines the distances of the estimates from their own bounds, on the relevant sides.
    """
    apart = first.estimate - second.estimate
    below = math.hypot(first.estimate - first.lower, second.upper - second.estimate)
    above = math.hypot(first.upper - first.estimate, second.estimate - second.lower)
    error = math.hypot(first.standard_error, second.standard_error)
    return Interval(apart, error, apart - below, apart + above)
