"""Encoders as lookup tables, with numpy and Arrow and nothing else.

An encoder imports RDT, pandas and SDV, which a Spark worker would load for seconds. For the values
of one Arrow type, it is mostly equivalent to a table, which ``compiled`` fills by calling the
encoder. The classes here are sent to workers by value, so workers need no module of this package.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

# -- Unreadable Arrow values as nulls: one of them must not make a fit fail ------------------------
#
# Arrow can store what Python and pandas cannot: strings that are not UTF-8, and timestamps beyond
# the years 1 to 9999, which databases return for 'infinity'. Reading such a value raises an
# error, or wraps around to another one. Each becomes null on its own, wherever it is. Spark
# workers do this too, so only numpy and Arrow are needed here.

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


# -- Encoders as lookup tables, with numpy and Arrow and nothing else ------------------------------

# Floats from here on have no decimals.
ALL_WHOLE = 2.0**53


class Lookup(Protocol):
    """Turns Arrow arrays of one type into codes."""

    def encode(self, array: pa.Array) -> np.ndarray:
        """Return a code for each value."""


@dataclass(frozen=True)
class Steps:
    """Codes of numbers, dates or timestamps that are constant from one value up to the next.

    Attributes:
        starts: The values at which the code changes, in increasing order.
        codes: The code below the first start, then the code from each start on.
        unread: The code of null.
    """

    starts: np.ndarray
    codes: np.ndarray
    unread: int

    def encode(self, array: pa.Array) -> np.ndarray:
        """Return a code for each value."""
        values, nulls = numbers_of(array)
        return coded(self.codes[np.searchsorted(self.starts, values, 'right')], nulls, self.unread)


@dataclass(frozen=True)
class Run:
    """Codes of consecutive integers, one for each; integers outside have that of the nearest.

    Attributes:
        first: The first number.
        codes: The codes of it and of those that follow.
        unread: The code of null.
    """

    first: int
    codes: np.ndarray
    unread: int

    def encode(self, array: pa.Array) -> np.ndarray:
        """Return a code for each value."""
        values, nulls = numbers_of(array)
        places = np.clip(values, self.first, self.first + len(self.codes) - 1) - self.first
        return coded(self.codes[places], nulls, self.unread)


@dataclass(frozen=True)
class Numbers:
    """Codes of single numbers.

    Attributes:
        numbers: The numbers, in increasing order.
        codes: Their codes, then that of all other numbers.
        unread: The code of null.
    """

    numbers: np.ndarray
    codes: np.ndarray
    unread: int

    def encode(self, array: pa.Array) -> np.ndarray:
        """Return a code for each value."""
        values, nulls = numbers_of(array)
        places = np.searchsorted(self.numbers, values)
        others = len(self.numbers)
        found = np.append(self.numbers, self.numbers[:1])[places] == values if others else False
        return coded(self.codes[np.where(found, places, others)], nulls, self.unread)


@dataclass(frozen=True)
class Texts:
    """Codes of single strings.

    Attributes:
        texts: The strings.
        codes: Their codes, then that of all other strings.
        unread: The code of null.
    """

    texts: pa.Array
    codes: np.ndarray
    unread: int

    def encode(self, array: pa.Array) -> np.ndarray:
        """Return a code for each value."""
        array = readable(array)
        if not types.is_string(array.type) and not types.is_large_string(array.type):
            array = array.cast(pa.large_string())
        found = pc.index_in(array, value_set=self.texts.cast(array.type))
        # Values that are not found have position -1, which takes the last entry.
        places = found.fill_null(-1).to_numpy(zero_copy_only=False)
        return coded(self.codes[places], null_flags(array), self.unread)


@dataclass(frozen=True)
class Flags:
    """Codes of false and true.

    Attributes:
        codes: The codes.
        unread: The code of null.
    """

    codes: np.ndarray
    unread: int

    def encode(self, array: pa.Array) -> np.ndarray:
        """Return a code for each value."""
        places = array.fill_null(False).cast(pa.int8()).to_numpy(zero_copy_only=False)
        return coded(self.codes[places], null_flags(array), self.unread)


@dataclass(frozen=True)
class FineGrid:
    """Cells of numbers as in ``FineCells``, too many for a lookup table.

    Attributes:
        low: Lower bound; smaller numbers are clipped to it.
        high: Upper bound; larger numbers are clipped to it.
        scale: The factor by which numbers are multiplied before rounding; None for no rounding.
        first: Where the first cell begins, after multiplication.
        width: Width of a cell.
        num_even: The number of cells of this width.
        singles: Numbers with a cell of their own.
        unread: The cell of null.
    """

    low: float
    high: float
    scale: float | None
    first: float
    width: float
    num_even: int
    singles: tuple[float, ...]
    unread: int

    def encode(self, array: pa.Array) -> np.ndarray:
        """Return the cell of each value."""
        values, nulls = numbers_of(array)
        located = self.locate(np.where(nulls, 0, values).astype(np.float64))
        return coded(located, nulls, self.unread)

    def locate(self, numbers: np.ndarray) -> np.ndarray:
        """Return the cell of each number."""
        places = np.clip(numbers, self.low, self.high)
        if self.scale is not None:
            places = np.floor(places * self.scale + 0.5)
        cells = np.floor((places - self.first) / self.width)
        located: np.ndarray = np.minimum(cells, self.num_even - 1).astype(np.int64)
        for single in self.singles:
            located += places >= single
            located += places > single
        return located


@dataclass(frozen=True)
class DecimalGrid:
    """Cells of numbers by size and decimals, as in ``cells.DecimalCells``.

    Attributes:
        edges: The edges between sizes, in increasing order.
        places: The largest number of decimals that is distinguished.
        unread: The cell of null.
    """

    edges: np.ndarray
    places: int
    unread: int

    def encode(self, array: pa.Array) -> np.ndarray:
        """Return the cell of each value."""
        values, nulls = numbers_of(array)
        located = self.locate(np.where(nulls, 0, values).astype(np.float64))
        return coded(located, nulls, self.unread)

    def locate(self, numbers: np.ndarray) -> np.ndarray:
        """Return the cell of each number."""
        sizes = np.searchsorted(self.edges, numbers, side='right') - 1
        sizes = np.clip(sizes, 0, len(self.edges) - 2)
        cells: np.ndarray = sizes * (self.places + 2) + _num_decimals(numbers, self.places)
        return cells


def _num_decimals(numbers: np.ndarray, most: int) -> np.ndarray:
    """Return how many decimals numbers have; one more than the most if they have more.

    Uses only float operations that all databases have too.
    """
    small = np.where(np.abs(numbers) < ALL_WHOLE, numbers, 0.0)
    found = np.full(len(numbers), most + 1)
    for places in range(most, -1, -1):
        scaled = small * 10.0**places
        # From here on, floats are integral, and adding a half would round them to others.
        rounded = np.where(np.abs(scaled) < ALL_WHOLE, np.floor(scaled + 0.5), scaled)
        found[rounded / 10.0**places == small] = places
    return found


def numbers_of(array: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the stored numbers of an array, in the order of its values, and its nulls.

    Dates and timestamps are numbers of days or of other units; NaN is null.
    """
    array = readable(array)
    kind = array.type
    if types.is_timestamp(kind):
        array = array.view(pa.int64())
    elif types.is_date32(kind):
        array = array.view(pa.int32())
    nulls = null_flags(array)
    values = array.fill_null(0).to_numpy(zero_copy_only=False) if array.null_count else None
    values = array.to_numpy(zero_copy_only=False) if values is None else values
    if values.dtype.kind == 'f':
        nulls = nulls | np.isnan(values)
    elif values.dtype.kind == 'i':
        values = values.astype(np.int64, copy=False)
    return values, nulls


def null_flags(array: pa.Array) -> np.ndarray:
    """Return where an array is null."""
    if not array.null_count:
        return np.zeros(len(array), dtype=bool)
    flags: np.ndarray = array.is_null().to_numpy(zero_copy_only=False)
    return flags


def coded(codes: np.ndarray, nulls: np.ndarray, unread: int) -> np.ndarray:
    """Return codes, with that of null filled in."""
    return np.where(nulls, unread, codes) if nulls.any() else codes
