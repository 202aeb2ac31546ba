"""Parsing timestamps cell by cell: how one is parsed never depends on another row.

Strings are read by the declared format, otherwise as ISO 8601 with its hyphens, as in 2024-01-31
or 2024-01-31 10:30:00+01:00; anything else is null. '03/04/2024' has two readings, and which is
meant cannot be told from one cell. Nor does a timestamp depend on the clock: pandas parses 'today'
as a timestamp of the current day.
"""

import datetime
import re
import warnings
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.typing import NaTType

_DIGITS = {'Y': 4, 'm': 2, 'd': 2, 'H': 2, 'M': 2, 'S': 2, 'f': 6, 'y': 2, 'j': 3}
# What pandas parses as a timestamp of the current day.
_TODAY = re.compile(r'\s*(now|today)\s*', re.IGNORECASE)
_TIME = r'[T ][0-9]{2}(:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?'
_ISO_8601 = re.compile(rf'\s*[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}({_TIME})?\s*')
_LONGEST_TEXT = 200
_UNITS_BEYOND_YEARS = ('Y', 'M', 'W', 'D', 'h', 'm', 's', 'ms', 'us')
_EPOCH, _DAY = datetime.datetime(1970, 1, 1), 86_400_000_000
_FIRST_DAY = _EPOCH.toordinal()
_NAT = np.iinfo(np.int64).min
# What Python, pandas and databases can all show.
_YEARS = np.array(['0001-01-01', '9999-12-31T23:59:59.999999'], dtype='datetime64[us]')
# Where pandas knows the offset of a zone: formatting earlier ones crashes it; later, years end.
ZONED_LIMITS = tuple(np.array(['1678-01-01', '9998-12-31'], 'datetime64[us]').astype(np.int64))
# Within these years Python can compute a time zone's offset from UTC.
_CALENDAR = np.array(['0001-01-02', '9999-12-30'], dtype='datetime64[us]')


def digits_of_format(datetime_format: str | None) -> int | None:
    """Return how many digits a format writes if it writes only digits, as '%Y%m%d' does.

    Timestamps in such a format may be stored as numbers.
    """
    if datetime_format is None or not re.fullmatch(r'(%[YmdHMSfyj])+', datetime_format):
        return None
    return sum(_DIGITS[directive] for directive in datetime_format[1::2])


def read_cells(cells: np.ndarray, datetime_format: str | None) -> np.ndarray:
    """Return timestamps in microseconds, in UTC if they name an offset; NaT for all other cells.

    Strings are read once each: there are usually far fewer than rows.

    Args:
        cells: An array of objects.
        datetime_format: How timestamps are written, if they are strings or numbers.
    """
    plain = [_as_text(cell, datetime_format) for cell in cells]
    texts = dict.fromkeys(cell for cell in plain if type(cell) is str)
    of_text = dict(zip(texts, _read_texts(list(texts), datetime_format), strict=True))
    micros = (
        of_text[cell] if type(cell) is str else _micros_of_cell(cell, datetime_format)
        for cell in plain
    )
    return np.fromiter(micros, np.int64, len(plain)).view('datetime64[us]')


def read_cell(cell: Any, datetime_format: str | None) -> pd.Timestamp | None:
    """Return the timestamp in a cell, in UTC if it names an offset; None if there is none."""
    try:
        cell = _as_text(cell, datetime_format)
        if isinstance(cell, str):
            moment: pd.Timestamp | NaTType = _parse(cell, datetime_format)
        elif isinstance(cell, datetime.date | np.datetime64):
            moment = pd.Timestamp(cell)
        else:
            return None
        if isinstance(moment, NaTType):
            return None
        return moment if moment.tzinfo is None else moment.tz_convert('UTC')
    except Exception:  # whatever an arbitrary object raises, it is not a timestamp
        return None


def micros_of_timestamp(moment: pd.Timestamp) -> int:
    """Return the microseconds since 1970 of a timestamp, by its own clock."""
    return int(moment.tz_localize(None).to_datetime64().astype('datetime64[us]').astype(np.int64))


def in_micros(moments: np.ndarray) -> np.ndarray:
    """Return numpy's timestamps of any unit in microseconds; NaT outside the years 1 to 9999."""
    outside = np.isnat(moments)
    if np.datetime_data(moments.dtype)[0] in _UNITS_BEYOND_YEARS:
        first, last = _YEARS.astype(moments.dtype)
        outside |= (moments < first) | (moments > last)
    moments = np.where(outside, np.array('NaT', dtype=moments.dtype), moments)
    return moments.astype('datetime64[us]')


def by_clock_of(micros: np.ndarray, zone: Any) -> np.ndarray:
    """Return what clocks in a time zone show at instants in UTC."""
    index = pd.DatetimeIndex(np.clip(micros, *_CALENDAR), tz='UTC')
    return index.tz_convert(zone).tz_localize(None).to_numpy()


def arrow_moments(column: pd.Series) -> np.ndarray:
    """Return Arrow's timestamps, in UTC if they have a time zone, or dates, in microseconds."""
    array = pa.chunked_array(pa.array(column.array)).combine_chunks()
    kind = array.type
    is_days = pa.types.is_date32(kind)
    unit = 'D' if is_days else 'ms' if pa.types.is_date64(kind) else kind.unit
    steps = array.cast(pa.int32() if is_days else pa.int64()).cast(pa.int64())
    moments = steps.fill_null(_NAT).to_numpy(zero_copy_only=False).view(f'datetime64[{unit}]')
    return in_micros(moments)


def _micros_of_cell(cell: Any, datetime_format: str | None) -> int:
    if type(cell) is datetime.date:
        return (cell.toordinal() - _FIRST_DAY) * _DAY
    if type(cell) is datetime.datetime and cell.tzinfo is None:
        return (cell - _EPOCH) // datetime.timedelta(microseconds=1)
    if type(cell) is np.datetime64:
        return int(in_micros(np.array([cell]))[0].astype(np.int64))
    moment = read_cell(cell, datetime_format)
    return _NAT if moment is None else micros_of_timestamp(moment)


def _read_texts(texts: list[str], datetime_format: str | None) -> list[int]:
    """Return the microseconds of strings; pandas parses each as it would alone, but faster."""
    written = 'mixed' if datetime_format is None else _parse_format(datetime_format)
    readable = [text if _may_be_moment(text, datetime_format) else None for text in texts]
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # pandas' warnings quote the values they are about
        read = pd.to_datetime(
            pd.Series(readable, dtype=object), 'coerce', utc=True, format=written, cache=False
        )
        micros = in_micros(read.dt.tz_localize(None).to_numpy()).astype(np.int64)
        for position in np.flatnonzero(micros == _NAT):
            # Years beyond pandas' nanoseconds.
            moment = read_cell(readable[position], datetime_format)
            micros[position] = _NAT if moment is None else micros_of_timestamp(moment)
    found: list[int] = micros.tolist()
    return found


def _may_be_moment(text: str, datetime_format: str | None) -> bool:
    if len(text) > _LONGEST_TEXT or not _is_unicode(text) or _TODAY.fullmatch(text):
        return False
    return datetime_format is not None or _ISO_8601.fullmatch(text) is not None


def _is_unicode(text: str) -> bool:
    """Whether a string contains no lone surrogate."""
    try:
        text.encode('utf-8')
    except UnicodeError:
        return False
    return True


def _parse(text: str, datetime_format: str | None) -> pd.Timestamp | NaTType:
    if not _may_be_moment(text, datetime_format):
        return pd.NaT
    if datetime_format is None:
        return pd.Timestamp(text)
    moment = pd.to_datetime(text, format=_parse_format(datetime_format), errors='coerce')
    if moment is pd.NaT:
        moment = pd.Timestamp(datetime.datetime.strptime(text, _parse_format(datetime_format)))
    return moment


def _as_text(cell: Any, datetime_format: str | None) -> Any:
    """Return strings of any kind as Python's own, 20240131 and 20240131.0 too if there is a format.

    Numbers have lost their leading zeros: 1312024 is '01312024' in the format '%m%d%Y'.
    """
    if type(cell) is str:
        return cell
    try:
        if isinstance(cell, str):
            return str.__str__(cell)
        if not isinstance(cell, Real) or isinstance(cell, bool | np.timedelta64):
            return cell
        if datetime_format is None or cell % 1 != 0:
            return None
        whole = int(cell)  # type: ignore[call-overload]  # all in use have __int__
        return str(whole).zfill(digits_of_format(datetime_format) or 0)
    except Exception:  # whatever an arbitrary object raises, it is not a timestamp
        return None


def _parse_format(datetime_format: str) -> str:
    return datetime_format.replace('%-', '%').replace('%#', '%')
