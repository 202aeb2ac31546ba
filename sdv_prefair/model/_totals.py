"""The number of rows, and the model that one-way marginals alone define."""

from collections.abc import Sequence

import numpy as np

from sdv_prefair._arrays import Floats
from sdv_prefair.model._measurement import Measurement, by_columns


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
