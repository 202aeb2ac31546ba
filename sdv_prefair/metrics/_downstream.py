"""Classifiers trained on synthetic rows and tested on real ones.

Paper: "Downstream Classification Accuracy" and "Fairness metrics" of the experiments.
Departs: categories are one-hot and numbers standardised, where the paper feeds unscaled codes
(the forest gets codes here too: it splits them as well, and many times faster); "linear" is a
logistic regression, where the paper rounds a linear one.
"""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sdv.errors import SynthesizerInputError
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from sdv_prefair._arrays import Objects
from sdv_prefair.errors import RolesError, shown
from sdv_prefair.metrics._codes import as_numbers
from sdv_prefair.metrics._tables import Tables, is_number

_MODELS = {
    'linear': LogisticRegression(max_iter=1000),
    'forest': RandomForestClassifier(n_estimators=200, min_samples_leaf=2),
    'mlp': MLPClassifier((20, 20, 10, 5), batch_size=50, max_iter=20),
}
MODELS = tuple(_MODELS)
"""Names of the available classifiers: the paper's three kinds."""

MOST_OUTCOMES = 100

_MISSING = 'missing'


def only_outcome(outcome: str | Sequence[str], tables: Tables) -> str:
    """Return the one column to predict, which may come as a list of one."""
    outcome, *others = tables.select('outcome', outcome)
    if others:
        raise RolesError(f'outcome ({[outcome, *others]}) must be one column to predict.')
    return outcome


def with_known(outcome: str | Sequence[str], tables: Tables) -> Tables:
    """Leave out the rows whose outcome is missing: nothing can be trained or checked on them."""
    outcome = only_outcome(outcome, tables)
    real, synthetic = (frame[frame[outcome].notna()] for frame in (tables.real, tables.synthetic))
    found = [set(frame[outcome].astype(object)) for frame in (real, synthetic)]
    if max(map(len, found)) > MOST_OUTCOMES:
        raise RolesError(
            f"outcome ('{outcome}') must have at most {MOST_OUTCOMES} values to be predicted by a "
            'classifier. Bin its values first.'
        )
    if all(found) and found[0].isdisjoint(found[1]):
        raise RolesError(
            f"outcome ('{outcome}') must have values in the synthetic table that occur in the real "
            'one too. Give it the same dtype in both.'
        )
    return Tables(real, synthetic, tables.columns)


def predict_real(
    tables: Tables,
    outcome: str,
    model: str | BaseEstimator = 'linear',
    seed: int | None = None,
    features: Sequence[str] | None = None,
) -> Objects:
    """Train on the synthetic rows and predict the outcome of the real ones.

    A classifier that sees admissible columns only treats people alike who agree on them: its
    conditional differences between groups are exactly 0, on any rows.

    Args:
        tables: Both tables, as `read_tables` and `with_known` return them.
        outcome: The column to predict.
        model: ``'linear'``, ``'forest'``, ``'mlp'`` (the paper's network), or any scikit-learn
            classifier, which is cloned.
        seed: Seed of the training.
        features: The columns that the classifier sees. By default every modelled column but the
            outcome, the protected ones too.
    """
    pipeline, values, real = _trained(tables, outcome, model, seed, features)
    predicted: Objects = values[pipeline.predict(real)]
    return predicted


def area_under_curve(
    tables: Tables,
    outcome: str,
    model: str | BaseEstimator = 'linear',
    seed: int | None = None,
    features: Sequence[str] | None = None,
) -> float:
    """Return the area under the ROC curve of a classifier trained on the synthetic rows.

    It is measured on the real rows; always to predict the majority has .5. With more than two
    outcomes it is the mean over them, each against the rest. NaN without two outcomes.

    Args:
        tables: As for ``predict_real``.
        outcome: The column to predict.
        model: The classifier.
        seed: Seed of the training.
        features: The columns that the classifier sees.
    """
    pipeline, values, real = _trained(tables, outcome, model, seed, features)
    if not hasattr(pipeline, 'predict_proba'):
        return float('nan')
    chances = pipeline.predict_proba(real)
    label = tables.real[outcome].to_numpy(dtype=object)
    found = [
        roc_auc_score(label == values[kind], chances[:, place])
        for place, kind in enumerate(pipeline.classes_)
        if 0 < (label == values[kind]).sum() < len(label)
    ]
    return float(np.mean(found)) if found else float('nan')


def half_and_half(tables: Tables, seed: int) -> tuple[Tables, Tables]:
    """Return half of the real rows as those to predict, beside synthetic rows and the other half.

    So a classifier trained on synthetic rows is compared with one trained on real rows.

    Args:
        tables: Both tables.
        seed: Seed of the halves.
    """
    is_first = np.random.default_rng(seed).permutation(len(tables.real)) % 2 == 0
    one, other = tables.real[is_first], tables.real[~is_first]
    return replace(tables, real=one), replace(tables, real=one, synthetic=other)


def _trained(
    tables: Tables,
    outcome: str,
    model: str | BaseEstimator,
    seed: int | None,
    features: Sequence[str] | None,
) -> tuple[Pipeline, Objects, pd.DataFrame]:
    """Return the classifier, the outcomes that it numbers, and the features of the real rows."""
    # One code for equal values: 1 and 1.0 are one outcome, however each table stores them.
    labels = pd.concat([tables.real[outcome], tables.synthetic[outcome]]).astype(object)
    codes, values = pd.factorize(labels)
    trained_on = codes[len(tables.real) :]
    classifier = _classifier(model, seed)
    if len(np.unique(trained_on)) < 2:
        classifier = DummyClassifier(strategy='most_frequent')
    if features is None:
        features = [name for name in tables.columns if name != outcome]
    pipeline = make_pipeline(_encoder(tables, features, model), classifier)
    real, synthetic = _features(tables, features)
    with warnings.catch_warnings():
        if model == 'mlp':  # stops after the paper's 20 epochs, converged or not
            warnings.simplefilter('ignore', ConvergenceWarning)
        pipeline.fit(synthetic, trained_on)
    return pipeline, np.asarray(values, dtype=object), real


def check_model(model: object) -> None:
    """Raise unless the model can be trained."""
    _classifier(model, seed=None)


def _classifier(model: object, seed: int | None) -> BaseEstimator:
    known = _MODELS.get(model) if isinstance(model, str) else model
    if isinstance(known, type) or not hasattr(known, 'get_params'):
        raise SynthesizerInputError(
            f'model ({shown(model)}) must be one of {list(MODELS)} or a scikit-learn classifier.'
        )
    made = clone(known)
    return made.set_params(random_state=seed) if 'random_state' in made.get_params() else made


def _features(tables: Tables, names: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the features of the real and of the synthetic rows.

    Numbers and dates become floats, everything else text: one text for equal values, however each
    table stores them. If 1 and 1.0 were two strings, no real value would match the training values.
    """
    made = {}
    for name in names:
        pair = tables.real[name], tables.synthetic[name]
        as_read = is_number(tables.columns[name])
        made[name] = [as_numbers(side) for side in pair] if as_read else _texts(*pair)
    real, synthetic = (
        pd.DataFrame({name: columns[side] for name, columns in made.items()}) for side in (0, 1)
    )
    return real, synthetic


def _texts(real: pd.Series, synthetic: pd.Series) -> list[Any]:
    codes, values = pd.factorize(pd.concat([real, synthetic]).astype(object))
    texts = np.array([*map(str, values), _MISSING], dtype=object)[codes]  # -1 is missing
    return np.split(texts, [len(real)])


def _encoder(tables: Tables, names: Sequence[str], model: object) -> ColumnTransformer:
    numbers = [name for name in names if is_number(tables.columns[name])]
    others = [name for name in names if name not in numbers]
    impute = SimpleImputer(strategy='median', add_indicator=True, keep_empty_features=True)
    code = OneHotEncoder(handle_unknown='ignore')
    if model == 'forest':
        code = OrdinalEncoder(handle_unknown='use_encoded_value', unknown_value=-1)
    return ColumnTransformer(
        [
            ('numbers', make_pipeline(impute, StandardScaler()), numbers),
            ('others', code, others),
        ],
        sparse_threshold=1.0,
    )
