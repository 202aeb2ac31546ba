"""Rows that a driver returns as Python objects, converted to Arrow cell by cell.

A cell that does not fit the type of its column is null. SQLite stores such cells, and MariaDB has
dates such as 0000-00-00.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import Any

import ibis.expr.types as ir
import pyarrow as pa
import sqlglot as sg
from pyarrow import types

# Objects are larger than their contents, and Python keeps the memory that it has used for them.
_ROWS = 16_384
_UNREADABLE = (pa.ArrowException, TypeError, ValueError, OverflowError)


def read_mariadb(backend: Any, rows: ir.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a query to MariaDB or MySQL, without having the driver load them all."""
    from MySQLdb.cursors import SSCursor

    query = _query(backend, rows, schema, 'mysql', _in_mariadb)
    cursor = backend.con.cursor(SSCursor)
    try:
        cursor.execute(query)
        yield from _batches(cursor, schema)
    finally:
        cursor.close()


def read_sqlite(backend: Any, rows: ir.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a query to SQLite."""
    query = _query(backend, rows, schema, 'sqlite', _in_sqlite)
    cursor = backend.con.cursor()
    try:
        cursor.execute(query)
        yield from _batches(cursor, schema)
    finally:
        cursor.close()


def _query(
    backend: Any,
    rows: ir.Table,
    schema: pa.Schema,
    dialect: str,
    transport: Callable[[str, pa.DataType], str],
) -> str:
    casts = [
        transport(sg.to_identifier(field.name, quoted=True).sql(dialect), field.type)
        for field in schema
    ]
    backend._run_pre_execute_hooks(rows)
    return f'SELECT {", ".join(casts)} FROM ({backend.compile(rows)}) AS t'


def _in_mariadb(name: str, kind: pa.DataType) -> str:
    """Return a column as it is sent: floats with all digits, strings as UTF-8 bytes."""
    if types.is_string(kind):
        return f'CAST(CONVERT({name} USING utf8mb4) AS BINARY)'
    return f'CAST({name} AS DOUBLE)' if types.is_float32(kind) else name


def _in_sqlite(name: str, kind: pa.DataType) -> str:
    """Return a column as it is sent: strings as the digits of their bytes, which may be invalid."""
    is_digits = types.is_string(kind)
    return f'CASE WHEN {name} IS NOT NULL THEN hex({name}) END' if is_digits else name


def _batches(cursor: Any, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    nullable = pa.schema([field.with_nullable(True) for field in schema])
    while rows := cursor.fetchmany(_ROWS):
        columns = zip(*rows, strict=True)
        arrays = [_array(c, f.type) for c, f in zip(columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=nullable)


def _array(cells: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if types.is_string(kind):
        return pa.array([_bytes(cell) for cell in cells], pa.binary()).view(kind)
    try:
        return pa.array(cells, kind)
    except _UNREADABLE:
        return pa.array([_held(cell, kind) for cell in cells], kind)


def _bytes(cell: str | bytes | None) -> bytes | None:
    return bytes.fromhex(cell) if isinstance(cell, str) else cell


def _held(cell: Any, kind: pa.DataType) -> Any:
    """Return a cell in its column's type; None if it does not fit."""
    try:
        if types.is_boolean(kind) and cell in (0, 1):
            return bool(cell)
        if types.is_floating(kind) and isinstance(cell, int):
            return float(cell)
        if isinstance(cell, str) and types.is_temporal(kind):
            moment = datetime.fromisoformat(cell)
            return date(*moment.timetuple()[:3]) if types.is_date(kind) else moment
        return pa.scalar(cell, kind).as_py()
    except _UNREADABLE:
        return None
