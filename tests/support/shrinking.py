"""A table of which every query sees another part, as if rows were deleted between them."""

import itertools

import ibis

ROWS = 100
COLUMNS = [f'x{number}' for number in range(402)]
# More than one query counts: what one query reads is of one state.
CLIQUES = [*((name,) for name in COLUMNS[:30]), *itertools.combinations(COLUMNS[:30], 2)]


def shrinking_table():
    """Return a table in SQLite, which holds it still only in a transaction.

    The sign keeps SQLite from seeking by ``rowid``: it would call the function once a query.
    """
    connection = ibis.sqlite.connect()
    calls = itertools.count()
    connection.con.create_function('reading', 0, lambda: next(calls) // ROWS)
    connection.con.execute('CREATE TABLE whole (x INTEGER)')
    connection.con.executemany('INSERT INTO whole VALUES (?)', [(n % 2,) for n in range(ROWS)])
    connection.con.execute(
        f'CREATE TEMP VIEW shrinking AS SELECT {", ".join(f"x AS {name}" for name in COLUMNS)} '
        'FROM whole WHERE +rowid < 90 - 10 * reading()'
    )
    return connection.table('shrinking')
