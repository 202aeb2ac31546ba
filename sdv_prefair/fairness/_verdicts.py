"""A verdict about rows and a statement: fair within, unfair by at least, or cannot be told.

    p   = the joint test of the statement                            (_joint_test.py)
    low, high = bounds of the largest gap between two groups of a stratum  (_gaps.py)
    unfair by at least low   if p <= level
    fair within high         else if high <= limit, and most rows can be compared
    cannot be told, because  else

Each error has a probability of at most the level, .001: to call fair rows unfair, and to call rows
fair whose gap is above what is said. A sum of small gaps over many strata can show that rows are
unfair although no single gap is certain; then ``low`` comes from their root mean square.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from sdv_prefair.fairness._gaps import PairGap, find_gaps, mean_gap, wilson
from sdv_prefair.fairness._joint_test import (
    ENOUGH_ROWS,
    LEVEL,
    ComparableRows,
    Values,
    as_values,
    joint_test,
    numbered,
)

FAIR, UNFAIR, CANNOT_TELL = 'fair within', 'unfair by at least', 'cannot be told'

LIMIT = 0.1
"""By default a table is fair if no two groups differ by more than 10 percentage points."""

_MOST = 0.5


@dataclass(frozen=True)
class Verdict:
    """What rows show about a statement. All gaps are shares: .1 is 10 percentage points.

    Attributes:
        kind: ``'fair within'``, ``'unfair by at least'`` or ``'cannot be told'``.
        p_value: Of the joint test; NaN if no rows can be compared.
        at_least: A lower bound of the largest gap between two groups of a stratum.
        within: An upper bound of it; 1 if the rows say nothing.
        mean: The mean unsigned gap within strata, minus that of shuffled outcomes.
        interval: Its 95 % interval.
        sees: The smallest gap, of the same direction in all strata, that would have been seen in
            nine of ten such tables, for every group of at least 30 rows; NaN if none would.
        sees_crossed: The same for gaps whose direction differs between strata.
        coverage: The share of rows in strata that hold at least two groups.
        told: The share of rows in strata where no gap is above the limit, for certain.
        reason: Why it cannot be told; empty otherwise.
        worst: The two groups that differ most.
        groups: For each group: ``rows``, ``compared`` (rows in strata with another group), and for
            each outcome its rate with a 95 % interval (Wilson).
    """

    kind: str
    p_value: float
    at_least: float
    within: float
    mean: float
    interval: tuple[float, float]
    sees: float
    sees_crossed: float
    coverage: float
    told: float
    reason: str
    worst: PairGap | None
    groups: pd.DataFrame = field(compare=False, repr=False)

    def __str__(self) -> str:
        if self.kind == UNFAIR:
            return f'unfair by at least {in_points(self.at_least)} ({p_in_words(self.p_value)})'
        if self.kind == FAIR:
            return f'fair within {in_points(self.within)}'
        return f'cannot be told: {self.reason}; {self.in_doubt}'

    @property
    def is_evidence(self) -> bool:
        """Whether the rows show anything: a verdict, or that a gap below 1 would have been seen."""
        return self.kind != CANNOT_TELL or not (np.isnan(self.sees) or self.coverage < _MOST)

    @property
    def in_doubt(self) -> str:
        """How large a gap could be, and which would have been seen."""
        could = f'a gap could be as large as {in_points(self.within)}'
        if np.isnan(self.sees):
            return could
        return f'{could}; one of {in_points(self.sees)} in all strata would have been seen'


def in_points(gap: float) -> str:
    """Return a gap in percentage points, in words."""
    points = 100 * gap
    return f'{points:.0f} points' if points >= 10 else f'{points:.1f} points'


def p_in_words(p_value: float) -> str:
    """Return a p-value in words."""
    return 'p < 1e-16' if p_value < 1e-16 else f'p <= {p_value:.1g}'


def worst_in_words(worst: PairGap | None) -> str:
    """Return which groups differ most, in words."""
    if worst is None:
        return ''
    low, high = (100 * end for end in worst.interval)
    return (
        f'{worst.outcome}: {worst.first} ({worst.rows[0]:,} rows) {in_points(worst.gap)} above '
        f'{worst.second} ({worst.rows[1]:,} rows), from {low:.0f} to {high:.0f}'
    )


def judge_rows(
    left: Sequence[Any] | Values,
    right: Sequence[Any] | Values,
    strata: Sequence[Any] | Values,
    limit: float = LIMIT,
    level: float = LEVEL,
    with_mean: bool = True,
) -> Verdict:
    """Return the verdict about rows.

    Args:
        left: The group of each row: all left columns of a statement together.
        right: The outcome of each row: all right columns together.
        strata: Equal where rows agree on the given columns.
        limit: The largest gap with which rows count as fair.
        level: The probability of each error.
        with_mean: Whether to compute the mean gap too, which needs shuffles.
    """
    left, right = as_values(left), as_values(right)
    rows = ComparableRows(left, right, as_values(strata))
    tested = joint_test(rows, level)
    gaps = find_gaps(rows, limit, level)
    reason, kind = '', CANNOT_TELL
    if tested.p_value <= level:
        kind = UNFAIR
    elif gaps.within <= limit and rows.coverage >= _MOST:
        kind = FAIR
    else:
        reason = _why(rows, limit)
    mean, interval = mean_gap(rows) if with_mean else (np.nan, (np.nan, np.nan))
    can_be_compared = bool(len(rows.group))
    return Verdict(
        kind,
        tested.p_value if can_be_compared else np.nan,
        gaps.at_least,
        gaps.within,
        mean,
        interval,
        tested.sees,
        tested.sees_crossed,
        rows.coverage,
        gaps.told,
        reason,
        gaps.worst,
        _groups(left, right, rows),
    )


def _why(rows: ComparableRows, limit: float) -> str:
    """Return why nothing can be told."""
    if len(rows.groups) < 2:
        return 'all rows are of one group'
    if not len(rows.group):
        return 'no stratum holds two groups'
    if rows.coverage < _MOST:
        return f'only {rows.coverage:.1%} of the rows are in strata with two groups'
    small = int((rows.cell_rows < ENOUGH_ROWS).sum())
    if small:
        return (
            f'{small:,} of {len(rows.cell_rows):,} groups within strata have fewer than '
            f'{ENOUGH_ROWS} rows'
        )
    return f'there are too few rows to exclude a gap above {in_points(limit)}'


def _groups(left: Any, right: Any, rows: ComparableRows) -> pd.DataFrame:
    """Return the rows and rates of each group, with Wilson's intervals."""
    if rows.num_outcomes * len(rows.groups) > 10_000:
        return pd.DataFrame()
    (group, _), (outcome, outcomes) = numbered(left), numbered(right)
    shape = len(rows.groups), len(outcomes)
    counts = np.bincount(group * shape[1] + outcome, minlength=shape[0] * shape[1]).reshape(shape)
    total = counts.sum(axis=1)
    told: dict[str, Any] = {'rows': total, 'compared': np.bincount(rows.group, minlength=shape[0])}
    z = float(norm.isf(0.025))
    for value, number in zip(outcomes, counts.T, strict=True):
        rate = number / total
        low, high = wilson(rate, total.astype(np.float64), z)
        told |= {f'{value}': rate, f'{value} low': low, f'{value} high': high}
    return pd.DataFrame(told, index=pd.Index(rows.groups, tupleize_cols=False))
