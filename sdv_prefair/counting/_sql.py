"""Counting where the rows are: they are encoded once, and grouped by the database itself.

Through ibis, so for every database that it speaks to. Only counts leave the database; if categories
have to be learnt, the different values of these columns too.
"""

import contextlib
import functools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import NoReturn

import ibis
import ibis.expr.types as ir
import numpy as np
import pandas as pd
import sqlglot as sg
from sdv.errors import SynthesizerInputError

from sdv_prefair._arrays import Integers
from sdv_prefair.counting._arrow import Reshape
from sdv_prefair.counting._expressions import code_expression, exact_form, text_of
from sdv_prefair.counting._frame import Tally, tally_cells, values_of
from sdv_prefair.counting._kernel import Clique, Counts, check_cells, check_consistent, gather
from sdv_prefair.counting._source import Encoder, Progress, count_name, sizes
from sdv_prefair.counting._streams import reading

# -- Blocks of columns: a few histograms that contain all the histograms a database has to make.
#
# Grouping all rows takes a database about as long for four columns as for two. So it groups rows by
# blocks of columns, and sums the cells of a block, which are few, into the histograms within it.

Positions = tuple[int, ...]

# A block has at most so many cells, unless it is a single clique. With more, databases spend on
# large hash tables what they save on passes: tried up to this number, which 33 ** 3 is below.
_MOST_CELLS = 65_536


@dataclass(frozen=True)
class Block:
    """Columns by whose values rows are grouped.

    Attributes:
        columns: Their positions, in order.
        cliques: The histograms that are sums over the cells of the block.
    """

    columns: Positions
    cliques: list[Positions]


def blocks_of(cliques: Sequence[Positions], sizes: Sequence[int]) -> list[Block]:
    """Return blocks that contain every clique; each clique belongs to one of them.

    A block starts as a clique that no block contains yet. As long as cells allow, it takes in the
    column that completes the most such cliques: a greedy covering, since the smallest is NP-hard.

    Privacy: a function of public facts.

    Args:
        cliques: Of each the positions of its columns.
        sizes: The number of codes of every column.
    """
    waiting: defaultdict[int, set[Positions]] = defaultdict(set)
    for clique in cliques:
        for column in clique:
            waiting[column].add(clique)
    blocks = []
    for clique in sorted(dict.fromkeys(cliques), key=len, reverse=True):
        if clique in waiting[clique[0]]:
            columns = _grown(clique, waiting, sizes)
            inside = {c for column in columns for c in waiting[column] if columns.issuperset(c)}
            for column in columns:
                waiting[column] -= inside
            blocks.append(Block(tuple(sorted(columns)), sorted(inside)))
    return blocks


def _grown(
    clique: Positions, waiting: defaultdict[int, set[Positions]], sizes: Sequence[int]
) -> set[int]:
    """Return the columns of the clique and those that complete further cliques."""
    columns: set[int] = set()
    completed: Counter[int] = Counter()  # by each column, if it comes next
    coming = list(clique)
    while coming:
        columns.add(column := coming.pop())
        for other in waiting[column]:
            missing = [each for each in other if each not in columns]
            if len(missing) == 1:
                completed[missing[0]] += 1
        if not coming:
            room = _MOST_CELLS // math.prod(sizes[each] for each in columns)
            fitting = [c for c in completed if c not in columns and sizes[c] <= room]
            coming = sorted(fitting, key=lambda c: (completed[c], -sizes[c], -c))[-1:]
    return columns


# -- Rows encoded once, in a temporary table of the database, and counted there in few passes ------
#
# Where no such table can be made, one query encodes them, bounds persons and counts many
# histograms.

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


# -- Counting where the rows are: they are encoded once, and grouped by the database itself --------


_NTH_ROW = 'sdv_prefair_nth_row'


class SqlSource:
    """A table in a database.

    Args:
        table: ibis' expression of it.
        dtypes: The dtypes that stand for the columns' types.
        is_bounded: Whether rows of persons are left out of it, which a query had better do once.
    """

    can_be_read_again = True

    def __init__(self, table: ir.Table, dtypes: pd.Series, is_bounded: bool = False):
        self._table = table
        self.dtypes = dtypes
        self._is_bounded = is_bounded

    def reshaped(self, reshape: Reshape, dtypes: pd.Series) -> NoReturn:
        """Refuse: columns that constraints make of others are made in Python."""
        raise SynthesizerInputError(
            f'A database cannot make the columns that constraints over {list(reshape.dtypes)} ask '
            'for. Let its rows be counted here, with fit_table(table, rows_stay=False), or leave '
            'the constraints out.'
        )

    def count(
        self,
        encoders: Mapping[str, Encoder],
        cliques: Iterable[Sequence[str]],
        progress: Progress = iter,
    ) -> Counts:
        """Return the histograms of the cliques, over the codes of the encoders."""
        domain, declared = sizes(encoders), _checked(cliques, encoders)
        names = list(encoders)
        positions = {tuple(map(names.index, clique)): clique for clique in declared}
        observed: dict[Clique, tuple[np.ndarray | None, np.ndarray]] = {}
        with reading(), staged(_codes(self._table, encoders)) as codes:
            asked = histograms(codes, list(positions), [domain[column] for column in names])
            for place, (found, rows) in progress(asked):
                clique = positions[place]
                shape = tuple(domain[column] for column in clique)
                observed[clique] = gather(np.ravel_multi_index(found, shape), rows, shape)
        counts = Counts(domain, {clique: observed[clique] for clique in declared})
        check_consistent(counts, 'the table has changed while it was counted. Fit a snapshot.')
        return counts

    def value_counts(self, columns: Iterable[str]) -> dict[str, Tally]:
        """Return how often each value of each column occurs; nulls are left out."""
        columns = list(columns)
        forms = (exact_form(self._table[c]).name(f'v{n}') for n, c in enumerate(columns))
        values = self._table.select(*forms)
        with reading(), staged(values) if self._is_bounded else nullcontext(values) as kept:
            return {
                column: self._tally(kept, place, self._table[column].type().is_string())
                for place, column in enumerate(columns)
            }

    @staticmethod
    def _tally(values: ir.Table, place: int, is_text: bool) -> Tally:
        column = values.columns[place]
        counted = values.select(column).group_by(column).aggregate(rows=ibis._.count())
        answer = counted.to_pyarrow()
        cells = values_of(answer[column].combine_chunks())
        return tally_cells(map(text_of, cells) if is_text else cells, answer['rows'].to_pylist())


def _codes(table: ir.Table, encoders: Mapping[str, Encoder]) -> ir.Table:
    """Return the codes of all rows, in columns of plain names."""
    return table.select(
        *(
            code_expression(table[column], encoder).cast('int32').name(f'c{place}')
            for place, (column, encoder) in enumerate(encoders.items())
        )
    )


def _checked(cliques: Iterable[Sequence[str]], encoders: Mapping[str, Encoder]) -> list[Clique]:
    """Return the cliques, none of which is too large to be counted."""
    declared = [tuple(clique) for clique in cliques]
    for clique in declared:
        check_cells(clique, sizes(encoders))
    return declared


def bound_rows(
    table: ir.Table, person_column: str, max_rows: int, dialect: str | None = None
) -> ir.Table:
    """Return the table with at most so many rows of each person.

    Privacy: a database has no order of rows, and may return them in another one whenever
    other rows come or go. So those rows stay that come first when all columns are compared:
    they depend on that person's rows alone. Texts are compared by their bytes: a collation may
    call two persons equal, or two rows of one.
    """
    order = [exact_form(table[c], dialect) for c in table.columns if c != person_column]
    person = exact_form(table[person_column], dialect)
    nth = ibis.row_number().over(group_by=person, order_by=order)
    return table.mutate(nth.name(_NTH_ROW)).filter(ibis._[_NTH_ROW] < max_rows).drop(_NTH_ROW)


def histogram_queries(
    table: ir.Table,
    encoders: Mapping[str, Encoder],
    cliques: Iterable[Sequence[str]],
    dialect: str | None = None,
) -> dict[Clique, ir.Table]:
    """Return for each clique the query of its histogram: a row for each cell that is not empty.

    Its columns are those of the clique, holding codes, and the count.
    """
    declared = _checked(cliques, encoders)
    codes = {
        column: code_expression(table[column], encoders[column], dialect) for column in encoders
    }
    return {
        clique: table
        .select(*(codes[column].name(column) for column in clique))
        .group_by(list(clique))
        .aggregate(ibis._.count().name(count_name(clique)))
        for clique in declared
    }
