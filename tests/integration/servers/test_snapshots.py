"""A fit sees a table as it was when it began, whatever others do to it meanwhile."""

import ibis
import pytest
from neighbours import Recording
from sdv.metadata import Metadata

from sdv_prefair.counting._snapshots import held_still
from sdv_prefair.errors import PrivateDataError

pytestmark = pytest.mark.filterwarnings('ignore:Nothing of column', 'ignore:fetch_arrow_table')
METADATA = Metadata.load_from_dict({
    'tables': {'t': {'columns': {'a': {'sdtype': 'categorical'}, 'b': {'sdtype': 'numerical'}}}}
})


class Disturbed(Recording):
    """A synthesizer whose table is changed by somebody else once a fit has begun."""

    disturb = staticmethod(lambda: None)

    def _warn_before_reading(self):
        super()._warn_before_reading()
        self.disturb()


def new(disturb):
    synthesizer = Disturbed(METADATA, epsilon=20.0, structure='none')
    synthesizer.disturb = disturb
    return synthesizer


MARIADB = pytest.param('mariadb', marks=pytest.mark.slow)


@pytest.fixture(params=['postgres', MARIADB, 'duckdb', 'sqlite'])
def connections(request, tmp_path):
    """Return two connections to a database with a table of 600 rows."""
    if request.param in ('postgres', 'mariadb'):
        connect = request.getfixturevalue(f'open_{request.param}')
        one, two = connect(), connect()
    elif request.param == 'duckdb':
        one = ibis.duckdb.connect(tmp_path / 't.db')
        two = ibis.duckdb.from_connection(one.con.cursor())
    else:
        one, two = (ibis.sqlite.connect(tmp_path / 't.db') for _ in range(2))
        one.con.execute('PRAGMA journal_mode = wal')
    run(one, 'DROP TABLE IF EXISTS t')
    run(one, 'CREATE TABLE t (a VARCHAR(5), b INTEGER)')
    for value in ('x', 'y', 'z'):
        run(one, 'INSERT INTO t VALUES ' + ', '.join([f"('{value}', 3)"] * 200))
    return one, two


def run(connection, sql):
    connection.raw_sql(sql)
    if connection.name in ('sqlite', 'mysql'):
        connection.con.commit()


@pytest.mark.parametrize('stay', [False, True])
def test_what_others_change_meanwhile_is_not_seen(connections, stay):
    one, two = connections
    synthesizer = new(lambda: run(two, "DELETE FROM t WHERE a <> 'x'"))
    synthesizer.fit_table(one.table('t'), rows_stay=stay)
    counted = synthesizer.recorded.project(('a',))
    assert sorted(counted[counted > 0].tolist()) == [200, 200, 200]
    assert one.table('t').count().to_pyarrow().as_py() == 200, 'the snapshot is over'


@pytest.mark.parametrize('stay', [False, True])
def test_nothing_is_left_behind(open_postgres, stay):
    connection = open_postgres()
    run(connection, 'DROP TABLE IF EXISTS t')
    run(connection, "CREATE TABLE t AS SELECT 'x' AS a, n AS b FROM generate_series(1, 500) AS n")
    new(lambda: None).fit_table(connection.table('t'), rows_stay=stay)
    assert connection.con.info.transaction_status.name == 'IDLE'
    left = connection.con.execute('SELECT 1 FROM pg_class WHERE relnamespace = pg_my_temp_schema()')
    assert left.fetchall() == []
    (level,) = connection.con.execute('SHOW transaction_isolation').fetchone()
    assert level == 'read committed'


@pytest.mark.parametrize('server', ['postgres', MARIADB])
def test_a_transaction_that_sees_changes_is_refused(server, request):
    connection = request.getfixturevalue(f'open_{server}')()
    run(connection, 'DROP TABLE IF EXISTS t')
    run(connection, 'CREATE TABLE t (a VARCHAR(5), b INTEGER)')
    table = connection.table('t')
    connection.raw_sql('START TRANSACTION')
    connection.raw_sql("INSERT INTO t VALUES ('x', 1)")
    synthesizer = new(lambda: None)
    with pytest.raises(PrivateDataError, match='REPEATABLE READ'):
        synthesizer.fit_table(table)
    assert synthesizer.get_privacy_account().empty
    connection.con.commit()
    assert table.count().to_pyarrow().as_py() == 1, 'the transaction was left as it was'


def test_a_snapshot_of_ones_own_is_used(open_postgres):
    connection = open_postgres()
    run(connection, 'DROP TABLE IF EXISTS t')
    run(connection, 'CREATE TABLE t (a VARCHAR(5), b INTEGER)')
    table = connection.table('t')
    connection.raw_sql('BEGIN ISOLATION LEVEL REPEATABLE READ')
    connection.raw_sql("INSERT INTO t SELECT 'x', 1 FROM generate_series(1, 300)")
    synthesizer = new(lambda: None)
    synthesizer.fit_table(table)
    assert synthesizer.recorded.project(('b',)).sum() == 300
    assert connection.con.info.transaction_status.name == 'INTRANS'


def test_postgres_compiles_no_query_of_a_fit_and_every_other_one_as_before(open_postgres):
    connection = open_postgres()
    connection.raw_sql('SET jit = on')
    connection.raw_sql('DROP TABLE IF EXISTS plain')
    connection.raw_sql('CREATE TABLE plain (a int)')

    def jit():
        return connection.con.execute('SHOW jit').fetchone()[0]

    with held_still(connection.table('plain')):
        assert jit() == 'off'
    assert jit() == 'on'
