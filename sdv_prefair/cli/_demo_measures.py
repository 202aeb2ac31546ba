"""The metrics of the demonstration, the guaranteed quantity first."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.datasets import Dataset
from sdv_prefair.metrics import (
    ConditionalDemographicParity,
    ConditionalMutualInformation,
    TwoWayTotalVariation,
)
from sdv_prefair.metrics._downstream import predict_real, with_known
from sdv_prefair.metrics._groups import RowEncoder, group_names, stratify
from sdv_prefair.metrics._tables import Tables, read_tables

_SHUFFLES = 100


def dependence_left(census: Dataset, rows: pd.DataFrame, fair: RowEncoder) -> float:
    """Return I(outcome; protected | admissible) in nats, minus its expectation by chance.

    It is guaranteed to be zero in the distribution that rows are sampled from.
    """
    roles = census.roles
    found = ConditionalMutualInformation.compute_breakdown(
        *_pair(census, rows), outcome=list(roles.outcome), protected=list(roles.protected),
        admissible=list(roles.admissible), permutations=_SHUFFLES, seed=0, synthesizer=fair,
    )  # fmt: skip
    return float(found['excess'])


def two_way_error(census: Dataset, rows: pd.DataFrame) -> float:
    """Return the mean total variation distance of all two-way marginals."""
    return float(TwoWayTotalVariation.compute(*_pair(census, rows)))


def classifier_on(
    census: Dataset, rows: pd.DataFrame, fair: RowEncoder, features: Sequence[str] | None = None
) -> tuple[float, float]:
    """Train on some rows, predict the real ones; return gap and accuracy.

    The gap is the difference between groups of the first protected column in how often the better
    outcome is predicted, among people with the same admissible values.

    Args:
        census: The real table.
        rows: The training rows of the classifier.
        fair: The synthesizer whose codes define the strata.
        features: The columns it uses; all of them by default.
    """
    (outcome,), roles = census.roles.outcome, census.roles
    whole = with_known(outcome, read_tables(*_pair(census, rows)))
    seen = {*(whole.columns if features is None else features), outcome}
    told = {name: about for name, about in whole.columns.items() if name in seen}
    predicted = predict_real(Tables(whole.real, whole.synthetic, told), outcome, seed=0)
    real = whole.real
    assert real is not None, 'both tables were read'
    label = real[outcome].to_numpy(dtype=object)
    strata = stratify([real], whole.columns, list(roles.admissible), fair)
    gap = ConditionalDemographicParity.compare_groups(
        predicted,
        label,
        group_names(whole, roles.protected[0], None),
        strata.codes[0],
        bootstraps=0,
    )
    return float(gap['score']), float(np.mean(predicted == label))


def _pair(census: Dataset, rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, Any]:
    (name,) = census.data
    return census.data[name], rows, census.metadata.tables[name].to_dict()
