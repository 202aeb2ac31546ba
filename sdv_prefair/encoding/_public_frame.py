"""A few rows made from public facts alone, for fitting SDV's preprocessing.

SDV learns dtypes, formats, ranges and seeds from the frame its ``DataProcessor`` is fitted to, and
keeps them. Fitted to this frame, it learns only what the metadata and the dtypes say.
"""

from collections.abc import Mapping
from itertools import cycle, islice
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.domain import single_table
from sdv_prefair.domain._columns import Categories, ColumnDomain, Datetimes, Numbers, Undeclared
from sdv_prefair.errors import DomainError
from sdv_prefair.values._dtypes import cast, decimal_scale, is_integer, natural_array, public_dtype
from sdv_prefair.values._timestamp_reading import micros_of_timestamp
from sdv_prefair.values._timestamps import grid_unit, is_temporal, write_micros

ROWS = 3
_PLACEHOLDER_DAY = pd.Timestamp('2000-01-01')
_PLACEHOLDER_DIGITS = 5


def public_frame(
    domains: Mapping[str, ColumnDomain], dtypes: Mapping[str, Any] | pd.Series, table_metadata: Any
) -> pd.DataFrame:
    """Return a frame with the columns and dtypes of the private one, and none of its values.

    Args:
        domains: The domains of the modelled columns that are known so far.
        dtypes: The private frame's dtypes by column (``frame.dtypes``).
        table_metadata: SDV's ``Metadata`` with one table, or that table's metadata.

    Returns:
        A few rows with the declared values or bounds; placeholders in all other columns. Only the
        dtype category differs, because it lists the values of the data: it becomes a category of
        the declared values or, if there are none, the dtype that suits the metadata.
    """
    descriptions = single_table(table_metadata).columns
    columns = {}
    for column, dtype in dtypes.items():
        domain = domains.get(column)  # type: ignore[call-overload]  # names are texts
        if domain is None and descriptions[column]['sdtype'] == 'datetime':
            written = descriptions[column].get('datetime_format')
            domain = Undeclared('datetimes', datetime_format=written)
        try:
            columns[column] = _column(domain, dtype)
        except (TypeError, ValueError, OverflowError, IndexError, pa.ArrowException):
            raise DomainError(
                f"Column '{column}': dtype {str(public_dtype(dtype))!r} cannot hold what the "
                'metadata declares. Convert the column or correct its sdtype.'
            ) from None
    return pd.DataFrame(columns)


def _column(domain: ColumnDomain | None, dtype: Any) -> Any:
    if isinstance(domain, Categories) and domain.shown:
        values = natural_array(list(islice(cycle(domain.shown), ROWS)))
        return cast(values, np.zeros(ROWS, bool), public_dtype(dtype, domain.shown))
    dtype = public_dtype(dtype)
    if isinstance(domain, Numbers):
        numbers = _numbers(domain, dtype)
        if dtype is None and numbers.dtype == np.int64 and domain.nullable:
            dtype = pd.Int64Dtype()
        return cast(numbers, np.zeros(ROWS, bool), dtype)
    if isinstance(domain, Datetimes):
        return _moments(domain, dtype)
    if isinstance(domain, Undeclared) and domain.kind == 'datetimes':
        written = domain.datetime_format
        return _moments(Datetimes(_PLACEHOLDER_DAY, _PLACEHOLDER_DAY, written), dtype)
    if isinstance(domain, Undeclared) and domain.kind == 'numbers' and dtype is None:
        dtype = np.dtype('float64')
    return _placeholders(dtype)


def _numbers(domain: Numbers, dtype: Any) -> np.ndarray:
    """Return the bounds and a number between them with the largest possible number of decimals."""
    places = decimal_scale(dtype) if is_integer(dtype) else domain.decimal_places
    if places is not None:
        grid = domain.grid(places)
        whole = [grid[0], grid[-1], grid[min(1, grid[-1] - grid[0])]]
        return natural_array(whole if places == 0 else [step / 10**places for step in whole])
    return np.array([domain.low, domain.high, domain.low + (domain.high - domain.low) / 3.0])


def _moments(domain: Datetimes, dtype: Any) -> Any:
    low, high = micros_of_timestamp(domain.low), micros_of_timestamp(domain.high)
    micros = np.array([low, high, low])
    unit = grid_unit(domain.datetime_format, domain.low, domain.high, dtype)
    instants = domain.low.tzinfo is not None
    return write_micros(micros, dtype, domain.datetime_format, unit, instants)


def _placeholders(dtype: Any) -> Any:
    """Return distinct values of any dtype; strings for dtypes that have no placeholders."""
    if is_temporal(dtype):
        return _moments(Datetimes(_PLACEHOLDER_DAY, _PLACEHOLDER_DAY), dtype)
    values = natural_array([f'placeholder {row}' for row in range(ROWS)])
    if pd.api.types.is_bool_dtype(dtype):
        values = np.arange(ROWS) % 2 == 1
    elif pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype):
        values = 10 ** _digits(dtype) - 1 - np.arange(ROWS)
    try:
        return cast(values, np.zeros(ROWS, bool), dtype)
    except (TypeError, ValueError, pa.ArrowException):
        return values


def _digits(dtype: Any) -> int:
    """Return the number of digits to generate: SDV counts those of the largest number it sees."""
    if is_integer(dtype):
        limit = np.iinfo(getattr(dtype, 'numpy_dtype', dtype)).max
        return min(_PLACEHOLDER_DIGITS, len(str(limit)) - 1)
    if isinstance(dtype, pd.ArrowDtype) and pa.types.is_decimal(dtype.pyarrow_dtype):
        decimals = dtype.pyarrow_dtype
        # SDV also counts decimals and the point: for SDV, 9.00 has four digits.
        room = decimals.precision - 2 * decimals.scale - bool(decimals.scale)
        return max(1, min(_PLACEHOLDER_DIGITS, room))
    return _PLACEHOLDER_DIGITS
