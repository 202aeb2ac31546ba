"""Databases whose rows are streamed: which ones, and how each is read."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import sqlglot as sg
from pyarrow import types

from sdv_prefair._arrays import Flags, Integers
from sdv_prefair.counting._batches import BatchSource
from sdv_prefair.counting._source import Source
from sdv_prefair.counting._sql import SqlSource, bound_rows
from sdv_prefair.counting._streams import reading
from sdv_prefair.counting._worker_counts import CHUNK_ROWS
from sdv_prefair.errors import PrivateDataError

# -- A database's columns with the actual types of their values ------------------------------------
#
# The type that ibis reports is sometimes incomplete: SQLite stores anything in any column,
# MariaDB stores four-digit years in one byte and has no booleans, and a PostgreSQL number without
# a precision may be too large for every Arrow type.


_LARGEST = '1.7976931348623157e308'
_SMALLEST = '1e-323'


# ibis has no type hints here, and treats an annotation as a type of the database.
@ibis.udf.scalar.builtin(name='typeof')  # type: ignore[untyped-decorator]
def _type_of(value) -> str:  # type: ignore[no-untyped-def]
    """The storage class of a value, computed by the database."""
    return ''


def with_honest_types(table: ir.Table, columns: Mapping[str, dict[str, Any]]) -> ir.Table:
    """Return the table with each column in the actual type of its values.

    Privacy: the result for a value depends on that value and public types alone.

    Args:
        table: The table as ibis sees it.
        columns: The metadata of each column.
    """
    change = _CHANGES.get(table.get_backend().name)
    if change is None:
        return table
    described = {name: columns.get(name, {}).get('sdtype') for name in table.columns}
    honest = {name: change(table[name], sdtype) for name, sdtype in described.items()}
    return table.mutate(
        *(column.name(name) for name, column in honest.items() if column is not table[name])
    )


def arrow_schema(honest: ir.Table, table: ir.Table) -> pa.Schema:
    """Return names and types of the columns, nullable as declared in the table.

    Args:
        honest: The table with honest types.
        table: The table as ibis sees it.
    """
    kinds = {name: honest[name].type() for name in table.columns}
    return pa.schema([
        pa.field(name, arrow_type(kind), table[name].type().nullable)
        for name, kind in kinds.items()
    ])


def arrow_type(kind: dt.DataType) -> pa.DataType:
    """Return Arrow's type of a column; for types unknown to ibis, string until it is read."""
    return pa.string() if kind.is_unknown() else kind.to_pyarrow()


def of_its_type(column: ir.Column, sdtype: str | None = None) -> ir.Column:
    """Return a column of SQLite with null for all values that are not of its type."""
    kind = column.type()
    if kind.is_integer() or kind.is_boolean():
        is_held = _type_of(column) == 'integer'
        if kind.is_boolean():
            is_held &= column.isin([True, False])
    elif kind.is_floating():
        is_held = _type_of(column).isin(['integer', 'real'])
    else:
        return column
    return ibis.ifelse(is_held, column, ibis.null(kind)).name(column.get_name())


def _typed_in_mariadb(column: ir.Column, sdtype: str | None) -> ir.Column:
    kind = column.type()
    if kind.is_integer() and sdtype == 'boolean':
        flag = ibis.cases((column == 1, True), (column == 0, False), else_=ibis.null('boolean'))
        return flag.name(column.get_name())
    if kind.is_int8() or kind.is_uint8():  # YEAR and BIT(8) are reported as one of these
        return column.cast(dt.Int16(nullable=kind.nullable)).name(column.get_name())
    return column


def _typed_in_postgres(column: ir.Column, sdtype: str | None) -> ir.Column:
    kind = column.type()
    if not kind.is_decimal() or kind.precision is not None:
        return column

    def number(text: str) -> ir.Scalar:
        return ibis.literal(text).cast(dt.Decimal())

    is_tiny = (column < number(_SMALLEST)) & (column > number(f'-{_SMALLEST}'))
    return ibis.cases(
        (column == number('NaN'), ibis.null('float64')),
        (column > number(_LARGEST), _float(math.inf)),
        (column < number(f'-{_LARGEST}'), _float(-math.inf)),
        (is_tiny, _float(0.0)),
        else_=column.cast('float64'),
    ).name(column.get_name())


def _float(value: float) -> ir.Scalar:
    return ibis.literal(repr(value)).cast('float64')


_CHANGES = {'sqlite': of_its_type, 'mysql': _typed_in_mariadb, 'postgres': _typed_in_postgres}


# -- Tables in databases: where they are counted, and their types ----------------------------------

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


# -- Rows that a driver returns as Python objects, converted to Arrow cell by cell -----------------
#
# A cell that does not fit the type of its column is null. SQLite stores such cells, and MariaDB has
# dates such as 0000-00-00.

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


# -- Rows of PostgreSQL in its binary format, converted to Arrow -----------------------------------
#
# ``COPY`` in its binary format is the cheapest way to read from PostgreSQL, and the only one that
# preserves every bit: exact floats, timestamps beyond Python's calendar. A row is the number of its
# fields, then for each field the number of its bytes (-1 for null) and the bytes.


_HEADER = 19  # plus as many bytes as its last four bytes say
_CHUNK_BYTES = 2**26
_DAYS_TO_2000 = 10_957
_MICROS_TO_2000 = _DAYS_TO_2000 * 86_400 * 10**6
_NO_MOMENT = 2**62  # far beyond the year 9999

_SQL_TYPES = {
    pa.bool_(): 'boolean',
    pa.int16(): 'int2',
    pa.int32(): 'int4',
    pa.int64(): 'int8',
    pa.float32(): 'float4',
    pa.float64(): 'float8',
    pa.date32(): 'date',
    pa.string(): 'text',
}
_STORED = {'boolean': '?', 'int2': '>i2', 'int4': '>i4', 'int8': '>i8'}
_STORED |= {'float4': '>f4', 'float8': '>f8', 'date': '>i4'}


def read(backend: Any, rows: ir.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a query.

    Args:
        backend: ibis' connection.
        rows: The query.
        schema: The types of its columns.
    """
    casts = ', '.join(_cast(field.name, field.type) for field in schema)
    backend._run_pre_execute_hooks(rows)
    query = f'SELECT {casts} FROM ({backend.compile(rows)}) AS t'
    for messages in _chunks(backend.con, f'COPY ({query}) TO STDOUT (FORMAT binary)'):
        yield _batch(messages, schema)


def _cast(column: str, kind: pa.DataType) -> str:
    """Return the SQL that casts a column to the type in which it is read."""
    name = sg.to_identifier(column, quoted=True).sql('postgres')
    if types.is_decimal(kind):  # the text of money is not a number
        return f'{name}::numeric::text'
    if types.is_timestamp(kind):
        return f'{name}::{"timestamp" if kind.tz is None else "timestamptz"}'
    return f'{name}::{_SQL_TYPES[kind]}'


def _chunks(connection: Any, query: str) -> Iterator[list[bytes]]:
    """Yield rows as they were sent, some at a time."""
    waiting: list[bytes] = []
    size = 0
    with connection.cursor() as cursor, cursor.copy(query) as copy:
        for message in _without_header(copy):
            waiting.append(message)
            size += len(message)
            if len(waiting) >= CHUNK_ROWS or size >= _CHUNK_BYTES:
                yield waiting
                waiting, size = [], 0
    if waiting:
        yield waiting


def _without_header(copy: Any) -> Iterator[bytes]:
    """Yield a message for each row."""
    is_first = True
    for sent in copy:
        message = bytes(sent)
        if is_first:
            message = message[_HEADER + int.from_bytes(message[15:_HEADER], 'big') :]
            is_first = False
        if len(message) > 2:  # the first one may be only a header; the last one is not a row
            yield message


def _batch(messages: list[bytes], schema: pa.Schema) -> pa.RecordBatch:
    data = np.frombuffer(b''.join(messages) + bytes(8), dtype=np.uint8)
    ends = np.cumsum([len(message) for message in messages])
    at = np.append(0, ends[:-1]) + 2
    arrays = []
    for field in schema:
        lengths = _at(data, at, '>i4').astype(np.int64)
        starts, nulls = at + 4, lengths < 0
        arrays.append(_array_of_bytes(data, starts, np.maximum(lengths, 0), nulls, field.type))
        at = starts + np.maximum(lengths, 0)
    if not np.array_equal(at, ends):
        raise ValueError('A message of COPY is not a row.')
    return pa.RecordBatch.from_arrays(
        arrays, schema=pa.schema([field.with_nullable(True) for field in schema])
    )


def _at(data: np.ndarray, places: Integers, kind: str) -> np.ndarray:
    """Return the numbers at some positions of the data."""
    item = np.dtype(kind)
    everywhere = np.ndarray(len(data) - item.itemsize + 1, item, data, strides=(1,))
    return everywhere[places]


def _array_of_bytes(
    data: np.ndarray, starts: Integers, lengths: Integers, nulls: Flags, kind: pa.DataType
) -> pa.Array:
    """Return one column, given where its values start and how long they are."""
    if types.is_decimal(kind):
        return _decimals(_texts(data, starts, lengths, nulls), kind)
    if types.is_string(kind):
        return _texts(data, starts, lengths, nulls)
    if types.is_timestamp(kind):
        micros = _at(data, np.where(nulls, 0, starts), '>i8').astype(np.int64)
        nulls = nulls | (np.abs(micros) >= _NO_MOMENT) | (micros == np.iinfo(np.int64).min)
        micros = np.where(nulls, 0, micros) + _MICROS_TO_2000
        return pa.array(micros, mask=nulls).view(pa.timestamp('us', kind.tz)).cast(kind, safe=False)
    values = _at(data, np.where(nulls, 0, starts), _STORED[_SQL_TYPES[kind]])
    if types.is_date32(kind):
        days = values.astype(np.int64) + _DAYS_TO_2000
        nulls = nulls | (np.abs(days) >= 2**31)
        return pa.array(np.where(nulls, 0, days).astype(np.int32), mask=nulls).view(kind)
    return pa.array(values.astype(kind.to_pandas_dtype()), kind, mask=nulls)


def _texts(data: np.ndarray, starts: Integers, lengths: Integers, nulls: Flags) -> pa.Array:
    """Return strings: every other one of the parts between consecutive positions."""
    places = np.empty(2 * len(starts), dtype=np.int32)
    places[::2], places[1::2] = starts, starts + lengths
    parts = pa.StringArray.from_buffers(
        len(places) - 1, pa.py_buffer(places), pa.py_buffer(data), None, 0
    )
    wanted = pa.array(np.arange(0, len(places), 2), mask=nulls)
    return parts.take(wanted)


def _decimals(texts: pa.StringArray, kind: pa.DataType) -> pa.Array:
    """Return decimals; null for NaN, which Arrow's decimals lack."""
    is_number = pc.not_equal(texts, 'NaN')
    return pc.if_else(is_number, texts, pa.scalar(None, pa.string())).cast(kind)


# -- Tables in databases that are read as a stream of record batches -------------------------------
#
# Reading the rows once costs less than the many scans a database needs to count them itself. They
# are read through the table's own connection: another one might see other rows, or another table
# of the same name.


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
    'postgres': read,
    'mysql': read_mariadb,
    'sqlite': read_sqlite,
}
