"""One table of odd values in every type, and how each database stores it."""

import datetime as dt
import math
from decimal import Decimal

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
from sdv.metadata import Metadata

INFINITE = object()
"""A moment that only PostgreSQL has; to all others it is null."""

TEXTS = ['a', 'A', 'a ', 'ä', 'Ä', 'ß', 'ss', '', ' ', "it's", '"q"', '`b`', '\\', '%s', '😀', '😁']
TEXTS += ['e\u0301', '\u00e9', ';--', 'a\tb', None]
# What looks like null is not declared, nor is what is to be another value.
DECLARED = [text for text in TEXTS if text not in ('😁', 'ß', '', ' ', None)]
FOLDED = ['x', 'X', 'x ', 'y', None]
REALS = [0.0, -0.0, 0.1, 0.3, 2.5, math.nextafter(2.5, 0), math.nextafter(2.5, 9), 9.999, 10.0]
REALS += [-5.0, 1e300, 5e-324, math.inf, -math.inf, math.nan, None]
SHORT = [0.0, -0.0, 0.5, 7.625, 16_777_216.0, -1.5, 0.1, 3.3, math.inf, math.nan, None]
CENTS = [Decimal(n).scaleb(-2) for n in (-5, 0, 1, 99, 100, 250, 999, 1000, 9_999_999)]
CENTS += [Decimal('NaN'), None]
AMOUNTS = [Decimal(text) for text in ('0', '0.1', '2.5', '9.99', '1e20', 'NaN', '-3.25', '1e-9')]
AMOUNTS += [None]
DAYS = [dt.date(1, 1, 1), dt.date(1812, 6, 24), dt.date(1969, 12, 31), dt.date(2020, 1, 1)]
DAYS += [dt.date(2020, 2, 29), dt.date(2029, 12, 31), dt.date(9999, 12, 31), INFINITE, None]
MOMENTS = [dt.datetime(2019, 12, 31, 23, 59, 59, 999_999), dt.datetime(2020, 1, 1), INFINITE]
MOMENTS += [dt.datetime(2020, 3, 29, 1, 30), dt.datetime(2024, 2, 29, 4, 5, 6, 7), None]
MOMENTS += [dt.datetime(1000, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999_999)]
INSTANTS = [dt.datetime(2020, 10, 25, hour, 30, tzinfo=dt.UTC) for hour in (0, 1, 2)] + [None]
INSTANTS += [dt.datetime(2037, 1, 1, tzinfo=dt.UTC), dt.datetime(1971, 1, 1, 0, 0, 0, 1, dt.UTC)]

NUMBER = {'sdtype': 'numerical'}
DATE = {'sdtype': 'datetime'}
# Name, what is public of it, its type in Arrow, what it may hold.
COLUMNS = {
    'text': (
        {
            'sdtype': 'categorical',
            'range_values': [t for t in TEXTS if t not in ('😁', 'ß', '', ' ', None)],
        },
        pa.string(),
        TEXTS,
    ),
    'folded': ({'sdtype': 'categorical', 'range_values': ['x', 'X', 'y']}, pa.string(), FOLDED),
    'padded': ({'sdtype': 'ordinal', 'range_values': ['n', 'ab']}, pa.string(), ['n', 'ab', None]),
    'mood': (
        {'sdtype': 'ordinal', 'range_values': ['sad', "it's ok"]},
        pa.string(),
        ['sad', "it's ok", 'SAD', None],
    ),
    'flag': ({'sdtype': 'boolean'}, pa.bool_(), [True, False, None]),
    'digit': ({'sdtype': 'categorical', 'range_values': [1, 2]}, pa.int16(), [1, 2, -3, None]),
    'age': (NUMBER | {'range_min': 0, 'range_max': 99}, pa.int32(), [-1, 0, 1, 50, 99, 100, None]),
    'long': (
        NUMBER | {'range_min': -(2**63), 'range_max': 2**63 - 1},
        pa.int64(),
        [-(2**63), 2**63 - 1, 2**53 + 1, 0, -1, None],
    ),
    'real': (NUMBER | {'range_min': 0.1, 'range_max': 10.0}, pa.float64(), REALS),
    'short': (NUMBER | {'range_min': 0.0, 'range_max': 7.7}, pa.float32(), SHORT),
    'price': (
        NUMBER | {'range_min': 0, 'range_max': 10, 'decimal_places': 2},
        pa.decimal128(9, 2),
        CENTS,
    ),
    'amount': (NUMBER | {'range_min': 0, 'range_max': 10}, pa.float64(), AMOUNTS),
    'day': (DATE | {'range_min': '2020-01-01', 'range_max': '2029-12-31'}, pa.date32(), DAYS),
    'moment': (
        DATE | {'range_min': '2020-01-01 00:00:00', 'range_max': '2026-07-01 12:00:01'},
        pa.timestamp('us'),
        MOMENTS,
    ),
    'instant': (
        DATE | {'range_min': '2020-10-25 00:00:00+00:00', 'range_max': '2020-10-26 00:00:00+00:00'},
        pa.timestamp('us', 'UTC'),
        INSTANTS,
    ),
}
NAMES = list(COLUMNS)
MOODS = "('sad', 'it''s ok', 'SAD')"
DUCKDB = {
    'text': 'VARCHAR',
    'folded': 'VARCHAR COLLATE NOCASE',
    'padded': 'CHAR(3)',
    'mood': f'ENUM {MOODS}',
    'flag': 'BOOLEAN',
    'digit': 'SMALLINT',
    'age': 'INTEGER',
    'long': 'BIGINT',
    'real': 'DOUBLE',
    'short': 'REAL',
    'price': 'DECIMAL(9, 2)',
    'amount': 'DOUBLE',
    'day': 'DATE',
    'moment': 'TIMESTAMP',
    'instant': 'TIMESTAMPTZ',
}
POSTGRES = DUCKDB | {
    'folded': 'citext',
    'mood': 'mood',
    'real': 'float8',
    'price': 'numeric(9, 2)',
    'amount': 'numeric',
}
MARIADB = DUCKDB | {
    'text': 'VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci',
    'folded': 'VARCHAR(20) CHARACTER SET latin1',
    'padded': 'CHAR(3) CHARACTER SET ucs2',
    'mood': f'ENUM {MOODS} COLLATE utf8mb4_bin',
    'short': 'FLOAT',
    'moment': 'DATETIME(6)',
    'instant': 'TIMESTAMP(6) NULL',
}
SQLITE = DUCKDB | {'mood': 'TEXT', 'price': 'REAL', 'padded': 'TEXT'}
SQLITE_DTYPES = {'short': 'float64', 'price': 'float64'}


def rows(num_rows=400, seed=0):
    """Return rows in which every value of every column occurs."""
    rng = np.random.default_rng(seed)
    drawn = {}
    for name, (_, _, values) in COLUMNS.items():
        picks = [*range(len(values)), *rng.integers(0, len(values), num_rows - len(values))]
        drawn[name] = [values[pick] for pick in rng.permutation(picks)]
    return [dict(zip(drawn, cells, strict=True)) for cells in zip(*drawn.values(), strict=True)]


def without_odd_numbers(cell):
    """Return a cell as a type without NaN and a calendar without infinity has it."""
    is_nan = isinstance(cell, float | Decimal) and cell != cell
    return None if cell is INFINITE or is_nan else cell


def arrow_table(table_rows):
    arrays = {}
    for name, (_, kind, _) in COLUMNS.items():
        cells = [row[name] for row in table_rows]
        if pa.types.is_floating(kind):
            cells = [float(cell) if isinstance(cell, Decimal) else cell for cell in cells]
        else:
            cells = [without_odd_numbers(cell) for cell in cells]
        arrays[name] = pa.array(cells, kind)
    return pa.table(arrays)


def frame(table_rows, **other_kinds):
    """Return the rows in pandas, with the dtypes that stand for the types of Arrow or others."""
    kinds = {
        'flag': 'boolean',
        'digit': 'Int16',
        'age': 'Int32',
        'long': 'Int64',
        'price': pd.ArrowDtype(pa.decimal128(9, 2)),
        'day': pd.ArrowDtype(pa.date32()),
    } | other_kinds
    table = arrow_table(table_rows)
    columns = {
        name: pd.Series(pd.arrays.ArrowExtensionArray(table[name])).astype(kinds[name])
        if name in kinds
        else table[name].to_pandas()
        for name in NAMES
    }
    return pd.DataFrame(columns)


def metadata(names=NAMES, is_public=True):
    def described(name):
        known = COLUMNS[name][0]
        kept = {'sdtype', 'decimal_places'}
        return known if is_public else {k: v for k, v in known.items() if k in kept}

    columns = {name: described(name) for name in names}
    return Metadata.load_from_dict({'tables': {'odd': {'columns': columns}}})


def _definition(types, quote='"'):
    return ', '.join(f'{quote}{name}{quote} {kind}' for name, kind in types.items())


def in_duckdb(table_rows):
    connection = ibis.duckdb.connect()
    connection.raw_sql(f'CREATE TABLE odd ({_definition(DUCKDB)})')
    connection.con.register('given', arrow_table(table_rows))
    connection.con.execute('INSERT INTO odd SELECT * FROM given')
    return connection.table('odd')


def in_sqlite(table_rows):
    def cell(value):
        value = without_odd_numbers(value)
        if isinstance(value, dt.datetime):
            return str(value)
        return float(value) if isinstance(value, Decimal) else value

    # Its floats have 64 bits, which those of 32 bits are written to.
    short = frame(table_rows)['short'].astype(object)
    table_rows = [
        row | {'short': None if pd.isna(number) else number}
        for row, number in zip(table_rows, short, strict=True)
    ]
    connection = ibis.sqlite.connect()
    connection.raw_sql(f'CREATE TABLE odd ({_definition(SQLITE)})')
    marks = ', '.join('?' * len(NAMES))
    cells = [tuple(map(cell, row.values())) for row in table_rows]
    connection.con.executemany(f'INSERT INTO odd VALUES ({marks})', cells)
    connection.con.commit()
    return connection.table('odd')


def in_postgres(table_rows, connection):
    def cell(value):
        return 'infinity' if value is INFINITE else value

    connection.raw_sql('CREATE EXTENSION IF NOT EXISTS citext')
    connection.raw_sql('DROP TABLE IF EXISTS odd')
    connection.raw_sql('DROP TYPE IF EXISTS mood')
    connection.raw_sql(f'CREATE TYPE mood AS ENUM {MOODS}')
    connection.raw_sql(f'CREATE TABLE odd ({_definition(POSTGRES)})')
    marks = ', '.join(['%s'] * len(NAMES))
    cells = [tuple(map(cell, row.values())) for row in table_rows]
    with connection.con.cursor() as cursor:
        cursor.executemany(f'INSERT INTO odd VALUES ({marks})', cells)
    return connection.table('odd')


def in_mariadb(table_rows, connection):
    def cell(value):
        value = without_odd_numbers(value)
        if isinstance(value, float) and math.isinf(value):  # which it has not; clipped alike
            return math.copysign(1e38, value)
        return repr(value) if isinstance(value, float) else value

    connection.raw_sql('DROP TABLE IF EXISTS odd')
    connection.raw_sql(f'CREATE TABLE odd ({_definition(MARIADB, "`")}) CHARACTER SET utf8mb4')
    marks = ', '.join(['%s'] * len(NAMES))
    cells = [tuple(map(cell, row.values())) for row in table_rows]
    with connection.con.cursor() as cursor:
        cursor.execute("SET NAMES utf8mb4, time_zone = '+00:00'")
        cursor.executemany(f'INSERT INTO odd VALUES ({marks})', cells)
    connection.con.commit()
    return connection.table('odd')
