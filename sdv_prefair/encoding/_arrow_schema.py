"""Checks of an Arrow schema against the metadata, and the dtypes that its types correspond to.

=======================  =====================================================================
Arrow type               dtype of the sampled column
=======================  =====================================================================
integers, booleans       numpy's if they cannot be null, else pandas' (``Int64``, ``boolean``)
floats                   numpy's
timestamps               ``datetime64`` of the same unit, with the time zone if there is one
dates, decimals          pandas' ``ArrowDtype`` of the same type
strings                  ``object``
dictionary               that of its values: how a column is stored does not matter
null                     the one that suits the metadata
=======================  =====================================================================

Integers and booleans cannot be null if the schema says so, if the metadata says so
(``range_is_nullable``), or if pandas has written into the schema that they were numpy's.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import types

from sdv_prefair.counts._arrow_columns import INTEGER_DTYPES
from sdv_prefair.counts._file_types import value_type
from sdv_prefair.counts._readable import is_text
from sdv_prefair.domain._columns import (
    Categories,
    ColumnDomain,
    Datetimes,
    Numbers,
    Undeclared,
)
from sdv_prefair.encoding._frame_schema import check_columns
from sdv_prefair.errors import PrivateDataError
from sdv_prefair.values._dtypes import natural_array

_OBJECT = np.dtype('O')


def check_schema(schema: pa.Schema, columns: Mapping[str, dict]) -> None:
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
    schema: pa.Schema, columns: Mapping[str, dict], domains: Mapping[str, ColumnDomain]
) -> pd.Series:
    """Return the dtype of each column, in the order of the metadata.

    Args:
        schema: The table's schema.
        columns: The metadata of each column.
        domains: The public facts about the modelled ones.
    """
    return _series({c: _dtype(schema.field(c), domains.get(c)) for c in columns})


def dtypes_of_metadata(
    columns: Mapping[str, dict], domains: Mapping[str, ColumnDomain]
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
