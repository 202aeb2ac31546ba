"""Of ``_charts.py``."""

import pandas as pd
import pytest

from sdv_prefair.plots import plot_estimate

LINES = {'estimate': [0.2, 0.8], 'lower': [0.1, 0.5], 'upper': [0.25, 0.9]}


def test_a_bar_has_its_interval():
    frame = pd.DataFrame(LINES, pd.Index(['a', '<b>'], name='x'))
    (bars,) = plot_estimate(frame).data
    assert list(bars.y) == [0.2, 0.8]
    assert list(bars.error_y.array) == pytest.approx([0.05, 0.1])
    assert list(bars.error_y.arrayminus) == pytest.approx([0.1, 0.3])
    assert list(bars.x) == ['a', '&lt;b&gt;'], 'no tags'


def test_the_last_column_of_the_index_has_a_colour_for_each_value():
    index = pd.MultiIndex.from_tuples([('low', 'F'), ('low', None)], names=['income', 'sex'])
    first, second = plot_estimate(pd.DataFrame(LINES, index)).data
    assert (list(first.y), list(second.y)) == ([0.2], [0.8])
    assert first.marker.color != second.marker.color
    assert list(first.x) == ['low']
