"""Reading an object of a document field by field: each must exist, with its type and range."""

import datetime
import math
import re
import sys
import zoneinfo
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.errors import ReleaseError, shown

# -- Time zones by name, from those that the system knows: a name in a file opens no other file.

_OFFSET = re.compile(r'UTC[+-]\d\d:\d\d')
_NAME = re.compile(r'[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}')
_ZONEINFO = 'zoneinfo:'
_MOST_LETTERS = 64


def write_zone(zone: datetime.tzinfo | None) -> str | None:
    """Return the name of a time zone; Python's zoneinfo and pandas' own zones are distinguished.

    Raises:
        ReleaseError: If the name does not lead back to the zone.
    """
    if zone is None:
        return None
    written = f'{_ZONEINFO}{zone.key}' if isinstance(zone, zoneinfo.ZoneInfo) else str(zone)
    try:
        same = _dtype(read_zone(written)) == _dtype(zone)
    except ReleaseError:
        same = False
    if not same:
        raise ReleaseError(
            f'The time zone {shown(zone)} has no name that a release can store. Convert the '
            "column to one that has, as 'UTC' or 'Europe/Berlin', or use save."
        )
    return written


def read_zone(written: Any) -> datetime.tzinfo | None:
    """Return the time zone of this name.

    Raises:
        ReleaseError: If there is none.
    """
    if written is None:
        return None
    name = written if isinstance(written, str) and len(written) <= _MOST_LETTERS else ''
    key = name.removeprefix(_ZONEINFO)
    usable = _OFFSET.fullmatch(key) or (_NAME.fullmatch(key) and not key.startswith('dateutil'))
    try:
        if usable and name != key:
            return zoneinfo.ZoneInfo(key)
        if usable:
            return _dtype(key).tz
    except (TypeError, ValueError, KeyError):  # KeyError: a name that neither library knows
        pass
    raise ReleaseError('The release names a time zone that is not known.')


def _dtype(zone: Any) -> pd.DatetimeTZDtype:
    return pd.DatetimeTZDtype('ns', zone)


# -- Single values, and lists of them, as JSON with explicit types ---------------------------------
#
# Strings, booleans, finite numbers and null are written as such; anything else is an object with
# its type, such as ``{"$type": "Decimal", "value": "0.10"}``. The set of types is fixed here: a
# file cannot name any other.


TYPE = '$type'
_DECIMAL = re.compile(r'-?\d{1,200}(\.\d{1,200})?(E[+-]?\d{1,3})?')
_DATE = re.compile(r'\d{4}-\d\d-\d\d')
_MOMENT = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?')
_UNITS = ('s', 'ms', 'us', 'ns')


def write_value(value: Any) -> Any:
    """Return a value, or a list or tuple of values, as JSON.

    Raises:
        ReleaseError: If it cannot be written.
    """
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64):
        value = value.item()
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if type(value) is list:
        return [write_value(item) for item in value]
    if type(value) is tuple:
        return {TYPE: 'tuple', 'value': [write_value(item) for item in value]}
    return _write_object(value)


def _write_object(value: Any) -> dict[str, Any]:
    if isinstance(value, np.datetime64):
        value = pd.Timestamp(value)
    if isinstance(value, pd.Timestamp) and value is not pd.NaT:
        return {
            TYPE: 'Timestamp',
            'value': value.tz_convert('UTC').tz_localize(None).isoformat()
            if value.tzinfo
            else value.isoformat(),
            'unit': value.unit,
            'zone': write_zone(value.tzinfo),
        }
    if type(value) is datetime.datetime and value.tzinfo is None:
        return {TYPE: 'datetime', 'value': value.isoformat()}
    if type(value) is datetime.date:
        return {TYPE: 'date', 'value': value.isoformat()}
    if type(value) is Decimal and value.is_finite():
        return {TYPE: 'Decimal', 'value': str(value)}
    raise ReleaseError(
        f'A value of type {type(value).__name__} cannot be written into a release: only strings, '
        'booleans, finite numbers, Decimals, dates and timestamps can. Use save instead.'
    )


def read_value(written: Any) -> Any:
    """Return the value that ``write_value`` wrote.

    Raises:
        ReleaseError: If it did not write it.
    """
    if written is None or type(written) in (bool, int, float, str):
        return written
    if isinstance(written, list):
        return [read_value(item) for item in written]
    kind = written.get(TYPE)
    if isinstance(kind, str) and kind in _READERS and isinstance(written.get('value'), str | list):
        try:
            return _READERS[kind](written)
        except (ValueError, KeyError, TypeError, ArithmeticError) as error:
            raise ReleaseError(f'The release holds an invalid {kind}: {error}.') from None
    raise ReleaseError('The release holds a value of a type that is not known.')


def _read_tuple(written: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(read_value(item) for item in _as_list(written['value']))


def _read_decimal(written: dict[str, Any]) -> Decimal:
    return Decimal(_like(_DECIMAL, written['value']))


def _read_date(written: dict[str, Any]) -> datetime.date:
    return datetime.date.fromisoformat(_like(_DATE, written['value']))


def _read_datetime(written: dict[str, Any]) -> datetime.datetime:
    return datetime.datetime.fromisoformat(_like(_MOMENT, written['value']))


def _read_timestamp(written: dict[str, Any]) -> pd.Timestamp:
    if written['unit'] not in _UNITS:
        raise ValueError('its unit is not known')
    moment = pd.Timestamp(_like(_MOMENT, written['value'])).as_unit(written['unit'])
    zone = read_zone(written['zone'])
    return moment if zone is None else moment.tz_localize('UTC').tz_convert(zone)


def _like(pattern: re.Pattern[str], text: Any) -> str:
    if not isinstance(text, str) or not pattern.fullmatch(text):
        raise ValueError('it is not written like one')
    return text


def _as_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError('it is not a list')
    return value


_READERS = {
    'tuple': _read_tuple,
    'Decimal': _read_decimal,
    'date': _read_date,
    'datetime': _read_datetime,
    'Timestamp': _read_timestamp,
}

# -- The dtypes a column of a release may have, by name --------------------------------------------

_WIDTHS = (8, 16, 32, 64)
_UNITS_OF_TIME = ('s', 'ms', 'us', 'ns')
_ZONED = re.compile(r'datetime64\[(s|ms|us|ns), ([^\]]+)\]')
_ARROW_ZONED = re.compile(r'arrow timestamp\[(s|ms|us|ns), tz=([^\]]+)\]')
_ARROW_DECIMAL = re.compile(r'arrow decimal(128|256)\((\d{1,2}), (\d{1,2})\)')


def _numpy_names() -> Iterable[str]:
    yield from ('bool', 'object', 'float16', 'float32', 'float64')
    yield from (f'{kind}{width}' for kind in ('int', 'uint') for width in _WIDTHS)
    yield from (f'datetime64[{unit}]' for unit in _UNITS_OF_TIME)


def _pandas_names() -> Iterable[str]:
    yield from ('boolean', 'Float32', 'Float64', 'string[python]', 'string[pyarrow]')
    yield from (f'{kind}{width}' for kind in ('Int', 'UInt') for width in _WIDTHS)


def _arrow_types() -> Iterable[pa.DataType]:
    yield from (pa.bool_(), pa.string(), pa.large_string(), pa.date32(), pa.date64())
    yield from (pa.float16(), pa.float32(), pa.float64())
    yield from (pa.int8(), pa.int16(), pa.int32(), pa.int64())
    yield from (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
    yield from (pa.timestamp(unit) for unit in _UNITS_OF_TIME)


_DTYPES: dict[str, Any] = {
    **{name: np.dtype(name) for name in _numpy_names()},
    **{name: pd.api.types.pandas_dtype(name) for name in _pandas_names()},
    **{f'arrow {kind}': pd.ArrowDtype(kind) for kind in _arrow_types()},
}
if hasattr(pd.StringDtype(), '_na_value'):  # from pandas 2.3 on
    for _storage in ('python', 'pyarrow'):
        _DTYPES[f'str[{_storage}]'] = pd.StringDtype(_storage, na_value=np.nan)


def write_dtype(dtype: Any) -> Any:
    """Return the name of a dtype; for a category, an object with the values it lists, if any.

    Args:
        dtype: A dtype that is public, see ``dtypes.public_dtype``; None if it is not known.

    Raises:
        ReleaseError: If a release cannot store it.
    """
    if dtype is None:
        return None
    if isinstance(dtype, pd.CategoricalDtype):
        listed = None if dtype.categories is None else write_value(dtype.categories.tolist())
        return _checked({'category': listed, 'ordered': bool(dtype.ordered)}, dtype)
    for name, known in _DTYPES.items():
        if type(known) is type(dtype) and known == dtype:
            return name
    return _checked(_name_with_parameters(dtype), dtype)


def _name_with_parameters(dtype: Any) -> str | None:
    if isinstance(dtype, pd.DatetimeTZDtype):
        return f'datetime64[{dtype.unit}, {write_zone(dtype.tz)}]'
    if isinstance(dtype, pd.ArrowDtype):
        return f'arrow {dtype.pyarrow_dtype}'
    return None


def _checked(written: Any, dtype: Any) -> Any:
    try:
        same = read_dtype(written) == dtype
    except ReleaseError:
        same = False
    if not same:
        raise ReleaseError(
            f'A column of dtype {str(dtype)!r} cannot be written into a release. Convert it to a '
            "common dtype before fit, as with astype('string'), or use save."
        )
    return written


def read_dtype(written: Any) -> Any:
    """Return the dtype that ``write_dtype`` wrote.

    Raises:
        ReleaseError: If it did not write it.
    """
    if written is None:
        return None
    if isinstance(written, dict) and set(written) == {'category', 'ordered'}:
        return _read_category(written)
    if isinstance(written, str) and written in _DTYPES:
        return _DTYPES[written]
    if isinstance(written, str) and (zoned := _ZONED.fullmatch(written)):
        unit: Any = zoned[1]
        return pd.DatetimeTZDtype(unit, read_zone(zoned[2]))
    if isinstance(written, str) and (zoned := _ARROW_ZONED.fullmatch(written)):
        read_zone(zoned[2])  # Arrow itself would accept any name
        return pd.ArrowDtype(pa.timestamp(zoned[1], tz=zoned[2]))
    if isinstance(written, str) and (decimal := _ARROW_DECIMAL.fullmatch(written)):
        return _read_arrow_decimal(*map(int, decimal.groups()))
    raise ReleaseError('The release names a dtype that is not known.')


def _read_category(written: dict[str, Any]) -> pd.CategoricalDtype:
    values = read_value(written['category'])
    if not isinstance(values, list | None) or not isinstance(written['ordered'], bool):
        raise ReleaseError('The release describes an invalid category.')
    try:
        return pd.CategoricalDtype(values, ordered=written['ordered'])
    except (TypeError, ValueError):
        raise ReleaseError('The release describes an invalid category.') from None


def _read_arrow_decimal(bits: int, precision: int, scale: int) -> pd.ArrowDtype:
    make = pa.decimal128 if bits == 128 else pa.decimal256
    try:
        return pd.ArrowDtype(make(precision, scale))
    except (pa.ArrowException, ValueError):
        raise ReleaseError('The release names a decimal dtype that does not exist.') from None


# -- Reading an object of a document field by field: each must exist, with its type and range ------


MOST_COLUMNS = 2_000
MOST_CODES = 1 << 22
MOST_LETTERS = 1_000
_LARGEST = sys.float_info.max


class Fields:
    """An object with exactly the keys it should have.

    Args:
        value: The value in the document at this place.
        where: The name of the place in errors.
        keys: The keys it must have.

    Raises:
        ReleaseError: If it is not an object, or has other keys. All methods raise it for a value
            that is not of the requested form.
    """

    def __init__(self, value: Any, where: str, keys: Iterable[str]):
        self._where = where
        if not isinstance(value, dict) or set(value) != set(keys):
            raise ReleaseError(f'{where} of the release must have the keys {sorted(keys)}.')
        self._value = value

    def __contains__(self, key: str) -> bool:
        return key in self._value

    def raw(self, key: str) -> Any:
        """Return a value unchanged."""
        return self._value[key]

    def text(self, key: str, pattern: str | None = None, most: int = MOST_LETTERS) -> str:
        """Return a string that matches a pattern."""
        value = self._value[key]
        if not isinstance(value, str) or len(value) > most:
            self._refuse(key, f'a text of at most {most} letters')
        if pattern is not None and not re.fullmatch(pattern, value):
            self._refuse(key, f'a text like {pattern}')
        return value

    def choice(self, key: str, choices: Sequence[Any]) -> Any:
        """Return one of some values, of the same type."""
        value = self._value[key]
        if not any(value == choice and type(value) is type(choice) for choice in choices):
            self._refuse(key, f'one of {", ".join(map(repr, choices))}')
        return value

    def flag(self, key: str) -> bool:
        """Return true or false."""
        return bool(self.choice(key, (True, False)))

    def whole(self, key: str, low: int, high: int) -> int:
        """Return an integer within bounds."""
        value = self._value[key]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self._refuse(key, f'an integer from {low} to {high}')
        return value

    def number(self, key: str, low: float = -_LARGEST) -> float:
        """Return a finite number of at least ``low``."""
        value = self._value[key]
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._refuse(key, f'a number of at least {low}')
        if not low <= value <= _LARGEST:
            self._refuse(key, f'a number of at least {low}')
        return value

    def items(self, key: str, most: int) -> list[Any]:
        """Return a list of at most this many items."""
        value = self._value[key]
        if not isinstance(value, list) or len(value) > most:
            self._refuse(key, f'a list of at most {most}')
        return value

    def names(self, key: str, known: Iterable[str]) -> tuple[str, ...]:
        """Return a list of distinct known names."""
        known = set(known)
        value = self.items(key, len(known))
        if not all(isinstance(name, str) and name in known for name in value):
            self._refuse(key, 'a list of known columns')
        if len(set(value)) < len(value):
            self._refuse(key, 'a list that names no column twice')
        return tuple(value)

    def optional(self, key: str) -> bool:
        """Whether there is a value other than null."""
        return self._value[key] is not None

    def _refuse(self, key: str, expected: str) -> NoReturn:
        raise ReleaseError(f"'{key}' in {self._where} of the release must be {expected}.")


def read_list(value: Any, where: str, most: int) -> list[Any]:
    """Return a list of at most this many items."""
    if not isinstance(value, list) or len(value) > most:
        raise ReleaseError(f'{where} of the release must be a list of at most {most}.')
    return value
