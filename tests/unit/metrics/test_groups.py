"""Groups have names that a person understands, and no two groups have the same."""

import numpy as np
import pandas as pd
import pytest

from sdv_prefair.metrics._groups import group_names, strata_codes
from sdv_prefair.metrics._table_pair import read_tables


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
        '2020-01-01 to 2020-02-01', '2020-01-01 to 2020-02-01', '2024-01-01', 'missing'
    ]  # fmt: skip
    assert names(pd.DataFrame({'x': [1.5, np.nan]}), 'x') == ['1.5', 'missing']


def test_combinations_that_read_alike_stay_apart():
    frame = pd.DataFrame({'p': ['a, b', 'a', 'a'], 'q': ['c', 'b, c', 'b']})
    found = names(frame, ['p', 'q'])
    assert len(set(found)) == 3
    assert found[2] == 'a, b'


@pytest.mark.parametrize('num_bins', [2, None])
def test_strata_tell_apart_what_groups_do(num_bins):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({'x': rng.integers(0, 9, 200), 'y': rng.choice(['u', 'v, w', 'w'], 200)})
    groups = names(frame, ['x', 'y'], num_bins=num_bins)
    strata = strata_codes(read_tables(frame, frame), ['x', 'y'], num_bins)
    pairs = set(zip(groups, strata.tolist(), strict=True))
    assert len(pairs) == len(set(groups)) == len(set(strata.tolist()))
