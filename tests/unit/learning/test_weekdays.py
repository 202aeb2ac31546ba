"""Weekdays stand out or are left alone; days within a bin take the share of their weekday.

About ``_bin_grids.py``.
"""

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.learning._bin_cuts import Cuts
from sdv_prefair.learning._bin_grids import has_weeks, weekdays_of, with_weekdays

DAYS = np.arange(730)
NOTHING = np.zeros(0, dtype=np.int64)


def test_days_have_the_weekdays_of_the_calendar():
    dates = pd.date_range('1969-12-01', '2030-01-01')
    days = dates.to_numpy().astype('M8[D]').astype(np.int64)
    assert (weekdays_of(days) == dates.dayofweek).all()


@pytest.mark.parametrize(('number', 'expected'), [(13, False), (14, True), (20_001, False)])
def test_short_and_long_ranges_have_no_look(number, expected):
    assert has_weeks(np.arange(number)) is expected


def test_even_weeks_are_left_as_they_are():
    """Of 300 columns without weekdays at most two are taken for some that have."""
    noise, taken = np.random.default_rng(0), 0
    for _ in range(300):
        rows = np.bincount(weekdays_of(noise.integers(0, 730, 5000)), minlength=7)
        noisy = rows + noise.normal(0, 30, 7)
        taken += with_weekdays(None, DAYS, np.ones(730), noisy, 30.0, 32) is not None
    assert taken <= 2


@pytest.mark.parametrize('bins', [None, Cuts(np.array([100]), np.array([300]), np.ones(3))])
def test_each_day_takes_the_share_of_its_weekday(bins):
    noisy = np.array([1000.0, 1000, 1000, 1000, 1000, 3, -8])
    cuts = with_weekdays(bins, DAYS, np.ones(730), noisy, 10.0, 4)
    assert len(cuts.weights) == 730 == len(cuts.edges) + len(cuts.finer) + 1
    weekend = weekdays_of(DAYS) >= 5
    assert cuts.weights[weekend].sum() < 0.005 * cuts.weights.sum()
    if bins is not None:
        assert cuts.edges.tolist() == [100]
        pieces = np.add.reduceat(cuts.weights, [0, 100, 300])
        np.testing.assert_allclose(pieces / pieces.sum(), 1 / 3, atol=0.01)


def test_weekends_stay_empty_in_the_rows_that_a_user_sees():
    noise = np.random.default_rng(1)
    business = pd.bdate_range('2015-01-01', '2019-12-31')
    visits = pd.Series(business[noise.integers(0, len(business), 8000)])
    columns = {
        'visit': {'sdtype': 'datetime', 'range_min': '2015-01-01', 'range_max': '2019-12-31'},
        'kind': {'sdtype': 'categorical', 'range_values': ['a', 'b']},
    }
    columns['visit'] |= {'datetime_format': '%Y-%m-%d', 'range_is_nullable': False}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    table = pd.DataFrame({
        'visit': visits.dt.strftime('%Y-%m-%d'),
        'kind': noise.choice(['a', 'b'], 8000),
    })
    shares = {}
    for discretization in ('private', 'uniform'):
        options = {'structure': 'none', 'public_ranges': True, 'discretization': discretization}
        synthesizer = PreFairSynthesizer(metadata, epsilon=1.0, **options)
        synthesizer.fit({'t': table})
        shown = pd.to_datetime(synthesizer.sample(4000)['t']['visit'])
        shares[discretization] = (shown.dt.dayofweek >= 5).mean()
    assert shares['private'] < 0.03
    assert shares['uniform'] > 0.2
