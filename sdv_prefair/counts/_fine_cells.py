"""Public grids as fine as they can be counted: up to a million cells, located by arithmetic.

There are too many cells for a lookup table, so databases compute the codes of these grids; the same
operations on 64-bit floats give the same cells everywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdv_prefair.counts._cells import Cells
from sdv_prefair.counts._lookups import FineGrid
from sdv_prefair.values._arrays import Flags, Integers
from sdv_prefair.values._dtypes import read_numbers
from sdv_prefair.values._timestamps import read_micros

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
