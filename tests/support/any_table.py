"""Small tables of random columns: every kind, dtype, format and text that a user may have.

``any_table(seed)`` gives the same table for the same seed: a frame, its metadata and arguments of a
synthesizer. Ranges are public in most columns, learnt in some.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from sdv.metadata import Metadata

Rng = np.random.Generator
Made = tuple[pd.Series, dict[str, Any]]

TEXTS = (
    'a', 'b', 'A', ' a', 'a ', 'a b', 'a,b', 'a;b', '"', "'", 'say "a"', 'nan', 'NaN', 'NA',
    'None',
    'null', 'N/A', '-', '1', '01', '1.0', '1e3', '0x1', 'True', 'false', '=1+1', '@x', '+3', '-3',
    'é', 'ß', '中', '🙂', 'e\u0301', '#', '\\', '\\n', 'a\tb', '%', '{}', '<b>', 'x' * 60,
    '2020-01-01',
    'inf', '1_000', '٣', '\u00a0',
)  # fmt: skip
FORMATS = (
    '%Y-%m-%d', '%d/%m/%Y', '%m/%d/%Y', '%Y%m%d', '%d.%m.%Y %H:%M', '%Y-%m-%d %H:%M:%S',
    '%Y-%m-%dT%H:%M:%S', '%Y-%m-%d %H:%M:%S.%f', '%d %b %Y', '%B %d, %Y', '%Y-%m', '%d-%m-%y',
    '%I:%M %p %d/%m/%Y', '%Y-%m-%dT%H:%M:%S%z', '%j %Y',
)  # fmt: skip
WHOLE = (
    'int8',
    'int16',
    'int32',
    'int64',
    'uint8',
    'uint64',
    'Int64',
    'Int16',
    'float64',
    'object',
)
WHOLE += ('int64[pyarrow]', 'Float64')
REAL = ('float64', 'float32', 'Float64', 'Float32', 'double[pyarrow]', 'object')
WORDS = ('object', 'string', 'string[pyarrow]', 'category')
MOMENTS = ('text', 'object', 'datetime64[ns]', 'datetime64[s]', 'datetime64[us]', 'arrow')


@dataclass(frozen=True)
class AnyTable:
    """A table and how it is to be fitted."""

    frame: pd.DataFrame
    metadata: Metadata
    arguments: dict[str, Any]


def any_table(seed: int) -> AnyTable:
    """Return a random table."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(30, 400))
    made = {name: _column(rng, rows, _category) for name in ('group', 'reason', 'outcome')}
    kinds = (_category, _flag, _whole, _decimals, _real, _moment, _made_up)
    for place in range(int(rng.integers(1, 6))):
        made[f'x{place}'] = _column(rng, rows, kinds[int(rng.integers(len(kinds)))])
    frame = pd.DataFrame({name: values for name, (values, _) in made.items()})
    columns = {name: about for name, (_, about) in made.items()}
    table: dict[str, Any] = {'columns': columns}
    if rng.random() < 0.3:
        frame.insert(0, 'key', _keys(rng, rows))
        columns['key'] = {'sdtype': 'id'}
        table['primary_key'] = 'key'
    arguments: dict[str, Any] = {'epsilon': float(rng.choice([0.5, 5.0, 100.0]))}
    arguments['structure'] = 'none'
    if rng.random() < 0.7:
        del arguments['structure']
        arguments |= {'protected': ['group'], 'admissible': ['reason'], 'outcome': ['outcome']}
    return AnyTable(frame, Metadata.load_from_dict({'tables': {'t': table}}), arguments)


def _column(rng: Rng, rows: int, kind: Callable[[Rng, int], Made]) -> Made:
    values, about = kind(rng, rows)
    if about['sdtype'] in {'boolean', 'categorical', 'numerical', 'datetime'}:
        if rng.random() < 0.4 and values.dtype.kind not in 'iub':
            values = values.mask(rng.random(rows) < 0.2)
        elif rng.random() < 0.5:
            about['range_is_nullable'] = False
    return values.reset_index(drop=True), about


def _category(rng: Rng, rows: int) -> Made:
    style = rng.random()
    if style < 0.6:
        kinds: list[Any] = list(rng.choice(TEXTS, int(rng.integers(2, 6)), replace=False))
        kinds = [str(kind) for kind in kinds]
        dtype = str(rng.choice(WORDS))
    elif style < 0.8:
        kinds = sorted({int(kind) for kind in rng.integers(-5, 2**40 if style < 0.65 else 9, 5)})
        dtype = str(rng.choice(['int64', 'Int64', 'object', 'category', 'float64']))
    elif style < 0.9:
        kinds = [0.1, 0.25, 1.5, 1e-7, 1e20][: int(rng.integers(2, 6))]
        dtype = str(rng.choice(['float64', 'object', 'category', 'Float64']))
    else:
        kinds, dtype = [True, False], str(rng.choice(['bool', 'object', 'boolean', 'category']))
    values = pd.Series([kinds[place] for place in rng.integers(0, len(kinds), rows)], dtype=object)
    about: dict[str, Any] = {'sdtype': 'categorical'}
    if rng.random() < 0.8:
        about['range_values'] = kinds
    return values.astype(dtype), about


def _flag(rng: Rng, rows: int) -> Made:
    dtype = str(rng.choice(['bool', 'boolean', 'object', 'bool[pyarrow]']))
    values = pd.Series(rng.random(rows) < rng.random(), dtype=object).astype(dtype)
    return values, {'sdtype': 'boolean'}


def _whole(rng: Rng, rows: int) -> Made:
    dtype = str(rng.choice(WHOLE))
    most = {'int8': 100, 'uint8': 200, 'int16': 30_000, 'Int16': 30_000, 'int32': 10**9}.get(dtype)
    most = most or int(rng.choice([9, 120, 10**6, 2**31 - 1, 2**52]))
    low = 0 if dtype.startswith('u') or rng.random() < 0.5 else -most // 2
    numbers = [int(one) for one in rng.integers(low, most, rows, endpoint=True)]
    about: dict[str, Any] = {'sdtype': 'numerical', 'decimal_places': 0}
    if rng.random() < 0.3:
        del about['decimal_places']
    return pd.Series(numbers, dtype=object).astype(dtype), about | _ends(rng, low, most)


def _decimals(rng: Rng, rows: int) -> Made:
    places, dtype = int(rng.integers(1, 6)), str(rng.choice(REAL))
    most = float(rng.choice([1, 50, 1000]))
    numbers = pd.Series((rng.random(rows) * 2 - 1) * most).round(places)
    about = {'sdtype': 'numerical', 'decimal_places': places}
    if rng.random() < 0.1:
        exact = [None if pd.isna(one) else f'{one:.{places}f}' for one in numbers]
        values = pd.Series(pa.array(exact).cast(pa.decimal128(18, places)).to_pandas())
        return values.astype(pd.ArrowDtype(pa.decimal128(18, places))), about | _ends(
            rng, -most, most
        )
    return numbers.astype(dtype), about | _ends(rng, -most, most)


def _real(rng: Rng, rows: int) -> Made:
    dtype, size = str(rng.choice(REAL)), float(rng.choice([1e-12, 1e-3, 1.0, 1e5, 1e15]))
    numbers = pd.Series(rng.normal(0, size, rows)).clip(-5 * size, 5 * size)
    return numbers.astype(dtype), {'sdtype': 'numerical'} | _ends(rng, -5 * size, 5 * size)


def _ends(rng: Rng, low: float, high: float) -> dict[str, Any]:
    return {'range_min': low, 'range_max': high} if rng.random() < 0.8 else {}


def _moment(rng: Rng, rows: int) -> Made:
    written, kind = str(rng.choice(FORMATS)), str(rng.choice(MOMENTS))
    first = pd.Timestamp('2001-01-31') + pd.Timedelta(days=int(rng.integers(0, 7000)))
    seconds = rng.integers(0, int(rng.choice([10, 1000])) * 86_400, rows)
    values = pd.Series(first + pd.to_timedelta(seconds, unit='s'))
    if written.endswith('%z'):
        values = values.dt.tz_localize('UTC')
    texts = values.dt.strftime(written)
    parsed = pd.to_datetime(texts, format=written)
    about: dict[str, Any] = {'sdtype': 'datetime', 'datetime_format': written}
    # A learnt range may be too wide for a year of two digits.
    if '%y' in written or rng.random() < 0.8:
        ends = parsed.min(), parsed.max()
        about |= dict(
            zip(('range_min', 'range_max'), (e.strftime(written) for e in ends), strict=True)
        )
    if kind == 'text':
        return texts.astype(object), about
    if kind == 'arrow' and parsed.dt.tz is None:
        return parsed.astype(pd.ArrowDtype(pa.timestamp('us'))), about
    if kind.startswith('datetime64') and parsed.dt.tz is None:
        return parsed.astype(kind), about
    return (parsed.astype(object) if kind == 'object' else parsed), about


def _made_up(rng: Rng, rows: int) -> Made:
    sdtype = str(rng.choice(['email', 'ssn', 'name', 'id']))
    values = pd.Series([f'{sdtype} {place}' for place in range(rows)])
    return values, {'sdtype': sdtype} | ({} if sdtype == 'id' else {'pii': True})


def _keys(rng: Rng, rows: int) -> pd.Series:
    return (
        pd.Series(range(rows)) if rng.random() < 0.5 else pd.Series([f'k{i}' for i in range(rows)])
    )
