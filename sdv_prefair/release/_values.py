"""Single values, and lists of them, as JSON with explicit types.

Strings, booleans, finite numbers and null are written as such; anything else is an object with its
type, such as ``{"$type": "Decimal", "value": "0.10"}``. The set of types is fixed here: a file
cannot name any other.
"""

import datetime
import math
import re
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.errors import ReleaseError
from sdv_prefair.release._timezones import read_zone, write_zone

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
