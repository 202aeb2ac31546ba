"""Canonical values: equal values of another type or spelling are other keys.

About ``_texts.py``.
"""

import datetime as dt
import pickle
import uuid
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from odd_cells import CELLS, objects

from sdv_prefair.columns._texts import canonical_value, distinct_values
from sdv_prefair.counting._frame import array_counts, value_counts

NOON = dt.datetime(2020, 5, 1, 12, tzinfo=ZoneInfo('Europe/Paris'))
SAME_KEY = [
    (1, np.int8(1), 1.0, np.float32(1)),
    ('x', np.str_('x'), CELLS['text of another type']),
    (0.0, -0.0, 0),
    (True, np.bool_(True)),
    (NOON, NOON.astimezone(dt.UTC), pd.Timestamp(NOON), NOON.replace(fold=1)),
    (dt.datetime(2020, 1, 1), pd.Timestamp('2020-01-01'), np.datetime64('2020-01-01')),
    (dt.timedelta(days=1), pd.Timedelta(days=1), np.timedelta64(1, 'D')),
]
OTHER_KEYS = [
    (1, True, Decimal(1), '1'),
    (Decimal('1.0'), Decimal('1.00')),
    ('a', 'A', 'a '),
    (dt.date(2020, 1, 1), dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, tzinfo=dt.UTC)),
    ((1,), (True,), ('1',)),
    (uuid.UUID(int=1), uuid.UUID(int=2)),
]


@pytest.mark.parametrize('cells', SAME_KEY, ids=str)
def test_one_value_has_one_key_and_one_representative(cells):
    keys = [canonical_value(cell) for cell in cells]
    assert len(set(keys)) == 1
    assert len({(type(key.value), repr(key.value)) for key in keys}) == 1


@pytest.mark.parametrize('cells', OTHER_KEYS, ids=str)
def test_other_values_have_other_keys(cells):
    keys = {canonical_value(cell) for cell in cells}
    assert len(keys) == len(cells)
    assert pickle.loads(pickle.dumps(keys)) == keys


@pytest.mark.parametrize('name', CELLS)
def test_the_value_is_a_function_of_its_key(name):
    key = canonical_value(CELLS[name])
    if key is not None:
        again = canonical_value(key.value)
        assert again == key
        assert type(again.value) is type(key.value)
        assert str(key) == f'{key.kind} {key.text}'


@pytest.mark.parametrize(
    'name',
    ['endless number', 'half a character', 'list', 'unruly', 'incomparable', 'signalling NaN',
     'in an unruly zone', 'far year', 'tuple of an object', 'infinite decimal', 'complex'],
)  # fmt: skip
def test_what_is_no_value_has_no_key(name):
    assert canonical_value(CELLS[name]) is None


def test_learnt_values_that_are_equal_are_one():
    keys = [canonical_value(c) for c in (True, Decimal('1.0'), Decimal('1.00'), 1, 2, 'a')]
    assert distinct_values(keys) == [True, Decimal('1.0'), 2, 'a']
    numbers = distinct_values(canonical_value(c) for c in (1, 0.5))
    assert [(type(n), n) for n in numbers] == [(float, 1.0), (float, 0.5)]


def test_columns_are_counted_alike_however_they_are_stored():
    words, numbers = ['x', 'y', 'x', None], [1.0, 2.5, 1.0, None]
    expected = value_counts(objects(words))
    for dtype in ('string', 'string[pyarrow]', pd.ArrowDtype(pa.string()), 'category'):
        assert value_counts(objects(words).astype(dtype)) == expected
    assert array_counts(pa.array(words)) == expected
    assert array_counts(pa.array(words).dictionary_encode()) == expected
    typed = value_counts(pd.Series(numbers))
    assert typed == array_counts(pa.array(numbers)) == value_counts(pd.Series(numbers, dtype='f2'))
    assert {type(value.value) for value in typed} == {float}


def test_bytes_and_years_that_python_cannot_hold_stop_nothing():
    broken = pa.array([b'x', b'\xff']).view(pa.string())
    assert [v.value for v in array_counts(broken)] == ['x']
    assert [v.value for v in value_counts(pd.Series(pd.arrays.ArrowExtensionArray(broken)))] == [
        'x'
    ]
    days = pa.array([0, 10**7], pa.int32()).cast(pa.date32())
    assert [v.value for v in array_counts(days)] == [dt.date(1970, 1, 1)]
