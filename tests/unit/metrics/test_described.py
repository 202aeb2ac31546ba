import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ecdf

from sdv_prefair.metrics._described import cumulative_shares, describe_numbers


def test_numbers_side_by_side():
    real = pd.DataFrame({'x': [0, 0, 0, 10, None], 'word': list('abcde')})
    synthetic = pd.DataFrame({'x': [0.0, 1.0, 2.0, 3.0]})
    found = describe_numbers(real, synthetic.assign(word='a'))
    assert list(found.index) == [('x', 'real'), ('x', 'synthetic')]
    assert list(found['KS']) == pytest.approx([0.5, 0.5])
    assert list(found['nulls']) == pytest.approx([0.2, 0])
    assert list(found['value']) == [0, 0]
    assert list(found['share']) == pytest.approx([0.75, 0.25])
    assert list(found['mean']) == pytest.approx([2.5, 1.5])
    assert list(found['std']) == pytest.approx([np.std([0, 0, 0, 10]), np.std([0, 1, 2, 3])])
    assert list(found['50%']) == pytest.approx([0, 1.5])


def test_dates_are_shown_as_dates_and_their_spread_in_days():
    days = pd.Series(pd.date_range('1800-01-01', periods=3, unit='s'))
    frame = pd.DataFrame({'d': days})
    found = describe_numbers(frame, frame).loc[('d', 'real')]
    assert found['mean'] == pd.Timestamp('1800-01-02')
    assert found['std'] == pytest.approx(np.std([0, 1, 2]))
    assert found['50%'] == pd.Timestamp('1800-01-02')


def test_columns_without_a_value_and_tables_without_numbers_are_described_all_the_same():
    nothing = pd.DataFrame({'x': [np.nan, np.nan]})
    found = describe_numbers(nothing, nothing).loc[('x', 'real')]
    assert found['nulls'] == 1
    assert found.drop('nulls').isna().all()
    words = pd.DataFrame({'a': list('xy')})
    assert describe_numbers(words, words).empty


values = st.lists(st.integers(-9, 9), min_size=1, max_size=60)


@given(values, values)
def test_cumulative_shares_are_the_distribution_functions(real, synthetic):
    found = cumulative_shares(pd.Series(real), pd.Series(synthetic))
    at_values = found.iloc[1::2]
    for name, column in (('real', real), ('synthetic', synthetic)):
        expected = ecdf(column).cdf.evaluate(at_values.index.to_numpy())
        assert at_values[name].to_numpy() == pytest.approx(expected)
    assert (found.diff().dropna() >= 0).all(axis=None)
    assert list(found.iloc[-1]) == [1, 1]


def test_a_jump_stays_a_jump_with_few_points():
    column = pd.Series([0.0] * 900 + list(np.linspace(1, 100, 100)))
    found = cumulative_shares(column, column, points=5)
    assert list(found.loc[0.0, 'real']) == [0, 0.9]
