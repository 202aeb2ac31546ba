"""Rows of a fit, and what can be said of them: marginals, and a classifier trained on them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from independent_columns import IndependentColumns
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import Dataset
from sdv_prefair.metrics import TwoWayTotalVariation

DEFAULT = 'planned'
STRUCTURES = {
    DEFAULT: DEFAULT,
    'adaptive': 'adaptive',
    'aim': 'aim',
    'exact': 'exact',
    'independent': IndependentColumns(),
}


@dataclass(frozen=True)
class Rows:
    """Synthetic rows and how much processor time the fit took."""

    table: pd.DataFrame
    seconds: float


def fit_and_sample(dataset: Dataset, structure: str, epsilon: float, most_rows: int) -> Rows:
    """Fit, and sample as many rows as the noisy total says, or `most_rows` if that is fewer."""
    synthesizer = PreFairSynthesizer(
        dataset.metadata,
        epsilon=epsilon,
        public_ranges=True,
        structure=STRUCTURES[structure],
        **dataset.roles.as_dict(),
    )
    started = time.process_time()
    synthesizer.fit(dataset.data)
    seconds = time.process_time() - started
    total = max(1, round(synthesizer._model.total))
    (table,) = synthesizer.sample(min(total, most_rows)).values()
    return Rows(table, seconds)


def two_way_errors(dataset: Dataset, synthetic: pd.DataFrame) -> dict[str, float]:
    """Return the mean total variation distance of all pairs, and of those with an outcome."""
    (real,) = dataset.data.values()
    found = TwoWayTotalVariation.compute_breakdown(real, synthetic, dataset.metadata)
    outcomes = set(dataset.roles.outcome)
    held = [error for pair, error in found['marginals'].items() if outcomes & set(pair)]
    return {'TVD2': found['score'], 'outcome TVD2': float(np.mean(held))}


def boosted_scores(
    train: pd.DataFrame, test: pd.DataFrame, features: Sequence[str], outcome: str, seed: int
) -> np.ndarray:
    """Train gradient boosting on codes, and return what it gives each row of the test."""
    label = train[outcome].to_numpy()
    if len(np.unique(label)) < 2:
        return np.zeros(len(test))
    model = HistGradientBoostingClassifier(max_iter=60, random_state=seed)
    model.fit(train[list(features)].to_numpy(float), label)
    return model.predict_proba(test[list(features)].to_numpy(float))[:, 1]


def boosted_auc(
    train: pd.DataFrame, test: pd.DataFrame, features: Sequence[str], outcome: str, seed: int
) -> float:
    """Return the area under the ROC curve of gradient boosting; one half is guessing."""
    scores = boosted_scores(train, test, features, outcome, seed)
    return float(roc_auc_score(test[outcome].to_numpy(), scores))
