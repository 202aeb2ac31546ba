"""Separation and sufficiency of ``_measures.py`` in rows whose rates are known."""

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame, false_positive_rate, true_positive_rate
from sklearn.metrics import precision_score

from sdv_prefair.errors import RolesError
from sdv_prefair.metrics import (
    Separation,
    Sufficiency,
    false_positive_rate_balance,
    positive_predictive_value_balance,
    rate_gaps_given,
)

COLUMNS = {'protected': 'sex', 'decision': 'hired', 'label': 'able'}


@pytest.fixture(scope='module')
def rows():
    rng = np.random.default_rng(0)
    sex = rng.choice(['F', 'M'], size=4000)
    able = (rng.random(4000) < np.where(sex == 'F', 0.3, 0.6)).astype(int)
    hired = (rng.random(4000) < 0.2 + 0.4 * able + 0.2 * (sex == 'M')).astype(int)
    return pd.DataFrame({'sex': sex, 'able': able, 'hired': hired})


def by_group(rows, rate):
    frame = MetricFrame(
        metrics=rate, y_true=rows['able'], y_pred=rows['hired'], sensitive_features=rows['sex']
    )
    return frame.by_group.to_dict(), frame.difference()


def test_separation_compares_true_and_false_positive_rates(rows):
    found = Separation.compute_breakdown(None, rows, **COLUMNS, bootstraps=0)
    (hits, hit_gap), (alarms, alarm_gap) = (
        by_group(rows, rate) for rate in (true_positive_rate, false_positive_rate)
    )
    assert found['rates'][1] == pytest.approx(hits)
    assert found['rates'][0] == pytest.approx(alarms)
    assert found['score'] == pytest.approx(max(hit_gap, alarm_gap))
    assert Separation.compute(None, rows, **COLUMNS) == found['score']


def test_sufficiency_compares_positive_predictive_values(rows):
    found = Sufficiency.compute_breakdown(None, rows, **COLUMNS, bootstraps=20, seed=0)
    precisions, gap = by_group(rows, precision_score)
    assert found['rates'][1] == pytest.approx(precisions)
    assert found['gaps'][1].gap == pytest.approx(gap)
    low, high = found['gaps'][1].interval
    assert low < gap < high


def test_functions_say_the_same_of_predictions(rows):
    arguments = rows['hired'], rows['able'], rows['sex'], 1
    assert false_positive_rate_balance(*arguments).gap == pytest.approx(
        by_group(rows, false_positive_rate)[1]
    )
    assert positive_predictive_value_balance(*arguments).gap == pytest.approx(
        by_group(rows, precision_score)[1]
    )


def test_separated_rows_have_no_gap_and_are_told_from_sufficient_ones():
    """Eight groups of rows, so that rates given the label are equal, and given decisions not."""
    cells = {
        ('F', 0, 0): 60, ('F', 0, 1): 20, ('F', 1, 0): 10, ('F', 1, 1): 30,
        ('M', 0, 0): 30, ('M', 0, 1): 10, ('M', 1, 0): 20, ('M', 1, 1): 60,
    }  # fmt: skip
    listed = [cell for cell, times in cells.items() for _ in range(times)]
    table = pd.DataFrame(listed, columns=['sex', 'able', 'hired'])
    assert Separation.compute(None, table, **COLUMNS) == pytest.approx(0, abs=1e-12)
    assert Sufficiency.compute(None, table, **COLUMNS) > 0.2
    swapped = COLUMNS | {'decision': 'able', 'label': 'hired'}
    assert Sufficiency.compute(None, table, **swapped) == pytest.approx(0, abs=1e-12)


def test_rows_without_the_rated_value_do_not_count(rows):
    missing = pd.concat([rows.astype(object), pd.DataFrame({'sex': ['F'] * 400, 'able': 1})])
    assert Separation.compute(None, missing, **COLUMNS) == Separation.compute(
        None, rows.astype(object), **COLUMNS
    )


def test_every_value_that_is_given_has_its_own_gap():
    event = np.array([True, False, True, True, False, True])
    gaps = rate_gaps_given(event, list('abab') + ['a', 'b'], ['x', 'x', 'y', 'y', 'x', 'x'])
    assert {value: gap.rates for value, gap in gaps.items()} == {
        'x': {'a': 0.5, 'b': 0.5},
        'y': {'a': 1.0, 'b': 1.0},
    }


def test_a_column_is_named_once(rows):
    with pytest.raises(RolesError, match='decision and label both name'):
        Separation.compute(None, rows, protected='sex', decision='able', label='able')
