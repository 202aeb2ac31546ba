"""The model of a release: estimated from what a mechanism returned, and from nothing else."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sdv_prefair.model import GraphicalModel, Measurement, compress_rare_codes, estimate
from sdv_prefair.privacy._private_table import HiddenCodes
from sdv_prefair.selection._measuring import Budget
from sdv_prefair.selection._mechanism import Release

# How far off cells may be, in units of noise and sampling error: at 3 % of these, the squared error
# of a model is a thousandth larger than necessary.
NEAR_ENOUGH = 0.03


def fold_hidden(release: Release, domain: Mapping[str, int], hidden_codes: HiddenCodes) -> Release:
    """Return a release in which codes without a value to show are never sampled.

    A mechanism that merges no codes has measured hidden codes like any others. If these were
    sampled, they would be decoded as values of other codes, and given those values, columns that
    the model separates would depend on each other.

    Privacy: post-processing of released values.

    Args:
        release: What a mechanism returned.
        domain: Number of codes of every column, before any were merged.
        hidden_codes: As in ``PrivateTable``.
    """
    alone = {m.columns[0]: m for m in release.measurements if len(m.columns) == 1}
    folded = {
        column: compress_rare_codes(
            alone.get(column, Measurement((column,), np.ones(domain[column]), 1.0)),
            threshold=-np.inf,
            **hidden,
        )
        for column, hidden in hidden_codes.items()
        if column not in release.compressions
    }
    measurements = list(release.measurements)
    for place, measurement in enumerate(measurements):
        for axis, column in enumerate(measurement.columns):
            if column in folded:
                measurements[place] = folded[column].compress(measurements[place], axis)
    return replace(
        release, measurements=measurements, compressions={**release.compressions, **folded}
    )


def estimate_release(
    release: Release, domain: Mapping[str, int], estimator: str, budget: Budget
) -> GraphicalModel:
    """Estimate the model of a release. Post-processing of released values.

    Args:
        release: What the mechanism returned.
        domain: Number of codes of every column, before any were merged.
        estimator: As in ``model.estimate``.
        budget: Says whether tables that are mostly noise are shrunk.
    """
    merged = {column: c.num_groups for column, c in release.compressions.items()}
    return estimate(
        release.measurements,
        dict(domain) | merged,
        release.cliques,
        estimator=estimator,
        compressions=release.compressions,
        shrink=budget.shrink,
        stationarity=NEAR_ENOUGH,
    )
