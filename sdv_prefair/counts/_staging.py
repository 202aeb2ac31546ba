"""Rows encoded once, in a temporary table of the database, and counted there in few passes.

Where no such table can be made, one query encodes them, bounds persons and counts many histograms.
"""

import contextlib
import functools
from collections.abc import Callable, Generator, Iterator, Sequence

import ibis
import ibis.expr.types as ir
import numpy as np
import sqlglot as sg

from sdv_prefair.counts._blocks import Block, Positions, blocks_of
from sdv_prefair.values._arrays import Integers

# Databases in which a temporary table is not made: SQLite would end its snapshot for it, MariaDB
# and MySQL would fill it from the rows as they are by then.
_NEVER = {'sqlite', 'mysql'}
# Databases that keep what a query begins with until it ends, and how many histograms one query
# makes of it: SQLite puts no more than 500 together.
_KEPT_WITHIN = {'duckdb', 'postgres', 'sqlite'}
_MOST_TOGETHER = 400

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


def histograms(
    codes: ir.Table, cliques: list[Positions], sizes: Sequence[int]
) -> Iterator[tuple[Positions, Cells]]:
    """Yield the histogram of each clique: codes of its cells that are not empty, and their counts.

    Privacy: exact counts; only they leave the database.

    Args:
        codes: A table of codes, or the query of them.
        cliques: Of each the positions of its columns.
        sizes: The number of codes of every column.
    """
    name = codes.get_backend().name
    if name in _KEPT_WITHIN:
        for blocks in _parts(blocks_of(cliques, sizes)):
            yield from _together(codes, blocks)
        return
    ask = _by_cursor(codes) if name == 'mysql' else functools.partial(_by_ibis, codes)
    for clique in cliques:
        yield clique, ask([codes.columns[position] for position in clique])


def _parts(blocks: list[Block]) -> Iterator[list[Block]]:
    """Yield the blocks in groups that one query can count, the largest blocks piece by piece."""
    part: list[Block] = []
    room = _MOST_TOGETHER
    for block in blocks:
        for start in range(0, len(block.cliques), _MOST_TOGETHER):
            piece = Block(block.columns, block.cliques[start : start + _MOST_TOGETHER])
            if len(piece.cliques) > room:
                yield part
                part, room = [], _MOST_TOGETHER
            part.append(piece)
            room -= len(piece.cliques)
    if part:
        yield part


def _together(codes: ir.Table, blocks: list[Block]) -> Iterator[tuple[Positions, Cells]]:
    """Yield histograms that one query has made, which reads and encodes the rows once."""
    cliques = [clique for block in blocks for clique in block.cliques]
    most = max(map(len, cliques))
    answer = codes.get_backend().con.execute(together_sql(codes, blocks)).fetchall()
    cells = np.array(answer, dtype=np.int64).reshape(-1, most + 2)
    cells = cells[np.argsort(cells[:, 0], kind='stable')]
    ends = np.searchsorted(cells[:, 0], np.arange(len(cliques) + 1))
    for number, clique in enumerate(cliques):
        here = cells[ends[number] : ends[number + 1]]
        yield clique, ([here[:, 2 + axis] for axis in range(len(clique))], here[:, 1])


def together_sql(codes: ir.Table, blocks: list[Block]) -> str:
    """Return one query of many histograms: the number of each, its counts, and codes.

    Args:
        codes: The codes of all rows, or the query of them.
        blocks: What rows are grouped by, and the histograms to make of it.
    """
    rows, kept = 'coded', [f'coded AS MATERIALIZED ({codes.get_backend().compile(codes)})']
    if is_staged(codes):
        rows, kept = codes.get_name(), []
    most = max(len(clique) for block in blocks for clique in block.cliques)
    parts: list[str] = []
    for number, block in enumerate(blocks):
        grouped = _names(codes, block.columns)
        kept.append(
            f'b{number} AS MATERIALIZED (SELECT {grouped}, COUNT(*) AS n FROM {rows} '
            f'GROUP BY {grouped})'
        )
        for clique in block.cliques:
            names = _names(codes, clique)
            shown = names + ', 0' * (most - len(clique))
            parts.append(
                f'SELECT {len(parts)}, CAST(SUM(n) AS BIGINT), {shown} FROM b{number} '
                f'GROUP BY {names}'
            )
    return f'WITH {", ".join(kept)} {" UNION ALL ".join(parts)}'


def _names(codes: ir.Table, positions: Positions) -> str:
    return ', '.join(codes.columns[position] for position in positions)


def _by_cursor(codes: ir.Table) -> Callable[[list[str]], Cells]:
    """Return what asks MariaDB or MySQL for a histogram of columns.

    They compute codes as they read. ibis would translate the codes of all columns anew each time.
    """
    backend = codes.get_backend()
    encoded = backend.compile(codes)

    def ask(columns: list[str]) -> Cells:
        names = ', '.join(columns)
        with contextlib.closing(backend.con.cursor()) as cursor:
            cursor.execute(f'SELECT {names}, COUNT(*) FROM ({encoded}) AS coded GROUP BY {names}')
            cells = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, len(columns) + 1)
        return list(cells[:, :-1].T), cells[:, -1]

    return ask


def _by_ibis(codes: ir.Table, columns: list[str]) -> Cells:
    """Return a histogram that any other database makes."""
    answer = codes.select(*columns).group_by(columns).aggregate(rows=ibis._.count()).to_pyarrow()
    found = [answer[column].to_numpy().astype(np.int64) for column in columns]
    return found, answer['rows'].to_numpy().astype(np.int64)
