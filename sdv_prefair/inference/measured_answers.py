"""Intervals from what was measured, for ratios that a measured table answers."""

from sdv_prefair.inference.measured_forms import Form, MeasuredCounts
from sdv_prefair.inference.model_answers import Tables, moment
from sdv_prefair.inference.questions import Apart, Atom, Ratio
from sdv_prefair.inference.ratio_interval import (
    NO_VARIANCE,
    Interval,
    Quadratic,
    difference,
    quantile_of,
    ratio_interval,
    variance_of_share,
)

MEASURED, BOUNDED = 'measured', 'bounded'
"""What an interval rests on: a measured table, or bounds that one gives."""

Found = tuple[Interval, str]


class MeasuredAnswers:
    """Answers from noisy tables.

    Args:
        counts: The noisy tables.
        tables: The model's joint distributions, which say how many rows chance has to do with.
        total: Number of rows.
        level: How often intervals are to hold the truth.
        sampling: Whether they are for the population that the rows were drawn from, or for the
            table itself.
    """

    def __init__(
        self, counts: MeasuredCounts, tables: Tables, total: float, level: float, sampling: bool
    ):
        self._counts, self._tables, self._total = counts, tables, total
        self._level, self._sampling = level, sampling

    def find(self, atom: Atom) -> Found | None:
        """Return the interval and what it rests on; None if no measured table tells."""
        if not isinstance(atom, Apart):
            return self._ratio(atom)
        first, second = self._ratio(atom.first), self._ratio(atom.second)
        if first is None or second is None:
            return None
        weaker = BOUNDED if BOUNDED in (first[1], second[1]) else MEASURED
        return difference(first[0], second[0]), weaker

    def _ratio(self, ratio: Ratio) -> Found | None:
        below, above = self._counts.form(ratio.below), self._counts.form(ratio.above)
        if below is None:
            return None
        if above is not None:
            return self._interval(ratio, above, below), MEASURED
        bounds = self._counts.bounds(ratio.above) if ratio.is_share else None
        if bounds is None:
            return None
        least, most = (self._interval(ratio, bound, below) for bound in bounds)
        error = (most.upper - least.lower) / (2 * quantile_of(self._level))
        middle = (least.estimate + most.estimate) / 2
        return Interval(middle, error, least.lower, most.upper), BOUNDED

    def _interval(self, ratio: Ratio, above: Form, below: Form) -> Interval:
        noise = Quadratic(above.covariance(above), above.covariance(below), below.covariance(below))
        chance = self._chance(ratio) if self._sampling else NO_VARIANCE
        return ratio_interval(above.value, below.value, noise, chance, self._level, ratio.limits)

    def _chance(self, ratio: Ratio) -> Quadratic:
        """Return the variance of the rows, by the model's own shares."""
        rows = self._total * moment(ratio, ratio.below, self._tables)
        if ratio.is_share:
            return variance_of_share(rows)
        squares = {c: vector * ratio.above[c] for c, vector in ratio.above.items()}
        above, square = (
            self._total * moment(ratio, vectors, self._tables) for vectors in (ratio.above, squares)
        )
        return Quadratic(square, above, rows)
