"""The queries of all histograms that a fit reads, as SQL."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
from sdv.errors import SynthesizerInputError

from sdv_prefair.counts import Clique, Encoder

_IN_MYSQL = re.compile(r'HEX\(CAST\((`(?:[^`]|``)*`\.`(?:[^`]|``)*`) AS CHAR\)\)')


class CountQueries(dict[Clique, str]):
    """A query for each clique; printed, a script of all of them."""

    def __str__(self) -> str:
        return '\n\n'.join(f'-- {" x ".join(clique)}\n{sql};' for clique, sql in self.items())


def write_queries(
    table_name: str,
    dtypes: Mapping[str, Any],
    encoders: Mapping[str, Encoder],
    cliques: Iterable[Clique],
    person: tuple[str | None, int],
    dialect: str,
) -> CountQueries:
    """Return the queries of the cliques' histograms.

    Args:
        table_name: What the table is called.
        dtypes: The dtype of each column.
        encoders: What turns the modelled ones into codes.
        cliques: The cliques.
        person: The column that tells persons apart, if any, and how many rows each may have.
        dialect: The database, in ibis' words.
    """
    try:
        import ibis

        from sdv_prefair.counts._sql import bound_rows, histogram_queries
    except ImportError:
        raise SynthesizerInputError(
            "count_queries needs ibis: install it with pip install 'sdv-prefair[sql]'."
        ) from None
    _check_dialect(dialect)
    types = {column: _type(dtype, encoders.get(column)) for column, dtype in dtypes.items()}
    table = ibis.table(types, name=table_name)
    person_column, max_rows = person
    if person_column is not None:
        table = bound_rows(table, person_column, max_rows, dialect)
    queries = histogram_queries(table, encoders, cliques, dialect)
    return CountQueries({clique: _written(query, dialect) for clique, query in queries.items()})


def _check_dialect(dialect: str) -> None:
    """Raise unless it is the name of a database that queries are written for."""
    from sdv_prefair.counts._exact_text import DATABASES

    if dialect not in DATABASES:
        raise SynthesizerInputError(
            f'count_queries cannot write SQL for {dialect!r}. Choose one of {sorted(DATABASES)}, '
            'or let fit_table read the rows.'
        )


def _written(query: Any, dialect: str) -> str:
    import ibis

    sql = str(ibis.to_sql(query, dialect=dialect))
    # ibis has no word for a character set; without it that of the connection is taken.
    return _IN_MYSQL.sub(r'HEX(CONVERT(\1 USING utf8mb4))', sql) if dialect == 'mysql' else sql


def _type(dtype: Any, encoder: Encoder | None) -> str:
    if encoder is not None and hasattr(encoder, 'instants'):
        return "timestamp('UTC')" if encoder.instants else 'timestamp'
    if pd.api.types.is_bool_dtype(dtype):
        return 'boolean'
    if pd.api.types.is_integer_dtype(dtype):
        return 'int64'
    return 'float64' if pd.api.types.is_float_dtype(dtype) else 'string'
