"""Unreadable Arrow values as nulls: one of them must not make a fit fail.

Arrow can store what Python and pandas cannot: strings that are not UTF-8, and timestamps beyond the
years 1 to 9999, which databases return for 'infinity'. Reading such a value raises an error, or
wraps around to another one. Each becomes null on its own, wherever it is. Spark workers do this
too, so only numpy and Arrow are needed here.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

_DAY = 86_400
FIRST_SECOND, LAST_SECOND = -719_162 * _DAY, 2_932_897 * _DAY - 1  # years 1 and 9999
_PER_SECOND = {'s': 1, 'ms': 10**3, 'us': 10**6}


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is one of Arrow's string types."""
    of_text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    return bool(of_text)


def readable(array: pa.Array) -> pa.Array:
    """Return the array with null for every string and timestamp that cannot be read.

    Args:
        array: An array of any type. Values inside dictionaries and nested types are not checked.
    """
    kind = array.type
    if is_text(kind):
        return _texts(array)
    if types.is_date64(kind):
        return _within(_whole_days(array), FIRST_SECOND // _DAY, LAST_SECOND // _DAY)
    if types.is_date32(kind) or types.is_timestamp(kind):
        return _within(array, *limits_of(kind))
    return array


def limits_of(kind: pa.DataType) -> tuple[int, int]:
    """Return the first and last valid step of a type of 32-bit dates or of timestamps.

    Some clocks show another day for the same instant.
    """
    if types.is_date32(kind):
        return FIRST_SECOND // _DAY, LAST_SECOND // _DAY
    margin = 0 if kind.tz is None else _DAY
    if kind.unit == 'ns':  # these end long before the year 9999, with 'infinity' in the last second
        last = (2**63 // 10**9 - margin) * 10**9
        return -last, last
    parts = _PER_SECOND[kind.unit]
    return (FIRST_SECOND + margin) * parts, (LAST_SECOND + 1 - margin) * parts - 1


def _texts(array: pa.Array) -> pa.Array:
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        raw = array.cast(pa.large_binary()).to_pylist()
        return pa.array(map(_decoded, raw), pa.large_string())
    return array


def _decoded(raw: bytes | None) -> str | None:
    try:
        return None if raw is None else raw.decode('utf-8')
    except UnicodeDecodeError:
        return None


def _within(array: pa.Array, low: int, high: int) -> pa.Array:
    steps = array.view(pa.int32() if types.is_date32(array.type) else pa.int64())
    is_within = pc.and_(
        pc.greater_equal(steps, pa.scalar(low, steps.type)),
        pc.less_equal(steps, pa.scalar(high, steps.type)),
    )
    if pc.all(is_within).as_py() in (True, None):
        return array
    return pc.if_else(is_within, array, pa.scalar(None, array.type))


def _whole_days(array: pa.Array) -> pa.Array:
    """Return milliseconds as the days that contain them, because they need not be midnights."""
    milliseconds = array.view(pa.int64())
    days = milliseconds.fill_null(0).to_numpy() // (_DAY * 1000)
    fits = np.abs(days) < 2**31
    nulls = milliseconds.is_null().to_numpy(zero_copy_only=False) | ~fits
    return pa.array(np.where(fits, days, 0).astype(np.int32), mask=nulls).view(pa.date32())
