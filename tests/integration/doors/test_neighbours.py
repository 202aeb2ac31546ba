"""Behind every door: tables that differ by an odd row differ by one row's cells, and no more.

Not by the code of another row, not by a type, not by whether the fit fails or what it says.
"""

import datetime as dt
import logging
from decimal import Decimal
from itertools import pairwise

import duckdb
import ibis
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from neighbours import Recording, assert_one_row_more, assert_same_types
from sdv.metadata import Metadata
from unreadable import LARGEST, SMALLEST, as_text, stamps

pytestmark = pytest.mark.filterwarnings(
    'ignore:Nothing in column', 'ignore:fetch_arrow_table', 'ignore:seed is given'
)

DAYS = {'sdtype': 'datetime', 'range_min': '2020-01-01', 'range_max': '2020-12-31'}
INSTANTS = DAYS | {
    'range_min': '2020-01-01 00:00:00+00:00',
    'range_max': '2020-12-31 00:00:00+00:00',
}
COLUMNS = {
    'sex': {'sdtype': 'categorical', 'range_values': ['f', 'm']},
    'grade': {'sdtype': 'ordinal', 'range_values': [1, 2, 3]},
    'age': {'sdtype': 'numerical', 'range_min': 18, 'range_max': 90, 'decimal_places': 0},
    'size': {'sdtype': 'numerical', 'range_min': 0.0, 'range_max': 9.5},
    'price': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 100, 'decimal_places': 2},
    'day': DAYS,
    'moment': DAYS,
    'instant': INSTANTS,
    'written': DAYS | {'datetime_format': '%Y-%m-%d'},
    'flag': {'sdtype': 'boolean'},
}
# A given tree is quickly counted.
ROLES = {'protected': ['sex'], 'admissible': ['grade'], 'outcome': ['age']}
METADATA = Metadata.load_from_dict({'tables': {'t': {'columns': COLUMNS}}})
SCHEMA = pa.schema({
    'sex': pa.string(),
    'grade': pa.int64(),
    'age': pa.int64(),
    'size': pa.float64(),
    'price': pa.decimal128(15, 2),
    'day': pa.date32(),
    'moment': pa.timestamp('us'),
    'instant': pa.timestamp('us', 'UTC'),
    'written': pa.string(),
    'flag': pa.bool_(),
})
NOON = dt.datetime(2020, 3, 1, 12)
GOOD = [
    {
        'sex': 'fm'[n % 2],
        'grade': n % 3 + 1,
        'age': 20 + n,
        'size': n / 7,
        'price': Decimal(n),
        'day': dt.date(2020, 1, n + 1),
        'moment': NOON + dt.timedelta(days=n),
        'instant': (NOON + dt.timedelta(hours=n)).replace(tzinfo=dt.UTC),
        'written': f'2020-05-{n + 1:02}',
        'flag': n % 2 == 0,
    }
    for n in range(20)
]
PLAIN = pa.Table.from_pylist(GOOD, SCHEMA)
LAST_DAY, FIRST_DAY = 2**31 - 1, -(2**31) + 2
MARK = 'Zyzzyva'


def odd(**columns):
    """Return a row with these columns, and nulls in all others."""
    whole = {name: pa.nulls(1, SCHEMA.field(name).type) for name in SCHEMA.names}
    arrays = {
        name: value if isinstance(value, pa.Array) else pa.array([value], SCHEMA.field(name).type)
        for name, value in columns.items()
    }
    return pa.table(whole | arrays, SCHEMA)


def days(number):
    return pa.array([number], pa.int32()).view(pa.date32())


ODD = {
    'nothing': odd(),
    'other values': odd(sex=MARK, grade=99, age=-5, size=1e300, price=Decimal('-1.25')),
    'numbers at their ends': odd(grade=LARGEST, age=SMALLEST, price=Decimal('9' * 13)),
    'not finite': odd(size=float('inf')),
    'no number': odd(size=float('nan')),
    'the last moments': odd(
        day=days(LAST_DAY),
        moment=stamps('us', None, [LARGEST]),
        instant=stamps('us', 'UTC', [LARGEST]),
    ),
    'the first moments': odd(
        day=days(FIRST_DAY),
        moment=stamps('us', None, [-LARGEST]),
        instant=stamps('us', 'UTC', [-LARGEST]),
    ),
    'years beyond 9999': odd(day=days(3_000_000), moment=stamps('us', None, [10**18])),
    'no date': odd(written=MARK, sex=''),
    'dates of another format': odd(written='infinity', sex='\x00'),
}
# What engines of others refuse to hold themselves, so that only files and Arrow can.
NOT_TEXT = {'no text': odd(sex=as_text([b'\xff']), written=as_text([b'Zyzzyva\xe2\x82']))}


def in_file(table, folder):
    pq.write_table(table, folder / 't.parquet', row_group_size=7)
    return folder / 't.parquet'


def in_folder(table, folder):
    for start in (0, 8):
        pq.write_table(table.slice(start, 8 if start == 0 else None), folder / f'{start}.parquet')
    return str(folder)


def in_database(table, folder):
    database = ibis.duckdb.connect()
    database.con.execute(f"CREATE TABLE t AS SELECT * FROM '{in_file(table, folder)}'")
    return database.table('t')


ARROW_DOORS = {
    'parquet file': in_file,
    'parquet folder': in_folder,
    'arrow dataset': lambda table, folder: ds.dataset(in_file(table, folder)),
    'arrow table': lambda table, _: table,
    'arrow reader': lambda table, _: table.to_reader(max_chunksize=6),
}
DOORS = ARROW_DOORS | {
    'duckdb relation': lambda t, folder: duckdb.sql(f"SELECT * FROM '{in_file(t, folder)}'"),
    'polars frame': lambda table, _: pl.from_arrow(table),
    'polars lazy frame': lambda table, folder: pl.scan_parquet(in_file(table, folder)),
    'ibis table': in_database,
    'ibis table that stays': in_database,
}
CASES = [(door, case) for door in DOORS for case in ODD]
CASES += [(door, case) for door in ARROW_DOORS for case in NOT_TEXT]


def fitted(door, table, folder, left_out=(), **changes):
    if door == 'ibis table that stays':  # a database reads no dates that are text
        left_out = {*left_out, 'written'}
    columns = {name: known for name, known in COLUMNS.items() if name not in left_out}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    arguments = {'structure': list(pairwise(columns)), 'public_ranges': True} | ROLES
    # Bins that follow the data are made of noisy answers, so counts would not be comparable.
    arguments = arguments | {'discretization': 'uniform'} | changes
    synthesizer = Recording(metadata, **arguments)
    folder.mkdir()
    opened = DOORS[door](table.select(list(columns)), folder)
    synthesizer.fit_table(opened, rows_stay=door.endswith('that stays'))
    return synthesizer


@pytest.fixture(scope='module')
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp('plain')
    return {door: fitted(door, PLAIN, folder / door) for door in DOORS}


@pytest.mark.parametrize(('door', 'case'), CASES)
def test_an_odd_row_adds_its_own_cells_and_no_more(door, case, plain, tmp_path, caplog):
    row = (ODD | NOT_TEXT)[case]
    with caplog.at_level(logging.DEBUG, 'sdv_prefair'):
        for place in (0, 10):
            table = pa.concat_tables([PLAIN[:place], row, PLAIN[place:]])
            beside = fitted(door, table, tmp_path / str(place))
            assert_one_row_more(plain[door], beside)
    assert MARK not in caplog.text


@pytest.mark.parametrize('door', DOORS)
def test_types_of_samples_do_not_depend_on_it(door, plain, tmp_path):
    cases = ODD | (NOT_TEXT if door in ARROW_DOORS else {})
    beside = fitted(door, pa.concat_tables([*cases.values(), PLAIN]), tmp_path / 'beside')
    assert_same_types(plain[door], beside)


@st.composite
def rows(draw):
    """Return a row of cells that Arrow can store, whatever they mean."""
    whole = st.none() | st.integers(SMALLEST, LARGEST)
    texts = st.none() | st.binary(max_size=6)
    return odd(
        sex=as_text([draw(texts)]),
        grade=draw(whole),
        age=draw(whole),
        size=draw(st.none() | st.floats()),
        day=days(draw(st.none() | st.integers(-(2**31), 2**31 - 1))),
        moment=stamps('us', None, [draw(whole)]),
        instant=stamps('us', 'UTC', [draw(whole)]),
        written=as_text([draw(texts)]),
        flag=draw(st.none() | st.booleans()),
    )


@given(rows(), st.integers(0, len(GOOD)))
def test_so_does_any_row(plain, row, place):
    table = pa.concat_tables([PLAIN[:place], row, PLAIN[place:]])
    synthesizer = Recording(
        METADATA, structure=list(pairwise(COLUMNS)), public_ranges=True, **ROLES
    )
    synthesizer.fit_table(table.to_reader(max_chunksize=4))
    assert_one_row_more(plain['arrow reader'], synthesizer)


@pytest.mark.parametrize(
    'door',
    ['parquet file', 'arrow table', 'duckdb relation', 'ibis table', 'ibis table that stays'],
)
def test_what_is_learnt_without_ranges_fails_for_no_row(door, tmp_path):
    odd_rows = ODD | (NOT_TEXT if door in ARROW_DOORS else {})
    table = pa.concat_tables([*odd_rows.values(), *[PLAIN] * 20])
    # Of instants a database counts no months.
    left_out = {'instant'} if door == 'ibis table that stays' else set()
    learnt = fitted(door, table, tmp_path / 't', left_out, public_ranges=False, epsilon=20)
    assert learnt.recorded.project(('sex',)).sum() == table.num_rows
