"""Rare codes put together, so that noise is not modelled code by code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdv_prefair.model.measurement import Measurement

# Codes whose noisy count is under so many standard deviations are rare.
RARE = 3.0


@dataclass(frozen=True, eq=False)
class Compression:
    """Which codes of a column are modelled as one group, and how a group goes back to codes.

    Frequent codes keep a group of their own, in their order; the rare ones share the last group.
    Inside it codes follow ``weights``, independently of every other column, so going back adds
    no dependence between columns and leaves justifiable fairness as it is.

    Privacy: made from a released one-way measurement; post-processing.

    Args:
        group_of: For every code, its group.
        weights: For every code, its probability inside its group.
    """

    group_of: np.ndarray
    weights: np.ndarray

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
        values = self.sum_groups(measurement.values, axis)
        variance = self.sum_groups(measurement.variance, axis)
        return Measurement(measurement.columns, values, np.sqrt(variance))

    def sum_groups(self, table: np.ndarray, axis: int = 0) -> np.ndarray:
        """Sum the codes of every group along one axis of a table."""
        order = np.argsort(self.group_of, kind='stable')
        starts = np.searchsorted(self.group_of[order], np.arange(self.num_groups))
        return np.add.reduceat(np.take(table, order, axis=axis), starts, axis=axis)

    def spread(self, table: np.ndarray, axis: int = 0) -> np.ndarray:
        """Share the groups of one axis out to their codes; the mean of ``expand``."""
        shape = [1] * table.ndim
        shape[axis] = -1
        return np.take(table, self.group_of, axis=axis) * self.weights.reshape(shape)

    def expand(self, groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw a code for every group, independently."""
        if self.is_identity:
            return groups
        last = self.num_groups - 1
        inside = np.flatnonzero(self.group_of == last)
        code_of = np.empty(self.num_groups, dtype=groups.dtype)
        code_of[self.group_of] = np.arange(self.num_codes)
        codes = code_of[groups]
        merged = np.flatnonzero(groups == last)
        cumulative = np.cumsum(self.weights[inside])
        draws = rng.random(merged.size) * cumulative[-1]
        codes[merged] = inside[np.searchsorted(cumulative, draws, side='right')]
        return codes


def compress_rare_codes(measurement: Measurement, threshold: float = RARE) -> Compression:
    """Merge the codes whose noisy count is below ``threshold`` standard deviations.

    Nothing is merged unless at least two codes are rare. If all of them are, one group is left.
    Codes inside the merged group are weighted by their noisy counts, as far as these are
    positive; evenly when none is.

    Paper: the domain compression of MST, which PreFair keeps.
    Privacy: post-processing of a released one-way measurement.

    Args:
        measurement: A one-way measurement.
        threshold: Standard deviations below which a code is rare.
    """
    rare = measurement.values < threshold * np.sqrt(measurement.variance)
    if rare.sum() < 2:
        return Compression.identity(rare.size)
    group_of = np.where(rare, (~rare).sum(), np.cumsum(~rare) - 1)
    weights = np.where(rare, np.maximum(measurement.values, 0.0), 1.0)
    inside = weights[rare].sum()
    weights[rare] = weights[rare] / inside if inside > 0 else 1 / rare.sum()
    return Compression(group_of, weights)
