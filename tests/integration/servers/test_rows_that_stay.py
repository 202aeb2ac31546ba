"""What PostgreSQL is asked for: few readings of the rows, and nothing but counts leaves it."""

import pytest
from neighbours import Recording
from sdv.metadata import Metadata

from sdv_prefair.counting._databases import DatabaseStream
from sdv_prefair.errors import PrivateDataError

pytestmark = pytest.mark.filterwarnings('ignore:Nothing of column', 'ignore:seed is given')
COLUMNS = {f'c{n}': {'sdtype': 'categorical', 'range_values': [0, 1, 2]} for n in range(40)}
ROLES = {'protected': ['c0'], 'admissible': ['c1'], 'outcome': ['c2']}


@pytest.fixture
def counted_readings(open_postgres):
    """Return a connection to a table that counts how often it is read, and a way to ask it."""
    connection = open_postgres()
    connection.raw_sql('DROP TABLE IF EXISTS wide CASCADE')
    connection.raw_sql('DROP SEQUENCE IF EXISTS readings CASCADE')
    connection.raw_sql('CREATE SEQUENCE readings')
    columns = ', '.join(f'(n * {n + 7} + n / 3) % 4 AS c{n}' for n in range(40))
    connection.raw_sql(
        f'CREATE TABLE wide AS SELECT n / 3 AS person, {columns} FROM generate_series(0, 599) AS n'
    )
    connection.raw_sql(
        'CREATE VIEW read_wide AS SELECT wide.* FROM wide, '
        "(SELECT nextval('readings') AS reading OFFSET 0) AS r"
    )

    def readings():
        (number,) = connection.con.execute("SELECT nextval('readings')").fetchone()
        connection.con.execute("SELECT setval('readings', 1)")
        return number - 1

    readings()
    return connection, lambda: readings() - 1


def new(persons, **changes):
    columns = COLUMNS | {'person': {'sdtype': 'id'}}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    arguments = {'public_ranges': True, 'structure': 'greedy', 'seed': 3} | ROLES
    if persons:
        arguments |= {'person_column': 'person', 'max_rows_per_person': 2}
    return Recording(metadata, **(arguments | changes))


@pytest.mark.parametrize('persons', [False, True])
@pytest.mark.parametrize('stay', [None, True])
def test_rows_are_read_once_for_all_histograms(counted_readings, persons, stay):
    connection, readings = counted_readings
    synthesizer = new(persons)
    synthesizer.fit_table(connection.table('read_wide'), rows_stay=stay)
    assert readings() == 1
    cliques = synthesizer.recorded.cliques
    assert len(cliques) > 500
    assert synthesizer.recorded.project(('c0',)).sum() == (400 if persons else 600)


def test_all_histograms_are_those_of_the_stream(counted_readings):
    connection, _ = counted_readings
    streamed, stayed = new(True), new(True)
    streamed.fit_table(connection.table('read_wide'))
    stayed.fit_table(connection.table('read_wide'), rows_stay=True)
    for clique in streamed.recorded.cliques:
        assert (streamed.recorded.project(clique) == stayed.recorded.project(clique)).all()


def test_who_may_only_read_is_served_too(counted_readings, open_postgres):
    connection, _ = counted_readings
    reader = open_postgres(options='-c default_transaction_read_only=on')
    columns = {name: COLUMNS[name] for name in ('c0', 'c1')}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    stayed, expected = (Recording(metadata, public_ranges=True, structure='none') for _ in range(2))
    stayed.fit_table(reader.table('wide').select(*columns), rows_stay=True)
    expected.fit_table(connection.table('wide').select(*columns))
    for clique in expected.recorded.cliques:
        assert (stayed.recorded.project(clique) == expected.recorded.project(clique)).all()


@pytest.mark.parametrize('persons', [False, True])
def test_rows_are_read_once_for_400_histograms_without_a_temporary_table(
    counted_readings, open_postgres, persons
):
    connection, readings = counted_readings
    connection.raw_sql('REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC')
    connection.raw_sql('DROP ROLE IF EXISTS guest')
    connection.raw_sql('CREATE ROLE guest LOGIN')
    connection.raw_sql('GRANT SELECT ON read_wide TO guest')
    connection.raw_sql('GRANT USAGE ON SEQUENCE readings TO guest')
    guest, stayed, expected = open_postgres(role='guest'), new(persons), new(persons)
    stayed.fit_table(guest.table('read_wide'), rows_stay=True)
    assert 800 < len(stayed.recorded.cliques) <= 1200
    assert readings() == 3
    expected.fit_table(connection.table('wide'))
    for clique in expected.recorded.cliques:
        assert (stayed.recorded.project(clique) == expected.recorded.project(clique)).all()


def test_persons_are_told_apart_by_their_bytes(open_postgres):
    connection = open_postgres()
    connection.raw_sql('CREATE EXTENSION IF NOT EXISTS citext')
    connection.raw_sql('DROP TABLE IF EXISTS visits')
    connection.raw_sql('CREATE TABLE visits (person citext, c0 int)')
    connection.raw_sql("INSERT INTO visits VALUES ('p', 0), ('P', 1), ('p', 2), ('q', 0)")
    columns = {'person': {'sdtype': 'id'}, 'c0': COLUMNS['c0']}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    for stay in (None, True):
        synthesizer = Recording(
            metadata, public_ranges=True, structure='none', person_column='person'
        )
        synthesizer.fit_table(connection.table('visits'), rows_stay=stay)
        assert synthesizer.recorded.project(('c0',)).tolist()[:3] == [2, 1, 0]


@pytest.mark.parametrize('stay', [None, True])
def test_errors_of_the_server_quote_nothing(open_postgres, stay):
    connection = open_postgres()
    connection.raw_sql('DROP TABLE IF EXISTS words')
    connection.raw_sql("CREATE TABLE words AS SELECT 'Zyzzyva' AS c0")
    words = connection.table('words')
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': {'c0': COLUMNS['c0']}}}})
    synthesizer = Recording(metadata, public_ranges=True, structure='none')
    with pytest.raises(PrivateDataError, match='could not be read to its end') as caught:
        synthesizer.fit_table(words.select(c0=words['c0'].cast('int64')), rows_stay=stay)
    assert 'Zyzzyva' not in str(caught.value)
    assert synthesizer.get_privacy_account()['outcome'].tolist() == ['failed']
    assert connection.con.info.transaction_status.name == 'IDLE'


def test_the_stream_comes_in_parts(open_postgres):
    connection = open_postgres()
    rows = connection.sql(
        "SELECT n AS c, repeat('x', 900) AS d FROM generate_series(1, 200000) n",
        schema={'c': 'int32', 'd': 'string'},  # with sqlglot 30, ibis fails to ask for it
    )
    schema = rows.schema().to_pyarrow()
    sizes = [batch.nbytes for batch in DatabaseStream(rows, schema).read(['c', 'd'])]
    assert max(sizes) < 2**27 < sum(sizes)


@pytest.mark.parametrize('kind', ['word', 'xml', 'int[]', 'bytea', 'interval'])
def test_types_that_cannot_be_read_are_named(open_postgres, kind):
    connection = open_postgres()
    connection.raw_sql('DROP TABLE IF EXISTS strange')
    connection.raw_sql('DROP DOMAIN IF EXISTS word')
    connection.raw_sql('CREATE DOMAIN word AS text')
    connection.raw_sql(f'CREATE TABLE strange (c0 {kind})')
    columns = {'c0': {'sdtype': 'categorical', 'range_values': ['a']}}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    for stay in (None, True):
        synthesizer = Recording(metadata, public_ranges=True, structure='none')
        with pytest.raises(PrivateDataError, match=r"(?i)column '?c0'?.*cast it to text"):
            synthesizer.fit_table(connection.table('strange'), rows_stay=stay)


def test_odd_names_of_columns_are_quoted(open_postgres):
    connection = open_postgres()
    odd = 'a "b" % `c` \'d\''
    connection.raw_sql('DROP TABLE IF EXISTS names')
    connection.raw_sql('CREATE TABLE names ("a ""b"" % `c` \'d\'" int)')
    connection.raw_sql('INSERT INTO names VALUES (0), (1), (1)')
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': {odd: COLUMNS['c0']}}}})
    for stay in (None, True):
        synthesizer = Recording(metadata, public_ranges=True, structure='none')
        synthesizer.fit_table(connection.table('names'), rows_stay=stay)
        assert synthesizer.recorded.project((odd,)).tolist()[:3] == [1, 2, 0]
