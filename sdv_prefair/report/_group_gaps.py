"""Differences between groups that a fair model still has, with confidence intervals."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.inference import Difference, Replicates, Share, estimate_query

_LEVEL = 0.95
# With more groups or values, no table of differences is computed.
_MOST_VALUES = 12
FEWEST_ROWS = 30
"""Smaller groups are not compared."""


@dataclass(frozen=True)
class GroupGap:
    """The largest difference between two groups in how often an outcome takes a value.

    Attributes:
        outcome: The outcome.
        value: Its value.
        protected: The column of the groups.
        groups: The two groups; the first has the value more often.
        gap: The difference of shares in the model.
        lower: Lower bound of its interval, for noise and sampling error.
        upper: Upper bound.
        is_tied: Whether the model connects the two columns at all.
    """

    outcome: str
    value: str
    protected: str
    groups: tuple[str, str]
    gap: float
    lower: float
    upper: float
    is_tied: bool

    @property
    def off(self) -> float:
        """How far off it may be."""
        return max(self.upper - self.gap, self.gap - self.lower)


def group_gaps(fitted: Fitted, replicates: Callable[[], Replicates]) -> tuple[GroupGap, ...]:
    """Return the largest demographic parity gap of each protected and outcome column.

    None if mbi has estimated the model: replicates would take minutes.

    Privacy: post-processing of released values.

    Args:
        fitted: The fit.
        replicates: Returns replicates of it; called if there are columns to compare.
    """
    pairs = list(_pairs(fitted)) if fitted.model.estimator == 'direct' else []
    found = (_largest(fitted, *pair, replicates) for pair in pairs)
    return tuple(gap for gap in found if gap is not None)


def _pairs(fitted: Fitted) -> Iterator[tuple[str, str]]:
    domain = fitted.model.domain
    few = {column for column, size in domain.items() if size <= _MOST_VALUES}
    pairs = dict.fromkeys(
        (protected, outcome)
        for statement in fitted.settings.roles.statements
        for protected in statement.left
        for outcome in statement.right
    )
    yield from (pair for pair in pairs if few.issuperset(pair))


def _largest(
    fitted: Fitted, protected: str, outcome: str, replicates: Callable[[], Replicates]
) -> GroupGap | None:
    query = Difference(Share(outcome), protected)
    rows = estimate_query(fitted, protected, replicates)['estimate'] * fitted.model.total
    groups = set(rows.index[rows >= FEWEST_ROWS])
    number = len(groups) * (len(groups) - 1) // 2 * fitted.model.domain[outcome]
    if not number:
        return None
    # The largest of many is selected, so each interval needs a higher level.
    level = 1 - (1 - _LEVEL) / number
    found = estimate_query(fitted, query, replicates, level, in_the_fair_table=True)
    compared = [set(line[1:]) <= groups for line in found.index]
    found = found[compared].dropna(subset=['estimate'])
    return _gap(found, protected, outcome) if len(found) else None


def _gap(found: pd.DataFrame, protected: str, outcome: str) -> GroupGap:
    # Two values have the same gap; the last one is reported, as fairness metrics do.
    found = found[::-1]
    place = int(np.argmax(found['estimate'].abs().round(9)))
    value, first, second = found.index[place]
    line = found.iloc[place]
    gap, lower, upper = (float(line[name]) for name in ('estimate', 'lower', 'upper'))
    if gap < 0:
        first, second, gap, lower, upper = second, first, -gap, -upper, -lower
    is_tied = not np.isnan(line['standard_error'])
    shown, one, other = (
        'null' if group is None else str(group) for group in (value, first, second)
    )
    return GroupGap(outcome, shown, protected, (one, other), gap, lower, upper, is_tied)
