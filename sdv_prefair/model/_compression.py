"""Rare codes merged, so that noise is not modelled code by code."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import norm

from sdv_prefair._arrays import Flags, Floats, Integers
from sdv_prefair.model._measurement import Measurement
from sdv_prefair.model._sampling import spread_evenly

# -- How the rows of a group of merged codes are divided among its codes: empirical Bayes ----------
#
# Noisy counts of rare codes are mostly noise. Used directly, the codes that noise favours would
# get all rows: of five thousand codes with a row or two each, a few hundred would remain. So
# first the distribution of the group's counts is estimated: the nonparametric maximum likelihood
# estimate over integers (Kiefer and Wolfowitz 1956, by EM). Given it, each code has a posterior,
# and the same posterior quantile is used for all codes, the one at which they sum to the group's
# rows. No other counts with this sum have a smaller expected total variation distance.
#
# Mean total variation distance of a column's codes, for counts projected on the simplex, and for
# these; Zipf with 400 values in 7,000 rows, Zipf and uniform with 5,000 in 10,000:
#
#     sigma         1          2          5         10         20
#     400       .022/.021  .043/.039  .100/.079  .172/.124  .265/.182
#     5,000     .119/.112  .195/.176  .324/.264  .431/.324  .536/.392
#     even      .178/.147  .313/.218  .552/.272  .710/.283  .822/.280

_ITERATIONS = 30
# Candidate counts are all integers up to the first number, and as many as the second above it.
_ONE_BY_ONE, _ABOVE = 20, 60
_HALVINGS = 30


def weights_within(values: Floats, variance: Floats) -> Floats:
    """Return the share of each code in the rows of its group.

    Privacy: post-processing of released counts.

    Args:
        values: Noisy counts of the codes.
        variance: Variance of the noise in each count.
    """
    total = float(values.sum())
    if values.size < 2 or not total > 0 or not variance.min() > 0:
        return _normed(np.maximum(values, 0.0))
    counts = _whole_counts(float((values + np.sqrt(variance)).max()))
    return _normed(_quantiles(_posterior(values, variance, counts), counts, total))


def _whole_counts(most: float) -> Floats:
    """Return the counts that a code may have, the larger the further apart."""
    low = np.arange(0.0, min(_ONE_BY_ONE, most) + 1.0)
    return np.union1d(low, np.geomspace(1.0, max(most, 1.0), _ABOVE).round())


def _posterior(values: Floats, variance: Floats, counts: Floats) -> Floats:
    """Return the probability of each count for each code, given all noisy counts."""
    squares = np.square(values[:, None] - counts) / (2.0 * variance[:, None])
    likelihood = np.exp(squares.min(axis=1, keepdims=True) - squares)
    prior = np.full(counts.size, 1 / counts.size)
    for _ in range(_ITERATIONS):
        prior = (prior * _per_code(likelihood, prior)[:, None] * likelihood).mean(axis=0)
    posterior: Floats = prior * likelihood * _per_code(likelihood, prior)[:, None]
    return posterior


def _per_code(likelihood: Floats, prior: Floats) -> Floats:
    evidence: Floats = 1.0 / np.maximum(likelihood @ prior, np.finfo(float).tiny)
    return evidence


def _quantiles(posterior: Floats, counts: Floats, total: float) -> Floats:
    """Return the same quantile of every code's count: the one at which they sum to the total."""
    cumulative = np.cumsum(posterior, axis=1)

    def at(level: float) -> Floats:
        place = (cumulative < level).sum(axis=1)
        found: Floats = counts[np.minimum(place, counts.size - 1)]
        return found

    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle).sum() < total else (low, middle)
    below, above = at(low), at(high)
    gap = float((above - below).sum())
    part = (total - float(below.sum())) / gap if gap > 0 else 0.0
    shared: Floats = below + min(max(part, 0.0), 1.0) * (above - below)
    return shared


def _normed(counts: Floats) -> Floats:
    total = float(counts.sum())
    normed: Floats = counts / total if total > 0 else np.full(counts.size, 1 / counts.size)
    return normed


# -- Rare codes merged, so that noise is not modelled code by code ---------------------------------

# Codes with a noisy count below this many standard deviations are rare; in columns with many codes
# the threshold is higher, so that about one code exceeds it by noise alone.
RARE = 3.0
# The weight of a code of weight zero if nothing else is requested.
_TRACE = 1e-12


@dataclass(frozen=True, eq=False)
class Compression:
    """Which codes of a column are modelled as one group, and how groups are decoded into codes.

    Frequent codes keep a group of their own, in their order; the rare ones share the last group, or
    those of a public group share one before it. Inside a group, codes are sampled by ``weights``,
    independently of every other column, so decoding adds no dependence between columns. A code of
    weight zero is never sampled. Every sampled code determines its group, so conditioning on a
    column's codes includes conditioning on its groups, and justifiable fairness is preserved.

    Privacy: computed from a released one-way measurement; post-processing.

    Args:
        group_of: For every code, its group.
        weights: For every code, its probability inside its group.
        hidden: A code of weight zero whose rows belong to no group: they are redistributed over
            all.
        shares: The share of these rows that each group gets.
        measured: The one-way measurement over codes that the weights come from, if codes were
            merged and it is known.
    """

    group_of: np.ndarray
    weights: Floats
    hidden: int | None = None
    shares: Floats | None = None
    measured: Measurement | None = None

    @property
    def num_codes(self) -> int:
        """Number of codes of the column."""
        return self.group_of.size

    @property
    def num_groups(self) -> int:
        """Number of groups."""
        return int(self.group_of.max()) + 1

    @property
    def is_identity(self) -> bool:
        """Whether every code has a group of its own."""
        return self.num_groups == self.num_codes

    @classmethod
    def identity(cls, num_codes: int) -> Compression:
        """Return the compression that changes nothing."""
        return cls(np.arange(num_codes), np.ones(num_codes))

    def compress(self, measurement: Measurement, axis: int = 0) -> Measurement:
        """Return a measurement with one axis in groups.

        A sum of cells carries the sum of their variances: noise grows with the root of the number
        of codes in a group.
        """
        if self.is_identity:
            return measurement
        values = self._fold(measurement.values, axis, 1)
        variance = self._fold(measurement.variance, axis, 2)
        return Measurement(measurement.columns, values, np.sqrt(variance))

    def _fold(self, table: Floats, axis: int, power: int) -> Floats:
        """Sum the codes of every group; each gets its share, to a power, of the hidden code."""
        if self.hidden is None or self.shares is None:
            return self.sum_groups(table, axis)
        table = np.moveaxis(table, axis, 0)
        rest = np.where(_at(self.hidden, table), 0.0, table)
        folded = self.sum_groups(rest) + np.multiply.outer(self.shares**power, table[self.hidden])
        return np.moveaxis(folded, 0, axis)

    def shown(self, num_codes: int) -> Compression:
        """Return the compression of the first codes alone; every group contains one of them."""
        measured = None if self.measured is None else self.measured.first_codes(num_codes)
        return Compression(self.group_of[:num_codes], self.weights[:num_codes], measured=measured)

    def sum_groups(self, table: Floats, axis: int = 0) -> Floats:
        """Sum the codes of every group along one axis of a table."""
        order = np.argsort(self.group_of, kind='stable')
        starts = np.searchsorted(self.group_of[order], np.arange(self.num_groups))
        sums: Floats = np.add.reduceat(np.take(table, order, axis=axis), starts, axis=axis)
        return sums

    def spread(self, table: Floats, axis: int = 0) -> Floats:
        """Divide the groups along one axis among their codes; the mean of ``expand``."""
        shape = [1] * table.ndim
        shape[axis] = -1
        return np.take(table, self.group_of, axis=axis) * self.weights.reshape(shape)

    def expand(
        self, groups: np.ndarray, rng: np.random.Generator, independent_rows: bool = True
    ) -> np.ndarray:
        """Sample a code for every row's group, independently of all other columns.

        Args:
            groups: The group of each row.
            rng: The random generator.
            independent_rows: Whether each is sampled independently; otherwise the codes of a group
                are sampled systematically, see ``sampling``.
        """
        if self.is_identity:
            return groups
        drawn = np.flatnonzero(self.weights > 0)
        drawn = drawn[np.argsort(self.group_of[drawn], kind='stable')]
        groups_drawn, numbers = self.group_of[drawn], np.arange(self.num_groups)
        first = np.searchsorted(groups_drawn, numbers, 'left')
        last = np.searchsorted(groups_drawn, numbers, 'right') - 1
        codes: np.ndarray = drawn[last].astype(groups.dtype)[groups]
        merged = np.flatnonzero((first < last)[groups])
        if not merged.size:
            return codes
        ends = np.cumsum(self.weights[drawn])
        first, last = first[groups[merged]], last[groups[merged]]
        before = np.append(0.0, ends)[first]
        uniform = (
            rng.random(merged.size) if independent_rows else spread_evenly(groups[merged], rng)
        )
        draws = before + uniform * (ends[last] - before)
        codes[merged] = drawn[np.clip(np.searchsorted(ends, draws, side='right'), first, last)]
        return codes

    def rare_groups_merged(self, measurement: Measurement) -> Integers | None:
        """Return a new number for each group; rare groups share the last one.

        None if fewer than two are rare. Codes merged before stay merged.

        Args:
            measurement: A measurement of the column, over codes.
        """
        groups = self.compress(measurement)
        rare = groups.values < RARE * np.sqrt(groups.variance)
        rare[-1] |= self.measured is not None
        return None if rare.sum() < 2 else _numbered(~rare)

    def coarser(self, group_of_group: Integers) -> Compression:
        """Return the compression with groups merged; its weights must be computed again."""
        shares: Floats | None = None
        if self.shares is not None:
            shares = np.bincount(group_of_group, self.shares).astype(np.float64)
        return replace(self, group_of=group_of_group[self.group_of], shares=shares)

    def tilt(self, likelihood: Floats) -> tuple[Floats, Compression]:
        """Return the likelihood of each group, and the compression given the evidence.

        Args:
            likelihood: The likelihood of the evidence, given each code.
        """
        weights = (self.weights + _TRACE) * likelihood
        return self.sum_groups(weights), Compression(self.group_of, weights)


def compress_rare_codes(
    measurement: Measurement,
    threshold: float = RARE,
    other: int | None = None,
    stand_in: int | None = None,
    public_groups: np.ndarray | None = None,
) -> Compression:
    """Merge the codes whose noisy count is below ``threshold`` standard deviations.

    Nothing is merged unless at least two codes are rare. If all of them are, one group is left.
    Codes inside a merged group are weighted by their noisy counts, shrunk towards each other as far
    as noise explains their differences, see ``weights_within``.

    The code ``other``, of values outside the domain, must not be sampled: it has no value of its
    own, and if it were decoded as a value with another code, rows of both would be mixed under that
    value. Given that value, columns that the model separates would depend on each other. So
    ``other`` joins the group of ``stand_in`` (null, if there is one) with weight zero. Without a
    ``stand_in``, its rows are redistributed over all groups in proportion to their noisy counts,
    before pairs are measured: every value shown keeps its share.

    Paper: the domain compression of MST, which PreFair keeps.
    Privacy: post-processing of a released one-way measurement.

    Args:
        measurement: A one-way measurement.
        threshold: Standard deviations below which a code is rare.
        other: Code of values outside the domain, if there is one.
        stand_in: The code that replaces it when rows are decoded, if there is one.
        public_groups: For every code, the public group that it belongs to, -1 for none: rare codes
            are merged within it if together they are not rare.
    """
    drawn = _drawn(measurement, other)
    bar = max(threshold, float(norm.isf(1 / max(2, drawn.sum())))) if threshold > 0 else threshold
    rare = drawn & (measurement.values < bar * np.sqrt(measurement.variance))
    if rare.sum() < 2:
        rare = np.zeros_like(rare)
    group_of = _groups_of(measurement, drawn & ~rare, rare, public_groups, bar)
    if other is None or not drawn.any():
        return _weighed(group_of, measurement, drawn)
    if stand_in is not None:
        group_of[other] = group_of[stand_in]
        return _weighed(group_of, measurement, drawn)
    group_of[other] = 0  # any group will do: with weight zero, it is never sampled
    shares = _shares_of_groups(measurement.values, group_of, drawn)
    return replace(_weighed(group_of, measurement, drawn), hidden=other, shares=shares)


def weigh_again(
    compression: Compression, measurement: Measurement, other: int | None = None
) -> Compression:
    """Return the same groups with weights from another measurement of the column.

    Privacy: post-processing of a released one-way measurement.

    Args:
        compression: How codes were merged.
        measurement: A one-way measurement over codes.
        other: As in ``compress_rare_codes``.
    """
    drawn = _drawn(measurement, other)
    again = _weighed(compression.group_of, measurement, drawn)
    return replace(again, hidden=compression.hidden, shares=compression.shares)


def _drawn(measurement: Measurement, other: int | None) -> Flags:
    drawn: Flags = np.arange(measurement.values.size) != (-1 if other is None else other)
    return drawn


def _numbered(kept: Flags) -> Integers:
    """Number the groups kept, in order; all others share the number after them."""
    groups: Integers = np.where(kept, np.cumsum(kept) - 1, kept.sum())
    return groups


def _groups_of(
    measurement: Measurement,
    kept: Flags,
    rare: Flags,
    public_groups: np.ndarray | None,
    bar: float,
) -> np.ndarray:
    """Return the group of each code: its own, one of a public group's rare codes, or the last."""
    group_of = _numbered(kept)
    if public_groups is None:
        return group_of
    inside = rare & (public_groups >= 0)
    names, place = np.unique(public_groups[inside], return_inverse=True)
    sums, variances = (
        np.bincount(place, of_codes[inside], names.size)
        for of_codes in (measurement.values, measurement.variance)
    )
    stands_out = sums >= bar * np.sqrt(variances)
    last = kept.sum() + stands_out.sum()
    group_of[~kept] = last
    group_of[inside] = np.where(stands_out, kept.sum() + np.cumsum(stands_out) - 1, last)[place]
    if not (group_of[rare] == last).any():  # then there is no last group
        group_of[~kept & ~rare] = 0
    return group_of


def _weighed(group_of: np.ndarray, measurement: Measurement, drawn: Flags) -> Compression:
    """Return the groups with the weight, inside its group, of each code that may be sampled."""
    if not drawn.any():
        return Compression(group_of, np.ones(1))
    merged = drawn & (np.bincount(group_of[drawn])[group_of] > 1)
    weights = drawn.astype(np.float64)
    for group in np.unique(group_of[merged]):
        inside = merged & (group_of == group)
        weights[inside] = weights_within(measurement.values[inside], measurement.variance[inside])
    return Compression(group_of, weights, measured=measurement if merged.any() else None)


def _shares_of_groups(values: Floats, group_of: np.ndarray, drawn: Flags) -> Floats:
    sums = np.bincount(group_of[drawn], values[drawn])
    positive: Floats = np.maximum(sums, 0.0)
    return positive / positive.sum() if positive.any() else np.full(sums.size, 1 / sums.size)


def _at(place: int, table: Floats) -> Flags:
    flags: Flags = np.zeros(table.shape, dtype=bool)
    flags[place] = True
    return flags
