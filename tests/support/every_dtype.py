"""One wide table with every dtype a column may be stored as, with nulls where it holds them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from contract import Table
from sdv.metadata import Metadata

Column = tuple[str, pd.Series, dict[str, Any]]
NULL_SHARE = 0.25

# SDV refuses the first, and fails on the second when it maps the null.
_BEYOND_SDV = ('number decimal', 'rung category')

_WHOLE = ('int8', 'int16', 'int32', 'int64', 'uint8', 'uint64')
_NULLABLE_NUMBERS = ('Int8', 'Int64', 'UInt8', 'int64[pyarrow]', 'float32', 'float64', 'Float32')
_NULLABLE_NUMBERS += ('Float64', 'float[pyarrow]', 'double[pyarrow]')
_TEXTS = {
    'object': 'object',
    'string': 'string',
    'string pyarrow': 'string[pyarrow]',
    'arrow string': pd.ArrowDtype(pa.string()),
    'arrow large string': pd.ArrowDtype(pa.large_string()),
}
_ENDS = ('range_min', 'range_max')
_NEVER_NULL = {'range_is_nullable': False}
_NUMBER = {'sdtype': 'numerical', 'range_min': 0, 'range_max': 19}
_WORD = {'sdtype': 'categorical', 'range_values': ['red', 'green', 'blue']}
_DAY = {
    'sdtype': 'datetime',
    'range_min': '2010-01-01',
    'range_max': '2010-01-20',
    'datetime_format': '%Y-%m-%d',
}
_MOMENT = {
    'sdtype': 'datetime',
    'range_min': '2010-01-01 00:00:00',
    'range_max': '2010-01-20 23:59:59',
    'datetime_format': '%Y-%m-%d %H:%M:%S',
}


def every_dtype(num_rows: int) -> Table:
    """Return the wide table; ``beyond_sdv`` are the columns that SDV's own synthesizer spoils."""
    generator = np.random.default_rng(0)
    kinds = (_numbers, _words, _flags, _moments, _days, _constants)
    columns = [column for kind in kinds for column in kind(num_rows, generator)]
    frame = pd.DataFrame({name: values for name, values, _ in columns})
    described = {name: about for name, _, about in columns}
    metadata = Metadata.load_from_dict({'tables': {'wide': {'columns': described}}})
    roles = {
        'protected': ['word object'],
        'admissible': ['word ordered', 'number int8'],
        'outcome': ['flag bool'],
    }
    return Table({'wide': frame}, metadata, roles, _BEYOND_SDV)


def _nulls(values: pd.Series, generator) -> pd.Series:
    return values.mask(generator.random(len(values)) < NULL_SHARE)


def _numbers(num_rows: int, generator) -> Iterator[Column]:
    whole = pd.Series(generator.integers(0, 20, num_rows))
    for dtype in _WHOLE:
        yield f'number {dtype}', whole.astype(dtype), _NUMBER | _NEVER_NULL
    for dtype in _NULLABLE_NUMBERS:
        yield f'number {dtype}', _nulls(whole.astype(dtype), generator), _NUMBER
    cents = _nulls(whole / 2 + 0.25, generator)
    yield 'number cents', cents, _NUMBER | {'decimal_places': 2}
    yield 'number decimal', cents.astype(pd.ArrowDtype(pa.decimal128(9, 2))), _NUMBER
    # What pandas makes of whole numbers as soon as one is missing.
    yield 'number whole', _nulls(whole.astype(float), generator), _NUMBER | {'decimal_places': 0}
    yield 'number no nulls', whole.astype('Int64'), _NUMBER | _NEVER_NULL


def _words(num_rows: int, generator) -> Iterator[Column]:
    words = pd.Series(generator.choice(_WORD['range_values'], num_rows))
    for name, dtype in (_TEXTS | {'category': 'category'}).items():
        yield f'word {name}', _nulls(words.astype(dtype), generator), _WORD
    yield 'word no nulls', words, _WORD | _NEVER_NULL
    # The order is that of the metadata, not of the alphabet or of appearance.
    order = ['green', 'red', 'blue']
    about = _WORD | {'range_values': order}
    ordered = words.astype(pd.CategoricalDtype(order, ordered=True))
    yield 'word ordered', ordered, about | _NEVER_NULL
    yield 'word ordered or null', _nulls(ordered, generator), about
    rungs = pd.Series(generator.integers(1, 4, num_rows))
    about = {'sdtype': 'ordinal', 'range_values': [1, 2, 3]}
    yield 'rung int64', rungs, about | _NEVER_NULL
    for dtype in ('Int64', 'float64', 'category'):
        yield f'rung {dtype}', _nulls(rungs.astype(dtype), generator), about


def _flags(num_rows: int, generator) -> Iterator[Column]:
    flags = pd.Series(generator.random(num_rows) < 0.5)
    yield 'flag bool', flags, {'sdtype': 'boolean'}
    for dtype in ('boolean', 'object', 'bool[pyarrow]'):
        yield f'flag {dtype}', _nulls(flags.astype(dtype), generator), {'sdtype': 'boolean'}
    yield 'flag of values', flags, {'sdtype': 'categorical', 'range_values': [True, False]}


def _moments(num_rows: int, generator) -> Iterator[Column]:
    seconds = pd.to_timedelta(generator.integers(0, 20 * 86_400, num_rows), unit='s')
    moments = pd.Series(pd.Timestamp('2010-01-01') + seconds)
    for unit in ('s', 'ms', 'us', 'ns'):
        yield f'moment {unit}', _nulls(moments.dt.as_unit(unit), generator), _MOMENT
    about = {key: value for key, value in _MOMENT.items() if key != 'datetime_format'}
    yield 'moment no nulls', moments, about | _NEVER_NULL
    zoned = moments.dt.tz_localize('UTC')
    for name, column in {
        'utc': zoned,
        'paris': moments.dt.tz_localize('Europe/Paris'),
        'lima us': moments.dt.tz_localize('America/Lima').dt.as_unit('us'),
        'arrow': moments.astype(pd.ArrowDtype(pa.timestamp('us'))),
        'arrow utc': zoned.astype(pd.ArrowDtype(pa.timestamp('us', 'UTC'))),
    }.items():
        yield f'moment {name}', _nulls(column, generator), about


def _days(num_rows: int, generator) -> Iterator[Column]:
    drawn = pd.to_timedelta(generator.integers(0, 20, num_rows), unit='D')
    days = pd.Series(pd.Timestamp('2010-01-01') + drawn)
    yield 'day', days, _DAY | _NEVER_NULL
    yield 'day arrow', _nulls(days.astype(pd.ArrowDtype(pa.date32())), generator), _DAY
    about = _written(_DAY, '%d.%m.%Y')
    for name, dtype in _TEXTS.items():
        text = days.dt.strftime('%d.%m.%Y').astype(dtype)
        yield f'day as {name}', _nulls(text, generator), about
    digits = days.dt.strftime('%Y%m%d').astype('int64')
    about = _written(_DAY, '%Y%m%d')
    yield 'day as int64', digits, about | _NEVER_NULL
    for dtype in ('Int64', 'float64'):
        yield f'day as {dtype}', _nulls(digits.astype(dtype), generator), about


def _written(about: dict[str, Any], datetime_format: str) -> dict[str, Any]:
    """Return the description of a datetime column that is written in another format."""
    ends = {key: pd.Timestamp(about[key]).strftime(datetime_format) for key in _ENDS}
    return about | ends | {'datetime_format': datetime_format}


def _constants(num_rows: int, generator) -> Iterator[Column]:
    yield 'always red', pd.Series(['red'] * num_rows), _WORD
    yield 'always 7', pd.Series([7] * num_rows), _NUMBER
    yield 'always that day', pd.Series([pd.Timestamp('2010-01-05')] * num_rows), _DAY
    yield 'one value', pd.Series([7] * num_rows), _NUMBER | {'range_min': 7, 'range_max': 7}
    yield 'never a word', pd.Series([None] * num_rows, dtype=object), _WORD
    yield 'never a number', pd.Series([np.nan] * num_rows), _NUMBER
    yield 'never a day', pd.Series([pd.NaT] * num_rows, dtype='datetime64[ns]'), _DAY
    yield 'never a flag', pd.Series([pd.NA] * num_rows, dtype='boolean'), {'sdtype': 'boolean'}
