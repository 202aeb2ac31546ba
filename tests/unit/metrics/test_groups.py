"""Groups have names that a person understands, and no two groups have the same."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.fairness import Independent
from sdv_prefair.metrics import (
    Separation,
    conditional_mutual_information,
    judge,
    judge_rows,
    rate_gap,
)
from sdv_prefair.metrics._groups import group_names, strata_codes
from sdv_prefair.metrics._tables import read_tables


def names(frame, protected, metadata=None, **options):
    return list(group_names(read_tables(frame, frame, metadata), protected, **options))


def test_numbers_are_named_by_what_the_group_holds():
    frame = pd.DataFrame({'x': [1, 2, 1, 2]})
    assert names(frame, 'x') == ['1', '2', '1', '2']
    assert names(frame, 'x', num_bins=None) == ['1', '2', '1', '2']
    wide = pd.DataFrame({'x': [10, 500, 12, 498]})
    assert names(wide, 'x', num_bins=2) == ['10 to 12', '498 to 500'] * 2


def test_dates_and_missing_values():
    dates = pd.to_datetime(['2020-01-01', '2020-02-01', '2024-01-01', None])
    assert names(pd.DataFrame({'d': dates}), 'd', num_bins=2) == [
        '2020-01-01 to 2020-02-01', '2020-01-01 to 2020-02-01', '2024-01-01', '(null)'
    ]  # fmt: skip
    assert names(pd.DataFrame({'x': [1.5, np.nan]}), 'x') == ['1.5', '(null)']


def test_combinations_that_read_alike_stay_apart():
    frame = pd.DataFrame({'p': ['a, b', 'a', 'a'], 'q': ['c', 'b, c', 'b']})
    found = names(frame, ['p', 'q'])
    assert found == ["'a, b', c", "a, 'b, c'", 'a, b']


ODD = st.sampled_from([
    None, np.nan, 'nan', 'None', 'missing', '(null)', "'(null)'", '', ',', 'a, b', 1, '1', 1.5,
    '1.5', True, 'True', ('a', 'b'), "('a', 'b')", ('a', None), pd.NaT, 'NaT',
])  # fmt: skip


@given(st.lists(st.tuples(ODD, ODD), min_size=1, max_size=30))
def test_two_groups_never_have_one_name(rows):
    """Null is one group, whatever stands for it; 1 and True are one value, as in pandas."""
    frame = pd.DataFrame(rows, columns=['p', 'q'], dtype=object)
    metadata = {'columns': dict.fromkeys(frame, {'sdtype': 'categorical'})}
    for protected in (['p'], ['p', 'q']):
        found = names(frame, protected, metadata)
        codes = strata_codes(read_tables(frame, frame, metadata), protected)
        pairs = set(zip(found, codes.tolist(), strict=True))
        assert len(pairs) == len(set(found)) == len(set(codes.tolist()))


def test_numbers_that_differ_in_the_seventh_digit_are_two_groups():
    frame = pd.DataFrame({'x': [1234567, 1234568]})
    assert names(frame, 'x', num_bins=None) == ['1234567.0', '1234568.0']


@pytest.mark.parametrize('null', [None, np.nan, pd.NA])
@pytest.mark.parametrize('form', [list, pd.Series, lambda values: np.array(values, dtype=object)])
def test_null_and_the_text_nan_are_two_groups_in_every_form(null, form):
    group, event = form([null, 'nan'] * 100), [0, 1] * 100
    assert rate_gap(event, group).gap == 1
    assert judge_rows(group, event, [0] * 200).kind == 'unfair by at least'
    assert conditional_mutual_information(event, group, [0] * 200) == pytest.approx(np.log(2))
    table = pd.DataFrame({'p': group, 'o': event, 'd': ['x', 'y'] * 100})
    assert judge(table, Independent(['p'], ['o'])).kind == 'unfair by at least'
    assert Separation.compute(None, table, None, protected='p', decision='o', label='d') != 1


def test_a_list_of_tuples_is_one_value_for_each_row():
    group, event = [('a', 1), ('a', 2)] * 100, [0, 1] * 100
    assert rate_gap(event, group).gap == 1
    assert judge_rows(group, event, [0] * 200).kind == 'unfair by at least'


@pytest.mark.parametrize('num_bins', [2, None])
def test_strata_tell_apart_what_groups_do(num_bins):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({'x': rng.integers(0, 9, 200), 'y': rng.choice(['u', 'v, w', 'w'], 200)})
    groups = names(frame, ['x', 'y'], num_bins=num_bins)
    strata = strata_codes(read_tables(frame, frame), ['x', 'y'], num_bins)
    pairs = set(zip(groups, strata.tolist(), strict=True))
    assert len(pairs) == len(set(groups)) == len(set(strata.tolist()))
