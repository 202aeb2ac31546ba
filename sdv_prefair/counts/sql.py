"""Counting where the rows are: one GROUP BY for each clique, run by the database itself.

Through ibis, so for every database that it speaks to. Only counts leave the database; if categories
have to be learnt, the different values of these columns too.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn

import ibis
import ibis.expr.types as ir
import numpy as np
import pandas as pd
import pyarrow as pa
from sdv.errors import SynthesizerInputError

from sdv_prefair.counts.consistency import check_consistent
from sdv_prefair.counts.exact_text import exact_form, text_of
from sdv_prefair.counts.expressions import code_expression
from sdv_prefair.counts.kernel import Clique, Counts, check_cells, gather
from sdv_prefair.counts.reshape import Reshape
from sdv_prefair.counts.source import Encoder, Progress, count_name, sizes
from sdv_prefair.counts.streams import reading
from sdv_prefair.counts.tally import Tally, tally_cells, values_of

_NTH_ROW = 'sdv_prefair_nth_row'


class SqlSource:
    """A table in a database.

    Args:
        table: ibis' expression of it.
        dtypes: The dtypes that stand for the columns' types.
    """

    can_be_read_again = True

    def __init__(self, table: ir.Table, dtypes: pd.Series):
        self._table = table
        self.dtypes = dtypes

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
        domain = sizes(encoders)
        queries = histogram_queries(self._table, encoders, cliques)
        observed = {}
        with reading():
            for clique, query in progress(queries.items()):
                observed[clique] = cells_of(query.to_pyarrow(), clique, domain)
        counts = Counts(domain, observed)
        check_consistent(counts, 'the table has changed while it was counted. Fit a snapshot.')
        return counts

    def value_counts(self, columns: Iterable[str]) -> dict[str, Tally]:
        """Return how often each value of each column occurs; nulls are left out."""
        with reading():
            return {column: self._value_counts(column) for column in columns}

    def _value_counts(self, column: str) -> Tally:
        value = self._table[column]
        counted = self._table.group_by(value=exact_form(value)).aggregate(rows=ibis._.count())
        answer = counted.to_pyarrow()
        cells = values_of(answer['value'].combine_chunks())
        if value.type().is_string():
            cells = map(text_of, cells)
        return tally_cells(cells, answer['rows'].to_pylist())


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
    return table.mutate(**{_NTH_ROW: nth}).filter(ibis._[_NTH_ROW] < max_rows).drop(_NTH_ROW)


def histogram_queries(
    table: ir.Table,
    encoders: Mapping[str, Encoder],
    cliques: Iterable[Sequence[str]],
    dialect: str | None = None,
) -> dict[Clique, ir.Table]:
    """Return for each clique the query of its histogram: a row for each cell that is not empty.

    Its columns are those of the clique, holding codes, and the count.
    """
    declared = [tuple(clique) for clique in cliques]
    for clique in declared:
        check_cells(clique, sizes(encoders))
    codes = {
        column: code_expression(table[column], encoders[column], dialect) for column in encoders
    }
    return {
        clique: table
        .select(**{column: codes[column] for column in clique})
        .group_by(list(clique))
        .aggregate(**{count_name(clique): ibis._.count()})
        for clique in declared
    }


def cells_of(
    answer: pa.Table, clique: Clique, domain: Mapping[str, int]
) -> tuple[np.ndarray | None, np.ndarray]:
    """Return a histogram, as ``Counts`` keeps it, from the answer to its query."""
    shape = tuple(domain[column] for column in clique)
    codes = [answer[column].to_numpy().astype(np.intp) for column in clique]
    counts = answer[count_name(clique)].to_numpy().astype(np.int64)
    return gather(np.ravel_multi_index(codes, shape), counts, shape)
