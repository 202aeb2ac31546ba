"""Servers for the tests of this folder; each is started once in a process, if it is there."""

import sys

import ibis
import pytest
from database_servers import USER, NoServerError, mariadb, postgres


@pytest.fixture(scope='session')
def postgres_server():
    pytest.importorskip('psycopg', reason='PostgreSQL has no driver here')
    try:
        with postgres() as server:
            yield server
    except NoServerError as error:
        pytest.skip(f'PostgreSQL cannot be had: {error}')


@pytest.fixture(scope='session')
def mariadb_server():
    driver = pytest.importorskip('pymysql', reason='MariaDB has no driver here')
    if 'MySQLdb' not in sys.modules:  # mysqlclient is the other driver, which must be compiled
        driver.install_as_MySQLdb()
    try:
        with mariadb() as server:
            yield server
    except NoServerError as error:
        pytest.skip(f'MariaDB cannot be had: {error}')


@pytest.fixture
def open_postgres(postgres_server):
    """Return what opens a connection to PostgreSQL."""
    opened = []

    def connect(role=USER, **options):
        connection = ibis.postgres.connect(
            host='127.0.0.1', port=postgres_server.port, user=role, database='postgres', **options
        )
        opened.append(connection)
        return connection

    yield connect
    for connection in opened:
        connection.disconnect()


@pytest.fixture
def open_mariadb(mariadb_server):
    """Return what opens a connection to MariaDB."""
    opened = []

    def connect(**options):
        connection = ibis.mysql.connect(
            host='127.0.0.1', port=mariadb_server.port, user='root', database='test', **options
        )
        opened.append(connection)
        return connection

    yield connect
    for connection in opened:
        connection.disconnect()
