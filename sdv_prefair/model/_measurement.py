"""Noisy marginals: the only input of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
        from sdv_prefair.model._lazy_mbi import load_mbi

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
