"""The rate of an event in each group, and the differences between groups.

The one kernel of the fairness measures. With strata, two groups are compared within each
stratum that contains both, and the differences are averaged with the strata's row counts as
weights; strata with only one group are uninformative and left out, and the share of rows
that was compared is reported as coverage. Without strata there is one stratum: all rows.

Paper: table "Fairness measures", E_A of a difference of probabilities.
Departs: any number of groups (the largest difference between two of them); strata weighted by
their rows, where the authors' code averages over two different sets of cells.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.stats import norm
from sdv.errors import SynthesizerInputError

from sdv_prefair._arrays import Flags, Floats, Integers
from sdv_prefair.errors import shown
from sdv_prefair.fairness._joint_test import ComparableRows, Values, as_values
from sdv_prefair.fairness._verdicts import mean_gap, newcombe, wilson

MIN_ROWS = 30
"""Default number of rows that each of two groups must have to be compared."""

Ends = tuple[float, float]


class RateGap(NamedTuple):
    """The two groups whose rates differ most.

    Attributes:
        gap: The difference of their rates, first minus second; never negative. NaN where no
            two groups can be compared.
        first: The group with the higher rate.
        second: The group with the lower rate.
        coverage: Share of rows in strata that hold at least two groups.
        interval: Interval of the signed difference between these two groups; contains zero if the
            rows show no difference. It is Newcombe's, and with strata that of a bootstrap, which
            is never narrower than Newcombe's of all their rows. It accounts for the selection of
            the most distant of all pairs that were compared (Bonferroni).
        rates: The rate of every group over all its rows, without strata.
        intervals: Wilson's interval of each of these rates.
        left_out: The groups that were compared with no other, most often because they are small.
        unsigned: With strata, the mean unsigned difference between two groups of a stratum, minus
            that of shuffled events; differences of both signs do not cancel in it. NaN without.
        unsigned_interval: Its interval.
    """

    gap: float
    first: Hashable
    second: Hashable
    coverage: float
    interval: Ends
    rates: dict[Hashable, float]
    intervals: dict[Hashable, Ends]
    left_out: tuple[Hashable, ...]
    unsigned: float
    unsigned_interval: Ends


def rate_gap(
    event: Values,
    group: Values,
    strata: Values | None = None,
    *,
    min_rows: int = 1,
    bootstraps: int = 0,
    confidence: float = 0.95,
    seed: int | np.random.Generator | None = None,
) -> RateGap:
    """Compare how often ``event`` is true between groups, within strata.

    Args:
        event: True or false for each row.
        group: The group of each row.
        strata: The stratum of each row; ``None`` compares whole groups.
        min_rows: Two groups are compared if each has at least so many rows in the strata that
            hold both. A rate over a handful of rows is chance.
        bootstraps: How many times rows are resampled for the interval; 0 for none.
        confidence: Level of the interval.
        seed: Seed or generator of the resampling.
    """
    if not 0 < confidence < 1:
        raise SynthesizerInputError(f'confidence ({shown(confidence)}) must be between 0 and 1.')
    tail, happened = (1 - confidence) / 2, np.asarray(event, dtype=bool)
    codes, names = pd.factorize(as_values(group), use_na_sentinel=False)
    levels = np.zeros(len(happened)) if strata is None else as_values(strata)
    table = _Cells.of(happened, codes, pd.factorize(levels, use_na_sentinel=False)[0])
    named = list(names.tolist())
    rates, rows = table.pooled_rates(), np.bincount(table.group, table.rows).astype(np.float64)
    differences = table.differences(min_rows)
    compared = np.atleast_1d(np.isfinite(differences).any(axis=1))[: len(named)]
    unsigned: tuple[float, Ends] = np.nan, (np.nan, np.nan)
    if strata is not None and bootstraps:
        unsigned = mean_gap(ComparableRows(codes, happened, as_values(strata)), 1 - confidence)
    low, high = (ends.tolist() for ends in wilson(rates, rows, float(norm.isf(tail))))
    of_groups = (
        dict(zip(named, rates.tolist(), strict=True)),
        dict(zip(named, zip(low, high, strict=True), strict=True)),
        tuple(name for name, is_compared in zip(named, compared, strict=True) if not is_compared),
        *unsigned,
    )
    if not compared.any():
        return RateGap(np.nan, None, None, table.coverage(), (np.nan, np.nan), *of_groups)
    first, second = divmod(int(np.nanargmax(differences)), len(named))
    gap = float(differences[first, second])
    interval = (np.nan, np.nan)
    if bootstraps:
        pairs = int(np.isfinite(differences).sum()) // 2
        interval = table.newcombe(first, second, gap, tail / pairs)
        if strata is not None:
            rng = np.random.default_rng(seed)
            draws = table.resampled_differences(first, second, bootstraps, rng)
            ends = _percentiles(draws, gap, tail, pairs)
            interval = min(interval[0], ends[0]), max(interval[1], ends[1])
    return RateGap(gap, named[first], named[second], table.coverage(), interval, *of_groups)


def _percentiles(draws: Floats, gap: float, tail: float, pairs: int) -> Ends:
    """Return the percentile interval, widened for the selection of one of several pairs.

    Such extreme quantiles would need tens of thousands of draws, so the interval of one pair is
    stretched about the gap as a normal one would be.
    """
    stretch = norm.isf(tail / pairs) / norm.isf(tail)
    ends = gap + stretch * (np.nanquantile(draws, [tail, 1 - tail]) - gap)
    low, high = np.clip(ends, -1.0, 1.0).tolist()
    return low, high


def rate_gaps_given(
    event: Values, group: Values, given: Values, **options: Any
) -> dict[Hashable, RateGap]:
    """Compare how often ``event`` is true between groups, conditional on each value in turn.

    For decisions given the true label these are true and false positive rates, for labels given
    the decision positive predictive values.

    Args:
        event: True or false for each row.
        group: The group of each row.
        given: The value of each row that the rates are conditional on.
        **options: ``min_rows``, ``bootstraps``, ``confidence``, ``seed`` of `rate_gap`.
    """
    codes, values = pd.factorize(as_values(given).astype(object), use_na_sentinel=False)
    return {
        value: _gap_among(codes == code, event, group, **options)
        for code, value in enumerate(values.tolist())
    }


def largest_gap(gaps: Mapping[Any, RateGap]) -> float:
    """Return the largest difference given any value; NaN where no groups can be compared."""
    known = [gap.gap for gap in gaps.values() if np.isfinite(gap.gap)]
    return max(known, default=float('nan'))


Gaps = dict[Any, RateGap]


def worst_positive(
    outcomes: Values, positive: Hashable | None, gaps: Callable[[Hashable], Gaps]
) -> tuple[Hashable, Gaps]:
    """Return the positive value with the largest difference between groups, and all its gaps.

    Args:
        outcomes: The outcomes of all rows.
        positive: The one value to look at; ``None`` takes the greater of two values, or each of
            more. Taking both of two would make the true positive and the true negative rate the
            same thing. scikit-learn, too, takes the greater one as positive.
        gaps: Returns the gaps of a value.
    """
    values = [positive]
    if positive is None:
        values = sorted(pd.unique(outcomes), key=lambda value: (str(type(value)), value))
        values = values[1:] if len(values) == 2 else values
    found = [(value, gaps(value)) for value in values]
    return max(found, key=lambda pair: np.nan_to_num(largest_gap(pair[1]), nan=-1.0))


def check_positive(outcome: str, positive: Hashable, label: Values) -> None:
    """Raise unless the positive value occurs: otherwise all groups have the same rate, zero."""
    if len(label) and not (as_values(label).astype(object) == positive).any():
        raise SynthesizerInputError(
            f"positive ({shown(positive)}) must be a value that the outcome '{outcome}' has in the "
            'real table, and of its type.'
        )


def demographic_parity(
    prediction: Values,
    group: Values,
    positive: Hashable,
    strata: Values | None = None,
    **options: Any,
) -> RateGap:
    """Difference of Pr(O = positive | S) between groups; with ``strata``, given A.

    Args:
        prediction: The predicted outcome of each row.
        group: The group of each row.
        positive: The outcome whose rate is compared.
        strata: The stratum of each row, for the conditional measure.
        **options: ``min_rows``, ``bootstraps``, ``confidence``, ``seed`` of `rate_gap`.
    """
    return rate_gap(as_values(prediction) == positive, group, strata, **options)


def true_positive_rate_balance(
    prediction: Values,
    label: Values,
    group: Values,
    positive: Hashable,
    strata: Values | None = None,
    **options: Any,
) -> RateGap:
    """Difference of Pr(O = positive | S, Y = positive) between groups; with ``strata``, given A.

    Args:
        prediction: The predicted outcome O of each row.
        label: The true outcome Y of each row.
        group: The group of each row.
        positive: The outcome whose rate is compared.
        strata: The stratum of each row, for the conditional measure.
        **options: ``min_rows``, ``bootstraps``, ``confidence``, ``seed`` of `rate_gap`.
    """
    event = as_values(prediction) == positive
    return _gap_among(as_values(label) == positive, event, group, strata, **options)


def true_negative_rate_balance(
    prediction: Values,
    label: Values,
    group: Values,
    positive: Hashable,
    strata: Values | None = None,
    **options: Any,
) -> RateGap:
    """Difference of Pr(O != positive | S, Y != positive) between groups; arguments as above."""
    event = as_values(prediction) != positive
    return _gap_among(as_values(label) != positive, event, group, strata, **options)


def false_positive_rate_balance(
    prediction: Values, label: Values, group: Values, positive: Hashable, **options: Any
) -> RateGap:
    """Difference of Pr(D = positive | S, Y != positive) between groups, D being the prediction.

    Arguments as above, without strata.
    """
    event = as_values(prediction) == positive
    return _gap_among(as_values(label) != positive, event, group, **options)


def positive_predictive_value_balance(
    prediction: Values, label: Values, group: Values, positive: Hashable, **options: Any
) -> RateGap:
    """Difference of Pr(Y = positive | S, D = positive) between groups; arguments as above."""
    event = as_values(label) == positive
    return _gap_among(as_values(prediction) == positive, event, group, **options)


def _gap_among(
    rows: Flags, event: Values, group: Values, strata: Values | None = None, **options: Any
) -> RateGap:
    """Compare groups among some of the rows."""
    kept = None if strata is None else as_values(strata)[rows]
    return rate_gap(np.asarray(event, dtype=bool)[rows], as_values(group)[rows], kept, **options)


class _Cells(NamedTuple):
    """Rows and events counted for every stratum and group that occur together."""

    stratum: Integers
    group: Integers
    rows: Floats
    events: Floats

    @classmethod
    def of(cls, event: Flags, group: Integers, stratum: Integers) -> '_Cells':
        num_groups = int(group.max(initial=0)) + 1
        cell, names = pd.factorize(stratum * num_groups + group)
        stratum_of, group_of = np.divmod(names, num_groups)
        rows, events = (np.bincount(cell, one).astype(np.float64) for one in (None, event))
        return cls(stratum_of, group_of, rows, events)

    def pooled_rates(self) -> Floats:
        rates: Floats = np.bincount(self.group, self.events) / np.bincount(self.group, self.rows)
        return rates

    def coverage(self) -> float:
        held = np.bincount(self.stratum) >= 2
        total = self.rows.sum()
        return float(self.rows[held[self.stratum]].sum() / total) if total else 0.0

    def differences(self, min_rows: int) -> Floats:
        """Return the weighted mean difference of rates, first group down, second across."""
        weight = np.bincount(self.stratum, self.rows)[self.stratum].astype(np.float64)
        held = self._by_stratum(np.ones(len(self.rows)))
        # [g, h]: sum over the strata that hold g and h of the weight, and of weight times rate.
        compared = (self._by_stratum(weight).T @ held).toarray()
        rates = (self._by_stratum(weight * self.events / self.rows).T @ held).toarray()
        enough = (self._by_stratum(self.rows).T @ held).toarray() >= max(1, min_rows)
        allowed = enough & enough.T & ~np.eye(len(enough), dtype=bool)
        with np.errstate(invalid='ignore', divide='ignore'):
            return np.where(allowed, (rates - rates.T) / compared, np.nan)

    def _by_stratum(self, values: Floats) -> sparse.csr_array:
        # Sparse: strata can be nearly as many as rows while most hold one or two groups.
        shape = (int(self.stratum.max(initial=0)) + 1, int(self.group.max(initial=0)) + 1)
        return sparse.csr_array((values, (self.stratum, self.group)), shape=shape)

    def newcombe(self, first: int, second: int, gap: float, tail: float) -> Ends:
        """Return the interval of two groups' rates over the strata they share, about a gap."""
        cells = self._shared_by(first, second)
        sides = [cells.group == group for group in (first, second)]
        rows, events = (
            [np.array([count[side].sum()], dtype=float) for side in sides]
            for count in (cells.rows, cells.events)
        )
        one, other = events[0] / rows[0], events[1] / rows[1]
        low, high = newcombe((one, other), (rows[0], rows[1]), float(norm.isf(tail)))
        ends = np.clip(gap + np.concatenate([low, high]) - (one - other), -1.0, 1.0).tolist()
        return ends[0], ends[1]

    def resampled_differences(
        self, first: int, second: int, times: int, rng: np.random.Generator
    ) -> Floats:
        """Return the difference between two groups over resampled rows of the strata they share.

        Drawing rows with replacement is drawing the counts of (cell, event) from a multinomial.
        """
        cells = self._shared_by(first, second)
        counts = np.concatenate([cells.events, cells.rows - cells.events])
        shares = counts / counts.sum()
        draws = np.empty(times)
        for position in range(times):
            events, others = np.split(rng.multinomial(int(counts.sum()), shares), 2)
            drawn = cells._replace(
                rows=np.add(events, others, dtype=np.float64),
                events=np.asarray(events, dtype=np.float64),
            )
            draws[position] = drawn._difference(first, second)
        return draws

    def _shared_by(self, first: int, second: int) -> '_Cells':
        shared = np.intersect1d(
            self.stratum[self.group == first], self.stratum[self.group == second]
        )
        mine = np.isin(self.stratum, shared)
        return _Cells(
            np.searchsorted(shared, self.stratum[mine]),
            self.group[mine],
            self.rows[mine],
            self.events[mine],
        )

    def _difference(self, first: int, second: int) -> float:
        weight = np.bincount(self.stratum, self.rows)
        rate = np.full((2, len(weight)), np.nan)
        for side, group in enumerate((first, second)):
            mine = (self.group == group) & (self.rows > 0)
            rate[side, self.stratum[mine]] = self.events[mine] / self.rows[mine]
        difference = rate[0] - rate[1]
        known = np.isfinite(difference)
        return np.average(difference[known], weights=weight[known]) if known.any() else np.nan
