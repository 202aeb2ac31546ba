import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.columns._bins import GridBins
from sdv_prefair.fairness._joint_test import joint_codes
from sdv_prefair.metrics._codes import SINGLE_VALUES, encode

NUMBER = {'sdtype': 'numerical', 'range_min': 0.0, 'range_max': 10.0}


def codes_of(values, column, num_bins=4, other=None, single=0):
    frames = [pd.DataFrame({'c': values})]
    frames += [] if other is None else [pd.DataFrame({'c': other})]
    return [part['c'].tolist() for part in encode(frames, {'c': column}, ['c'], num_bins, single)]


def test_categories_have_one_code_for_each_value_in_both_frames():
    one, other = codes_of(['a', 'b', None], {'sdtype': 'categorical'}, other=['b', np.nan, 'z'])
    assert one[1] == other[0]
    assert one[2] == other[1]
    assert len({*one, *other}) == 4


def test_equal_numbers_of_different_dtype_are_one_category():
    one, other = codes_of([0, 1], {'sdtype': 'categorical'}, other=[1.0, 0.0])
    assert one == other[::-1]


def test_numbers_fall_in_equal_bins_of_the_public_range():
    values = [0.0, 2.49, 2.5, 9.99, 10.0, -5.0, 99.0, np.inf, -np.inf, np.nan]
    assert codes_of(values, NUMBER) == [[0, 0, 1, 3, 3, 0, 3, 3, 0, 4]]


def test_whole_numbers_in_a_short_range_keep_a_code_each():
    column = {'sdtype': 'numerical', 'range_min': 5, 'range_max': 8, 'decimal_places': 0}
    assert codes_of([5, 6, 7, 8], column) == [[0, 1, 2, 3]]


def test_whole_numbers_in_a_long_range_share_bins_evenly():
    column = {'sdtype': 'numerical', 'range_min': 1, 'range_max': 8, 'decimal_places': 0}
    assert codes_of(list(range(1, 9)), column) == [[0, 0, 1, 1, 2, 2, 3, 3]]


def test_numbers_that_take_few_values_are_not_binned():
    whole = {'sdtype': 'numerical', 'range_min': 1, 'range_max': 80, 'decimal_places': 0}
    tenths = {'sdtype': 'numerical', 'range_min': 0.1, 'range_max': 0.9, 'decimal_places': 1}
    assert codes_of([1, 2, 80], whole, single=100) == [[0, 1, 79]]
    assert codes_of([1, 2, 80], whole, single=79) == [[0, 0, 3]]
    assert codes_of([0.1, 0.3, 0.7, 0.9], tenths, single=9) == [[0, 2, 6, 8]]
    assert codes_of([0.1, 0.3, 0.7, 0.9], tenths) == [[0, 0, 2, 3]]


@given(
    low=st.integers(-1000, 1000),
    size=st.integers(1, 3000),
    decimals=st.integers(0, 3),
    num_bins=st.integers(1, 60),
)
def test_bins_are_those_of_the_synthesizer(low, size, decimals, num_bins):
    grid = GridBins(low, low + size - 1, num_bins)
    positions = np.arange(low, low + size)
    values = positions / 10**decimals
    column = {'sdtype': 'numerical', 'decimal_places': decimals}
    column |= {'range_min': values[0], 'range_max': values[-1]}
    codes = codes_of(values, column, num_bins, single=SINGLE_VALUES)[0]
    assert codes == grid.encode(positions).tolist()


def test_without_a_range_the_first_frame_gives_it():
    one, other = codes_of([0.5, 10.5], {'sdtype': 'numerical'}, other=[3.1, 100.0])
    assert one == [0, 3]
    assert other == [1, 3]


@pytest.mark.parametrize('form', [None, '%d/%m/%Y'])
def test_dates_fall_in_equal_bins(form):
    ends = ('2024-01-01', '2024-12-31') if form is None else ('01/01/2024', '31/12/2024')
    column = {'sdtype': 'datetime', 'range_min': ends[0], 'range_max': ends[1]}
    column |= {} if form is None else {'datetime_format': form}
    values = pd.to_datetime(['2024-01-01', '2024-04-30', '2024-12-31', None])
    assert codes_of(values, column) == [[0, 1, 3, 4]]


def test_no_bins_keeps_every_value_apart():
    assert codes_of([0.1, 0.2, 0.1, 7.0], NUMBER, num_bins=None) == [[0, 1, 0, 2]]


@pytest.mark.parametrize('values', [[3.0, 3.0], [np.nan, np.nan], []])
def test_constant_missing_and_empty_columns_have_codes(values):
    codes = codes_of(np.array(values, dtype=float), {'sdtype': 'numerical'})[0]
    assert len(set(codes)) <= 1


def test_nullable_pandas_dtypes_are_read():
    assert codes_of(pd.array([1, None, 9], dtype='Int64'), NUMBER) == [[0, 4, 3]]


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=40
    )
)
def test_joint_codes_are_equal_exactly_where_all_codes_are(rows):
    joint = joint_codes([np.array(column) for column in zip(*rows, strict=True)])
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            assert (joint[i] == joint[j]) == (one == other)


def test_joint_codes_of_many_columns_do_not_overflow():
    rng = np.random.default_rng(0)
    columns = [rng.integers(100_000, size=50) for _ in range(10)]
    assert len(set(joint_codes(columns).tolist())) == 50
