"""What the metadata makes public of every column."""

import datetime as dt
import json

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_prefair.columns._texts import USUAL_WORDS
from sdv_prefair.domain import (
    Categories,
    Datetimes,
    Numbers,
    Undeclared,
    modelled_columns,
    public_domain,
    strip_ranges,
)
from sdv_prefair.errors import DomainError


def metadata_of(columns, **table):
    return Metadata.load_from_dict({'tables': {'people': {'columns': columns, **table}}})


def domain_of(**description):
    return public_domain(metadata_of({'c': description}), public_ranges=True)['c']


MIXED = {
    'key': {'sdtype': 'id'},
    'other key': {'sdtype': 'email', 'pii': True},
    'sequence': {'sdtype': 'id'},
    'plain id': {'sdtype': 'id', 'regex_format': '[0-9]{3}'},
    'color': {'sdtype': 'categorical', 'range_values': ['red', 'blue']},
    'grade': {'sdtype': 'ordinal', 'range_values': [1, 2, 3], 'range_is_nullable': False},
    'member': {'sdtype': 'boolean'},
    'ssn': {'sdtype': 'ssn', 'pii': True},
    'ssn by default': {'sdtype': 'ssn'},
    'age': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 120, 'decimal_places': 0},
    'mystery': {'sdtype': 'unknown'},
    'open mystery': {'sdtype': 'unknown', 'pii': False},
    'born': {
        'sdtype': 'datetime',
        'datetime_format': '%d.%m.%Y',
        'range_min': '01.02.1900',
        'range_max': '31.12.2025',
    },
    'city': {'sdtype': 'city', 'pii': False},
}
KEYS = {'primary_key': 'key', 'alternate_keys': ['other key'], 'sequence_key': 'sequence'}


def test_keys_ids_pii_and_unknown_columns_are_not_modelled():
    metadata = metadata_of(MIXED, **KEYS)
    expected = ['color', 'grade', 'member', 'age', 'born', 'city']
    assert modelled_columns(metadata) == expected
    assert modelled_columns(metadata.tables['people']) == expected


def test_composite_keys_are_not_modelled():
    columns = {'a': {'sdtype': 'id'}, 'b': {'sdtype': 'categorical'}, 'c': {'sdtype': 'boolean'}}
    assert modelled_columns(metadata_of(columns, primary_key=['a', 'b'])) == ['c']


def test_columns_of_a_multi_column_transformer_are_not_modelled():
    columns = {
        'lat': {'sdtype': 'latitude', 'pii': False},
        'lon': {'sdtype': 'longitude', 'pii': False},
        'c': {'sdtype': 'boolean'},
    }
    table = metadata_of(columns).tables['people']
    assert modelled_columns(table) == ['lat', 'lon', 'c']
    # What SDV fills in when the add-on with the transformer is installed.
    table._valid_column_relationships = [{'type': 'gps', 'column_names': ['lat', 'lon']}]
    assert modelled_columns(table) == ['c']


def test_several_tables_are_refused():
    table = {'columns': {'a': {'sdtype': 'boolean'}}}
    with pytest.raises(DomainError, match='exactly one table'):
        modelled_columns(Metadata.load_from_dict({'tables': {'x': table, 'y': table}}))


def test_declared_ranges_are_the_public_domain():
    assert public_domain(metadata_of(MIXED, **KEYS), public_ranges=True) == {
        'color': Categories(('red', 'blue')),
        'grade': Categories((1, 2, 3), nullable=False, ordered=True),
        'member': Categories((False, True), complete=True),
        'age': Numbers(0, 120, 0),
        'born': Datetimes(pd.Timestamp('1900-02-01'), pd.Timestamp('2025-12-31'), '%d.%m.%Y'),
        'city': Undeclared('categories', learns_nulls=True, missing=USUAL_WORDS),
    }


def test_ranges_that_are_not_public_are_ignored():
    assert public_domain(metadata_of(MIXED, **KEYS), public_ranges=False) == {
        'color': Undeclared('categories', learns_nulls=True, missing=USUAL_WORDS),
        'grade': Undeclared('categories', ordered=True, learns_nulls=True, missing=USUAL_WORDS),
        'member': Categories((False, True), complete=True),
        'age': Undeclared('numbers', learns_nulls=True),
        'born': Undeclared('datetimes', datetime_format='%d.%m.%Y', learns_nulls=True),
        'city': Undeclared('categories', learns_nulls=True, missing=USUAL_WORDS),
    }


def test_what_is_not_public_does_not_change_with_the_data():
    def detected(frame):
        metadata = Metadata.detect_from_dataframes({'t': frame}, infer_keys=None)
        return public_domain(metadata, public_ranges=False), strip_ranges(metadata).to_dict()

    some = pd.DataFrame({
        'x': [0.5, 1.25, 3.0, 4.0, 5.0, 6.0, 7.0],
        'w': list('abababa'),
        'd': pd.to_datetime(['2020-01-01'] * 6 + ['2021-01-01']),
    })
    more = pd.DataFrame({
        'x': [0.5, 1.2, 3.0, 4.0, 5.0, 6.0, None],
        'w': list('xyxyxy') + [None],
        'd': pd.to_datetime(['1990-01-01'] * 6 + [None]),
    })
    assert detected(some) == detected(more)


def test_half_a_range_has_to_be_learnt_but_is_kept():
    assert domain_of(sdtype='numerical', range_min=0, decimal_places=2) == Undeclared(
        'numbers', low=0, decimal_places=2, learns_nulls=True
    )
    assert domain_of(sdtype='datetime', range_max='2020-01-01') == Undeclared(
        'datetimes', high=pd.Timestamp('2020-01-01'), learns_nulls=True
    )
    assert domain_of(sdtype='categorical', high_cardinality=True) == Undeclared(
        'categories', learns_nulls=True, many=True, missing=USUAL_WORDS
    )


def test_learnt_bounds_are_cut_to_what_is_declared():
    half = Undeclared('numbers', low=0, decimal_places=1, nullable=False)
    assert half.with_bounds(-8, 15.96) == Numbers(0, 16.0, 1, nullable=False)
    assert half.with_bounds(-8, -4) == Numbers(0, 0, 1, nullable=False)
    assert Undeclared('numbers', high=5).with_bounds(8, 16) == Numbers(5, 5)
    assert Undeclared('numbers').with_bounds(-1.5, 2) == Numbers(-1.5, 2)
    half = Undeclared('datetimes', high=pd.Timestamp('2020-06-01'))
    learnt = half.with_bounds(pd.Timestamp('2020-01-01'), np.datetime64('2021-01-01'))
    assert learnt == Datetimes('2020-01-01', '2020-06-01')


def test_learnt_values_keep_what_is_known():
    undeclared = Undeclared('categories', nullable=False, ordered=True)
    assert undeclared.with_values(['b', 'a']) == Categories(('b', 'a'), False, True, shared=True)
    assert undeclared.with_values([]).values == ()


def test_values_are_plain_python():
    domain = Categories((np.int64(1), np.str_('a'), np.float64(0.5), np.datetime64('2020-01-01')))
    assert domain.values == (1, 'a', 0.5, pd.Timestamp('2020-01-01'))
    assert [type(value) for value in domain.values[:3]] == [int, str, float]


@pytest.mark.parametrize(
    ('low', 'high', 'places', 'grid'),
    [
        (0, 3, 0, [0, 1, 2, 3]),
        (-1.5, 1.5, 0, [-1, 0, 1]),
        (1.1, 1.3, 1, [11, 12, 13]),
        (0.29, 0.31, 2, [29, 30, 31]),
        (0.57, 0.58, 2, [57, 58]),
    ],
)
def test_the_grid_is_that_of_the_decimals_as_written(low, high, places, grid):
    assert list(Numbers(low, high, places).grid(places)) == grid


def test_true_and_one_are_two_values():
    assert len(Categories((True, 1, 0, False)).values) == 4


NOT_A_NUMBER = [float('nan'), float('inf'), '5', True, None.__class__, 10**400, 1j]
BAD = [
    {'sdtype': 'numerical', 'range_min': 5, 'range_max': 1},
    {'sdtype': 'numerical', 'range_min': 0.2, 'range_max': 0.8, 'decimal_places': 0},
    {'sdtype': 'numerical', 'range_min': 0, 'range_max': 1, 'decimal_places': -1},
    {'sdtype': 'numerical', 'range_min': 0, 'range_max': 1, 'decimal_places': 1.5},
    {'sdtype': 'numerical', 'decimal_places': 'two'},
    {'sdtype': 'numerical', 'range_min': -1.5e308, 'range_max': 1.5e308},
    {'sdtype': 'numerical', 'range_min': 0, 'range_max': 1, 'range_is_nullable': 'no'},
    *({'sdtype': 'numerical', 'range_min': value, 'range_max': 9} for value in NOT_A_NUMBER),
    *({'sdtype': 'numerical', 'range_min': value} for value in NOT_A_NUMBER),
    {'sdtype': 'categorical', 'range_values': []},
    {'sdtype': 'categorical', 'range_values': 'abc'},
    {'sdtype': 'categorical', 'range_values': ['a', 'b', 'a']},
    {'sdtype': 'categorical', 'range_values': [1, 1.0]},
    {'sdtype': 'ordinal', 'range_values': ['a', None]},
    {'sdtype': 'ordinal', 'range_values': [1.0, float('nan')]},
    {'sdtype': 'categorical', 'range_values': [['a'], ['b']]},
    {'sdtype': 'datetime', 'range_min': '2020-01-01', 'range_max': '2019-01-01'},
    {'sdtype': 'datetime', 'range_min': 'soon', 'range_max': '2019-01-01'},
    {'sdtype': 'datetime', 'range_max': 'late'},
    {'sdtype': 'datetime', 'range_min': 0, 'range_max': 10},
    {
        'sdtype': 'datetime',
        'datetime_format': '%d/%m/%Y',
        'range_min': '2020-01-01',
        'range_max': '01/01/2021',
    },
    {'sdtype': 'datetime', 'range_min': '2020-01-01 00:00:00+01:00', 'range_max': '2021-01-01'},
]


@pytest.mark.parametrize('description', BAD, ids=str)
def test_bad_declarations_name_the_column(description):
    metadata = metadata_of({'the column': description, 'fine': {'sdtype': 'boolean'}})
    with pytest.raises(DomainError, match="Column 'the column'"):
        public_domain(metadata, public_ranges=True)


@pytest.mark.parametrize('description', BAD, ids=str)
def test_bad_declarations_do_no_harm_where_ranges_are_not_public(description):
    assert 'c' in public_domain(metadata_of({'c': description}), public_ranges=False)


def test_errors_do_not_quote_the_metadata_which_may_be_detected_from_rows():
    for description in (
        {'sdtype': 'numerical', 'range_min': 987654, 'range_max': 1},
        {'sdtype': 'categorical', 'range_values': ['987654', '987654']},
        {'sdtype': 'datetime', 'range_min': '987654-', 'range_max': '2020-01-01'},
    ):
        with pytest.raises(DomainError) as caught:
            domain_of(**description)
        assert '987654' not in str(caught.value)


def test_bounds_beyond_nanoseconds_and_with_offsets():
    far = domain_of(sdtype='datetime', range_min='0001-01-01', range_max='9999-12-31')
    assert (far.low.year, far.high.year) == (1, 9999)
    written = {'datetime_format': '%Y-%m-%dT%H:%M%z', 'range_min': '2020-01-01T00:00+0100'}
    domain = domain_of(sdtype='datetime', range_max='2020-01-02T00:00+0100', **written)
    assert domain.low == pd.Timestamp('2019-12-31 23:00', tz='UTC')


@pytest.mark.pull_request
def test_strip_ranges_leaves_a_valid_copy():
    metadata = metadata_of(MIXED, **KEYS)
    before = json.dumps(metadata.to_dict(), sort_keys=True)
    stripped = strip_ranges(metadata)
    stripped.validate()
    assert json.dumps(metadata.to_dict(), sort_keys=True) == before
    columns = stripped.tables['people'].columns
    assert columns['age'] == {'sdtype': 'numerical'}
    assert columns['born'] == {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'}
    assert columns['plain id'] == MIXED['plain id']
    assert columns['city'] == MIXED['city']
    assert stripped.tables['people'].primary_key == 'key'


def test_strip_ranges_removes_all_that_detection_adds():
    frame = pd.DataFrame({
        'number': np.arange(600) * 1.5 - 271828,
        'word': [f'w271828{i}' for i in range(300)] * 2,
        'many': [f'271828{i}' for i in range(599)] + [None],
        'day': [dt.datetime(1628, 2, 7) + dt.timedelta(days=i) for i in range(600)],
    })
    metadata = Metadata.detect_from_dataframes({'t': frame}, infer_keys=None)
    assert '271828' in str(metadata.to_dict())
    stripped = strip_ranges(metadata)
    stripped.validate()
    assert set().union(*stripped.tables['t'].columns.values()) == {'sdtype'}
