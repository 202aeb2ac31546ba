"""Public grids as fine as they can be counted: up to a million cells, located by arithmetic.

There are too many cells to look up, so these are the grids that databases compute codes of; the
same operations on floats of 64 bits give the same cells everywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdv_prefair.counts.cells import Cells
from sdv_prefair.counts.lookups import FineGrid
from sdv_prefair.values.arrays import Flags, Integers
from sdv_prefair.values.dtypes import read_numbers
from sdv_prefair.values.timestamps import read_micros

MOST_CELLS = 2**20
_MICROS = 10**6


@dataclass(frozen=True)
class FineCells(Cells):
    """Cells of numbers that are all equally wide, and cells of single numbers among them.

    Attributes:
        low: What smaller numbers are raised to.
        high: What larger numbers are lowered to.
        scale: What numbers are multiplied by before they are rounded; None if they are not.
        width: Width of a cell, once numbers are multiplied.
        num_even: How many cells of this width there are.
        singles: Numbers, multiplied, that have a cell of their own: up to there is one more cell
            from each of them on, and another above it.
    """

    low: float
    high: float
    scale: float | None
    width: float
    num_even: int
    singles: tuple[float, ...] = ()

    @property
    def num_cells(self) -> int:
        """Number of cells without that of null."""
        return self.num_even + 2 * len(self.singles)

    @property
    def first(self) -> float:
        """Where the first cell begins, once numbers are multiplied."""
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
        """The same cells, for who has numpy alone."""
        return FineGrid(
            *(self.low, self.high, self.scale, self.first, self.width),
            *(self.num_even, self.singles, self.null_code),
        )


@dataclass(frozen=True)
class MomentCells(Cells):
    """Cells of timestamps that are all equally long.

    Attributes:
        first: The second, counted from 1970, with which the first begins.
        length: How many seconds a cell has.
        num_cells: Number of cells without that of null.
        datetime_format: How timestamps are written, if they are text.
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
