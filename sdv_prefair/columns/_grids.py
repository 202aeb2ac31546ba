"""Public grids over values, for fine histograms from which a domain or bins are learnt."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from sdv_prefair._arrays import Flags, Integers
from sdv_prefair.columns._cells import are_null
from sdv_prefair.columns._dtypes import read_numbers
from sdv_prefair.columns._lookups import DecimalGrid, FineGrid
from sdv_prefair.columns._moments import read_micros

# -- Public grids over a column's values, for fine histograms from which a domain is learnt --------
#
# Unlike transformers, they need no public range. Cells are numbered in increasing order; null has
# the cell after the last.


@dataclass(frozen=True)
class Cells(ABC):
    """Base of all grids.

    Attributes:
        num_cells: Number of cells, without the one for null.
    """

    if TYPE_CHECKING:  # dataclasses would treat a property here as the default of the field

        @property
        def num_cells(self) -> int:
            """Number of cells, without the one for null."""

    @property
    def num_codes(self) -> int:
        """Number of cells, including the one for null."""
        return self.num_cells + 1

    @property
    def null_code(self) -> int:
        """The cell of null."""
        return self.num_cells

    @property
    def num_counted(self) -> int:
        """Number of cells: none is hidden."""
        return self.num_codes

    @property
    def unread_code(self) -> int:
        """The cell of null."""
        return self.null_code

    def encode(self, values: pd.Series) -> np.ndarray:
        """Return the cell of each value; a value outside goes to the nearest cell."""
        numbers, nulls = self._read(values)
        return np.where(nulls, self.null_code, self._locate(np.where(nulls, 0, numbers)))

    @abstractmethod
    def _read(self, values: pd.Series) -> tuple[np.ndarray, Flags]:
        """Return numbers in the order of the cells, and which values are missing."""

    @abstractmethod
    def _locate(self, numbers: np.ndarray) -> np.ndarray:
        """Return the cell of each number."""


@dataclass(frozen=True)
class NumberCells(Cells):
    """Cell i holds the numbers in [edges[i], edges[i + 1]).

    Attributes:
        edges: The edges of the cells, in increasing order.
    """

    edges: np.ndarray

    @property
    def num_cells(self) -> int:
        """Number of cells, without the one for null."""
        return len(self.edges) - 1

    def _read(self, values: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        return _read_floats(values)

    def _locate(self, numbers: np.ndarray) -> np.ndarray:
        cells = np.searchsorted(self.edges, numbers, side='right') - 1
        return np.clip(cells, 0, self.num_cells - 1)


@dataclass(frozen=True)
class DecimalCells(Cells):
    """Cells of numbers by size, and within each size by the number of decimals.

    Each size has a cell for numbers without decimals, one for numbers with one decimal, and so on,
    and a last one for numbers with more decimals than are distinguished.

    Attributes:
        edges: The edges between sizes, in increasing order.
        places: The largest number of decimals that is distinguished; None if decimals are ignored.
    """

    edges: np.ndarray
    places: int | None

    @property
    def num_kinds(self) -> int:
        """Number of cells per size."""
        return 1 if self.places is None else self.places + 2

    @property
    def num_cells(self) -> int:
        """Number of cells, without the one for null."""
        return self.by_size.num_cells * self.num_kinds

    @property
    def by_size(self) -> NumberCells:
        """The grid of sizes alone."""
        return NumberCells(self.edges)

    @property
    def sizes(self) -> np.ndarray:
        """The size of each cell; null has the one after the last."""
        return np.arange(self.num_codes) // self.num_kinds

    @property
    def decimals(self) -> np.ndarray:
        """The number of decimals of each cell; null has a number of its own."""
        return np.append(np.arange(self.num_cells) % self.num_kinds, self.num_kinds)

    def _read(self, values: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        return _read_floats(values)

    def _locate(self, numbers: np.ndarray) -> np.ndarray:
        grid = self.grid
        return self.by_size._locate(numbers) if grid is None else grid.locate(numbers)

    @property
    def grid(self) -> DecimalGrid | None:
        """The same cells as a grid that needs only numpy; None if decimals are ignored."""
        return None if self.places is None else DecimalGrid(self.edges, self.places, self.null_code)


@dataclass(frozen=True)
class NullCells(Cells):
    """One cell for all values, and one for null."""

    null_code: ClassVar[int] = 1  # known before a grid is made
    num_cells: ClassVar[int] = 1

    def _read(self, values: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(len(values)), are_null(values)

    def _locate(self, numbers: np.ndarray) -> np.ndarray:
        return np.zeros(len(numbers), dtype=np.int64)


@dataclass(frozen=True)
class MonthCells(Cells):
    """A cell for each month.

    Attributes:
        first: The first month, counted from January 1970.
        num_cells: Number of months.
        datetime_format: How timestamps are written, if they are strings.
        instants: Whether time zones are converted to UTC, or dropped.
    """

    first: int
    num_cells: int
    datetime_format: str | None
    instants: bool

    def _read(self, values: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        return read_micros(values, self.datetime_format, self.instants)

    def _locate(self, numbers: np.ndarray) -> np.ndarray:
        months = numbers.astype('datetime64[us]').astype('datetime64[M]').astype(np.int64)
        return np.clip(months - self.first, 0, self.num_cells - 1)


def _read_floats(values: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    numbers, nulls = read_numbers(values)
    return numbers.astype(np.float64, copy=False), nulls


# -- Public grids as fine as they can be counted: up to a million cells, located by arithmetic -----
#
# There are too many cells for a lookup table, so databases compute the codes of these grids; the
# same operations on 64-bit floats give the same cells everywhere.


MOST_CELLS = 2**20
_MICROS = 10**6


@dataclass(frozen=True)
class FineCells(Cells):
    """Cells of equal width, and cells of single numbers among them.

    Attributes:
        low: Lower bound; smaller numbers are clipped to it.
        high: Upper bound; larger numbers are clipped to it.
        scale: The factor by which numbers are multiplied before rounding; None for no rounding.
        width: Width of a cell, after multiplication.
        num_even: The number of cells of this width.
        singles: Numbers, after multiplication, with a cell of their own: each starts one additional
            cell, and another one above it.
    """

    low: float
    high: float
    scale: float | None
    width: float
    num_even: int
    singles: tuple[float, ...] = ()

    @property
    def num_cells(self) -> int:
        """Number of cells, without the one for null."""
        return self.num_even + 2 * len(self.singles)

    @property
    def first(self) -> float:
        """Where the first cell begins, after multiplication."""
        return self.low if self.scale is None else float(np.floor(self.low * self.scale + 0.5))

    def locate(self, numbers: Sequence[float]) -> np.ndarray:
        """Return the cells of public numbers, each once and in order."""
        return np.unique(self._locate(np.array(numbers, dtype=np.float64)))

    def _read(self, values: pd.Series) -> tuple[np.ndarray, Flags]:
        numbers, nulls = read_numbers(values)
        return numbers.astype(np.float64, copy=False), nulls

    def _locate(self, numbers: np.ndarray) -> np.ndarray:
        return self.grid.locate(numbers)

    @property
    def grid(self) -> FineGrid:
        """The same cells as a grid that needs only numpy."""
        return FineGrid(
            *(self.low, self.high, self.scale, self.first, self.width),
            *(self.num_even, self.singles, self.null_code),
        )


@dataclass(frozen=True)
class MomentCells(Cells):
    """Cells of timestamps of equal length.

    Attributes:
        first: The second, counted from 1970, at which the first cell begins.
        length: The length of a cell in seconds.
        num_cells: Number of cells, without the one for null.
        datetime_format: How timestamps are written, if they are strings.
        instants: Whether time zones are converted to UTC, or dropped.
    """

    first: int
    length: int
    num_cells: int
    datetime_format: str | None
    instants: bool

    def _read(self, values: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        return read_micros(values, self.datetime_format, self.instants)

    def _locate(self, numbers: np.ndarray) -> np.ndarray:
        cells = (numbers // _MICROS - self.first) // self.length
        located: Integers = np.clip(cells, 0, self.num_cells - 1)
        return located
