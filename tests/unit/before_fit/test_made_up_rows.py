"""Rows of public facts alone, which may stand there several times.

About ``_fit_plan.py``.
"""

import numpy as np
import pytest

from sdv_prefair import PreFairSynthesizer, strip_ranges
from sdv_prefair.before_fit._fit_plan import MOST_ROWS, made_up_source
from sdv_prefair.datasets import simulate_census
from sdv_prefair.transformers import transformers_for

CENSUS = simulate_census(50)


def settings_of(metadata):
    synthesizer = PreFairSynthesizer(metadata, public_ranges=True, **CENSUS.roles.as_dict())
    return synthesizer._settings


@pytest.mark.parametrize('num_rows', [1, 777, 10 * MOST_ROWS])
def test_there_are_as_many_as_asked_for_and_they_lie_in_the_domain(num_rows):
    settings = settings_of(CENSUS.metadata)
    source = made_up_source(settings, num_rows)
    encoders = transformers_for(settings.plan.domains, 32, source.dtypes)
    counts = source.count(encoders, [('sex', 'age')])
    total = counts.project(('sex', 'age'))
    assert total.sum() == num_rows
    hidden = encoders['sex'].hidden_code
    assert hidden is None or total.shape[0] <= hidden or not total[hidden].sum()


def test_values_are_counted_as_often_as_rows_stand_there():
    settings = settings_of(strip_ranges(CENSUS.metadata))
    once, often = (made_up_source(settings, n) for n in (MOST_ROWS, 5 * MOST_ROWS))
    first, more = (source.value_counts(['region'])['region'] for source in (once, often))
    assert {value: 5 * n for value, n in first.items()} == more


def test_columns_hang_together():
    settings = settings_of(CENSUS.metadata)
    source = made_up_source(settings, 5000)
    encoders = transformers_for(settings.plan.domains, 32, source.dtypes)
    table = source.count(encoders, [('sex', 'income')]).project(('sex', 'income')) / 5000
    apart = np.multiply.outer(table.sum(axis=1), table.sum(axis=0))
    assert np.abs(table - apart).sum() > 0.1
