"""Classifiers see equal values as equal, however the two tables store them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from sdv_prefair.errors import RolesError, SynthesizerInputError
from sdv_prefair.metrics import DownstreamAccuracy
from sdv_prefair.metrics._downstream import check_model, predict_real
from sdv_prefair.metrics._tables import read_tables

COLUMNS = {'columns': {name: {'sdtype': 'categorical'} for name in 'pao'}}


def rows(seed):
    """Whole numbers that tell the outcome nearly for sure, but not in the order of their size."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({'p': rng.integers(0, 2, 600), 'a': rng.integers(0, 4, 600)})
    return table.assign(o=(table['a'] % 2) ^ (rng.random(600) < 0.1))


SAME_VALUES = {
    'floats': lambda t: t.astype(float),
    'floats beside a null': lambda t: t.assign(a=t['a'].astype(float).where(t.index > 0)),
    'objects': lambda t: t.astype(object),
    'nullable': lambda t: t.astype('Int64'),
    'booleans': lambda t: t.assign(p=t['p'].astype(bool), o=t['o'].astype(bool)),
    'categories': lambda t: t.astype('category'),
}


@pytest.mark.parametrize('model', ['linear', 'forest'])
@pytest.mark.parametrize('dtypes', SAME_VALUES)
def test_dtypes_make_no_difference(dtypes, model):
    real, synthetic = rows(0), rows(1)
    expected = predict_real(read_tables(real, synthetic, COLUMNS), 'o', model, seed=0)
    assert (expected == real['o']).mean() > 0.85
    stored = read_tables(real, SAME_VALUES[dtypes](synthetic), COLUMNS)
    found = predict_real(stored, 'o', model, seed=0)
    # With a null in place of a value the training is not quite the same.
    has_null = dtypes == 'floats beside a null'
    assert (found == expected).mean() > (0.9 if has_null else 0.9999)


def test_the_outcome_may_come_as_a_list_of_one():
    real, synthetic = rows(0), rows(1)
    score = DownstreamAccuracy.compute(real, synthetic, COLUMNS, outcome='o')
    assert DownstreamAccuracy.compute(real, synthetic, COLUMNS, outcome=['o']) == score > 0.85


def test_outcomes_without_a_value_in_common_are_refused():
    real, synthetic = rows(0), rows(1)
    with pytest.raises(RolesError, match='the same dtype in both'):
        DownstreamAccuracy.compute(
            real, synthetic.assign(o=synthetic['o'].astype(str)), COLUMNS, outcome='o'
        )


@pytest.mark.parametrize('model', ['svm', None, 3, LogisticRegression])
def test_what_cannot_be_trained_is_refused(model):
    with pytest.raises(SynthesizerInputError, match='or a scikit-learn classifier'):
        check_model(model)
