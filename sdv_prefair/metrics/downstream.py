"""Classifiers trained on synthetic rows and asked about real ones.

Paper: "Downstream Classification Accuracy" and "Fairness metrics" of the experiments.
Departs: categories are one-hot and numbers standardised, where the paper feeds unscaled codes
(the forest gets codes here too: it splits them as well, and many times faster); "linear" is a
logistic regression, where the paper rounds a linear one.
"""

import warnings

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from sdv_prefair.errors import RolesError, SynthesizerInputError
from sdv_prefair.metrics.codes import as_numbers
from sdv_prefair.metrics.tables import Tables

_MODELS = {
    'linear': LogisticRegression(max_iter=1000),
    'forest': RandomForestClassifier(n_estimators=200, min_samples_leaf=2),
    'mlp': MLPClassifier((20, 20, 10, 5), batch_size=50, max_iter=20),
}
MODELS = tuple(_MODELS)
"""Names of the classifiers that can be asked for: the paper's three kinds."""

MOST_OUTCOMES = 100

_MISSING = 'missing'


def with_known(outcome: str, tables: Tables) -> Tables:
    """Leave out the rows whose outcome is missing: nothing can be trained or checked on them."""
    outcome, *others = tables.select('outcome', outcome)
    if others:
        raise RolesError(f'outcome ({[outcome, *others]}) must be one column to predict.')
    real, synthetic = (frame[frame[outcome].notna()] for frame in (tables.real, tables.synthetic))
    if max(real[outcome].nunique(), synthetic[outcome].nunique()) > MOST_OUTCOMES:
        raise RolesError(
            f"outcome ('{outcome}') must have at most {MOST_OUTCOMES} values to be predicted by "
            'a classifier. Put its values in a few bins first.'
        )
    return Tables(real, synthetic, tables.columns)


def predict_real(
    tables: Tables, outcome: str, model: str | BaseEstimator = 'linear', seed: int | None = None
) -> np.ndarray:
    """Train on the synthetic rows and predict the outcome of the real ones.

    Args:
        tables: Both tables, as `read_tables` and `with_known` return them; every modelled
            column but the outcome is a feature, the protected ones too.
        outcome: The column to predict.
        model: ``'linear'``, ``'forest'``, ``'mlp'`` (the paper's network), or any scikit-learn
            classifier, which is cloned.
        seed: Seed of the training.
    """
    # One code for equal values: 1 and 1.0 are one outcome, however each table stores them.
    labels = pd.concat([tables.real[outcome], tables.synthetic[outcome]]).astype(object)
    codes, values = pd.factorize(labels)
    trained_on = codes[len(tables.real) :]
    classifier = _classifier(model, seed)
    if len(np.unique(trained_on)) < 2:
        classifier = DummyClassifier(strategy='most_frequent')
    features = [name for name in tables.columns if name != outcome]
    pipeline = make_pipeline(_encoder(tables, features, model), classifier)
    with warnings.catch_warnings():
        if model == 'mlp':  # stops after the paper's 20 epochs, converged or not
            warnings.simplefilter('ignore', ConvergenceWarning)
        pipeline.fit(_features(tables.synthetic, tables, features), trained_on)
    return np.asarray(values, dtype=object)[
        pipeline.predict(_features(tables.real, tables, features))
    ]


def _classifier(model: str | BaseEstimator, seed: int | None) -> BaseEstimator:
    if isinstance(model, str):
        if model not in _MODELS:
            raise SynthesizerInputError(
                f"model ('{model}') must be one of {list(MODELS)} or a scikit-learn classifier."
            )
        model = _MODELS[model]
    model = clone(model)
    return model.set_params(random_state=seed) if 'random_state' in model.get_params() else model


def _is_number(column: dict) -> bool:
    return column['sdtype'] in {'numerical', 'datetime'}


def _features(frame: pd.DataFrame, tables: Tables, names: list[str]) -> pd.DataFrame:
    """Numbers and dates as floats, everything else as text, so that both tables agree."""
    return pd.DataFrame({
        name: as_numbers(frame[name])
        if _is_number(tables.columns[name])
        else frame[name].astype(object).where(frame[name].notna(), _MISSING).astype(str).to_numpy()
        for name in names
    })


def _encoder(tables: Tables, names: list[str], model: str | BaseEstimator) -> ColumnTransformer:
    numbers = [name for name in names if _is_number(tables.columns[name])]
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
