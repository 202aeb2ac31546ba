"""The share of noise in each measurement, computed from released values and their sigma alone."""

from dataclasses import dataclass

import numpy as np

from sdv_prefair._arrays import Flags, Floats
from sdv_prefair.model._compression import Compression
from sdv_prefair.model._graphical_model import GraphicalModel
from sdv_prefair.model._junction import marginal
from sdv_prefair.model._measurement import Measurement, by_columns

CLEAR, NOISY, SWAMPED, UNRELATED = 'clear', 'noisy', 'swamped by noise', 'no dependence seen'

# From these shares of rows in the wrong cell, a marginal is called noisy, or swamped.
NOISY_FROM, SWAMPED_FROM = 0.02, 0.10
# The same for shares of rows whose values are known only as a group.
NOISY_MERGED, SWAMPED_MERGED = 0.10, 0.50
# E|X| of a standard normal X.
_MEAN_SIZE = np.sqrt(2 / np.pi)


@dataclass(frozen=True)
class Noise:
    """The noise of one measured marginal.

    Attributes:
        columns: The columns of the marginal.
        cells: The number of measured cells, with rare values merged.
        sigma: Standard deviation of the noise of a cell, in rows; the smallest if they differ,
            which is that of an unmerged cell.
        misplaced: Expected share of rows that the noise alone puts in the wrong cell: the expected
            total variation distance that it would cause without any correction.
        merged: How many values were too rare to be distinguished from noise, and were merged.
        merged_share: The share of rows they hold.
        signal: For two columns or more, the ratio of their dependence to the noise: the root of the
            ratio of the mean squared departure from independence to the variance of the noise.
        verdict: What that means, in a word.
    """

    columns: tuple[str, ...]
    cells: int
    sigma: float
    misplaced: float
    merged: int
    merged_share: float
    signal: float
    verdict: str

    @property
    def is_lost(self) -> bool:
        """Whether noise swamps the marginal."""
        return self.verdict == SWAMPED


def hidden_share(sigma: float, cells: int, rows: float) -> float:
    """Return the share of rows that noise alone is expected to put in the wrong cell of a table.

    An effect that moves fewer rows than that is not seen in one measurement of the table.

    Args:
        sigma: Standard deviation of the noise of a cell, in rows.
        cells: The number of cells.
        rows: The number of rows.
    """
    return min(1.0, float(_MEAN_SIZE) * sigma * cells / (2 * rows))


def noise_of_columns(model: GraphicalModel) -> dict[str, Noise]:
    """Return the noise of every one-way marginal."""
    return {m.columns[0]: _of_column(model, m) for m in _measured(model) if len(m.columns) == 1}


def noise_of_pairs(model: GraphicalModel) -> list[Noise]:
    """Return the noise of every measured marginal of two columns or more."""
    return [_of_pair(model, m) for m in _measured(model) if len(m.columns) > 1]


def lost(model: GraphicalModel) -> list[Noise]:
    """Return the marginals that noise swamps, single columns first."""
    measured = [*noise_of_columns(model).values(), *noise_of_pairs(model)]
    return [noise for noise in measured if noise.is_lost]


def sigma_of_codes(model: GraphicalModel, column: str) -> Floats:
    """Return the noise of the count shown for each code: its own, or its share of a group's."""
    (measurement,) = (m for m in _measured(model) if m.columns == (column,))
    of_group = np.sqrt(measurement.variance)
    known = model.compressions.get(column)
    if known is None:
        return of_group
    size = np.where(_is_merged(known), np.bincount(known.group_of)[known.group_of], 1)
    sigma: Floats = of_group[known.group_of] / np.sqrt(size)
    return sigma


def _measured(model: GraphicalModel) -> list[Measurement]:
    return list(by_columns(model.measurements).values())


def _of_column(model: GraphicalModel, measurement: Measurement) -> Noise:
    column = measurement.columns[0]
    misplaced = _misplaced(model, measurement)
    merged, share = _merged(model, column)
    verdict = CLEAR
    if misplaced >= NOISY_FROM or share >= NOISY_MERGED:
        verdict = NOISY
    if misplaced >= SWAMPED_FROM or share >= SWAMPED_MERGED:
        verdict = SWAMPED
    return _noise(measurement, misplaced, merged, share, np.nan, verdict)


def _of_pair(model: GraphicalModel, measurement: Measurement) -> Noise:
    misplaced = _misplaced(model, measurement)
    expected = np.full(measurement.values.shape, model.total)
    for axis, column in enumerate(measurement.columns):
        shape = [-1 if place == axis else 1 for place in range(expected.ndim)]
        expected = expected * marginal(model.nodes, [column]).reshape(shape)
    departure = 2 * measurement.squared_error(expected) / measurement.values.size
    signal = float(np.sqrt(max(0.0, departure - 1)))
    if signal < 1:
        verdict = UNRELATED if misplaced < NOISY_FROM else SWAMPED
    else:
        verdict = CLEAR if misplaced < SWAMPED_FROM else NOISY
    return _noise(measurement, misplaced, 0, 0.0, signal, verdict)


def _noise(
    measurement: Measurement,
    misplaced: float,
    merged: int,
    share: float,
    signal: float,
    verdict: str,
) -> Noise:
    sigma, cells = float(np.min(measurement.stddev)), measurement.values.size
    return Noise(measurement.columns, cells, sigma, misplaced, merged, share, signal, verdict)


def _misplaced(model: GraphicalModel, measurement: Measurement) -> float:
    noise = _MEAN_SIZE * np.sqrt(measurement.variance).sum()
    return float(min(1.0, noise / (2 * max(model.total, 1.0))))


def _merged(model: GraphicalModel, column: str) -> tuple[int, float]:
    known = model.compressions.get(column)
    if known is None:
        return 0, 0.0
    inside = _is_merged(known)
    return int(inside.sum()), float(model.marginal(column)[inside].sum())


def _is_merged(compression: Compression) -> Flags:
    """Return which codes share a group; the code of values outside the domain does not count."""
    greatest = np.zeros(compression.num_groups)
    np.maximum.at(greatest, compression.group_of, compression.weights)
    merged: Flags = (greatest < 1)[compression.group_of]
    return merged
