"""Dates and timestamps: read as declared, else as ISO 8601, else not at all."""

import datetime
import re
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.columns._cells import (
    ZONED_LIMITS,
    arrow_moments,
    boxed,
    by_clock_of,
    in_micros,
    micros_of_timestamp,
    read_cell,
    read_cells,
)
from sdv_prefair.errors import DomainError

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
_BELOW_YEARS = 'mdHMSf'
_TWO_DIGITS = (1969, 2068)  # the years that %y can express
_FOUR_DIGITS = 1000  # the first year that strftime writes with four digits
_NANOSECOND_LIMITS = (-(2**63) // 1000 + 1, 2**63 // 1000 - 1)


def as_timestamp(value: Any, datetime_format: str | None, name: str) -> pd.Timestamp:
    """Return a declared bound as a timestamp, in UTC if it names an offset.

    Raises:
        DomainError: If ``value`` is not a timestamp written in ``datetime_format``.
    """
    moment = read_cell(value, datetime_format)
    if moment is None:
        written = (
            f"in the format '{datetime_format}'" if datetime_format else 'written as 2024-01-31'
        )
        raise DomainError(f'{name} must be {written}. Correct it or the datetime_format.')
    return moment


def grid_unit(
    datetime_format: str | None, low: pd.Timestamp, high: pd.Timestamp, dtype: Any = None
) -> str:
    """Return the numpy unit of the steps in which a column's timestamps are spaced.

    A format determines it. Without one, bounds that both fall on midnight mean days: that is how
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
    """Return microseconds since 1970 and where there is no readable timestamp.

    Args:
        column: Timestamps of any dtype but category.
        datetime_format: How they are written, if they are text or numbers.
        instants: Whether time zones are converted to UTC, or dropped.
    """
    dtype: Any = column.dtype
    if isinstance(dtype, pd.ArrowDtype) and is_temporal(dtype):
        moments = arrow_moments(column)
    elif is_temporal(dtype):
        moments = in_micros(column.to_numpy(dtype=dtype.base))
    else:
        moments = read_cells(boxed(column), datetime_format)
    if is_temporal(dtype) and zone_of(dtype) is not None and not instants:
        moments = by_clock_of(moments, zone_of(dtype))
    return moments.astype(np.int64), np.isnat(moments)


def write_micros(
    micros: np.ndarray, dtype: Any, datetime_format: str | None, unit: str, instants: bool
) -> Any:
    """Return timestamps as an array of ``dtype``: timestamps, dates, or text in the format.

    Without a dtype the timestamps are text if there is a format, else timestamps. Text without a
    format is ISO 8601, to the day if ``unit`` is not finer.
    """
    if dtype is None:
        dtype = np.dtype('datetime64[ns]' if datetime_format is None else 'O')
    if is_temporal(dtype):
        return _write_timestamps(micros, dtype, instants)
    written = datetime_format or _iso_format(unit)
    different, position = np.unique(micros, return_inverse=True)
    index = pd.DatetimeIndex(different.astype('datetime64[us]'))
    text = _write_text(index.tz_localize('UTC') if instants else index, written)
    if pd.api.types.is_numeric_dtype(dtype):
        text = text.astype(np.int64)
    return _array_of(pd.Series(text[position]), dtype)


def _write_text(index: pd.DatetimeIndex, datetime_format: str) -> np.ndarray:
    text = np.asarray(index.strftime(datetime_format), dtype=object)
    for place in np.flatnonzero(index.year < _FOUR_DIGITS).tolist():
        # strftime writes as few digits as it can, but parsing accepts only four.
        moment = index[place]
        text[place] = moment.strftime(datetime_format.replace('%Y', f'{moment.year:04}'))
    return text


def writes_all(
    low: pd.Timestamp, high: pd.Timestamp, dtype: Any, datetime_format: str | None, instants: bool
) -> bool:
    """Whether each timestamp from ``low`` to ``high`` is sure to be read back as it was written.

    It is not where the clocks of a zone skip an hour, where nanoseconds end, and in a format that
    leaves something out, such as the century or what comes before the hour. Formats with names or
    AM and PM are not analysed: their round trip is tested when they are used.
    """
    if dtype is None and datetime_format is None:
        dtype = np.dtype('datetime64[ns]')
    if dtype is not None and is_temporal(dtype):
        first, last = _NANOSECOND_LIMITS
        held = first <= micros_of_timestamp(low) and micros_of_timestamp(high) <= last
        return (held or 'ns' not in str(dtype)) and (instants or zone_of(dtype) is None)
    if dtype is not None and pd.api.types.is_numeric_dtype(dtype):
        return False
    short = 'y' if low.year >= _TWO_DIGITS[0] and high.year <= _TWO_DIGITS[1] else ''
    return _shows_all(datetime_format, 'Y') or _shows_all(datetime_format, short)


def within_format(
    low: pd.Timestamp, high: pd.Timestamp, datetime_format: str | None
) -> tuple[pd.Timestamp, pd.Timestamp]:
    """Return the part of a range that a format without a year can express, if any.

    Such text is read as timestamps of 1900, and only as those that the format can write.
    """
    if not datetime_format or low.tzinfo is not None:
        return low, high
    if set(re.findall(r'%[-#]?([a-zA-Z])', datetime_format)) & set('YyGcxDFs'):
        return low, high
    ends = (datetime.datetime(1900, 1, 1), datetime.datetime(1900, 12, 31, 23, 59, 59, 999_999))
    first, last = (read_cell(end.strftime(datetime_format), datetime_format) for end in ends)
    if first is None or last is None or max(low, first) > min(high, last):
        return low, high
    return max(low, first), min(high, last)


def _shows_all(datetime_format: str | None, year: str) -> bool:
    """Whether a format writes the year and everything between the year and its finest part."""
    shown = set(re.findall(r'%([-#]?[a-zA-Z])', (datetime_format or '%Y').replace('%%', '')))
    return any(shown == {year, *_BELOW_YEARS[:count]} for count in range(len(_BELOW_YEARS) + 1))


def _write_timestamps(micros: np.ndarray, dtype: Any, instants: bool) -> Any:
    if 'ns' in str(dtype):
        micros = np.clip(micros, *_NANOSECOND_LIMITS)
    zone = zone_of(dtype)
    if zone is not None and str(zone) != 'UTC':
        micros = np.clip(micros, *ZONED_LIMITS)
    index = pd.DatetimeIndex(micros.astype('datetime64[us]'))
    if zone is not None and instants:
        index = index.tz_localize('UTC').tz_convert(zone)
    elif zone is not None:
        # A time that the clocks skip moves to the next that exists; of two equal ones, the first.
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
    unit: str = re.findall(r'\[(\w+)', str(dtype))[0]
    return 'us' if unit == 'ns' else unit


def is_temporal(dtype: Any) -> bool:
    """Whether a column of this dtype holds timestamps or dates as such, not as text or numbers."""
    if isinstance(dtype, pd.ArrowDtype):
        kind = dtype.pyarrow_dtype
        return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))
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
