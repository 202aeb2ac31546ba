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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from sdv_prefair._arrays import Floats, Integers
from sdv_prefair.fairness._joint_test import (
    ENOUGH_ROWS,
    LEVEL,
    ComparableRows,
    Squares,
    Values,
    as_values,
    joint_test,
    numbered,
)

# -- How far groups are apart within strata, in shares of rows, and between which bounds -----------
#
# The gap of two groups in a stratum is the largest difference in how often any set of outcomes
# occurs (the total variation distance): of two outcomes, the difference of their rates.
#
#     for every two groups of every stratum, all together with probability 1 - level:
#         interval = Newcombe's of the difference of two rates (1998, method 10)
#         of more than two outcomes: the same for each, and for each set of them an upper bound
#     worst  = the pair with the highest lower end; else that with the largest gap
#     within = the highest upper end of all pairs
#     mean   = over pairs and strata, by rows, minus the same after shuffles within strata

# More pairs of groups, times outcomes, take too long; their gap is bounded by 1 only.
_MOST_WORK = 20_000_000
_SHUFFLES = 50


@dataclass(frozen=True)
class PairGap:
    """Two groups of one stratum.

    Attributes:
        stratum: The stratum.
        first: The group in which the outcome occurs more often.
        second: The other group.
        outcome: The outcome.
        gap: The difference of its rates.
        interval: Newcombe's interval of that difference, for all pairs together.
        rows: The rows of both groups.
    """

    stratum: object
    first: object
    second: object
    outcome: object
    gap: float
    interval: tuple[float, float]
    rows: tuple[int, int]


@dataclass(frozen=True)
class Gaps:
    """What the rows say about the largest gap.

    Attributes:
        within: No two groups of any stratum differ by more.
        at_least: Some two groups differ by as much.
        worst: The two groups that certainly differ most; ``None`` if none can be compared.
        told: The share of rows in strata where no two groups differ by more than the limit.
    """

    within: float
    at_least: float
    worst: PairGap | None
    told: float


def newcombe(
    rate: tuple[Floats, Floats], rows: tuple[Floats, Floats], z: float
) -> tuple[Floats, Floats]:
    """Return Newcombe's interval of the difference of two rates, first minus second.

    Args:
        rate: The observed rates.
        rows: The rows of each.
        z: The quantile of the normal distribution.
    """
    (low, high), (other_low, other_high) = (
        wilson(one, number, z) for one, number in zip(rate, rows, strict=True)
    )
    difference = rate[0] - rate[1]
    down = np.sqrt((rate[0] - low) ** 2 + (other_high - rate[1]) ** 2)
    up = np.sqrt((high - rate[0]) ** 2 + (rate[1] - other_low) ** 2)
    return difference - down, difference + up


def wilson(rate: Floats, rows: Floats, z: float) -> tuple[Floats, Floats]:
    """Return Wilson's interval of a rate; it has a width even if nothing was observed."""
    middle = (rate + z**2 / (2 * rows)) / (1 + z**2 / rows)
    half = z * np.sqrt(rate * (1 - rate) / rows + z**2 / (4 * rows**2)) / (1 + z**2 / rows)
    return middle - half, middle + half


def find_gaps(rows: ComparableRows, limit: float, level: float = LEVEL) -> Gaps:
    """Return bounds of the largest gap, each exceeded with a probability of at most the level.

    Args:
        rows: The rows.
        limit: Strata are counted in which no gap is above it.
        level: The probability of an error, over all pairs.
    """
    squares = Squares(rows) if len(rows.group) else None
    groups = np.bincount(rows.cell_stratum)
    pairs = float((groups * (groups - 1.0) / 2).sum())
    if squares is None or pairs * rows.num_outcomes > _MOST_WORK:
        return Gaps(1.0, squares.at_least(level / 2) if squares else 0.0, None, 0.0)
    highest = np.zeros(len(rows.rows_of))
    worst: tuple[float, float, PairGap] | None = None
    for first, second in _pairs(rows):
        bounds = _Bounds(rows, first, second, pairs, level / 2)
        np.maximum.at(highest, rows.cell_stratum[first], bounds.upper)
        found = bounds.worst()
        worst = found if worst is None or found[:2] > worst[:2] else worst
    told = float(rows.rows_of[highest <= limit].sum() / max(1, rows.num_rows))
    lowest = max(0.0, worst[0] if worst else 0.0, squares.at_least(level / 2))
    return Gaps(min(1.0, float(highest.max())), lowest, worst and worst[2], told)


def _pairs(rows: ComparableRows) -> Iterator[tuple[Integers, Integers]]:
    """Yield the cells of every two groups of a stratum: neighbours first, then those farther."""
    for apart in range(1, int(np.bincount(rows.cell_stratum).max())):
        first = np.flatnonzero(rows.cell_stratum[apart:] == rows.cell_stratum[:-apart])
        yield first, first + apart


class _Bounds:
    """The gaps of some pairs, and their bounds."""

    def __init__(
        self, rows: ComparableRows, first: Integers, second: Integers, pairs: float, level: float
    ) -> None:
        self.rows, self.cells = rows, (first, second)
        self.rate = rows.rates[first], rows.rates[second]
        self.number = rows.cell_rows[first][:, None], rows.cell_rows[second][:, None]
        kinds = 1 if rows.num_outcomes == 2 else rows.num_outcomes
        z = norm.isf(level / (2 * pairs * kinds))
        self.low, self.high = newcombe(self.rate, self.number, z)
        if rows.num_outcomes == 2:
            self.upper = np.maximum(self.high, -self.low).max(axis=1)
            return
        # Half the level again, for each set of outcomes: log2 of their number is below this.
        sets = np.log(4 * pairs / level) + (rows.num_outcomes - 1) * np.log(2)
        widest = np.sqrt(2 * sets)
        half = [widest / (2 * np.sqrt(one[:, 0] + widest**2)) for one in self.number]
        total = np.abs(self.rate[0] - self.rate[1]).sum(axis=1) / 2
        self.upper = total + np.hypot(*half)

    def worst(self) -> tuple[float, float, PairGap]:
        """Return the highest lower bound, the largest gap, and the pair that has them."""
        gap = self.rate[0] - self.rate[1]
        lower = np.maximum(self.low, -self.high)
        place = np.unravel_index(np.lexsort((np.abs(gap).ravel(), lower.ravel()))[-1], gap.shape)
        pair, outcome = (int(axis) for axis in place)
        ends = float(self.low[place]), float(self.high[place])
        cells = [int(side[pair]) for side in self.cells]
        if gap[place] < 0:
            cells, ends = cells[::-1], (-ends[1], -ends[0])
        return float(lower[place]), float(abs(gap[place])), self._told(cells, outcome, gap, ends)

    def _told(
        self, cells: list[int], outcome: int, gap: Floats, ends: tuple[float, float]
    ) -> PairGap:
        rows = self.rows
        first, second = (rows.groups[rows.cell_group[cell]] for cell in cells)
        rates = [float(rows.rates[cell, outcome]) for cell in cells]
        return PairGap(
            rows.strata[rows.cell_stratum[cells[0]]],
            first,
            second,
            rows.outcomes[outcome] if outcome < len(rows.outcomes) else None,
            rates[0] - rates[1],
            ends,
            (int(rows.cell_rows[cells[0]]), int(rows.cell_rows[cells[1]])),
        )


def mean_gap(
    rows: ComparableRows, level: float = 0.05, rng: np.random.Generator | None = None
) -> tuple[float, tuple[float, float]]:
    """Return the mean unsigned gap within strata minus that of shuffles, and an interval.

    The mean is over two rows of a stratum that are in different groups, and over strata by their
    rows. The interval is normal, with the standard deviation of the shuffles.

    Args:
        rows: The rows.
        level: The probability that the interval does not contain it.
        rng: Shuffles; by default always the same.
    """
    groups = np.bincount(rows.cell_stratum)
    pairs = float((groups * (groups - 1.0) / 2).sum())
    if not len(rows.group) or pairs * rows.num_outcomes * _SHUFFLES > _MOST_WORK:
        return np.nan, (np.nan, np.nan)
    rng = rng or np.random.default_rng(0)
    drawn = [_mean(rows, rows.rates_of(rows.shuffled(rng))) for _ in range(_SHUFFLES)]
    excess = _mean(rows, rows.rates) - float(np.mean(drawn))
    half = float(norm.isf(level / 2) * np.std(drawn, ddof=1))
    return excess, (max(-1.0, excess - half), min(1.0, excess + half))


def _mean(rows: ComparableRows, rates: Floats) -> float:
    weight, total = np.zeros(len(rows.rows_of)), np.zeros(len(rows.rows_of))
    for first, second in _pairs(rows):
        of_pair = rows.cell_rows[first] * rows.cell_rows[second]
        gap = np.abs(rates[first] - rates[second]).sum(axis=1) / 2
        np.add.at(weight, rows.cell_stratum[first], of_pair)
        np.add.at(total, rows.cell_stratum[first], of_pair * gap)
    return float(np.average(total / weight, weights=rows.rows_of))


# -- A verdict about rows and a statement: fair within, unfair by at least, or cannot be told ------


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
