"""Moments in time as whole microseconds, and back into whatever a column stores them as.

Microseconds reach every year that can be written with four digits, which pandas' nanoseconds do
not. How single cells are read is in ``moment_reading``.

Bounds that name an offset mean instants, and are compared in UTC; bounds that name none mean
the clock on the wall, whatever the time zone of the column.
"""

import re
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.errors import DomainError
from sdv_prefair.moment_reading import (
    arrow_moments,
    by_clock_of,
    in_micros,
    micros_of_timestamp,
    read_cell,
    read_cells,
)

# From fine to coarse, with the strftime directives that show it.
_UNITS = {
    'us': 'f',
    'ms': '',
    's': 'SsTXcr',
    'm': 'MR',
    'h': 'HI',
    'D': 'dejDFxaAwu',
    'M': 'mbBh',
    'Y': '',
}
_NANOSECOND_LIMITS = (-(2**63) // 1000 + 1, 2**63 // 1000 - 1)


def as_timestamp(value: Any, datetime_format: str | None, name: str) -> pd.Timestamp:
    """Return a declared bound as a timestamp, in UTC if it names an offset.

    Raises:
        DomainError: If ``value`` is not a moment written in ``datetime_format``.
    """
    moment = read_cell(value, datetime_format)
    if moment is None:
        written = f"in the format '{datetime_format}'" if datetime_format else 'a date or time'
        raise DomainError(f'{name} must be {written}. Correct it or the datetime_format.')
    return moment


def grid_unit(
    datetime_format: str | None, low: pd.Timestamp, high: pd.Timestamp, dtype: Any = None
) -> str:
    """Return the numpy unit of the steps in which a column's moments are spaced.

    A format tells it. Without one, bounds that both fall on midnight mean whole days: that is how
    SDV's detection describes dates; declare a format with a time part to mean more.
    """
    unit = (
        _unit_of_bounds(low, high) if datetime_format is None else _unit_of_format(datetime_format)
    )
    finest = _unit_of_dtype(dtype)
    order = list(_UNITS)
    return max(unit, finest, key=order.index)


def read_micros(
    column: pd.Series, datetime_format: str | None, instants: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return microseconds since 1970 and where there is no readable moment.

    Args:
        column: Moments of any dtype but category.
        datetime_format: How they are written, if they are text or numbers.
        instants: Whether time zones are converted to UTC, or dropped.
    """
    dtype = column.dtype
    if isinstance(dtype, pd.ArrowDtype) and is_temporal(dtype):
        moments = arrow_moments(column)
    elif is_temporal(dtype):
        moments = in_micros(column.to_numpy(dtype=dtype.base))
    else:
        moments = read_cells(column.to_numpy(dtype=object), datetime_format)
    if is_temporal(dtype) and zone_of(dtype) is not None and not instants:
        moments = by_clock_of(moments, zone_of(dtype))
    return moments.astype(np.int64), np.isnat(moments)


def write_micros(
    micros: np.ndarray, dtype: Any, datetime_format: str | None, unit: str, instants: bool
) -> Any:
    """Return moments as an array of ``dtype``: timestamps, dates, or text in the format.

    Without a dtype the moments are text if there is a format, else timestamps. Text without a
    format is ISO 8601, to the day if ``unit`` is not finer.
    """
    if dtype is None:
        dtype = np.dtype('datetime64[ns]' if datetime_format is None else 'O')
    if is_temporal(dtype):
        return _write_timestamps(micros, dtype, instants)
    written = datetime_format or _iso_format(unit)
    different, position = np.unique(micros, return_inverse=True)
    index = pd.DatetimeIndex(different.astype('datetime64[us]'))
    text = np.asarray((index.tz_localize('UTC') if instants else index).strftime(written), object)
    if pd.api.types.is_numeric_dtype(dtype):
        text = text.astype(np.int64)
    return _array_of(pd.Series(text[position]), dtype)


def _write_timestamps(micros: np.ndarray, dtype: Any, instants: bool) -> Any:
    if 'ns' in str(dtype):
        micros = np.clip(micros, *_NANOSECOND_LIMITS)
    index = pd.DatetimeIndex(micros.astype('datetime64[us]'))
    zone = zone_of(dtype)
    if zone is not None and instants:
        index = index.tz_localize('UTC').tz_convert(zone)
    elif zone is not None:
        # A time the clocks skip moves on to the next that exists; of two equal ones, the first.
        first = np.ones(len(index), dtype=bool)
        index = index.tz_localize(zone, ambiguous=first, nonexistent='shift_forward')
    return _array_of(pd.Series(index), dtype)


def _array_of(column: pd.Series, dtype: Any) -> Any:
    column = column.astype(dtype)
    return column.to_numpy() if isinstance(dtype, np.dtype) else column.array


def _unit_of_format(datetime_format: str) -> str:
    shown = set(re.findall(r'%[-#]?([a-zA-Z])', datetime_format.replace('%%', '')))
    return next((unit for unit, directives in _UNITS.items() if shown & set(directives)), 'Y')


def _unit_of_bounds(low: pd.Timestamp, high: pd.Timestamp) -> str:
    micros = [micros_of_timestamp(low), micros_of_timestamp(high)]
    if all(moment % 86_400_000_000 == 0 for moment in micros):
        return 'D'
    return 's' if all(moment % 1_000_000 == 0 for moment in micros) else 'us'


def _unit_of_dtype(dtype: Any) -> str:
    if dtype is None or not is_temporal(dtype):
        return 'us'
    if isinstance(dtype, pd.ArrowDtype) and pa.types.is_date(dtype.pyarrow_dtype):
        return 'D'
    unit = re.search(r'\[(\w+)', str(dtype)).group(1)
    return 'us' if unit == 'ns' else unit


def is_temporal(dtype: Any) -> bool:
    """Whether a column of this dtype holds moments or dates as such, not as text or numbers."""
    if isinstance(dtype, pd.ArrowDtype):
        return pa.types.is_timestamp(dtype.pyarrow_dtype) or pa.types.is_date(dtype.pyarrow_dtype)
    return pd.api.types.is_datetime64_any_dtype(dtype)


def zone_of(dtype: Any) -> Any:
    """Return the time zone of a dtype, if it has one."""
    if isinstance(dtype, pd.ArrowDtype):
        return getattr(dtype.pyarrow_dtype, 'tz', None)
    return getattr(dtype, 'tz', None)


def _iso_format(unit: str) -> str:
    if unit in ('D', 'M', 'Y'):
        return '%Y-%m-%d'
    return '%Y-%m-%d %H:%M:%S.%f' if unit in ('us', 'ms') else '%Y-%m-%d %H:%M:%S'
