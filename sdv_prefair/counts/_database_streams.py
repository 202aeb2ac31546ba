"""Tables in databases that are read as a stream of record batches.

Reading the rows once costs less than the many scans a database needs to count them itself. They are
read through the table's own connection: another one might see other rows, or another table of the
same name.
"""

from collections.abc import Callable, Iterator
from typing import Any

import ibis.expr.types as ir
import pyarrow as pa

from sdv_prefair.counts import _cursor_rows as cursor_rows
from sdv_prefair.counts import _postgres_rows as postgres_rows
from sdv_prefair.counts._honest_types import arrow_type
from sdv_prefair.counts._kernel import CHUNK_ROWS
from sdv_prefair.errors import PrivateDataError

Read = Callable[[Any, ir.Table, pa.Schema], Iterator[pa.RecordBatch]]


class DatabaseStream:
    """A table in a database, read by a query.

    Args:
        table: The table as an ibis expression, with honest types.
        schema: Names and types of its columns.
    """

    can_be_read_again = True

    def __init__(self, table: ir.Table, schema: pa.Schema):
        self._table = table
        self.schema = schema

    def read(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Yield the columns of all rows, in batches of a size that fits in memory."""
        wanted = list(dict.fromkeys(columns))
        for name in wanted:
            _check_read(self._table[name])
        schema = pa.schema([self.schema.field(name) for name in wanted])
        backend = self._table.get_backend()
        read = _READERS.get(backend.name, _by_ibis)
        return read(backend, self._table.select(*wanted), schema)


def _check_read(column: ir.Column) -> None:
    """Raise if the type of a column cannot be read from databases."""
    kind = column.type()
    is_read = kind.is_numeric() or kind.is_boolean() or kind.is_date() or kind.is_timestamp()
    if not is_read and arrow_type(kind) != pa.string() or kind.is_unknown():
        name = 'unknown' if kind.is_unknown() else kind  # ibis would write a page about it
        raise PrivateDataError(
            f"Column '{column.get_name()}' has the type {name}, which cannot be read. Cast it to "
            'text, a number or a timestamp in the table expression.'
        )


def _by_ibis(backend: Any, rows: ir.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    yield from backend.to_pyarrow_batches(rows, chunk_size=CHUNK_ROWS)


_READERS: dict[str, Read] = {
    'postgres': postgres_rows.read,
    'mysql': cursor_rows.read_mariadb,
    'sqlite': cursor_rows.read_sqlite,
}
