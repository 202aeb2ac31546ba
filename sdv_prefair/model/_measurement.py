"""Noisy marginals: the only input of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from sdv_prefair._arrays import Floats

if TYPE_CHECKING:
    import mbi

Domain = dict[str, int]


@dataclass(frozen=True, eq=False)
class Measurement:
    """A released marginal: counts plus Gaussian noise.

    Privacy: ``values`` are noisy already. Everything in this package that takes measurements and
    nothing else is post-processing and costs no budget.

    Args:
        columns: The columns of the marginal, one for each axis of ``values``.
        values: The noisy counts; the shape holds the number of codes of every column.
        stddev: Standard deviation of the noise of each cell: one number for all of them, or an
            array that broadcasts to ``values``.
    """

    columns: tuple[str, ...]
    values: Floats
    stddev: Floats | float

    def __post_init__(self) -> None:
        columns = (self.columns,) if isinstance(self.columns, str) else tuple(self.columns)
        values = np.array(self.values, dtype=np.float64)
        object.__setattr__(self, 'columns', columns)
        object.__setattr__(self, 'values', values)
        _check_values(columns, values)
        object.__setattr__(self, 'stddev', _as_stddev(self.stddev, columns, values.shape))

    @property
    def variance(self) -> Floats:
        """The variance of each cell, in the shape of ``values``."""
        return np.broadcast_to(np.square(self.stddev), self.values.shape)

    @property
    def is_uniform(self) -> bool:
        """Whether all cells have the same noise."""
        return isinstance(self.stddev, float)

    def transpose(self, columns: Sequence[str]) -> Measurement:
        """Return the same measurement with its axes in the order of ``columns``."""
        axes = [self.columns.index(column) for column in columns]
        of_cell = self.stddev
        stddev = of_cell if isinstance(of_cell, float) else of_cell.transpose(axes)
        return Measurement(tuple(columns), self.values.transpose(axes), stddev)

    def first_codes(self, num_codes: int) -> Measurement:
        """Return the measurement of the first codes of a column alone."""
        stddev = self.stddev if isinstance(self.stddev, float) else self.stddev[:num_codes]
        return Measurement(self.columns, self.values[:num_codes], stddev)

    def squared_error(self, expected: Floats) -> float:
        """Return half the squared distance from ``expected`` counts, in units of the noise."""
        residual = (expected - self.values) / self.stddev
        return 0.5 * float(np.vdot(residual, residual))

    def to_mbi(self) -> mbi.LinearMeasurement:
        """Return the measurement in the form that mbi's estimators take.

        mbi supports one standard deviation per measurement. Cells of unequal noise are scaled to
        the smallest one by a weighting query, so that mbi's least squares are the same as here.
        """
        from sdv_prefair.model._private_pgm import load_mbi

        mbi = load_mbi()
        values = self.values.ravel()
        if isinstance(self.stddev, float):
            return mbi.LinearMeasurement(values, self.columns, self.stddev)
        smallest = float(self.stddev.min())
        weights = smallest / self.stddev.ravel()
        query = mbi.WeightedQuery(weights)
        return mbi.LinearMeasurement(values * weights, self.columns, smallest, query)


def combine(measurements: Sequence[Measurement]) -> Measurement:
    """Return the inverse-variance mean of measurements of one marginal.

    As a function of the marginal, its squared error differs from the sum of theirs by a constant.
    """
    first = measurements[0]
    if len(measurements) == 1:
        return first
    same_order = [measurement.transpose(first.columns) for measurement in measurements]
    precisions = [1 / measurement.variance for measurement in same_order]
    none = np.zeros(first.values.shape)
    precision = sum(precisions, none)
    shares = [precision_of_one / precision for precision_of_one in precisions]
    values = sum((m.values * s for m, s in zip(same_order, shares, strict=True)), none)
    return Measurement(first.columns, values, 1 / np.sqrt(precision))


def by_columns(measurements: Sequence[Measurement]) -> dict[frozenset[str], Measurement]:
    """Return one combined measurement for every set of columns that was measured."""
    groups: dict[frozenset[str], list[Measurement]] = {}
    for measurement in measurements:
        groups.setdefault(frozenset(measurement.columns), []).append(measurement)
    return {columns: combine(group) for columns, group in groups.items()}


def _check_values(columns: tuple[str, ...], values: Floats) -> None:
    if values.ndim != len(columns) or len(set(columns)) != len(columns) or not columns:
        raise ValueError(
            f'values of shape {values.shape} must have one axis for each of the columns '
            f'{list(columns)}, and no column may be named twice.'
        )
    if values.size == 0 or not np.isfinite(values).all():
        raise ValueError(f'values of the measurement of {list(columns)} must be finite numbers.')


def _as_stddev(
    stddev: Floats | float, columns: tuple[str, ...], shape: tuple[int, ...]
) -> Floats | float:
    stddev = np.asarray(stddev, dtype=np.float64)
    if not (np.isfinite(stddev).all() and (stddev > 0).all()):
        raise ValueError(f'stddev of the measurement of {list(columns)} must be positive numbers.')
    full = np.broadcast_to(stddev, shape)
    lowest, highest = full.min(), full.max()
    return float(lowest) if lowest == highest else np.array(full)


# -- The number of rows, and the model that one-way marginals alone define -------------------------


def minimum_variance_total(measurements: Sequence[Measurement]) -> float:
    """Return the estimate of the number of rows with the least variance, at least 1.

    The cells of every marginal sum to the number of rows, so each measurement gives an unbiased
    estimate with the sum of its cells' variances; they are averaged by inverse variance.

    Privacy: post-processing of released values.
    """
    if not measurements:
        return 1.0
    estimates = [measurement.values.sum() for measurement in measurements]
    variances = np.array([measurement.variance.sum() for measurement in measurements])
    return max(1.0, float(np.average(estimates, weights=variances.min() / variances)))


def project_on_simplex(values: Floats, total: float, variance: Floats | float = 1.0) -> Floats:
    """Return the non-negative counts of a given total that are nearest to ``values``.

    Distance is measured in units of each cell's noise. The solution is
    ``max(0, values - shift * variance)`` for one number ``shift``, which is found by sorting the
    points at which cells reach zero.
    """
    spread = np.broadcast_to(np.asarray(variance, dtype=np.float64), np.shape(values))
    spread = spread / spread.max()
    vanishing = values / spread
    order = np.argsort(-vanishing, axis=None)
    shifts = (np.cumsum(np.take(values, order)) - total) / np.cumsum(np.take(spread, order))
    last = max(0, np.count_nonzero(np.take(vanishing, order) > shifts) - 1)
    counts: Floats = np.maximum(0.0, values - shifts[last] * spread)
    if not counts.sum() > 0:
        # The noise is so large that the total vanishes: all rows go to the largest values.
        counts = (vanishing == vanishing.max()).astype(float)
    return counts * (total / float(counts.sum()))


def one_way_model(measurements: Sequence[Measurement]) -> tuple[float, dict[str, Floats]]:
    """Return the common total and the expected counts of every measured column.

    This is Private-PGM's model of one-way measurements. Under least squares with one common total,
    the columns do not interact, so each noisy marginal is projected onto its own simplex and no
    iterations are needed. The estimate of a pair is the product of its columns' counts over the
    total.

    Paper: the initial model of Greedy-PreFair and Exponential-PreFair.
    Privacy: post-processing of released values.

    Args:
        measurements: One-way measurements; several of one column are averaged.

    Returns:
        The total, and for every column, non-negative counts that sum to it.
    """
    pairs = [measurement.columns for measurement in measurements if len(measurement.columns) > 1]
    if pairs:
        raise ValueError(
            f'one_way_model takes measurements of one column each. Leave out that of {pairs[0]}.'
        )
    total = minimum_variance_total(measurements)
    combined = by_columns(measurements).values()
    counts = {m.columns[0]: project_on_simplex(m.values, total, m.variance) for m in combined}
    return total, counts


# -- Noisy tables shrunk towards independence where they are mostly noise --------------------------
#
# The least-squares optimum follows the noise of sparse tables. A table is modelled as random
# around the product ``m`` of its columns' marginals, where a cell has variance ``k m`` and is
# measured with variance ``s^2``; the best linear estimate then keeps the share ``k m / (k m +
# s^2)`` of the measured deviation from ``m``. ``k`` is fitted to the excess variance of the noisy
# table.
#
# Its benefit, as the mean total variation distance over all pairs of columns, off/on, at
# epsilon 0.1, 1 and 10:
#
#     Adult, equal budgets (8 seeds)        .1314/.1233  .0500/.0473  .0393/.0390
#     Adult, tuned budget (8 seeds)         .0987/.0985  .0444/.0444  .0366/.0366
#     Census KDD, equal budgets (3 seeds)   .0508/.0510  .0299/.0299  .0274/.0274
#     Census KDD, tuned budget (3 seeds)    .0454/.0454  .0305/.0305  .0275/.0275
#     COMPAS, either budget (12 seeds)      no table is large enough to be shrunk
#
# So it helps if large noisy tables are in the tree, and has almost no effect if selection avoids
# them. The two limits below were chosen on these three tables (with other seeds) after some 25
# variants, because shrinking every table made Census KDD and COMPAS worse; on other kinds of data
# they are a guess.
#
# Privacy: all of it is post-processing of released values.

# With fewer cells, the excess variance cannot be distinguished from chance.
_FEWEST_CELLS = 30
# Above this ratio of excess variance to noise, least squares does better on its own.
_STRONGEST_SIGNAL = 3.0
_REWEIGHTINGS = 10


def shrink_tables(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Return the measurements; those of several columns are shrunk where that helps.

    Tables keep their standard deviations. A table with a column that was not measured on its own is
    returned unchanged.

    Args:
        measurements: One-way and larger marginals, in any order.
    """
    one_ways = [measurement for measurement in measurements if len(measurement.columns) == 1]
    total, counts = one_way_model(one_ways)
    return [
        _shrink(measurement, _product(measurement.columns, counts, total))
        if _is_candidate(measurement) and set(measurement.columns) <= set(counts)
        else measurement
        for measurement in measurements
    ]


def _is_candidate(measurement: Measurement) -> bool:
    return len(measurement.columns) > 1 and measurement.values.size >= _FEWEST_CELLS


def _product(columns: Sequence[str], counts: dict[str, Floats], total: float) -> Floats:
    return total * reduce(np.multiply.outer, [counts[column] / total for column in columns])


def _shrink(measurement: Measurement, product: Floats) -> Measurement:
    variance = measurement.variance
    stray = measurement.values - product
    excess = np.square(stray) - variance
    if excess.sum() > _STRONGEST_SIGNAL * variance.sum():
        return measurement
    signal = _spread(excess, variance, product) * product
    values = product + stray * (signal / (signal + variance))
    return Measurement(measurement.columns, values, measurement.stddev)


def _spread(excess: Floats, variance: Floats, product: Floats) -> float:
    """Return ``k``: the weighted mean of excess over product, weights by inverse variance."""
    spread = 0.0
    for _ in range(_REWEIGHTINGS):
        weights = product / np.square(spread * product / variance + 1.0) / np.square(variance)
        spread = max(0.0, float((weights * excess).sum() / (weights * product).sum()))
    return spread
