"""Constraints over columns of which one row holds what Python cannot, or what code warns of.

Of ``_programmable.py``, ``_joint.py``, ``_ordered.py``, ``_transformation.py`` and ``_joint.py``.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from neighbours import Recording, assert_one_row_more
from sdv.cag import FixedCombinations, Inequality
from sdv.metadata import Metadata

from sdv_prefair.constraints._joint import _as_numbers
from sdv_prefair.constraints._programmable import make_rows

NUM_ROWS = 600
DAY = 86_400
DAYS = {'sdtype': 'datetime', 'range_min': '2010-01-01', 'range_max': '2010-12-31'}
COLUMNS = {'first': DAYS, 'last': DAYS, 'day': {'sdtype': 'categorical'}, 'word': None}
COLUMNS |= {'word': {'sdtype': 'categorical', 'range_values': ['x', 'y']}}


def rows(zone, odd=()):
    start = [*odd, *(1_262_649_600 + DAY * (n % 2) for n in range(NUM_ROWS))]
    moments = np.array(start, np.int64).view('datetime64[s]')
    column = pd.Series(moments)
    if zone is not None:
        dtype = pd.DatetimeTZDtype('s', zone)
        column = pd.Series(pd.arrays.DatetimeArray._simple_new(moments, dtype=dtype))
    words = ['x'] * len(odd) + ['x', 'y'] * (NUM_ROWS // 2)
    return pd.DataFrame({'first': column, 'last': column, 'day': column, 'word': words})


def fitted(frame):
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': COLUMNS}}})
    synthesizer = Recording(metadata, epsilon=50.0, structure='none', public_ranges=True)
    synthesizer.add_constraints([Inequality('first', 'last'), FixedCombinations(['day', 'word'])])
    synthesizer.fit({'t': frame})
    return synthesizer


@pytest.mark.parametrize('zone', [None, 'UTC', 'Europe/Paris'])
def test_moments_beyond_all_years_change_no_other_row(zone):
    plain = fitted(rows(zone))
    for odd in (2**63 - 1, -(2**63) + 1, -62_135_596_800):
        assert_one_row_more(plain, fitted(rows(zone, [odd])))


def test_code_that_warns_of_a_row_is_not_heard():
    frame = pd.DataFrame({'n': [1.0, 2.0, -1.0]})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        made = make_rows(lambda f: pd.DataFrame({'n': np.log(f['n'])}), frame, {'n': float})
    assert not caught
    assert made['n'].isna().tolist() == [False, False, True]


def test_categories_of_numbers_are_read_as_numbers():
    ones = pd.Series([0, 1, '1', None, 'x'], dtype=object)
    assert _as_numbers(ones.astype('category')).tolist() == _as_numbers(ones).tolist()
