"""The rate of an event in each group, and the differences between groups.

The one kernel of the fairness measures. With strata, two groups are compared within each
stratum that contains both, and the differences are averaged with the strata's row counts as
weights; strata with only one group are uninformative and left out, and the share of rows
that was compared is reported as coverage. Without strata there is one stratum: all rows.

Paper: table "Fairness measures", E_A of a difference of probabilities.
Departs: any number of groups (the largest difference between two of them); strata weighted by
their rows, where the authors' code averages over two different sets of cells.
"""

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.stats import norm

from sdv_prefair.errors import SynthesizerInputError, shown
from sdv_prefair.fairness._gaps import mean_gap, newcombe, wilson
from sdv_prefair.fairness._joint_test import ComparableRows


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
    interval: tuple[float, float]
    rates: dict[Hashable, float]
    intervals: dict[Hashable, tuple[float, float]]
    left_out: tuple[Hashable, ...]
    unsigned: float
    unsigned_interval: tuple[float, float]


def rate_gap(
    event: np.ndarray,
    group: np.ndarray,
    strata: np.ndarray | None = None,
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
    event = np.asarray(event, dtype=bool)
    codes, names = pd.factorize(np.asarray(group), use_na_sentinel=False)
    levels = np.zeros(len(event)) if strata is None else np.asarray(strata)
    table = _Cells.count(event, codes, pd.factorize(levels, use_na_sentinel=False)[0])
    labels = names.tolist()
    rates, rows = table.pooled_rates(), np.bincount(table.group, table.rows)
    differences = table.differences(min_rows)
    compared = np.isfinite(differences).any(axis=1)[: len(labels)]
    ends = zip(*wilson(np.array(rates), rows, norm.isf((1 - confidence) / 2)), strict=True)
    of_groups = (
        dict(zip(labels, rates, strict=True)),
        {name: (float(low), float(high)) for name, (low, high) in zip(labels, ends, strict=True)},
        tuple(name for name, is_compared in zip(labels, compared, strict=True) if not is_compared),
        *_unsigned(event, codes, strata if bootstraps else None, confidence),
    )
    if not compared.any():
        return RateGap(np.nan, None, None, table.coverage(), (np.nan, np.nan), *of_groups)
    first, second = (int(g) for g in divmod(int(np.nanargmax(differences)), len(labels)))
    gap = float(differences[first, second])
    interval = (np.nan, np.nan)
    if bootstraps:
        pairs = int(np.isfinite(differences).sum()) // 2
        tail = (1 - confidence) / 2
        interval = table.newcombe(first, second, gap, tail / pairs)
        if strata is not None:
            rng = np.random.default_rng(seed)
            draws = table.resampled_differences(first, second, bootstraps, rng)
            ends = _interval(draws, gap, confidence, pairs)
            interval = min(interval[0], ends[0]), max(interval[1], ends[1])
    return RateGap(gap, labels[first], labels[second], table.coverage(), interval, *of_groups)


def _unsigned(
    event: np.ndarray, group: np.ndarray, strata: np.ndarray | None, confidence: float
) -> tuple[float, tuple[float, float]]:
    if strata is None:
        return np.nan, (np.nan, np.nan)
    return mean_gap(ComparableRows(group, event, np.asarray(strata)), 1 - confidence)


def rate_gaps_given(
    event: np.ndarray, group: np.ndarray, given: np.ndarray, **options
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
    codes, values = pd.factorize(np.asarray(given, dtype=object), use_na_sentinel=False)
    event, group = np.asarray(event, dtype=bool), np.asarray(group)
    return {
        value: rate_gap(event[codes == code], group[codes == code], **options)
        for code, value in enumerate(values.tolist())
    }


def _interval(draws: np.ndarray, gap: float, confidence: float, pairs: int) -> tuple[float, float]:
    """Return the percentile interval, widened for the selection of one of several pairs.

    Such extreme quantiles would need tens of thousands of draws, so the interval of one pair is
    stretched about the gap as a normal one would be.
    """
    tail = (1 - confidence) / 2
    stretch = norm.isf(tail / pairs) / norm.isf(tail)
    ends = gap + stretch * (np.nanquantile(draws, [tail, 1 - tail]) - gap)
    low, high = np.clip(ends, -1.0, 1.0).tolist()
    return low, high


class _Cells(NamedTuple):
    """Rows and events counted for every stratum and group that occur together."""

    stratum: np.ndarray
    group: np.ndarray
    rows: np.ndarray
    events: np.ndarray

    @classmethod
    def count(cls, event, group, stratum) -> '_Cells':
        num_groups = int(group.max(initial=0)) + 1
        cell, names = pd.factorize(stratum * num_groups + group)
        return cls(
            names // num_groups, names % num_groups, np.bincount(cell), np.bincount(cell, event)
        )

    def pooled_rates(self) -> list[float]:
        rows = np.bincount(self.group, self.rows)
        return (np.bincount(self.group, self.events) / rows).tolist()

    def coverage(self) -> float:
        held = np.bincount(self.stratum) >= 2
        total = self.rows.sum()
        return float(self.rows[held[self.stratum]].sum() / total) if total else 0.0

    def differences(self, min_rows: int) -> np.ndarray:
        """Return the weighted mean difference of rates, first group down, second across."""
        weight = np.bincount(self.stratum, self.rows)[self.stratum]
        held = self._by_stratum(np.ones(len(self.rows)))
        # [g, h]: sum over the strata that hold g and h of the weight, and of weight times rate.
        compared = (self._by_stratum(weight).T @ held).toarray()
        rates = (self._by_stratum(weight * self.events / self.rows).T @ held).toarray()
        enough = (self._by_stratum(self.rows).T @ held).toarray() >= max(1, min_rows)
        allowed = enough & enough.T & ~np.eye(len(enough), dtype=bool)
        with np.errstate(invalid='ignore', divide='ignore'):
            return np.where(allowed, (rates - rates.T) / compared, np.nan)

    def _by_stratum(self, values: np.ndarray) -> sparse.csr_array:
        # Sparse: strata can be nearly as many as rows while most hold one or two groups.
        shape = (self.stratum.max(initial=0) + 1, self.group.max(initial=0) + 1)
        return sparse.csr_array((values, (self.stratum, self.group)), shape=shape)

    def newcombe(self, first: int, second: int, gap: float, tail: float) -> tuple[float, float]:
        """Return the interval of two groups' rates over the strata they share, about a gap."""
        cells = self._shared_by(first, second)
        sides = [cells.group == group for group in (first, second)]
        rows = [np.array([cells.rows[side].sum()], dtype=float) for side in sides]
        rates = [
            cells.events[side].sum() / number for side, number in zip(sides, rows, strict=True)
        ]
        low, high = newcombe(tuple(rates), tuple(rows), norm.isf(tail))
        whole = float(rates[0][0] - rates[1][0])
        ends = np.clip([gap + low[0] - whole, gap + high[0] - whole], -1.0, 1.0)
        return float(ends[0]), float(ends[1])

    def resampled_differences(
        self, first: int, second: int, times: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Return the difference between two groups over resampled rows of the strata they share.

        Drawing rows with replacement is drawing the counts of (cell, event) from a multinomial.
        """
        cells = self._shared_by(first, second)
        counts = np.concatenate([cells.events, cells.rows - cells.events])
        shares = counts / counts.sum()
        draws = np.empty(times)
        for position in range(times):
            events, others = np.split(rng.multinomial(int(counts.sum()), shares), 2)
            drawn = cells._replace(rows=events + others, events=events)
            draws[position] = drawn._difference(first, second)
        return draws

    def _shared_by(self, first: int, second: int) -> '_Cells':
        shared = np.intersect1d(
            self.stratum[self.group == first], self.stratum[self.group == second]
        )
        cells = _Cells(*(values[np.isin(self.stratum, shared)] for values in self))
        return cells._replace(stratum=np.searchsorted(shared, cells.stratum))

    def _difference(self, first: int, second: int) -> float:
        weight = np.bincount(self.stratum, self.rows)
        rate = np.full((2, len(weight)), np.nan)
        for side, group in enumerate((first, second)):
            mine = (self.group == group) & (self.rows > 0)
            rate[side, self.stratum[mine]] = self.events[mine] / self.rows[mine]
        difference = rate[0] - rate[1]
        known = np.isfinite(difference)
        return np.average(difference[known], weights=weight[known]) if known.any() else np.nan
