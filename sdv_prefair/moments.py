"""Moments in time as whole microseconds, and back into whatever a column stores them as.

Everything here works row by row: how one value is read never depends on another row, as it would
if a format were guessed from the first of them. Microseconds reach every year that can be written
with four digits, which pandas' nanoseconds do not.

Bounds that name an offset mean instants, and are compared in UTC; bounds that name none mean
the clock on the wall, whatever the time zone of the column.
"""

import re
import warnings
from datetime import date, datetime
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

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
_DIGITS = {'Y': 4, 'm': 2, 'd': 2, 'H': 2, 'M': 2, 'S': 2, 'f': 6, 'y': 2, 'j': 3}
_BELOW_YEARS = 'mdHMSf'
_TWO_DIGITS = (1969, 2068)  # the years that %y tells
_FOUR_DIGITS = 1000  # the first year that strftime writes with as many
# Where pandas knows the offset of a zone: before, it dies of showing a moment; after, years end.
_ZONED_LIMITS = tuple(np.array(['1678-01-01', '9998-12-31'], 'datetime64[us]').astype(np.int64))
_NANOSECOND_LIMITS = (-(2**63) // 1000 + 1, 2**63 // 1000 - 1)


def as_timestamp(value: Any, datetime_format: str | None, name: str) -> pd.Timestamp:
    """Return a declared bound as a timestamp, in UTC if it names an offset.

    Raises:
        DomainError: If ``value`` is not a moment written in ``datetime_format``.
    """
    moment = _read_one(value, datetime_format)
    if moment is None:
        written = f"in the format '{datetime_format}'" if datetime_format else 'a date or time'
        raise DomainError(f'{name} must be {written}. Correct it or the datetime_format.')
    return moment


def digits_of_format(datetime_format: str | None) -> int | None:
    """Return how many digits a format writes if it writes nothing else, as '%Y%m%d' does.

    Moments in such a format may be stored as numbers.
    """
    if datetime_format is None or not re.fullmatch(r'(%[YmdHMSfyj])+', datetime_format):
        return None
    return sum(_DIGITS[directive] for directive in datetime_format[1::2])


def micros_of_timestamp(moment: pd.Timestamp) -> int:
    """Return the microseconds since 1970 of a timestamp, by its own clock."""
    return int(moment.tz_localize(None).to_datetime64().astype('datetime64[us]').astype(np.int64))


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
    column = _arrow_to_pandas(column)
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        column = column.dt.tz_convert('UTC') if instants else column
        column = column.dt.tz_localize(None)
    if isinstance(column.dtype, np.dtype) and column.dtype.kind == 'M':
        moments = column.to_numpy().astype('datetime64[us]')
    else:
        moments = _read_text(_numbers_to_text(column, datetime_format), datetime_format)
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
    text = _write_text(index.tz_localize('UTC') if instants else index, written)
    if pd.api.types.is_numeric_dtype(dtype):
        text = text.astype(np.int64)
    return _array_of(pd.Series(text[position]), dtype)


def _write_text(index: pd.DatetimeIndex, datetime_format: str) -> np.ndarray:
    text = np.asarray(index.strftime(datetime_format), dtype=object)
    for place in np.flatnonzero(index.year < _FOUR_DIGITS):
        # strftime writes as few digits as it can, and then reads none but four.
        moment = index[place]
        text[place] = moment.strftime(datetime_format.replace('%Y', f'{moment.year:04}'))
    return text


def writes_all(
    low: pd.Timestamp, high: pd.Timestamp, dtype: Any, datetime_format: str | None, instants: bool
) -> bool:
    """Whether each moment from ``low`` to ``high`` is sure to be read back as it was written.

    It is not where the clocks of a zone skip an hour, where nanoseconds end, and in a format that
    leaves something out, as the century or what comes before the hour. Formats that write names or
    half days are not looked into: whether they can be read back is seen when they are.
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
    """Return the part of a range that a format without a year can tell, if it tells any.

    Such text is read as moments of 1900, and only as those that the format can write.
    """
    shown = set(re.findall(r'%[-#]?([a-zA-Z])', datetime_format or '%Y'))
    if shown & set('YyGcxDFs') or low.tzinfo is not None:
        return low, high
    ends = (datetime(1900, 1, 1), datetime(1900, 12, 31, 23, 59, 59, 999_999))
    told = [_parse_one(end.strftime(datetime_format), datetime_format) for end in ends]
    if None in told or max(low, told[0]) > min(high, told[1]):
        return low, high
    return max(low, told[0]), min(high, told[1])


def _shows_all(datetime_format: str | None, year: str) -> bool:
    """Whether a format writes the year, and whatever lies between it and the finest it writes."""
    shown = set(re.findall(r'%([-#]?[a-zA-Z])', (datetime_format or '%Y').replace('%%', '')))
    return any(shown == {year, *_BELOW_YEARS[:count]} for count in range(len(_BELOW_YEARS) + 1))


def _write_timestamps(micros: np.ndarray, dtype: Any, instants: bool) -> Any:
    if 'ns' in str(dtype):
        micros = np.clip(micros, *_NANOSECOND_LIMITS)
    zone = zone_of(dtype)
    if zone is not None and str(zone) != 'UTC':
        micros = np.clip(micros, *_ZONED_LIMITS)
    index = pd.DatetimeIndex(micros.astype('datetime64[us]'))
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


def _read_text(column: pd.Series, datetime_format: str | None) -> np.ndarray:
    values = column.to_numpy(dtype=object, na_value=None)
    texts = _distinct_texts(values)
    if texts is None:
        readable = np.empty(len(values), dtype=object)
        readable[:] = [_readable(value, datetime_format) for value in values]
        return _read_objects(readable, datetime_format)
    different = np.array(texts.dictionary.to_pylist(), dtype=object)
    moments = _read_objects(different, datetime_format)
    position = texts.indices.fill_null(-1).to_numpy()
    return np.append(moments, np.datetime64('NaT', 'us'))[position]


def _distinct_texts(values: np.ndarray) -> pa.DictionaryArray | None:
    """Return texts that are to be read once each: there are usually far fewer than rows."""
    if pd.api.types.infer_dtype(values, skipna=True) != 'string':
        return None
    try:
        return pa.array(values, pa.large_string(), from_pandas=True).dictionary_encode()
    except UnicodeError:  # half a character
        return None


def _read_objects(values: np.ndarray, datetime_format: str | None) -> np.ndarray:
    options = {'format': 'mixed', 'errors': 'coerce', 'utc': True, 'cache': False}
    if datetime_format is not None:
        options['format'] = _parse_format(datetime_format)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # pandas' warnings quote the values they are about
        try:
            read = pd.to_datetime(pd.Series(values, dtype=object), **options)
        except (TypeError, ValueError, OverflowError):  # something that is no moment at all
            read = pd.Series(pd.NaT, index=range(len(values)), dtype='datetime64[ns, UTC]')
        moments = read.dt.tz_localize(None).to_numpy().astype('datetime64[us]')
        for position in np.flatnonzero(np.isnat(moments) & ~pd.isna(values)):
            moment = _read_one(values[position], datetime_format)
            if moment is not None:
                moments[position] = micros_of_timestamp(moment)
    return moments


def _readable(value: Any, datetime_format: str | None) -> Any:
    """Return what can be a moment; 20240131 and 20240131.0 as text if there is a format."""
    if isinstance(value, str | date | np.datetime64):
        return value
    is_whole = isinstance(value, Real) and not isinstance(value, bool) and value % 1 == 0
    return str(int(value)) if is_whole and datetime_format is not None else None


def _read_one(value: Any, datetime_format: str | None) -> pd.Timestamp | None:
    """Read one moment, of years beyond pandas' nanoseconds too; None if it is not one.

    What names an offset comes back in UTC.
    """
    value = _readable(value, datetime_format)
    moment = _parse_one(value, datetime_format) if isinstance(value, str) else pd.Timestamp(value)
    if moment is None or moment is pd.NaT:
        return None
    return moment if moment.tzinfo is None else moment.tz_convert('UTC')


def _parse_one(text: str, datetime_format: str | None) -> pd.Timestamp | None:
    try:
        if datetime_format is None:
            return pd.Timestamp(text)
        moment = pd.to_datetime(text, format=_parse_format(datetime_format), errors='coerce')
        if moment is pd.NaT:
            moment = pd.Timestamp(datetime.strptime(text, _parse_format(datetime_format)))
        return moment
    except (ValueError, OverflowError, TypeError):
        return None


def _parse_format(datetime_format: str) -> str:
    return datetime_format.replace('%-', '%').replace('%#', '%')


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


def _arrow_to_pandas(column: pd.Series) -> pd.Series:
    if not isinstance(column.dtype, pd.ArrowDtype) or not is_temporal(column.dtype):
        return column
    # Not by pandas' astype, which makes an object of each moment and dies of the year 10000.
    moments = pa.array(column.array)
    kind = column.dtype.pyarrow_dtype
    if pa.types.is_date(kind):
        kind = pa.timestamp('ms')
        moments = moments.cast(kind)
    numbers = moments.cast(pa.int64()).fill_null(np.iinfo(np.int64).min).to_numpy()
    read = pd.Series(numbers.astype(f'datetime64[{kind.unit}]'), index=column.index)
    return read if kind.tz is None else read.dt.tz_localize('UTC').dt.tz_convert(kind.tz)


def _numbers_to_text(column: pd.Series, datetime_format: str | None) -> pd.Series:
    """Write 20240131 and 20240131.0 as '20240131', which a format like '%Y%m%d' can read.

    Numbers have lost their leading zeros: 1312024 is '01312024' in the format '%m%d%Y'.
    """
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return column
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    readable = np.isfinite(numbers)
    text = np.full(len(numbers), None, dtype=object)
    width = digits_of_format(datetime_format) or 0
    text[readable] = np.char.mod(f'%0{width}.0f', numbers[readable]).astype(object)
    return pd.Series(text, dtype=object)


def _iso_format(unit: str) -> str:
    if unit in ('D', 'M', 'Y'):
        return '%Y-%m-%d'
    return '%Y-%m-%d %H:%M:%S.%f' if unit in ('us', 'ms') else '%Y-%m-%d %H:%M:%S'
