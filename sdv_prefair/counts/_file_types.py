"""Checks that the files of a table agree on their columns, by schemas, before a row is read.

Arrow fills in nulls for columns that a file lacks, and converts those of another type, which may
fail depending on the values. Schemas are public, values are not; so any conversion that could fail
is refused.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from pyarrow import types

from sdv_prefair.counts._readable import is_text
from sdv_prefair.errors import PrivateDataError


def check_same_columns(files: Sequence[Iterable[str]]) -> None:
    """Raise unless all files have the same columns.

    Args:
        files: The columns of each file.
    """
    files = [set(names) for names in files]
    for column in sorted(set().union(*files)):
        if any(column not in names for names in files):
            raise PrivateDataError(
                f"Column '{column}' is in some files of the table but not in all. Write all "
                'files with the same columns.'
            )


def common_schema(schemas: Sequence[pa.Schema]) -> pa.Schema:
    """Return a schema with which all files can be read; raise if there is none."""
    return pa.schema([_common_field(field.name, schemas) for field in schemas[0]])


def check_can_be_read_as(schema: pa.Schema, files: Sequence[pa.Schema]) -> None:
    """Raise if a value of any file could fail to be converted to a schema."""
    for field in schema:
        stored = [file.field(field.name).type for file in files if field.name in file.names]
        if not all(_never_fails(kind, field.type) for kind in stored):
            raise _differing(field.name, [*stored, field.type])


def as_stored(schema: pa.Schema, file: pa.Schema) -> pa.Schema:
    """Return a schema with the integers of a file as integers where it has floats.

    pandas writes floats where an integer is null, so files of one table may differ in that. Arrow
    would stop at an integer that no float can represent.
    """
    fields = [
        field.with_type(file.field(field.name).type)
        if types.is_floating(field.type)
        and field.name in file.names
        and types.is_integer(file.field(field.name).type)
        else field
        for field in schema
    ]
    return pa.schema(fields, schema.metadata)


def value_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of a column's values, however they are stored."""
    if isinstance(kind, pa.BaseExtensionType):
        return value_type(kind.storage_type)
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return value_type(kind.value_type)
    return kind


def _common_field(column: str, schemas: Sequence[pa.Schema]) -> pa.Field:
    fields = [schema.field(column) for schema in schemas]
    stored = [field.type for field in fields]
    for field in fields:
        if all(_never_fails(kind, field.type) for kind in stored):
            return field
    raise _differing(column, stored)


def _differing(column: str, kinds: Iterable[pa.DataType]) -> PrivateDataError:
    listed = ', '.join(sorted({str(value_type(kind)) for kind in kinds}))
    return PrivateDataError(
        f"Column '{column}' has types that differ between the files of the table: {listed}. Write "
        'all files with the same types.'
    )


def _never_fails(stored: pa.DataType, read: pa.DataType) -> bool:
    """Whether every value of one type can be converted to another."""
    stored, read = value_type(stored), value_type(read)
    if stored == read or types.is_null(stored) or (is_text(stored) and is_text(read)):
        return True
    if types.is_decimal(stored) and types.is_decimal(read):
        return bool(stored.scale == read.scale and stored.precision <= read.precision)
    return _is_number(stored) and _is_number(read) and _widens(stored, read)


def _is_number(kind: pa.DataType) -> bool:
    return bool(types.is_integer(kind) or types.is_floating(kind))


def _widens(stored: pa.DataType, read: pa.DataType) -> bool:
    if types.is_integer(stored) and types.is_floating(read):
        return True  # each file is read as it is stored
    return bool(np.can_cast(stored.to_pandas_dtype(), read.to_pandas_dtype()))
