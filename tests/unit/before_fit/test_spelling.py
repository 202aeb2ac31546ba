"""Texts that people take for one value: same letters, another case, other spaces.

About ``_column_check.py``.
"""

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.before_fit._column_check import as_said, spelled_otherwise, spelled_several_ways


def test_case_and_space_make_no_other_value():
    cells = pd.Series(['New York', ' new  york', 'NEW\tYORK', 'Newark', None, 3], dtype=object)
    assert spelled_otherwise(cells, ['New York']).tolist() == [False, True, True] + [False] * 3
    assert as_said('Straße') == as_said('STRASSE')


def test_the_more_frequent_spelling_is_the_right_one():
    cells = pd.Series(['al', 'Al', 'Al', 'bo', None], dtype=object)
    assert spelled_several_ways(cells).tolist() == [True, False, False, False, False]


@given(st.lists(st.sampled_from(['a', 'A', ' a', 'b', 'B ', None, 1]), max_size=12))
def test_one_spelling_of_each_value_is_left(cells):
    column = pd.Series(cells, dtype=object)
    kept = {c for c, other in zip(cells, spelled_several_ways(column), strict=True) if not other}
    texts = [c for c in kept if isinstance(c, str)]
    assert len({as_said(c) for c in texts}) == len(texts)
    heard = {as_said(c) for c in cells if isinstance(c, str)}
    assert {as_said(c) for c in texts} == heard
