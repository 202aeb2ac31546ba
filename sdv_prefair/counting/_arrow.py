"""Arrow arrays: which types are read, as which dtypes, and how."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from sdv_prefair.columns._cells import object_of
from sdv_prefair.columns._dtypes import natural_array
from sdv_prefair.columns._facts import Categories, ColumnDomain, Datetimes, Numbers, Undeclared
from sdv_prefair.columns._lookups import is_text, readable
from sdv_prefair.columns._processor import check_columns
from sdv_prefair.counting._source import Encoder
from sdv_prefair.errors import PrivateDataError

# -- Arrow columns as input of encoders: the same codes as from pandas, without its objects --------
#
# Numbers, booleans and timestamps go to an encoder unchanged. All others, mainly strings, are
# encoded value by value: a batch has few distinct ones, and often includes their dictionary.

INTEGER_DTYPES = {
    pa.int8(): pd.Int8Dtype(),
    pa.int16(): pd.Int16Dtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
    pa.uint8(): pd.UInt8Dtype(),
    pa.uint16(): pd.UInt16Dtype(),
    pa.uint32(): pd.UInt32Dtype(),
    pa.uint64(): pd.UInt64Dtype(),
}


def encode_array(encoder: Encoder, array: pa.Array) -> np.ndarray:
    """Return the codes of an Arrow column: those of the same column in pandas."""
    array = plain_array(array)
    if types.is_null(array.type):
        return np.full(len(array), encoder.unread_code)
    if not types.is_dictionary(array.type) and _has_few_values(array.type):
        array = array.dictionary_encode()
    if not types.is_dictionary(array.type):
        return encoder.encode(series_of(array))
    of_value = encoder.encode(series_of(plain_array(array.dictionary)))
    # The index of a null is -1, which takes the last entry.
    of_value = np.append(of_value, np.array([encoder.unread_code], dtype=of_value.dtype))
    indices = array.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    codes: np.ndarray = of_value[indices]
    return codes


def plain_array(array: pa.Array) -> pa.Array:
    """Return an array of a type that Arrow's kernels and pandas support, with readable values."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)
    array = readable(array)
    if is_text(array.type) and not types.is_string(array.type):
        array = array.cast(pa.large_string())
    if types.is_binary_view(array.type):
        array = array.cast(pa.large_binary())
    return array


def series_of(array: pa.Array) -> pd.Series:
    """Return a plain Arrow array in pandas; integers stay integers even with nulls."""
    kind = array.type
    if kind in INTEGER_DTYPES:
        return _masked(array, INTEGER_DTYPES[kind])
    if types.is_boolean(kind):
        return _masked(array, pd.BooleanDtype())
    if is_text(kind) or types.is_date(kind) or types.is_decimal(kind):
        return pd.Series(pd.arrays.ArrowExtensionArray(array))
    if types.is_floating(kind) or types.is_timestamp(kind):
        return pd.Series(array.to_pandas())
    return _objects_of(array)


def series_as(array: pa.Array, dtype: Any) -> pd.Series:
    """Return an Arrow column in pandas, with the dtype that corresponds to its type."""
    array = plain_array(array)
    if types.is_dictionary(array.type):
        array = plain_array(array.dictionary_decode())
    column = pd.Series(array.to_pandas()) if is_text(array.type) else series_of(array)
    if column.dtype == dtype or (column.isna().any() and not _can_be_null(dtype)):
        return column
    return column.astype(dtype)


def _has_few_values(kind: pa.DataType) -> bool:
    """Whether reading each distinct value of this type once is better than reading every row."""
    as_they_are = (
        kind in INTEGER_DTYPES
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_timestamp(kind)
    )
    return not as_they_are and not types.is_nested(kind)


def _objects_of(array: pa.Array) -> pd.Series:
    """Return values of a type without a pandas equivalent as objects, null where unreadable."""
    values = np.empty(len(array), dtype=object)
    values[:] = [object_of(value) for value in array]
    return pd.Series(values)


def _masked(array: pa.Array, dtype: Any) -> pd.Series:
    if array.null_count:
        return pd.Series(dtype.__from_arrow__(array))
    return pd.Series(array.to_numpy(zero_copy_only=False))


def _can_be_null(dtype: Any) -> bool:
    return not (isinstance(dtype, np.dtype) and dtype.kind in 'iub')


# -- Columns that constraints derive from others, batch by batch -----------------------------------


@dataclass(frozen=True)
class Reshape:
    """A row-wise change of some columns, made in pandas; all other columns stay unchanged.

    Contains public facts only: it is sent to Spark's workers.

    Attributes:
        transform: Takes a frame of the columns read; returns the changed ones.
        dtypes: The columns it reads, with the dtypes that it expects.
        made: The columns it makes that are not in the table.
    """

    transform: Callable[[pd.DataFrame], pd.DataFrame]
    dtypes: Mapping[str, Any]
    made: frozenset[str] = frozenset()

    def __call__(self, batch: pa.RecordBatch) -> pd.DataFrame:
        """Return the changed columns of a batch."""
        columns = {c: series_as(batch.column(c), dtype) for c, dtype in self.dtypes.items()}
        return self.transform(pd.DataFrame(columns))

    def columns_read(self, columns: Iterable[str]) -> list[str]:
        """Return the columns of the table that are needed for ``columns``."""
        kept = [c for c in columns if c not in self.dtypes and c not in self.made]
        return kept + list(self.dtypes)


# -- Checks that the files of a table agree on their columns, by schemas, before a row is read -----
#
# Arrow fills in nulls for columns that a file lacks, and converts those of another type, which
# may fail depending on the values. Schemas are public, values are not; so any conversion that
# could fail is refused.


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


# -- Checks of an Arrow schema against the metadata, and the dtypes that its types correspond to.
#
# =======================  =====================================================================
# Arrow type               dtype of the sampled column
# =======================  =====================================================================
# integers, booleans       numpy's if they cannot be null, else pandas' (``Int64``, ``boolean``)
# floats                   numpy's
# timestamps               ``datetime64`` of the same unit, with the time zone if there is one
# dates, decimals          pandas' ``ArrowDtype`` of the same type
# strings                  ``object``
# dictionary               that of its values: how a column is stored does not matter
# null                     the one that suits the metadata
# =======================  =====================================================================
#
# Integers and booleans cannot be null if the schema says so, if the metadata says so
# (``range_is_nullable``), or if pandas has written into the schema that they were numpy's.


_OBJECT = np.dtype('O')


def check_schema(schema: pa.Schema, columns: Mapping[str, dict[str, Any]]) -> None:
    """Raise unless names and types of an Arrow table fit the metadata's columns.

    Args:
        schema: The table's schema.
        columns: The metadata of each column.
    """
    empty = [pd.Series(dtype=_checkable(value_type(field.type))) for field in schema]
    frame = pd.concat(empty, axis=1, keys=schema.names) if empty else pd.DataFrame()
    check_columns(frame, columns)


def check_clocks(schema: pa.Schema, domains: Mapping[str, ColumnDomain]) -> None:
    """Raise if bounds without an offset are to be compared with instants that have no zone.

    Which clock such bounds mean would depend on the session in which the table is opened.
    """
    for field in schema:
        domain = domains.get(field.name)
        ends = [getattr(domain, end, None) for end in ('low', 'high')]
        is_instant = types.is_timestamp(field.type) and field.type.tz is not None
        if is_instant and any(getattr(end, 'tzinfo', True) is None for end in ends):
            raise PrivateDataError(
                f"Column '{field.name}' holds instants, and each session shows them by its own "
                'clock, but range_min and range_max name no offset. Write them with one, as in '
                '2024-01-31 00:00:00+00:00, or cast the column to a timestamp without '
                'time zone (in Spark TIMESTAMP_NTZ).'
            )


def dtypes_of_schema(
    schema: pa.Schema, columns: Mapping[str, dict[str, Any]], domains: Mapping[str, ColumnDomain]
) -> pd.Series:
    """Return the dtype of each column, in the order of the metadata.

    Args:
        schema: The table's schema.
        columns: The metadata of each column.
        domains: The public facts about the modelled ones.
    """
    return _series({c: _dtype(schema.field(c), domains.get(c)) for c in columns})


def dtypes_of_metadata(
    columns: Mapping[str, dict[str, Any]], domains: Mapping[str, ColumnDomain]
) -> pd.Series:
    """Return a dtype that suits the metadata of each column."""
    return _series({column: _declared_dtype(domains.get(column)) for column in columns})


def _series(dtypes: dict[str, Any]) -> pd.Series:
    return pd.Series(list(dtypes.values()), index=list(dtypes), dtype=object)


def _checkable(kind: pa.DataType) -> Any:
    """Return a dtype that distinguishes numbers, timestamps and strings."""
    if types.is_null(kind):
        return _OBJECT
    if types.is_boolean(kind):
        return np.dtype(bool)
    return pd.ArrowDtype(pa.string() if is_text(kind) else kind)


def _dtype(field: pa.Field, domain: ColumnDomain | None) -> Any:
    kind = value_type(field.type)
    # Columns that are not modelled are generated, without nulls.
    nullable = field.nullable and domain is not None and domain.nullable
    if types.is_null(kind):
        return _declared_dtype(domain)
    if types.is_boolean(kind):
        return pd.BooleanDtype() if nullable else np.dtype(bool)
    if kind in INTEGER_DTYPES:
        masked = INTEGER_DTYPES[kind]
        return masked if nullable else masked.numpy_dtype  # type: ignore[attr-defined]  # it has
    if types.is_date(kind) or types.is_decimal(kind):
        return pd.ArrowDtype(kind)
    if types.is_floating(kind) or types.is_timestamp(kind):
        return pd.api.types.pandas_dtype(kind.to_pandas_dtype())
    return _OBJECT


def _declared_dtype(domain: ColumnDomain | None) -> Any:
    if domain is None:
        return _OBJECT
    if isinstance(domain, Categories):
        return _with_nulls(natural_array(domain.values).dtype, domain.nullable)
    if isinstance(domain, Datetimes) or (
        isinstance(domain, Undeclared) and domain.kind == 'datetimes'
    ):
        return _moment_dtype(domain)
    if isinstance(domain, Numbers) and domain.decimal_places == 0:
        fits = domain.low >= -(2**63) and domain.high < 2**63
        return _with_nulls(np.dtype('int64' if fits else 'float64'), domain.nullable)
    return _OBJECT if getattr(domain, 'kind', None) == 'categories' else np.dtype('float64')


def _moment_dtype(domain: Datetimes | Undeclared) -> Any:
    if domain.datetime_format is not None:
        return _OBJECT
    is_instant = getattr(domain.low, 'tzinfo', None) is not None
    return pd.DatetimeTZDtype('us', 'UTC') if is_instant else np.dtype('datetime64[us]')


def _with_nulls(dtype: np.dtype, nullable: bool) -> Any:
    masked = {'i': pd.Int64Dtype(), 'b': pd.BooleanDtype()}
    return masked.get(dtype.kind, dtype) if nullable else dtype
