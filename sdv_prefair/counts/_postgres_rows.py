"""Rows of PostgreSQL in its binary format, converted to Arrow.

``COPY`` in its binary format is the cheapest way to read from PostgreSQL, and the only one that
preserves every bit: exact floats, timestamps beyond Python's calendar. A row is the number of its
fields, then for each field the number of its bytes (-1 for null) and the bytes.
"""

from collections.abc import Iterator
from typing import Any

import ibis.expr.types as ir
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import sqlglot as sg
from pyarrow import types

from sdv_prefair.counts._kernel import CHUNK_ROWS
from sdv_prefair.values._arrays import Flags, Integers

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
        arrays.append(_array(data, starts, np.maximum(lengths, 0), nulls, field.type))
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


def _array(
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
