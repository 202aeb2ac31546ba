"""The public frame, and SDV's preprocessing fitted on it.

About ``_processor.py``.
"""

import datetime as dt
import pickle
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sdv.data_processing.data_processor import DataProcessor
from sdv.metadata import Metadata

from sdv_prefair.columns._processor import public_frame
from sdv_prefair.domain import public_domain
from sdv_prefair.errors import DomainError
from sdv_prefair.transformers import transformers_for

ROWS = 200
SECRET = 7777  # part of every private value below


def arrow(kind):
    return pd.ArrowDtype(kind)


def numbers():
    generator = np.random.default_rng(0)
    whole = generator.integers(0, 120, ROWS)
    small = ['int8', 'uint8', 'UInt8', 'Int8']
    large = ['int16', 'int32', 'int64', 'uint16', 'uint32', 'uint64', 'Int64', 'float32']
    large += ['float64', 'Float64', 'int64[pyarrow]', 'double[pyarrow]']
    for dtype in small + large:
        column = pd.Series(whole if dtype in small else whole + SECRET).astype(dtype)
        bounds = (0, 127) if dtype in small else (5000, 9000)
        yield f'number {dtype}', column, bounds
    cents = [Decimal(int(value)) / 100 + SECRET for value in whole]
    yield 'number Decimal', pd.Series(cents, dtype=object), (5000, 9000)
    yield 'number decimal128', pd.Series(cents, dtype=arrow(pa.decimal128(9, 2))), (5000, 9000)
    yield 'number category', pd.Series(whole + SECRET, dtype='category'), (5000, 9000)


def words():
    generator = np.random.default_rng(1)
    drawn = pd.Series(generator.choice(['red', 'blue', f'secret {SECRET}'], ROWS))
    for dtype in ['object', 'string', 'string[pyarrow]', 'category', arrow(pa.string())]:
        yield f'word {dtype} {type(dtype).__name__}', drawn.astype(dtype)
    ordered = pd.CategoricalDtype([f'secret {SECRET}', 'red', 'blue'], ordered=True)
    yield 'word ordered', drawn.astype(ordered)


def flags():
    drawn = pd.Series(np.random.default_rng(2).random(ROWS) < 0.5)
    for dtype in ['bool', 'boolean', 'object', 'bool[pyarrow]', 'float64']:
        yield f'flag {dtype}', drawn.astype(dtype)


def moments():
    shift = np.random.default_rng(3).integers(0, 900, ROWS)
    drawn = pd.Series(pd.date_range('2011-01-01', periods=900))[shift].reset_index(drop=True)
    for dtype in ['datetime64[ns]', 'datetime64[us]', 'datetime64[s]']:
        yield f'moment {dtype}', drawn.astype(dtype), None
    yield 'moment zone', drawn.dt.tz_localize('Europe/Paris'), None
    yield 'moment zone us', drawn.dt.tz_localize('UTC').dt.as_unit('us'), None
    yield 'moment arrow', drawn.astype(arrow(pa.timestamp('us'))), None
    yield 'moment date32', drawn.astype(arrow(pa.date32())), None
    yield 'moment date', drawn.dt.date, None
    for dtype in ['object', 'string', 'string[pyarrow]']:
        yield f'moment text {dtype}', drawn.dt.strftime('%d/%m/%Y').astype(dtype), '%d/%m/%Y'


def not_modelled():
    number = pd.Series(np.arange(ROWS))
    text = pd.Series([f'{SECRET} {row}' for row in range(ROWS)])
    yield 'key', number + SECRET, {'sdtype': 'id'}
    yield 'other key', text, {'sdtype': 'email', 'pii': True}
    yield 'regex', text.astype('string'), {'sdtype': 'id', 'regex_format': 'A[0-9]{4}'}
    yield 'ssn', text.astype('category'), {'sdtype': 'ssn', 'pii': True}
    yield (
        'born',
        pd.Series(pd.Timestamp('1999-07-07')).repeat(ROWS).reset_index(drop=True),
        {'sdtype': 'date_of_birth'},
    )
    for dtype in ['int8', 'int64', 'float32', 'Int16', 'bool', 'string[pyarrow]']:
        yield f'unknown {dtype}', (number % 100).astype(dtype), {'sdtype': 'unknown'}


def everything():
    frame, columns = {}, {}
    for name, column, (low, high) in numbers():
        frame[name] = column
        columns[name] = {'sdtype': 'numerical', 'range_min': low, 'range_max': high}
    for name, column in words():
        frame[name] = column
        columns[name] = {'sdtype': 'categorical', 'range_values': ['blue', 'red', 'green']}
    for name, column in flags():
        frame[name] = column
        columns[name] = {'sdtype': 'boolean'}
    for name, column, written in moments():
        frame[name] = column
        columns[name] = {'sdtype': 'datetime', 'range_min': '2010-01-01', 'range_max': '2014-01-01'}
        if written:
            columns[name] |= {'datetime_format': written}
            columns[name] |= {'range_min': '01/01/2010', 'range_max': '01/01/2014'}
    for name, column, description in not_modelled():
        frame[name] = column
        columns[name] = description
    table = {'columns': columns, 'primary_key': 'key', 'alternate_keys': ['other key']}
    metadata = Metadata.load_from_dict({'tables': {'t': table}})
    metadata.validate()
    return pd.DataFrame(frame), metadata


@pytest.fixture(scope='module')
def setting():
    private, metadata = everything()
    domains = public_domain(metadata, public_ranges=True)
    public = public_frame(domains, private.dtypes, metadata)
    return private, metadata.tables['t'], domains, public


@pytest.fixture(scope='module')
def fitted(setting):
    private, table, domains, public = setting
    processor = DataProcessor(table)
    transformers = transformers_for(domains, 32, private.dtypes)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        processor.prepare_for_fitting(public)
        processor.update_transformers(transformers)
        processor.fit(public)
    for column, description in table.columns.items():
        if description['sdtype'] == 'numerical':
            processor.formatters.pop(column)
    return processor, transformers


def test_the_dtypes_are_those_of_the_private_frame(setting):
    private, _, _, public = setting
    assert list(public.columns) == list(private.columns)
    for column, dtype in private.dtypes.items():
        if dtype != 'category':
            assert public[column].dtype == dtype, column
    declared = ['blue', 'red', 'green']
    assert public['word category str'].dtype == pd.CategoricalDtype(declared)
    assert public['word ordered'].dtype == pd.CategoricalDtype(declared, ordered=True)
    assert public['number category'].dtype == 'float64', 'no decimal places are declared'
    assert public['ssn'].dtype == 'object'


def test_the_frame_is_made_of_public_facts_alone(setting):
    private, table, domains, public = setting
    none = private.head(0)
    again = public_frame(domains, none.dtypes, table)
    pd.testing.assert_frame_equal(public, again)
    assert not public.isna().any().any()
    assert str(SECRET) not in public.to_csv()


def test_sdv_keeps_nothing_of_the_private_rows(setting, fitted):
    private, _, domains, _ = setting
    kept = []
    for rows in (private, private.head(1)):
        processor = pickle.loads(pickle.dumps(fitted[0]))
        processor.transform(rows)
        assert str(SECRET).encode() not in pickle.dumps(processor)
        assert b'secret' not in pickle.dumps(processor)
        transformers = processor._hyper_transformer.field_transformers
        ours = {column: pickle.dumps(transformers[column]) for column in domains}
        kept.append((ours, pickle.dumps([processor._dtypes, processor.formatters])))
    assert kept[0] == kept[1]


def test_codes_of_all_modelled_columns(setting, fitted):
    private, _, domains, _ = setting
    processor, transformers = fitted
    codes = processor.transform(private)
    assert set(codes.columns) == set(domains)
    for column in codes:
        assert codes[column].dtype.kind == 'u'
        assert codes[column].max() < transformers[column].num_codes


def test_sdv_returns_the_private_dtypes_and_the_same_codes(setting, fitted):
    private, table, domains, public = setting
    processor, transformers = fitted
    codes = processor.transform(private)
    codes = codes.reset_index(drop=True)
    returned = processor.reverse_transform(codes)
    assert list(returned.columns) == list(table.columns)
    again = processor.transform(returned)
    for column in returned:
        assert returned[column].dtype == public[column].dtype, column
        assert not returned[column].isna().any(), column
    for column in domains:
        kept = codes[column].to_numpy() != transformers[column].other_code
        assert kept.any()
        assert (codes[column].to_numpy() == again[column].to_numpy())[kept].all(), column


def test_sdv_returns_nulls(setting, fitted):
    private, _, _, public = setting
    processor, transformers = fitted
    nullable = {name: item for name, item in transformers.items() if item.null_code is not None}
    assert not {'number int64', 'number uint8', 'flag bool'} & set(nullable)
    codes = {name: [item.null_code, 0] for name, item in nullable.items()}
    codes |= {name: [0, 0] for name in set(transformers) - set(nullable)}
    returned = processor.reverse_transform(pd.DataFrame(codes))
    for column in nullable:
        assert returned[column].isna().tolist() == [True, False], column
        assert returned[column].dtype == public[column].dtype, column


def test_values_come_back_as_declared(setting, fitted):
    _, table, _, _ = setting
    processor, transformers = fitted
    codes = {name: np.arange(60) % (item.num_codes - 1) for name, item in transformers.items()}
    returned = processor.reverse_transform(pd.DataFrame(codes))
    for column, description in table.columns.items():
        if description['sdtype'] == 'numerical':
            low, high = description['range_min'], description['range_max']
            assert returned[column].astype(float).between(low, high).all(), column
        elif description['sdtype'] == 'categorical':
            assert set(returned[column].dropna()) <= {'blue', 'red', 'green'}
    text = pd.to_datetime(returned['moment text object'], format='%d/%m/%Y')
    assert text.between('2010-01-01', '2014-01-01').all()
    assert isinstance(returned['moment date'][0], str)  # as SDV itself returns dates
    assert dt.date.fromisoformat(returned['moment date'][0]) >= dt.date(2010, 1, 1)


def test_columns_to_be_learnt_get_placeholders():
    columns = {
        'number': {'sdtype': 'numerical'},
        'word': {'sdtype': 'categorical'},
        'day': {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y'},
        'moment': {'sdtype': 'datetime'},
    }
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    frame = pd.DataFrame({
        'number': pd.Series([1.5], dtype='Float64'),
        'word': pd.Series(['secret'], dtype='category'),
        'day': ['01/02/2020'],
        'moment': pd.Series([pd.Timestamp('2020-01-01', tz='UTC')]),
    })
    domains = public_domain(metadata, public_ranges=False)
    public = public_frame(domains, frame.dtypes, metadata)
    assert public['number'].dtype == 'Float64'
    assert public['word'].dtype == 'object'
    assert public['day'][0] == '01/01/2000'
    assert public['moment'].dtype == frame['moment'].dtype
    domains['word'] = domains['word'].with_values(['a', 'b'])
    learnt = public_frame(domains, frame.dtypes, metadata)
    assert learnt['word'].dtype == pd.CategoricalDtype(['a', 'b'])


def test_a_dtype_that_cannot_hold_what_is_declared():
    columns = {'the column': {'sdtype': 'categorical', 'range_values': ['a', 'b']}}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    domains = public_domain(metadata, public_ranges=True)
    with pytest.raises(DomainError, match="Column 'the column': dtype 'int64'"):
        public_frame(domains, {'the column': np.dtype('int64')}, metadata)
