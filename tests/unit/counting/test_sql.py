"""A database's codes and counts are those of the encoders, to the last bit."""

import itertools
import math

import ibis
import mixed_arrow
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import shrinking
from hypothesis import given
from hypothesis import strategies as st
from mixed_arrow import CLIQUES, DTYPES, ENCODERS, assert_same, in_pandas

from sdv_prefair.columns._grids import (
    DecimalCells,
    FineCells,
    MomentCells,
    MonthCells,
    NullCells,
    NumberCells,
)
from sdv_prefair.counting import FrameSource
from sdv_prefair.counting._arrow import encode_array
from sdv_prefair.counting._compiled import moments, real_numbers, steps, whole_numbers
from sdv_prefair.counting._expressions import code_expression
from sdv_prefair.counting._sql import (
    SqlSource,
    blocks_of,
    bound_rows,
    histogram_queries,
    histograms,
    together_sql,
)
from sdv_prefair.errors import PrivateDataError
from sdv_prefair.learning._bin_grids import grid_of_numbers
from sdv_prefair.learning._ranges import powers_of_two
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins


@pytest.fixture(scope='module')
def database():
    connection = ibis.duckdb.connect()
    yield connection
    connection.disconnect()


names = (f'table_{number}' for number in itertools.count())


def in_database(database, table):
    """Store an Arrow table as DuckDB's own, so that its types and casts are at work."""
    name = next(names)
    database.con.register('arrow_table', table)
    database.con.execute(f'CREATE TABLE {name} AS SELECT * FROM arrow_table')
    database.con.unregister('arrow_table')
    return database.table(name)


def codes_in_database(database, array, encoder):
    rows = pa.table({'x': array, 'row': range(len(array))})
    table = in_database(database, rows)
    coded = table.select('row', code=code_expression(table['x'], encoder))
    return coded.order_by('row').to_pyarrow()['code'].to_pylist()


def assert_same_codes(database, array, encoder):
    expected = encode_array(encoder, array).tolist()
    assert codes_in_database(database, array, encoder) == expected


@pytest.mark.parametrize('column', mixed_arrow.NAMES)
def test_codes_are_those_of_the_encoder(database, column):
    table = mixed_arrow.random_table(60, np.random.default_rng(0), [column])
    assert_same_codes(database, table[column].combine_chunks(), ENCODERS[column])


@st.composite
def number_encoders(draw):
    low = draw(st.floats(-1e6, 1e6) | st.integers(-1000, 1000))
    high = low + draw(st.floats(0.001, 1e6) | st.integers(1, 10**6))
    places = draw(st.none() | st.integers(0, 3))
    if places is not None:
        low, high = math.floor(low), math.ceil(high)
    edges = draw(st.none() | st.lists(st.floats(low, high), max_size=5))
    return NumberBins(low, high, draw(st.integers(1, 40)), places, edges, draw(st.booleans()))


def around(number):
    return [math.nextafter(number, -math.inf), number, math.nextafter(number, math.inf)]


@given(number_encoders(), st.lists(st.floats(), max_size=20))
def test_numbers_beside_every_edge_have_the_code_of_the_encoder(bins, numbers):
    """The steps say it all: any engine that can compare floats has the same codes."""
    lowest, starts = steps(bins, real_numbers())
    numbers = [n for n in [*numbers, *(x for s, _ in starts for x in around(s))] if n == n]
    expected = bins.encode(pd.Series(numbers, dtype='float64')).tolist()
    for number, code in zip(numbers, expected, strict=True):
        assert code == [lowest, *(c for start, c in starts if number >= start)][-1]


@given(bins=number_encoders())
def test_databases_read_the_edges_as_they_are(database, bins):
    _, starts = steps(bins, real_numbers())
    numbers = [x for start, _ in starts for x in around(start)] + [math.nan, math.inf, -math.inf]
    assert_same_codes(database, pa.array([*numbers, None], pa.float64()), bins)


@pytest.mark.parametrize('dtype', ['int8', 'uint8', 'int64', 'uint64'])
@pytest.mark.parametrize('bins', [3, 400])
def test_whole_numbers_of_every_width(database, dtype, bins):
    limits = np.iinfo(dtype)
    first, last = int(limits.min), int(limits.max)
    numbers = [first, first + 1, last - 1, last, 0, 1, 100, last // 2, last // 2 + 1, None]
    for low, high in ((first, last), (0, last), (5, 99), (-5, 300)):
        encoder = NumberBins(low, high, bins, dtype=dtype)
        assert_same_codes(database, pa.array(numbers, pa.from_numpy_dtype(dtype)), encoder)


def test_steps_of_whole_numbers_reach_both_ends():
    everything = NumberBins(-(2**63), 2**63 - 1, 4, dtype='int64')
    lowest, starts = steps(everything, whole_numbers(np.dtype('int64')))
    assert (lowest, starts) == (0, [(-(2**62), 1), (0, 2), (2**62, 3)])


@pytest.mark.parametrize('unit', ['s', 'ms', 'us', 'ns'])
@pytest.mark.parametrize('written', [None, '%Y-%m', '%Y-%m-%d %H:%M', '%Y-%m-%d %H:%M:%S.%f'])
def test_moments_beside_every_edge_have_the_code_of_the_encoder(database, unit, written):
    bins = DatetimeBins(pd.Timestamp('1969-11-03'), pd.Timestamp('1971-02-03'), written, 9)
    _, starts = steps(bins, moments(instants=False))
    ticks = {'s': 1, 'ms': 10**3, 'us': 10**6, 'ns': 10**9}[unit]
    at = [int(start.timestamp() * 10**6) * ticks // 10**6 for start, _ in starts]
    array = pa.array([t + d for t in at for d in (-1, 0, 1)] + [None]).cast(pa.timestamp(unit))
    assert_same_codes(database, array, bins)


def test_instants_are_compared_as_such(database):
    bins = DatetimeBins('2020-03-01 00:00:00+00:00', '2020-03-09 00:00:00+00:00', bins=5)
    moments_in_zone = pd.date_range('2020-02-28', periods=40, freq='7h', tz='Europe/Berlin')
    assert_same_codes(database, pa.array(moments_in_zone), bins)


@pytest.mark.parametrize(
    ('array', 'encoder', 'remedy'),
    [
        (pa.array(['2020-01-01']), DatetimeBins('2020-01-01', '2021-01-01'), 'cast it to a time'),
        (pa.array([20200101]), DatetimeBins('20200101', '20210101', '%Y%m%d'), 'cast it to a time'),
        (pa.array([None], pa.decimal128(30, 2)), NumberBins(0, 1), 'at most 15 digits'),
        (pa.array([None], pa.date32()), CategoryCodes(['a']), 'cast it to text'),
    ],
)
def test_what_cannot_be_exact_is_refused_with_a_remedy(database, array, encoder, remedy):
    table = in_database(database, pa.table({'odd': array}))
    with pytest.raises(PrivateDataError, match=f"(?s)Column 'odd'.*{remedy}.*rows_stay=False"):
        code_expression(table['odd'], encoder)


def test_clocks_on_the_wall_of_other_zones_are_refused():
    table = ibis.table({'when': "timestamp('Europe/Berlin')"}, name='t')
    with pytest.raises(PrivateDataError, match="(?s)Column 'when'.*offset"):
        code_expression(table['when'], DatetimeBins('2020-01-01', '2021-01-01'))


GRIDS = {
    'real': NumberCells(powers_of_two().edges),
    'long': NumberCells(powers_of_two().edges),
    'price': FineCells(0.0, 10.0, None, 10 / 2**20, 2**20, (0.0, 2.5, 10.0)),
    'tenths': FineCells(-0.3, 12.1, 10.0, 1.0, 125),
    'small': FineCells(0, 99, 1.0, 3.0, 34, (0.0, 40.0, 99.0)),
    'day': MonthCells(-840, 2400, None, False),
    'moment': MonthCells(-840, 2400, None, False),
}
MOMENTS = {
    'day': MomentCells(-(2**30), 86_400, 2**20, None, False),
    'moment': MomentCells(0, 3600, 2**19, None, False),
    'instant': MomentCells(0, 60, 2**20, None, True),
}


@pytest.mark.parametrize('column', GRIDS)
def test_cells_of_public_grids_are_those_of_the_grid(database, column):
    table = mixed_arrow.random_table(60, np.random.default_rng(1), [column])
    assert_same_codes(database, table[column].combine_chunks(), GRIDS[column])


@pytest.mark.parametrize('column', ['price', 'tenths', 'small'])
def test_random_numbers_fall_in_the_same_fine_cells(database, column):
    numbers = np.random.default_rng(2).uniform(-1, 14, 20_000)
    numbers[::7] = np.round(numbers[::7], 1)
    assert_same_codes(database, pa.array(numbers), GRIDS[column])


@pytest.mark.parametrize('places', [0, 3, 6, None])
def test_numbers_have_as_many_decimals_in_a_database(database, places):
    cells = DecimalCells(powers_of_two().edges, places)
    numbers = np.random.default_rng(2).uniform(-1, 14, 4000)
    rounded = [np.round(numbers[start::8], start) for start in range(8)]
    ends = [2.0**52 + 0.5, 2.0**53, 1e300, -1e308, math.inf, -math.inf, math.nan, 0.1, 1e-7, 0.0]
    assert_same_codes(database, pa.array(np.concatenate([*rounded, ends])), cells)


@pytest.mark.parametrize(
    'array',
    [
        pa.array(['a', None, '']),
        pa.array([1, None]),
        pa.array([0.5, math.nan, None]),
        pa.array([True, None, False]),
        pa.array([None, None], pa.null()),
    ],
    ids=['texts', 'whole', 'floats', 'flags', 'nothing'],
)
def test_the_same_cells_are_null_in_a_database(database, array):
    assert_same_codes(database, array, NullCells())


@pytest.mark.parametrize(
    ('low', 'high'),
    [(0, 2**63 - 1), (-(2**63), 2**63 - 1), (0, 2**64 - 1), (-1e308, 7e307), (0, 9)],
)
@pytest.mark.parametrize('places', [0, None])
def test_no_number_is_too_large_to_be_answered(database, low, high, places):
    """One row with the largest number there is would decide whether a fit fails."""
    ends = [2.0**53, 2.0**63, 2.0**64, 1e308, math.inf, math.nan, 0.5, 2.0**52 + 1, 2.0**53 - 1]
    if places is None or isinstance(low, int):
        grid = grid_of_numbers(NumberBins(low, high, decimal_places=places), ())
        assert_same_codes(database, pa.array([*ends, *(-end for end in ends)]), grid.cells)
        whole = pa.array([2**63 - 1, -(2**63), 2**53 + 1, 0])
        assert_same_codes(database, whole, grid.cells)


@pytest.mark.parametrize('column', MOMENTS)
def test_moments_fall_in_the_same_fine_cells(database, column):
    rng = np.random.default_rng(4)
    micros = rng.integers(-(2**51), 2**51, 2000)
    kind = {
        'day': pa.date32(),
        'moment': pa.timestamp('us'),
        'instant': pa.timestamp('us', 'UTC'),
    }[column]
    array = (
        pa.array((micros // 86_400_000_000).astype(np.int32), pa.int32()).view(kind)
        if (column == 'day')
        else pa.array(micros).view(kind)
    )
    assert_same_codes(database, array, MOMENTS[column])


def test_counts_are_those_of_a_frame(database):
    table = mixed_arrow.random_table(150, np.random.default_rng(3))
    source = SqlSource(in_database(database, table), DTYPES)
    expected = FrameSource(in_pandas(table))
    some = [clique for clique in CLIQUES if len(clique) == 1 or 'text' in clique]
    assert_same(source.count(ENCODERS, some), expected.count(ENCODERS, some), some)
    found, values = source.value_counts(DTYPES.index), expected.value_counts(DTYPES.index)
    for column in DTYPES.index:
        assert found[column] == values[column]
        assert set(map(type, found[column])) == set(map(type, values[column]))


def test_only_comparisons_with_public_values_reach_the_database():
    table = ibis.table({'x': 'float64', 's': 'string'}, name='t')
    encoders = {'x': NumberBins(0, 0.7, 3), 's': CategoryCodes(["it's"])}
    (query,) = histogram_queries(table, encoders, [('x', 's')], 'duckdb').values()
    sql = str(ibis.to_sql(query, dialect='duckdb'))
    assert b"it's".hex().upper() in sql, 'texts are compared by their bytes'
    assert 'AS DOUBLE' in sql
    assert sql.count('GROUP BY') == 1


@given(
    rows=st.lists(st.tuples(st.sampled_from(['p', 'q', None]), st.integers(0, 3)), min_size=1),
    order=st.randoms(use_true_random=False),
    max_rows=st.integers(1, 3),
)
def test_rows_of_a_person_depend_on_that_person_alone(database, rows, order, max_rows):
    def kept(table_rows):
        persons, values = zip(*table_rows, strict=True)
        table = in_database(database, pa.table({'person': persons, 'x': values}))
        counted = bound_rows(table, 'person', max_rows).to_pyarrow().to_pylist()
        return sorted((str(row['person']), row['x']) for row in counted)

    shuffled = order.sample(rows, len(rows))
    assert kept(rows) == kept(shuffled)
    other = [row for row in rows if row[0] != 'p']
    if other:
        assert [row for row in kept(rows) if row[0] != 'p'] == kept(other)
    assert max(pd.Series([person for person, _ in kept(rows)]).value_counts()) <= max_rows


@pytest.mark.pull_request
def test_a_table_that_changes_meanwhile_is_noticed():
    encoders = dict.fromkeys(shrinking.COLUMNS, NumberBins(0, 1, decimal_places=0))
    source = SqlSource(shrinking.shrinking_table(), {})
    with pytest.raises(PrivateDataError, match='has changed while it was counted'):
        source.count(encoders, shrinking.CLIQUES)


def test_rows_are_encoded_once(database):
    database.con.execute('CREATE SEQUENCE readings')
    database.con.execute('CREATE TABLE flags AS SELECT range % 2 AS x FROM range(100)')
    database.con.execute(
        'CREATE VIEW read_flags AS SELECT x, x AS y FROM flags, '
        "(SELECT nextval('readings') AS reading) WHERE reading > 0"
    )
    encoders = dict.fromkeys('xy', NumberBins(0, 1, decimal_places=0))
    counts = SqlSource(database.table('read_flags'), {}).count(encoders, [('x',), ('y',)])
    assert counts.project(('x',)).tolist() == [50, 50, 0]
    assert database.con.execute("SELECT currval('readings')").fetchone() == (1,)
    left = database.con.execute("SELECT 1 FROM duckdb_tables() WHERE table_name LIKE 'ibis_sdv%'")
    assert left.fetchall() == []


def test_errors_of_the_database_quote_nothing(database):
    database.con.execute("CREATE TABLE texts AS SELECT 'Zyzzyva' AS s")
    table = database.table('texts')
    broken = table.select(x=table['s'].cast('int64'))
    with pytest.raises(PrivateDataError, match='ConversionException') as caught:
        SqlSource(broken, {}).count({'x': NumberBins(0, 1)}, [('x',)])
    assert 'Zyzzyva' not in str(caught.value)


@pytest.mark.parametrize('engine', ['duckdb', 'sqlite'])
def test_a_query_that_stands_for_itself_reads_its_rows_once(engine):
    """Of 210 histograms with persons bounded: by the plan of the database itself."""
    connection = getattr(ibis, engine).connect()
    columns = {f'c{n}': [n % 3, 1, 2, 0, n % 2] for n in range(20)}
    names = ', '.join(f'{name} INT' for name in ['person', *columns])
    connection.con.execute(f'CREATE TABLE visits ({names})')
    for row in zip([1, 1, 2, 3, 3], *columns.values(), strict=True):
        connection.con.execute(f'INSERT INTO visits VALUES {row}')
    rows = connection.table('visits')
    bounded = bound_rows(rows, 'person', 1)
    codes = bounded.select(**{c: bounded[c].cast('int32') for c in columns})
    cliques = [*itertools.combinations(range(20), 2), *((n,) for n in range(20))]
    sizes = [2, *[3] * 19]
    counted = dict(histograms(codes, cliques, sizes))
    assert counted.keys() == {*cliques}
    assert {int(counts.sum()) for _, counts in counted.values()} == {3}
    explain = 'EXPLAIN QUERY PLAN' if engine == 'sqlite' else 'EXPLAIN'
    plan = str(
        connection.con.execute(
            f'{explain} {together_sql(codes, blocks_of(cliques, sizes))}'
        ).fetchall()
    )
    # In SQLite's plan the table goes by the name that ibis gives it.
    assert plan.count('SCAN t0' if engine == 'sqlite' else 'visits') == 1
    connection.disconnect()
