"""One key for each value that may be learnt, computed from the value alone.

Python treats many different values as equal: 1, True and 1.0, Decimal('1.0') and
Decimal('1.00'), noon in Paris and eleven in London. As dictionary keys, the first one would
represent all of them, and leak the order of rows. A canonical value includes its type and its
string, so that the result is a function of the counts.
"""

import datetime
import uuid
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdv_prefair.values._objects import is_null

_EXACT_FLOAT = 2**53
_LARGEST_BITS = 1023


class CanonicalValue(NamedTuple):
    """A value determined by type and string.

    Attributes:
        kind: Name of its type.
        text: How it is written.
        value: The value, of exactly that type.
    """

    kind: str
    text: str
    value: Any

    def __str__(self) -> str:
        return f'{self.kind} {self.text}'


def canonical_value(cell: Any, typed: bool = False) -> CanonicalValue | None:
    """Return the canonical form of a cell; None if it is null or cannot be learnt.

    Args:
        cell: Anything.
        typed: Whether the column's type is that of its cells. If not, as in columns of objects and
            in categories, integral floats are integers: one cell with a half would otherwise
            turn all numbers of a category into floats.
    """
    try:
        value = None if is_null(cell) else _plain(cell)
        if value is None:
            return None
        if not typed and type(value) is float and value.is_integer():
            value = int(value) if abs(value) < _EXACT_FLOAT else value
        return CanonicalValue(type(value).__name__, _text(value), value)
    except Exception:  # whatever an arbitrary object raises, it is not a value
        return None


def distinct_values(canonical: Iterable[CanonicalValue]) -> list[Any]:
    """Return learnt values, only the first of those that Python treats as equal; True and 1 both.

    If one number is a float, all are.

    Privacy: post-processing of values that were released.
    """
    values: dict[tuple[bool, Any], Any] = {}
    for _, _, value in canonical:
        values.setdefault((isinstance(value, bool), value), value)
    has_float = any(type(value) is float for value in values.values())
    return [
        float(value) if has_float and type(value) is int and abs(value) < _EXACT_FLOAT else value
        for value in values.values()
    ]


def _plain(cell: Any) -> Any:
    """Return a cell as exactly one of the known types, without calling its own methods."""
    for kinds, read in _READERS:
        if isinstance(cell, kinds):
            return read(cell)
    return None


def _text(value: Any) -> str:
    if type(value) is tuple:
        return repr([(type(item).__name__, _text(item)) for item in value])
    return value if type(value) is str else repr(value)


def _read_text(cell: str) -> str | None:
    text = str.__str__(cell)
    text.encode('utf-8')  # a lone surrogate raises
    return text


def _read_integer(cell: Any) -> int | None:
    number = cell.item() if isinstance(cell, np.generic) else int.__add__(cell, 0)
    return number if number.bit_length() <= _LARGEST_BITS else None


def _read_float(cell: Any) -> float:
    number = cell.item() if isinstance(cell, np.generic) else cell
    return float.__add__(number, 0.0)  # the positive one of the two zeros


def _read_decimal(cell: Decimal) -> Decimal | None:
    return Decimal(cell) if cell.is_finite() else None


def _read_moment(cell: Any) -> pd.Timestamp:
    """Return a timestamp, in UTC if it has a time zone, in nanoseconds only if it needs them."""
    moment = pd.Timestamp(cell)
    zone = None if moment.tzinfo is None else 'UTC'
    if zone is not None:
        moment = moment.tz_convert('UTC').tz_localize(None)
    moment = moment.as_unit('ns' if moment.nanosecond else 'us')
    return pd.Timestamp(moment.to_datetime64()).tz_localize(zone)


def _read_time(cell: datetime.time) -> datetime.time | None:
    if cell.tzinfo is not None:
        return None
    return datetime.time(cell.hour, cell.minute, cell.second, cell.microsecond)


def _read_interval(cell: pd.Interval) -> pd.Interval:
    return pd.Interval(_plain(cell.left), _plain(cell.right), cell.closed)


def _read_tuple(cell: tuple[Any, ...]) -> tuple[Any, ...] | None:
    items = tuple(map(_plain, cell))
    return None if any(item is None for item in items) else items


_READERS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, _read_text),
    ((bool, np.bool_), bool),
    (
        (datetime.timedelta, np.timedelta64),  # numpy's is an integer too
        lambda cell: pd.Timedelta(cell).as_unit('ns'),
    ),
    ((int, np.integer), _read_integer),
    ((float, np.floating), _read_float),
    (Decimal, _read_decimal),
    ((datetime.datetime, np.datetime64), _read_moment),
    (datetime.date, lambda cell: datetime.date(cell.year, cell.month, cell.day)),
    (datetime.time, _read_time),
    (bytes, lambda cell: bytes.__add__(cell, b'')),
    (uuid.UUID, lambda cell: uuid.UUID(int=cell.int)),
    (pd.Interval, _read_interval),
    (pd.Period, lambda cell: pd.Period(ordinal=cell.ordinal, freq=cell.freqstr)),
    (tuple, _read_tuple),
)
