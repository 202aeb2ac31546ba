"""Tables in databases: where they are counted, and their types."""

from collections.abc import Callable, Mapping
from typing import Any

import ibis.expr.types as ir
import pandas as pd
import pyarrow as pa

from sdv_prefair.counts._batches import BatchSource
from sdv_prefair.counts._database_streams import DatabaseStream
from sdv_prefair.counts._honest_types import arrow_schema, with_honest_types
from sdv_prefair.counts._source import Source
from sdv_prefair.counts._sql import SqlSource, bound_rows
from sdv_prefair.counts._streams import reading

# Databases whose rows are streamed by default; all others are warehouses.
STREAMED = frozenset({'duckdb', 'postgres', 'mysql', 'sqlite'})


def open_database(
    table: ir.Table,
    describe: Callable[[pa.Schema], pd.Series],
    person: tuple[str | None, int],
    columns: Mapping[str, dict[str, Any]],
    rows_stay: bool | None,
) -> Source:
    """Return the source that counts a table in a database; no row is read yet.

    Privacy: a database has no order of rows, so persons are bounded by a query, streamed or not.

    Args:
        table: The table as an ibis expression.
        describe: Checks a schema and returns the dtypes that correspond to its types.
        person: The column that identifies persons, if any, and how many rows each may have.
        columns: The metadata of each column.
        rows_stay: Whether the database counts its rows itself; None for the database's default.
    """
    with reading('opened'):
        honest = with_honest_types(table, columns)
        schema = arrow_schema(honest, table)
        name = table.get_backend().name
    dtypes = describe(schema)
    person_column, max_rows = person
    if person_column is not None:
        honest = bound_rows(honest, person_column, max_rows)
    if rows_stay or (rows_stay is None and name not in STREAMED):
        return SqlSource(honest, dtypes, is_bounded=person_column is not None)
    return BatchSource(DatabaseStream(honest, schema), dtypes)
