"""Rows encoded once, in a temporary table of the database, and counted there in few passes.

Where no such table can be made, one query encodes them, bounds persons and counts many histograms.
"""

import contextlib
from collections.abc import Generator, Iterator

import ibis
import ibis.expr.types as ir
import numpy as np
import sqlglot as sg

from sdv_prefair.values.arrays import Integers

# Databases in which a temporary table is not made: SQLite would end its snapshot for it, MariaDB
# and MySQL would fill it from the rows as they are by then.
_NEVER = {'sqlite', 'mysql'}
# How many histograms PostgreSQL makes in one pass, of how many columns at the most.
_MOST_SETS = 16
_MOST_COLUMNS = 31
# Databases that keep what a query begins with until it ends, and how many histograms one query
# makes of it: SQLite puts no more than 500 together.
_KEPT_WITHIN = {'duckdb', 'postgres', 'sqlite'}
_MOST_TOGETHER = 400

Positions = tuple[int, ...]
Cells = tuple[list[Integers], Integers]


@contextlib.contextmanager
def staged(rows: ir.Table) -> Generator[ir.Table]:
    """Keep the result of a query in a temporary table while it is used.

    Where none can be made, as by a user who may only read, the query stands for itself.
    """
    backend = rows.get_backend()
    name = ibis.util.gen_name('sdv_prefair')
    kept = None
    if backend.name not in _NEVER:
        with contextlib.suppress(Exception):  # whatever a database says that allows no table
            kept = backend.create_table(name, rows, temp=True)
    try:
        yield rows if kept is None else kept
    finally:
        if kept is not None:
            with contextlib.suppress(Exception):  # a broken connection has dropped it
                _drop(backend, name)


def _drop(backend: ibis.BaseBackend, name: str) -> None:
    """Drop a table. With sqlglot 30 the statement of ``drop_table`` does not name it."""
    quoted = sg.to_identifier(name, quoted=True).sql(backend.dialect)
    backend.raw_sql(f'DROP TABLE {quoted}')


def is_staged(table: ir.Table) -> bool:
    """Whether a table is one that ``staged`` has made, and not a query."""
    return isinstance(table.op(), ibis.expr.operations.DatabaseTable)


def histograms(codes: ir.Table, cliques: list[Positions]) -> Iterator[tuple[Positions, Cells]]:
    """Yield the histogram of each clique: codes of its cells that are not empty, and their counts.

    Privacy: exact counts; only they leave the database.

    Args:
        codes: A table of codes, or the query of them.
        cliques: Of each the positions of its columns.
    """
    if is_staged(codes) and codes.get_backend().name == 'postgres':
        for part in _parts(cliques):
            yield from _by_sets(codes, part)
        return
    if codes.get_backend().name in _KEPT_WITHIN:
        for start in range(0, len(cliques), _MOST_TOGETHER):
            yield from _together(codes, cliques[start : start + _MOST_TOGETHER])
        return
    for clique in cliques:
        columns = [codes.columns[position] for position in clique]
        grouped = codes.select(*columns).group_by(columns).aggregate(rows=ibis._.count())
        answer = grouped.to_pyarrow()
        found = [answer[column].to_numpy().astype(np.int64) for column in columns]
        yield clique, (found, answer['rows'].to_numpy().astype(np.int64))


def _parts(cliques: list[Positions]) -> Iterator[list[Positions]]:
    """Yield the cliques in groups that one query can count."""
    part: list[Positions] = []
    for clique in cliques:
        columns = {*clique}.union(*part)
        if len(part) == _MOST_SETS or len(columns) > _MOST_COLUMNS:
            yield part
            part = []
        part.append(clique)
    if part:
        yield part


def _by_sets(codes: ir.Table, cliques: list[Positions]) -> Iterator[tuple[Positions, Cells]]:
    """Yield histograms that one pass has made, distinguished by which columns were not grouped."""
    positions = sorted(set().union(*cliques))
    names = {position: codes.columns[position] for position in positions}
    sets = ', '.join(f'({", ".join(names[p] for p in clique)})' for clique in cliques)
    shown = ', '.join(f'COALESCE({name}, -1)' for name in names.values())
    answer = codes.get_backend().con.execute(
        f'SELECT GROUPING({", ".join(names.values())}), COUNT(*), {shown} '
        f'FROM {codes.get_name()} GROUP BY GROUPING SETS ({sets})'
    )
    cells = np.array(answer.fetchall(), dtype=np.int64).reshape(-1, len(positions) + 2)
    for clique in cliques:
        left_out = sum(1 << n for n, p in enumerate(reversed(positions)) if p not in clique)
        here = cells[cells[:, 0] == left_out]
        yield clique, ([here[:, 2 + positions.index(p)] for p in clique], here[:, 1])


def _together(codes: ir.Table, cliques: list[Positions]) -> Iterator[tuple[Positions, Cells]]:
    """Yield histograms that one query has made, which reads and encodes the rows once."""
    backend, most = codes.get_backend(), max(map(len, cliques))
    answer = backend.con.execute(together_sql(codes, cliques)).fetchall()
    cells = np.array(answer, dtype=np.int64).reshape(-1, most + 2)
    cells = cells[np.argsort(cells[:, 0], kind='stable')]
    ends = np.searchsorted(cells[:, 0], np.arange(len(cliques) + 1))
    for number, clique in enumerate(cliques):
        here = cells[ends[number] : ends[number + 1]]
        yield clique, ([here[:, 2 + axis] for axis in range(len(clique))], here[:, 1])


def together_sql(codes: ir.Table, cliques: list[Positions]) -> str:
    """Return one query of many histograms: the number of each, its counts, and codes.

    Args:
        codes: The query of the codes of all rows.
        cliques: Of each the positions of its columns.
    """
    most = max(map(len, cliques))
    parts = []
    for number, clique in enumerate(cliques):
        columns = [codes.columns[position] for position in clique]
        shown = ', '.join([*columns, *['0'] * (most - len(columns))])
        grouped = ', '.join(columns)
        parts.append(f'SELECT {number}, COUNT(*), {shown} FROM coded GROUP BY {grouped}')
    encoded = codes.get_backend().compile(codes)
    return f'WITH coded AS MATERIALIZED ({encoded}) ' + ' UNION ALL '.join(parts)
