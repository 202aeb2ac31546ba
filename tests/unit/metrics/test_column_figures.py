"""Of ``_described.py``: the figure of a column."""

import numpy as np
import pandas as pd
import pytest

from sdv_prefair.errors import RolesError
from sdv_prefair.metrics import plot_column_pair
from sdv_prefair.metrics._described import shares_of_categories, shown_value

REAL = pd.DataFrame({
    'gain': [0] * 90 + list(range(1000, 2000, 100)),
    'day': pd.date_range('2020-01-01', periods=100),
    'sex': ['F', 'M'] * 50,
    'empty': [np.nan] * 100,
})
SPREAD = REAL.assign(gain=np.arange(100) * 20)


def traces(figure, kind):
    return {trace.name: trace for trace in figure.data if trace.type == kind}


def test_a_lost_spike_is_a_step_and_a_bar_of_one_table_alone():
    figure = plot_column_pair(REAL, SPREAD, 'gain')
    lines, bars = traces(figure, 'scatter'), traces(figure, 'bar')
    at_zero = [place for place, value in enumerate(lines['real'].x) if value == 0]
    assert list(np.array(lines['real'].y)[at_zero]) == [0, 0.9]
    assert list(np.array(lines['synthetic'].y)[at_zero]) == [0, 0.01]
    assert bars['real'].x[0] == '0'
    assert bars['real'].y[0] == pytest.approx(0.9)
    assert bars['synthetic'].y[0] == pytest.approx(0.01)
    assert figure.layout.title.text == 'gain'


def test_dates_are_drawn_as_dates():
    figure = plot_column_pair(REAL, REAL, 'day')
    line = traces(figure, 'scatter')['real']
    assert pd.Timestamp(line.x[0]) == pd.Timestamp('2020-01-01')
    assert line.y[-1] == 1
    assert traces(figure, 'bar')['real'].x[0] == '2020-01-01'


@pytest.mark.parametrize(('column', 'value'), [('sex', 'F'), ('empty', '(null)')])
def test_categories_and_columns_without_a_number_are_bars(column, value):
    figure = plot_column_pair(REAL, SPREAD, column)
    assert not traces(figure, 'scatter')
    assert traces(figure, 'bar')['real'].x[0] == value


def test_shares_have_nulls_and_values_of_one_table_alone():
    found = shares_of_categories(pd.Series(['a', 'a', None]), pd.Series(['b', 'a', 'a']))
    assert found.loc['a'].tolist() == pytest.approx([2 / 3, 2 / 3])
    assert found.loc['(null)'].tolist() == pytest.approx([1 / 3, 0])
    assert found.loc['b'].tolist() == pytest.approx([0, 1 / 3])


def test_names_and_values_of_the_user_are_no_tags():
    odd = pd.DataFrame({'x': ['<b>', 'y']})
    assert '&lt;b&gt;' in plot_column_pair(odd, odd, 'x').data[0].x


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(RolesError, match='colour'):
        plot_column_pair(REAL, REAL, 'colour')


def test_values_are_shown_without_digits_that_say_nothing():
    assert shown_value(99999.0) == '99,999'
    assert shown_value(0.1) == '0.1'
    assert shown_value(pd.Timestamp('2020-01-01')) == '2020-01-01'
    assert shown_value(pd.Timestamp('2020-01-01 10:30')) == '2020-01-01 10:30:00'
