"""Columns of every dtype, values of every type and names of every kind come back."""

import datetime
import zipfile
import zoneinfo
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from releases import assert_same, fit, released, staff_metadata, staff_rows
from sdv.metadata import Metadata

from sdv_prefair.errors import ReleaseError

BERLIN = 'Europe/Berlin'
DTYPES = {
    'numerical': [
        *('int8', 'int16', 'int64', 'uint8', 'uint64', 'float16', 'float32', 'float64', 'object'),
        *('Int8', 'Int64', 'UInt16', 'Float32', 'Float64'),
        *map(pd.ArrowDtype, (pa.int32(), pa.uint8(), pa.float32(), pa.float64())),
        pd.ArrowDtype(pa.decimal128(12, 3)),
        pd.ArrowDtype(pa.decimal256(40, 2)),
    ],
    'categorical': [
        *('object', 'string[python]', 'string[pyarrow]', 'category'),
        *map(pd.ArrowDtype, (pa.string(), pa.large_string())),
        pd.CategoricalDtype(['9', '5', '1', '0'], ordered=True),
    ],
    'datetime': [
        *('datetime64[s]', 'datetime64[ms]', 'datetime64[us]', 'datetime64[ns]', 'object'),
        pd.DatetimeTZDtype('ns', 'UTC'),
        pd.DatetimeTZDtype('us', BERLIN),
        pd.DatetimeTZDtype('ns', zoneinfo.ZoneInfo(BERLIN)),
        pd.DatetimeTZDtype('s', datetime.timezone(datetime.timedelta(hours=-3))),
        *map(pd.ArrowDtype, (pa.timestamp('us'), pa.timestamp('ms', BERLIN), pa.date32())),
    ],
    'boolean': ['bool', 'boolean', 'object', pd.ArrowDtype(pa.bool_())],
    'id': ['object', 'int64', 'Int32', 'string[pyarrow]', pd.ArrowDtype(pa.int64())],
}
DESCRIBED = {
    'numerical': {'range_min': 0, 'range_max': 9},
    'categorical': {'range_values': ['0', '1', '5', '9']},
    'datetime': {'range_min': '1999-01-01', 'range_max': '2030-01-01'},
    'boolean': {},
    'id': {},
}


def values_of(sdtype, dtype, num_rows):
    rng = np.random.default_rng(1)
    if sdtype == 'datetime':
        days = pd.to_timedelta(rng.integers(0, 5000, num_rows), 'D')
        values = pd.Series(pd.Timestamp('2001-01-01') + days)
        zone = getattr(dtype, 'tz', None) or getattr(
            getattr(dtype, 'pyarrow_dtype', None), 'tz', None
        )
        return values.dt.tz_localize(zone).astype(dtype) if zone else values.astype(dtype)
    if sdtype == 'boolean':
        return pd.Series(rng.random(num_rows) < 0.5).astype(dtype)
    whole = pd.Series(rng.choice([0, 1, 5, 9], num_rows))
    if 'decimal' in str(dtype):
        whole = whole.astype(float)
    return (whole.astype(str) if sdtype == 'categorical' else whole).astype(dtype)


@pytest.mark.parametrize('sdtype', DTYPES)
def test_every_dtype_comes_back(sdtype, path):
    columns = {f'c{i}': dtype for i, dtype in enumerate(DTYPES[sdtype])}
    described = {column: {'sdtype': sdtype} | DESCRIBED[sdtype] for column in columns}
    table = staff_rows().assign(**{
        column: values_of(sdtype, dtype, 300) for column, dtype in columns.items()
    })
    synthesizer = fit(table, staff_metadata(**described))
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded, rows=30)
    dtypes = loaded.sample(20)['staff'].dtypes
    for column in columns:
        if not isinstance(table[column].dtype, pd.CategoricalDtype):
            assert dtypes[column] == table[column].dtype
            assert type(dtypes[column]) is type(table[column].dtype)


def test_a_category_that_is_not_modelled_comes_back(path):
    metadata = staff_metadata(odd={'sdtype': 'unknown'}, badge={'sdtype': 'id'})
    texts = pd.Categorical(['u', 'v'] * 150, ordered=True)
    synthesizer = fit(staff_rows().assign(odd=texts, badge=texts), metadata)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    assert loaded.sample(5)['staff']['odd'].dtype.ordered is True


@pytest.mark.skipif(not hasattr(pd.StringDtype(), '_na_value'), reason='pandas 2.3 has it')
def test_the_string_dtype_with_nan_comes_back(path):
    dtype = pd.StringDtype('pyarrow', na_value=np.nan)
    synthesizer = fit(staff_rows().astype({'sex': dtype, 'key': dtype}))
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    assert loaded.sample(5)['staff'].dtypes['sex'] == dtype


@pytest.mark.parametrize(
    'values',
    [
        [True, False],
        [1, 2, -(2**70)],
        [0.1, 1e-300, 2.5],
        [Decimal('0.10'), Decimal('-1E+3')],
        [pd.Timestamp('2020-01-01'), pd.Timestamp('2020-01-01 10:11:12.123456789')],
        [pd.Timestamp('2020-01-01', tz=BERLIN), pd.Timestamp('2021-06-01', tz='UTC')],
        [pd.Timestamp('1500-01-01').as_unit('s'), pd.Timestamp('2020-06-01').as_unit('ms')],
        [datetime.date(2020, 2, 29), datetime.datetime(2020, 1, 1, 5, 6, 7, 89)],
        [' ', 'null', '$type', '\u2028', 'naïve', '😀', 'x' * 3000, 'a\x00'],
        ['one', 1, False, Decimal(3)],
        [('a', 1), ('b', 2)],
    ],
    ids=repr,
)
def test_values_keep_their_types(values, path):
    described = {'odd': {'sdtype': 'categorical', 'range_values': list(values)}}
    column = pd.Series([values[row % len(values)] for row in range(300)], dtype=object)
    synthesizer = fit(staff_rows().assign(odd=column), staff_metadata(**described), epsilon=50.0)
    loaded = released(synthesizer, path)
    declared = loaded.get_transformers()['odd'].values
    assert [(type(v), v) for v in declared] == [(type(v), v) for v in values]
    assert_same(synthesizer, loaded)


def test_a_value_that_cannot_be_written_is_named_by_its_column(path):
    described = {'odd': {'sdtype': 'categorical', 'range_values': [frozenset('a'), 'b']}}
    synthesizer = fit(staff_rows().assign(odd='b'), staff_metadata(**described))
    with pytest.raises(ReleaseError, match='odd.*frozenset|frozenset'):
        synthesizer.save_release(path)
    assert not path.exists()


ODD_NAMES = ['../x', '/etc/passwd', 'a b', ' ', 'naïve', '😀', 'x' * 5000, 'release.json', '$type']


def test_names_of_columns_never_become_names_of_members(path):
    metadata = staff_metadata(**{name: {'sdtype': 'boolean'} for name in ODD_NAMES})
    synthesizer = fit(staff_rows().assign(**dict.fromkeys(ODD_NAMES, True)), metadata)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            folder, _, file = member.rpartition('/')
            assert folder in {
                *('', 'groups', 'weights', 'codes', 'code_deviations'),
                *('tables', 'measurements', 'deviations'),
            }
            documents = {'release.json', 'metadata.json', 'record.json'}
            assert member in documents or file[:-4].isdigit()


def test_names_that_are_numbers_come_back(path):
    metadata = Metadata.load_from_dict({
        'tables': {'staff': {'columns': {str(i): {'sdtype': 'boolean'} for i in range(4)}}}
    })
    table = pd.DataFrame({i: np.arange(80) % (i + 2) == 0 for i in range(4)})
    roles = {'protected': ['0'], 'admissible': ['1'], 'outcome': ['2']}
    synthesizer = fit(table, metadata, **roles)
    loaded = released(synthesizer, path)
    assert_same(synthesizer, loaded)
    assert list(loaded.sample(3)['staff'].columns) == [0, 1, 2, 3]
