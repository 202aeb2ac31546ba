"""A cell on its own: whether it is null, which moment it is, what it is in any library."""

import datetime
import math
import re
import warnings
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api.typing import NaTType

from sdv_prefair._arrays import Flags, Integers, Objects

# -- Parsing single objects: each on its own, and without errors -----------------------------------
#
# The dtype of a column of objects says nothing about its cells, and rows may contain anything:
# strings and numbers, lists, infinite numbers, objects whose every method raises. Whatever cannot
# be parsed is null. So no row affects how another is parsed, and none can make a fit fail.

_NUMBERS = (int, float, Decimal, Fraction, np.bool_, np.integer, np.floating)


def is_null(cell: Any) -> bool:
    """Whether a cell is one of the nulls of Python, numpy or pandas."""
    try:
        if isinstance(cell, Decimal):  # pandas compares it, and a signalling NaN raises
            return cell.is_nan()
        return bool(pd.api.types.is_scalar(cell) and pd.isna(cell))
    except Exception:  # whatever an arbitrary object raises, it is not a null
        return False


def are_null(column: pd.Series) -> np.ndarray:
    """Return which cells of a column are null, each tested on its own."""
    if not pd.api.types.is_object_dtype(column.dtype):
        return column.isna().to_numpy(dtype=bool)
    return np.fromiter(map(is_null, column), bool, len(column))


def as_float(cell: Any) -> float:
    """Return the number in a cell, also from a string; NaN if there is none.

    Numbers too large for a float are infinite.
    """
    try:
        return _read_float(cell)
    except Exception:  # whatever an arbitrary object raises, it is not a number
        return math.nan


def _read_float(cell: Any) -> float:
    if isinstance(cell, str):
        return math.nan if '_' in cell else float(cell)  # Python's own 1_000
    if not isinstance(cell, _NUMBERS) or isinstance(cell, np.timedelta64):
        return math.nan
    try:
        return float(cell)
    except OverflowError:
        return math.inf if cell > 0 else -math.inf


# -- Parsing timestamps cell by cell: how one is parsed never depends on another row ---------------
#
# Strings are read by the declared format, otherwise as ISO 8601 with its hyphens, as in
# 2024-01-31 or 2024-01-31 10:30:00+01:00; anything else is null. '03/04/2024' has two readings,
# and which is meant cannot be told from one cell. Nor does a timestamp depend on the clock:
# pandas parses 'today' as a timestamp of the current day.


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


# -- The cells of a typed column as Python objects, each on its own and without errors -------------
#
# numpy and Arrow can store what Python cannot: timestamps beyond the years 1 to 9999, times of more
# than a day, strings that are not UTF-8. Converting such a column to objects, pandas raises an
# error that quotes the cell, or even crashes the process. Here each such cell is null.


def is_arrow(dtype: Any) -> bool:
    """Whether columns of this dtype are stored by Arrow."""
    is_text_in_arrow = isinstance(dtype, pd.StringDtype) and dtype.storage.startswith('pyarrow')
    return is_text_in_arrow or isinstance(dtype, pd.ArrowDtype)


def boxed(column: pd.Series | pd.Index) -> Objects:
    """Return the cells of a column as objects; null where Python has no object for a cell.

    Privacy: what a cell becomes depends on that cell and the column's dtype alone.
    """
    dtype: Any = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = column.array.codes  # the index of a null is -1, which takes the last entry
        return _taken(_objects([*boxed(dtype.categories), None]), codes)
    if is_arrow(dtype):
        return _boxed_arrow(pa.chunked_array(pa.array(column.array)).combine_chunks())
    if pd.api.types.is_datetime64_any_dtype(dtype):
        moments = column.to_numpy(dtype=dtype.base)
        column = column.where(_is_held(moments, dtype))
    return column.to_numpy(dtype=object)


def object_of(value: pa.Scalar) -> object:
    """Return a value as a Python object, None if that is impossible."""
    try:
        return value.as_py()
    except Exception:  # values that Python cannot hold may raise anything
        return None


def _boxed_arrow(array: pa.Array) -> Objects:
    """Return the values of an Arrow array, reading each distinct one once."""
    try:
        encoded = array.dictionary_encode()
    except pa.ArrowNotImplementedError:  # of a type without comparison, such as a list
        return _objects([object_of(value) for value in array])
    objects = _objects([*map(object_of, encoded.dictionary), None])
    # The index of a null is -1, which takes the last entry.
    places = encoded.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return _taken(objects, places)


def _taken(objects: Objects, places: Integers) -> Objects:
    taken: Objects = objects[places]
    return taken


def _objects(values: list[Any]) -> Objects:
    array: Objects = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


def _is_held(moments: NDArray[np.datetime64], dtype: Any) -> Flags:
    """Return which timestamps Python can hold, by the clock of their zone."""
    micros = in_micros(moments)
    zone = getattr(dtype, 'tz', None)
    is_held: Flags = ~np.isnat(micros)
    if zone is None or str(zone) == 'UTC':
        return is_held
    first, last = ZONED_LIMITS
    steps = micros.astype(np.int64)
    is_held &= (first <= steps) & (steps <= last)
    return is_held
