"""No value decides whether a database answers: the extremes of every type, with and without them.

A database fails a whole query for one value that its arithmetic cannot take, and whether it fails
would show whether the value is there.
"""

import ibis
import numpy as np
import pandas as pd
import pytest

from sdv_prefair.columns._grids import (
    DecimalCells,
    FineCells,
    MomentCells,
    MonthCells,
    NullCells,
    NumberCells,
)
from sdv_prefair.counting._databases import open_database
from sdv_prefair.errors import PrivateDataError
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

pytestmark = pytest.mark.filterwarnings('ignore:fetch_arrow_table', 'ignore:fetch_record_batch')

SIZES = np.concatenate([-(2.0 ** np.arange(63, -64, -1.0)), [0.0], 2.0 ** np.arange(-63, 64, 1.0)])
NUMBERS = {
    'wide cells': FineCells(0.0, 2.0e6, None, 2.0, 2**20, (0.0, 1e6, 5e-324)),
    'both signs': FineCells(-1e7, 1e7, None, 2e7 / 2**20, 2**20),
    'largest cells': FineCells(0.0, 1.7e308, None, 1.7e308 / 2**20, 2**20),
    'smallest cells': FineCells(0.0, 1e-300, None, 1e-300 / 2**20, 2**20),
    'cents': FineCells(-5.0, 9.99e6, 100.0, 2000.0, 2**19),
    'decimals': DecimalCells(SIZES, 6),
    'sizes': DecimalCells(SIZES, None),
    'edges': NumberCells(SIZES),
    'bins': NumberBins(0.1, 10.0, 5),
    'whole bins': NumberBins(-3, 3, 5, 0),
    'listed': CategoryCodes([0.0, 1.5, 2.0], other=True),
    'nulls': NullCells(),
}
MOMENTS = {
    'seconds': MomentCells(1_577_836_800, 3600, 1000, None, False),
    'months': MonthCells(600, 24, None, False),
    'days': DatetimeBins('2020-01-01', '2020-03-01', None, 9),
    'nulls': NullCells(),
}
REALS = [1.5, 5e-324, -5e-324, 2.2250738585072014e-308, 1e-310, 1.7976931348623157e308, -0.0, 0.5]
REALS += [-1.7976931348623157e308, 2.0**53 + 2, 2.0**63, 2.0**64, -(2.0**63), 1e-300, 1e300]
REALS += [0.49999999999999994, 4503599627370495.5, 9007199254740991.0, 1e-7, 999999.9999999999]
REALS = [f"'{number!r}'" for number in REALS]
BEYOND = ["'inf'", "'-inf'", "'nan'"]
WHOLE = ['1', str(2**63 - 1), str(-(2**63)), str(2**53 + 1), str(-1)]
DAYS = ['2020-02-02', '0001-01-01', '9999-12-31', '1582-10-10', '1969-12-31']
CLOCKS = ['2020-02-02 03:04:05.678901', '1969-12-31 23:59:59.999999', '9999-12-31 23:59:59.999999']


def texts(values):
    return [f"'{value}'" for value in values]


# Of each engine: the types, their values as SQL and the encoders that a fit may use.
TYPES = {
    'duckdb': {
        'DOUBLE': (REALS + BEYOND, NUMBERS),
        'FLOAT': (["'1e-45'", "'3.4028234e38'", "'-0.0'", *BEYOND], NUMBERS),
        'BIGINT': (WHOLE, NUMBERS),
        'UBIGINT': (['0', str(2**64 - 1), str(2**63)], NUMBERS),
        'HUGEINT': ([str(2**127 - 1), str(1 - 2**127), '3'], NUMBERS),
        'DECIMAL(15, 2)': (['9999999999999.99', '-9999999999999.99', '0.01'], NUMBERS),
        'DATE': (texts([*DAYS, 'infinity', '-infinity', '5881580-07-10']), MOMENTS),
        'TIMESTAMP': (texts([*CLOCKS, 'infinity', '-infinity', '290000-01-01']), MOMENTS),
        'TIMESTAMP_S': (texts([*CLOCKS, 'infinity', '290000-01-01']), MOMENTS),
        'TIMESTAMP_MS': (texts([*CLOCKS, 'infinity', '290000-01-01']), MOMENTS),
        'TIMESTAMP_NS': (texts([CLOCKS[0], '1677-09-22', '2262-04-11 12:00:00']), MOMENTS),
        'TIMESTAMPTZ': (texts([*CLOCKS, 'infinity', '290000-01-01']), MOMENTS),
    },
    'sqlite': {
        'REAL': ([*REALS, "'9e999'", "'-9e999'", "'word'", "x'ff'"], NUMBERS),
        'INTEGER': ([*WHOLE, '1.5', "'word'", "x'ff'", "'9e999'"], NUMBERS),
        'TEXT': (["''", "'a'", "'\U0001f600'"], {'listed': CategoryCodes(['a', 'b'])}),
    },
    'postgres': {
        'double precision': (REALS + BEYOND, NUMBERS),
        'real': (["'1e-45'", "'3.4028234e38'", "'-0.0'", *BEYOND], NUMBERS),
        'bigint': (WHOLE, NUMBERS),
        'numeric': (["'NaN'", '1e-400', '1e400', "'Infinity'", '5e-324', '0.1'], NUMBERS),
        'numeric(15, 2)': (["'NaN'", '9999999999999.99', '0.01'], NUMBERS),
        'date': (
            texts([*DAYS, 'infinity', '-infinity', '5874897-12-31', '4713-01-01 BC']),
            MOMENTS,
        ),
        'timestamp': (
            texts([*CLOCKS, 'infinity', '-infinity', '294276-12-31', '4713-01-01 BC']),
            MOMENTS,
        ),
        'timestamptz': (texts([*CLOCKS, 'infinity', '294276-12-31', '4713-01-01 BC']), MOMENTS),
    },
    'mysql': {
        'DOUBLE': (REALS, NUMBERS),
        'FLOAT': (["'1e-45'", "'3.4028234e38'"], NUMBERS),
        'BIGINT': (WHOLE, NUMBERS),
        'BIGINT UNSIGNED': (['0', str(2**64 - 1), str(2**63)], NUMBERS),
        'DECIMAL(15, 2)': (['9999999999999.99', '-9999999999999.99', '0.01'], NUMBERS),
        'DATE': (texts([*DAYS, '0000-00-00', '2020-00-00', '2020-01-00', '2020-02-31']), MOMENTS),
        'DATETIME(6)': (texts([*CLOCKS, '0000-00-00', '2020-00-01', '1000-01-01']), MOMENTS),
        'TIMESTAMP(6)': (texts(['1970-01-02', '2038-01-19 03:14:07', '0000-00-00']), MOMENTS),
    },
}
CASES = [
    pytest.param(engine, kind, marks=pytest.mark.slow if engine == 'mysql' else [])
    for engine, kinds in TYPES.items()
    for kind in kinds
]


@pytest.fixture
def connected(request):
    """Return what connects to an engine."""

    def connect(engine):
        if engine == 'postgres':
            return request.getfixturevalue('open_postgres')()
        if engine == 'mysql':
            connection = request.getfixturevalue('open_mariadb')()
            connection.raw_sql("SET sql_mode = 'ALLOW_INVALID_DATES'")
            return connection
        return ibis.duckdb.connect() if engine == 'duckdb' else ibis.sqlite.connect()

    return connect


def answers(table, column, encoder, stay):
    """Return the histogram of a column, or the refusal of its type."""
    try:
        source = open_database(table, lambda schema: pd.Series(dtype=object), (None, 1), {}, stay)
        return source.count({column: encoder}, [(column,)]).project((column,)).tolist()
    except PrivateDataError as error:
        return str(error)


@pytest.mark.parametrize(('engine', 'kind'), CASES)
def test_no_extreme_decides_whether_a_database_answers(engine, kind, connected):
    values, encoders = TYPES[engine][kind]
    connection = connected(engine)
    connection.raw_sql('DROP TABLE IF EXISTS extremes')
    connection.raw_sql(f'CREATE TABLE extremes (n INTEGER, x {kind} NULL)')
    cast = engine in ('duckdb', 'postgres')
    listed = [f'CAST({v} AS {kind})' if cast and v != "x'ff'" else v for v in ['NULL', *values]]
    for n, value in enumerate(listed):
        connection.raw_sql(f'INSERT INTO extremes VALUES ({n}, {value})')
    table = connection.table('extremes')
    for name, encoder in encoders.items():
        kept, streamed = (answers(table, 'x', encoder, stay) for stay in (True, False))
        for stay, found in ((True, kept), (False, streamed)):
            if isinstance(found, str):  # as it does for a table of nulls, or a row has decided it
                culprits = [n for n in range(len(listed)) if _fails(table, n, encoder, stay)]
                assert 0 in culprits, (name, stay, [listed[n] for n in culprits])
        if not isinstance(kept, str):
            assert sum(kept) == len(listed)
            assert kept == streamed, (name, _differing(table, listed, encoder))


def _fails(table, n, encoder, stay):
    return isinstance(_one(table, n, encoder, stay), str)


def _one(table, n, encoder, stay):
    return answers(table.filter(table.n == n), 'x', encoder, stay)


def _differing(table, listed, encoder):
    """Return the rows that are counted differently where they are."""
    return [
        value
        for n, value in enumerate(listed)
        if _one(table, n, encoder, True) != _one(table, n, encoder, False)
    ]
