"""Intervals from measurements, for ratios that a measured table answers."""

from typing import NamedTuple

from sdv_prefair.inference._measured_forms import Form, MeasuredCounts
from sdv_prefair.inference._model_answers import Tables, moment
from sdv_prefair.inference._questions import Apart, Atom, Ratio
from sdv_prefair.inference._ratio_interval import (
    NO_VARIANCE,
    Interval,
    Quadratic,
    difference,
    quantile_of,
    ratio_interval,
    variance_of_share,
)

MEASURED, BOUNDED = 'measured', 'bounded'
"""The basis of an interval: a measured table, or bounds from one."""

Found = tuple[Interval, str]


class _Ends(NamedTuple):
    """Intervals of two numbers that bound the requested one."""

    least: Interval
    most: Interval

    def minus(self, other: '_Ends') -> '_Ends':
        """Return bounds on the difference: bounds add up, noise partly cancels."""
        return _Ends(difference(self.least, other.most), difference(self.most, other.least))

    def joined(self, level: float) -> Found:
        """Return one interval that contains both."""
        least, most = self
        if least == most:
            return least, MEASURED
        middle = (least.estimate + most.estimate) / 2
        error = (most.upper - least.lower) / (2 * quantile_of(level))
        return Interval(middle, error, least.lower, most.upper), BOUNDED


# A variance that is zero up to rounding, relative to another.
_NOTHING = 1e-9


class MeasuredAnswers:
    """Answers from noisy tables.

    Args:
        counts: The noisy tables.
        tables: The model's joint distributions, for the sampling error.
        total: Number of rows.
        level: Confidence level of the intervals.
        sampling: Whether they are for the population that the rows were sampled from, or for the
            table itself.
    """

    def __init__(
        self, counts: MeasuredCounts, tables: Tables, total: float, level: float, sampling: bool
    ):
        self._counts, self._tables, self._total = counts, tables, total
        self._level, self._sampling = level, sampling

    def find(self, atom: Atom) -> Found | None:
        """Return the interval and its basis; None if no measured table answers the query."""
        if isinstance(atom, Apart):
            first, second = self._ends(atom.first), self._ends(atom.second)
            ends = None if first is None or second is None else first.minus(second)
        else:
            ends = self._ends(atom)
        return None if ends is None else ends.joined(self._level)

    def _ends(self, ratio: Ratio) -> _Ends | None:
        below = self._counts.form(ratio.below)
        if below is None:
            return None
        forms = [(bound, self._counts.form(bound.above)) for bound in ratio.bounds()]
        if ratio.is_share and forms[0][1] is None:
            bounds = self._counts.bounds(ratio.above) or (None, None)
            forms = [(ratio, form) for form in bounds]
        least, most = (
            None if above is None else self._interval(bound, above, below) for bound, above in forms
        )
        return None if least is None or most is None else _Ends(least, most)

    def _interval(self, ratio: Ratio, above: Form, below: Form) -> Interval:
        numerator, noise = self._adjusted(ratio, above, below)
        chance = self._chance(ratio) if self._sampling else NO_VARIANCE
        return ratio_interval(numerator, below.value, noise, chance, self._level, ratio.limits)

    def _adjusted(self, ratio: Ratio, above: Form, below: Form) -> tuple[float, Quadratic]:
        """Return the numerator, minus the predictable part of its noise, and the remaining noise.

        The tables of the numerator also have a count of the denominator's rows, which others
        measure more precisely: its error is correlated with that of the numerator.
        """
        shared = above.covariance(below)
        noise = Quadratic(above.variance, shared, below.variance)
        own = None
        if not self._counts.tells_codes_apart(ratio.above):
            own = self._counts.form_beside(ratio.below, ratio.above)
        if own is None:
            return above.value, noise
        with_below = own.covariance(below)
        off = own.variance - 2 * with_below + below.variance
        if off <= _NOTHING * own.variance:
            return above.value, noise
        along = above.covariance(own) - shared
        slope = along / off
        left = Quadratic(
            max(0.0, above.variance - slope * along),
            shared - slope * (with_below - below.variance),
            below.variance,
        )
        return above.value - slope * (own.value - below.value), left

    def _chance(self, ratio: Ratio) -> Quadratic:
        """Return the sampling variance of the rows, by the model's own shares."""
        rows = self._total * moment(ratio, ratio.below, self._tables)
        if ratio.is_share:
            return variance_of_share(rows)
        squares = {c: vector * ratio.above[c] for c, vector in ratio.above.items()}
        above, square = (
            self._total * moment(ratio, vectors, self._tables) for vectors in (ratio.above, squares)
        )
        return Quadratic(square, above, rows)
