"""Encoders as lookup tables, with numpy and Arrow and nothing else.

An encoder imports RDT, pandas and SDV, which a Spark worker would load for seconds. For the values
of one Arrow type it is mostly equivalent to a table, which ``compiled`` fills by
calling the encoder. The classes here are sent to workers by value: these need no module of this
package.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from sdv_prefair.counts.readable import readable

# Floats from here on have no decimals.
ALL_WHOLE = 2.0**53


class Lookup(Protocol):
    """Turns Arrow arrays of one type into codes."""

    def encode(self, array: pa.Array) -> np.ndarray:
        """Return a code for each value."""


@dataclass(frozen=True)
class Steps:
    """Codes that hold from one value up to the next, of numbers, dates or timestamps.

    Attributes:
        starts: The values from which another code holds, rising.
        codes: The code below the first start, and that from each start on.
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
    """Codes of integers from one on, a code for each; those outside have that of the nearest.

    Attributes:
        first: The first number.
        codes: The codes of it and those that follow.
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
        numbers: The numbers, rising.
        codes: Their codes, and last that of all other numbers.
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
    """Codes of single texts.

    Attributes:
        texts: The texts.
        codes: Their codes, and last that of all other texts.
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
        # The place of what is not found is -1, which takes the last entry.
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
    """Cells of numbers as ``fine_cells.FineCells`` has them, too many to be looked up.

    Attributes:
        low: What smaller numbers are raised to.
        high: What larger numbers are lowered to.
        scale: What numbers are multiplied by before they are rounded; None if they are not.
        first: Where the first cell begins, once numbers are multiplied.
        width: Width of a cell.
        num_even: How many cells of this width there are.
        singles: Numbers that have a cell of their own.
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
    """Cells of numbers by size and decimals, as ``cells.DecimalCells`` has them.

    Attributes:
        edges: The edges between sizes, rising.
        places: The most decimals that are distinguished.
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

    By operations on floats that all databases have, too.
    """
    small = np.where(np.abs(numbers) < ALL_WHOLE, numbers, 0.0)
    found = np.full(len(numbers), most + 1)
    for places in range(most, -1, -1):
        scaled = small * 10.0**places
        # From here on floats are whole, and a half more would round them to others.
        rounded = np.where(np.abs(scaled) < ALL_WHOLE, np.floor(scaled + 0.5), scaled)
        found[rounded / 10.0**places == small] = places
    return found


def numbers_of(array: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Return what an array stores in rising order of its values, and where it is null.

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
    """Return codes, those of nulls put in."""
    return np.where(nulls, unread, codes) if nulls.any() else codes
