"""Codes of declared values."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdv_prefair.errors import DomainError
from sdv_prefair.transformers import CategoryCodes


def generator():
    return np.random.default_rng(7)


def as_objects(*values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return pd.Series(array)


def test_order_of_the_codes():
    codes = CategoryCodes(['b', 'a'])
    assert (codes.num_codes, codes.other_code, codes.null_code) == (4, 2, 3)
    assert codes.labels() == ['b', 'a', '(other)', '(null)']
    assert codes.encode(pd.Series(['a', 'b', 'x', None])).tolist() == [1, 0, 2, 3]


def test_without_null_and_other():
    codes = CategoryCodes([True, False], nullable=False, other=False)
    assert (codes.num_codes, codes.other_code, codes.null_code) == (2, None, None)
    assert codes.encode(as_objects(False, True, None, 'x')).tolist() == [1, 0, 2, 2]
    assert (codes.hidden_code, codes.num_counted) == (2, 3)
    assert CategoryCodes([True], other=False).encode(as_objects(True, 'x')).tolist() == [0, 1]


NULLS = [None, float('nan'), np.nan, pd.NA, pd.NaT, Decimal('NaN')]


@pytest.mark.parametrize('null', NULLS, ids=repr)
def test_every_kind_of_null(null):
    assert CategoryCodes(['a']).encode(as_objects('a', null)).tolist() == [0, 2]


def test_what_python_calls_equal_is_the_same_value():
    codes = CategoryCodes([1, 'a', 2.5])
    same = as_objects(1, 1.0, np.int8(1), Decimal(1), np.float32(1), np.str_('a'), np.float64(2.5))
    assert codes.encode(same).tolist() == [0, 0, 0, 0, 0, 1, 2]
    different = as_objects('1', 'A', 'a ', b'a', 2, ('a',), [1], {'a': 1}, {1}, object())
    assert set(codes.encode(different).tolist()) == {codes.other_code}


def test_booleans_and_numbers_are_told_apart_when_both_are_declared():
    codes = CategoryCodes([0, 1, True])
    values = as_objects(0, 1, True, False, 1.0, np.True_, np.False_, np.int64(1))
    other = codes.other_code
    assert codes.encode(values).tolist() == [0, 1, 2, other, 1, 2, other, 1]
    assert codes.encode(pd.Series([0, 1, 2])).tolist() == [0, 1, other]
    assert codes.encode(pd.Series([True, False])).tolist() == [2, other]
    assert codes.decode([0, 1, 2], generator()).tolist() == [0, 1, True]
    assert codes.decode([2], generator())[0] is True


@pytest.mark.parametrize(
    'dtype', ['int8', 'uint8', 'float64', 'Int64', 'Float32', 'int64[pyarrow]']
)
def test_booleans_stored_as_numbers(dtype):
    codes = CategoryCodes([False, True], dtype=dtype)
    assert codes.encode(pd.Series([0, 1, 1]).astype(dtype)).tolist() == [0, 1, 1]
    assert codes.decode([0, 1], generator()).dtype == dtype


@pytest.mark.parametrize('dtype', ['bool', 'boolean', 'bool[pyarrow]'])
def test_numbers_stored_as_booleans(dtype):
    codes = CategoryCodes([1, 0], dtype=dtype)
    assert codes.encode(pd.Series([True, False]).astype(dtype)).tolist() == [0, 1]


def test_whole_numbers_that_nulls_turned_into_floats():
    codes = CategoryCodes([1, 2, 3])
    assert codes.encode(pd.Series([1.0, np.nan, 3.0, 2.5])).tolist() == [0, 4, 2, 3]


def test_large_whole_numbers_are_told_apart():
    large = 2**60
    codes = CategoryCodes([large, large + 1])
    assert codes.encode(pd.Series([large, large + 1, large + 2])).tolist() == [0, 1, 2]
    huge = 2**64 - 1
    codes = CategoryCodes([huge, 1], dtype='uint64')
    assert codes.encode(pd.Series([huge, 1, huge - 1], dtype='uint64')).tolist() == [0, 1, 2]
    assert codes.decode([0], generator()).tolist() == [huge]


@pytest.mark.parametrize('dtype', [None, 'int64', 'uint64'])
def test_large_whole_numbers_come_back_beside_nulls(dtype):
    values = [2**53 + 1, 2**53 + 2]
    codes = CategoryCodes(values, other=False, dtype=dtype)
    decoded = codes.decode([0, 1, 2], generator())
    assert list(decoded[:2]) == values
    assert pd.isna(decoded[2])
    assert codes.decode([0, 1], generator()).dtype == (dtype or 'int64')


def test_short_floats():
    codes = CategoryCodes([0.1, 0.2], dtype='float32')
    assert codes.encode(pd.Series([0.1, 0.2, 0.3], dtype='float32')).tolist() == [0, 1, 2]


def test_small_columns_of_whole_numbers_skip_values_they_cannot_hold():
    codes = CategoryCodes([1, 1000, 1.5, 'a'])
    assert codes.encode(pd.Series([1, 100], dtype='int8')).tolist() == [0, 4]


def test_categories_are_mapped_once_and_nulls_too():
    codes = CategoryCodes(['a', 'b'])
    column = pd.Series(pd.Categorical(['z', 'b', None, 'a'], ['z', 'a', 'b'], ordered=True))
    assert codes.encode(column).tolist() == [2, 1, 3, 0]
    assert CategoryCodes(['a'], nullable=False).encode(column).tolist() == [1, 1, 1, 0]
    empty = pd.Series(pd.Categorical([None, None], categories=[]))
    assert codes.encode(empty).tolist() == [3, 3]


def test_a_category_dtype_is_replaced_by_one_of_the_declared_values():
    """In the order of the metadata: the dtype may list rows in the order of their appearance."""
    for order in (['secret', 'a', 'b'], ['secret', 'b', 'a'], ['b', 'a'], ['secret', 'b'], [1, 2]):
        codes = CategoryCodes(['a', 'b'], dtype=pd.CategoricalDtype(order, ordered=True))
        assert codes.dtype == pd.CategoricalDtype(['a', 'b'], ordered=True)
        decoded = codes.decode([1, 0, 2, 3], generator())
        assert list(decoded[:2]) == ['b', 'a']
        assert decoded.dtype == codes.dtype
        assert 'secret' not in repr(codes)


def test_dates_and_intervals_can_be_values():
    days = [pd.Timestamp('2020-01-01'), pd.Timestamp('2021-01-01')]
    codes = CategoryCodes(days, dtype='datetime64[ns]')
    assert codes.encode(pd.Series([days[1], None, days[0]])).tolist() == [1, 3, 0]
    assert codes.decode([0, 3], generator()).dtype == 'datetime64[ns]'
    assert CategoryCodes([dt.date(2020, 1, 1)]).encode(
        as_objects(dt.date(2020, 1, 1))
    ).tolist() == [0]
    bins = pd.cut(pd.Series([1, 5, 9]), [0, 3, 10])
    assert CategoryCodes(bins.cat.categories).encode(bins).tolist() == [0, 1, 1]


STORED = {
    'object': np.nan,
    'string': pd.NA,
    'string[pyarrow]': pd.NA,
    'category': np.nan,
    'str[arrow]': pd.NA,
}


@pytest.mark.parametrize('name', STORED)
def test_null_as_fits_the_dtype(name):
    dtype = pd.ArrowDtype(pa.string()) if name == 'str[arrow]' else name
    decoded = CategoryCodes(['a', 'b'], dtype=dtype).decode([0, 3, 1], generator())
    assert [decoded[0], decoded[2]] == ['a', 'b']
    assert decoded[1] is STORED[name] or (name == 'category' and np.isnan(decoded[1]))


def test_nulls_that_the_dtype_cannot_hold():
    decoded = CategoryCodes([1, 2], dtype='int64').decode([0, 3], generator())
    assert decoded.dtype == 'float64'
    decoded = CategoryCodes([True], dtype='bool').decode([0, 2], generator())
    assert decoded[0] is True and np.isnan(decoded[1])


def test_other_becomes_a_declared_value():
    codes = CategoryCodes(['a', 'b', 'c', 'd'], weights=[3, 0, 1, 0])
    drawn = codes.decode(np.full(4000, codes.other_code), generator())
    counts = pd.Series(drawn).value_counts()
    assert set(counts.index) == {'a', 'c'}
    assert counts['a'] / 4000 == pytest.approx(0.75, abs=0.04)
    even = CategoryCodes(['a', 'b', 'c', 'd'])
    drawn = pd.Series(even.decode(np.full(4000, 4), generator())).value_counts(normalize=True)
    assert drawn.to_numpy() == pytest.approx(np.full(4, 0.25), abs=0.04)


def test_without_any_value_other_becomes_null():
    codes = CategoryCodes([])
    assert codes.encode(pd.Series(['a', None])).tolist() == [0, 1]
    assert pd.isna(codes.decode([0, 1], generator())).all()


@pytest.mark.parametrize('weights', [[1], [1, -1], [0, 0], [np.inf, 1], [np.nan, 1]])
def test_bad_weights(weights):
    with pytest.raises(DomainError, match='weights'):
        CategoryCodes(['a', 'b'], weights=weights)


@pytest.mark.parametrize(
    ('values', 'dtype'),
    [
        (['1', '2'], 'int64'),
        ([1, 2], 'string'),
        ([1.5], 'int64'),
        ([1000], 'int8'),
        (['x'], 'datetime64[ns]'),
        (['x'], 'float64'),
        ([2, 3], 'bool'),
        ([True], 'string[pyarrow]'),
    ],
)
def test_values_that_the_column_cannot_hold(values, dtype):
    with pytest.raises(DomainError, match=f"dtype '.*{dtype.split('[')[0]}"):
        CategoryCodes(values, dtype=dtype)
    frame = pd.DataFrame({'the column': pd.Series([], dtype=dtype)})
    with pytest.raises(DomainError, match="Column 'the column'"):
        CategoryCodes(values).fit(frame, 'the column')


def test_bad_codes():
    for bad in ([-1], [4]):
        with pytest.raises(ValueError, match='0 to 3'):
            CategoryCodes(['a', 'b']).decode(bad, generator())


def test_labels_tell_text_from_numbers():
    assert CategoryCodes(['1', 1], nullable=False).labels() == ["'1'", '1', '(other)']


def test_codes_are_small():
    assert CategoryCodes(['a']).encode(pd.Series(['a'])).dtype == np.uint8
    assert CategoryCodes(range(256)).encode(pd.Series([1])).dtype == np.uint16
    assert len(CategoryCodes(['a']).encode(pd.Series([], dtype=object))) == 0
    assert len(CategoryCodes(['a']).decode([], generator())) == 0
