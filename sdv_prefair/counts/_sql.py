"""Counting where the rows are: they are encoded once, and grouped by the database itself.

Through ibis, so for every database that it speaks to. Only counts leave the database; if categories
have to be learnt, the different values of these columns too.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import NoReturn

import ibis
import ibis.expr.types as ir
import numpy as np
import pandas as pd
from sdv.errors import SynthesizerInputError

from sdv_prefair.counts._consistency import check_consistent
from sdv_prefair.counts._exact_text import exact_form, text_of
from sdv_prefair.counts._expressions import code_expression
from sdv_prefair.counts._kernel import Clique, Counts, check_cells, gather
from sdv_prefair.counts._reshape import Reshape
from sdv_prefair.counts._source import Encoder, Progress, count_name, sizes
from sdv_prefair.counts._staging import histograms, staged
from sdv_prefair.counts._streams import reading
from sdv_prefair.counts._tally import Tally, tally_cells, values_of

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
