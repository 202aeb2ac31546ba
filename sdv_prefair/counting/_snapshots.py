"""One snapshot of a database for all readings of a fit, where the database has one."""

import contextlib
from collections.abc import Callable, Generator
from typing import Any

from sdv_prefair.counting._streams import reading
from sdv_prefair.errors import PrivateDataError

_ONE_STATE = {'repeatable read', 'serializable'}
# A transaction sees what there is at its first query: of DuckDB, and of SQLite.
_FIRST_QUERY = ('SELECT COUNT(*) FROM duckdb_tables()', 'SELECT COUNT(*) FROM sqlite_master')


@contextlib.contextmanager
def held_still(table: Any) -> Generator[None]:
    """Keep what is read of a table as it is now.

    Of DuckDB, PostgreSQL, MariaDB, MySQL and SQLite; whatever else there is, is left as it is.

    Args:
        table: Any table that ``fit_table`` takes.

    Raises:
        PrivateDataError: If the connection is in a transaction that may see other rows later.
    """
    if type(table).__module__.partition('.')[0] != 'ibis':
        yield
        return
    with contextlib.ExitStack() as stack:
        with reading('opened'):
            backend = table.get_backend()
            if backend.name in _HOLDS:
                stack.enter_context(_HOLDS[backend.name](backend.con))
        yield


@contextlib.contextmanager
def _in_postgres(connection: Any) -> Generator[None]:
    is_idle = connection.info.transaction_status.name == 'IDLE'
    with connection.transaction(force_rollback=True):
        if is_idle:
            connection.execute('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
        # The first query takes the snapshot.
        asked = connection.execute("SELECT current_setting('transaction_isolation')")
        check_one_state(asked.fetchone()[0])
        connection.execute("SET LOCAL client_encoding TO 'UTF8'")
        # Compiling a query of many histograms takes longer than running it.
        connection.execute(
            "SELECT set_config('jit', 'off', true) FROM pg_settings WHERE name = 'jit'"
        )
        yield


@contextlib.contextmanager
def _in_mariadb(connection: Any) -> Generator[None]:
    with contextlib.closing(connection.cursor()) as cursor:
        cursor.execute('SELECT VERSION()')
        is_inside = False
        if 'mariadb' in cursor.fetchone()[0].lower():  # MySQL does not tell
            cursor.execute('SELECT @@in_transaction')
            is_inside = bool(cursor.fetchone()[0])
        if is_inside or not connection.get_autocommit():
            check_one_state('one for each query')
        cursor.execute('SELECT @@collation_connection')
        (collation,) = cursor.fetchone()
        cursor.execute('SET collation_connection = utf8mb4_bin')  # texts are compared in UTF-8
        cursor.execute('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
        cursor.execute('START TRANSACTION WITH CONSISTENT SNAPSHOT')
    try:
        yield
    finally:
        _roll_back(connection)
        with contextlib.suppress(Exception), contextlib.closing(connection.cursor()) as cursor:
            cursor.execute('SET collation_connection = %s', (collation,))


@contextlib.contextmanager
def _in_one_transaction(connection: Any) -> Generator[None]:
    """Hold a database all of whose transactions see one state."""
    is_own = _begin(connection)
    try:
        yield
    finally:
        if is_own:
            _roll_back(connection)


def _begin(connection: Any) -> bool:
    """Begin a transaction of SQLite or DuckDB; return whether none was open already."""
    if getattr(connection, 'in_transaction', False):
        return False
    try:
        connection.execute('BEGIN TRANSACTION')
        connection.execute(_FIRST_QUERY[hasattr(connection, 'in_transaction')]).fetchall()
    except Exception as error:
        if type(error).__name__ == 'TransactionException':  # all that DuckDB says of an open one
            return False
        raise
    return True


def _roll_back(connection: Any) -> None:
    """End a transaction; if the connection is broken, it has ended, and why was said already."""
    with contextlib.suppress(Exception):
        connection.rollback()


def check_one_state(isolation: str) -> None:
    """Raise unless all queries of a transaction see the same rows.

    Args:
        isolation: How the transaction is apart from others, in the words of SQL.
    """
    if isolation not in _ONE_STATE:
        raise PrivateDataError(
            'The connection of the table is in a transaction that may see other rows in its next '
            'query. End it, and leave autocommit on: a fit reads one snapshot in a transaction of '
            'its own. Or begin it as REPEATABLE READ.'
        )


_HOLDS: dict[str, Callable[[Any], Any]] = {
    'postgres': _in_postgres,
    'mysql': _in_mariadb,
    'sqlite': _in_one_transaction,
    'duckdb': _in_one_transaction,
}
