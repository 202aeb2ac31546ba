"""The public grid of a column's histograms, and the tree over it.

With up to a million possible numbers or timestamps each has its own cell, so that a value which
many rows share is found wherever it is. With more, and for real numbers, cells have equal width,
and values that are often special have cells of their own: zero, the bounds of the range, powers
of ten, and what the user names.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdv_prefair.counts import Encoder
from sdv_prefair.counts._fine_cells import MOST_CELLS, FineCells
from sdv_prefair.transformers import NumberBins
from sdv_prefair.transformers._bins import GridBins, RealBins
from sdv_prefair.values._arrays import Floats, Integers

# Up to this many cells form one histogram; more form a tree, whose first level has fewer.
ONE_LEVEL = 1024
_FIRST_LEVEL, _BRANCHES = 256, 64
_LARGEST = 2**64 - 1
_EXACT_FLOAT = 2**52
# Larger powers of ten are rarely special, and each costs a comparison per number.
_LARGEST_POWER = 19


@dataclass(frozen=True)
class FineGrid:
    """Public facts of one column.

    Attributes:
        cells: Turns values into fine cells.
        levels: For each level of the tree the first cells of its nodes, from the top.
        widths: The width of each cell.
        values: How many values each cell has; infinity if they cannot be counted.
        edge: The edge between bins at which a cell begins, as transformers take it.
        spikes: The cells of the values that the user named.
        days: The day of each cell, as a number, if weekdays are measured.
    """

    cells: Encoder
    levels: tuple[np.ndarray, ...]
    widths: Floats
    values: Floats
    edge: Callable[[int], Any]
    spikes: np.ndarray
    days: Integers | None = None


def even_levels(num_cells: int) -> tuple[np.ndarray, ...]:
    """Return the levels of a tree with about as many branches everywhere."""
    if num_cells <= ONE_LEVEL:
        return (np.arange(num_cells),)
    ratio = num_cells / _FIRST_LEVEL
    depth = math.ceil(math.log(ratio) / math.log(_BRANCHES))
    branches = math.ceil(ratio ** (1 / depth))
    return tuple(np.arange(0, num_cells, branches**power) for power in range(depth, -1, -1))


def grid_of_numbers(codes: NumberBins, spikes: Sequence[float]) -> FineGrid:
    """Return the grid of a column of numbers.

    Args:
        codes: The column in bins of equal width.
        spikes: Values that get a bin of their own.
    """
    line = codes.line
    if isinstance(line, RealBins):
        return _real_numbers(line, spikes)
    return _points(line, codes.places or 0, spikes)


def _points(line: GridBins, places: int, spikes: Sequence[float]) -> FineGrid:
    scale = 10**places
    low, high = line.first / scale, line.last / scale
    named = _offsets(line, scale, spikes)
    width = -(-line.size // MOST_CELLS)
    singles = sorted({*_offsets(line, scale, _telling(low, high)), *named}) if width > 1 else []
    num_even = -(-line.size // width)
    starts = np.arange(num_even, dtype=np.uint64) * np.uint64(width)
    own = [*singles, *(single + 1 for single in singles), min(line.size, _LARGEST)]
    # Two sorted runs, which only a stable sort takes for what they are.
    bounds = np.sort(np.concatenate([starts, np.array(own, dtype=np.uint64)]), kind='stable')
    values = np.diff(bounds).astype(np.float64)
    held = tuple(float(line.first + single) for single in singles)
    # Beyond this, all floats are integers, and databases have no integers to round them to.
    is_exact = max(abs(line.first), abs(line.last)) < _EXACT_FLOAT
    rounding = float(scale) if is_exact else None
    cells = FineCells(float(low), float(high), rounding, float(width), num_even, held)

    def edge(cell: int) -> float:
        # After the last point comes a cell without any, if that has one of its own.
        point = min(line.first + int(bounds[cell]), line.last)
        return point / scale if places else point

    found = cells.locate([(line.first + offset) / scale for offset in named])
    return FineGrid(cells, even_levels(len(values)), values, values, edge, found)


def _offsets(line: GridBins, scale: int, values: Sequence[float]) -> list[int]:
    """Return where values lie on a line, counted from its first; without those that do not."""
    points = [round(float(value) * scale) - line.first for value in values]
    return sorted({point for point in points if 0 <= point < min(line.size, _LARGEST)})


def _real_numbers(line: RealBins, spikes: Sequence[float]) -> FineGrid:
    low, high = line.low, line.high
    num_even = MOST_CELLS if high > low else 1
    width = (high - low) / num_even or 1.0
    named = [float(spike) for spike in spikes if low <= spike <= high]
    singles = sorted({*(v for v in _telling(low, high) if low <= v <= high), *named})
    starts = low + width * np.arange(1, num_even)
    above = np.nextafter(singles, np.inf)
    bounds = np.concatenate([
        [low],
        np.sort(np.concatenate([starts, singles, above]), kind='stable'),
        [high],
    ])
    bounds = np.maximum.accumulate(np.minimum(bounds, high))
    widths = np.diff(bounds)
    cells = FineCells(low, high, None, width, num_even, tuple(singles))
    values = np.where(widths > 0, np.inf, 0.0)
    values[cells.locate(singles)] = 1.0

    def edge(cell: int) -> float:
        return float(bounds[cell])

    named_cells = cells.locate(named)
    return FineGrid(cells, even_levels(len(widths)), widths, values, edge, named_cells)


def _telling(low: float, high: float) -> list[float]:
    """Return values that are often special."""
    largest = max(abs(low), abs(high), 1.0)
    highest = min(int(math.log10(largest)), _LARGEST_POWER)
    powers = [10.0**power for power in range(highest + 1)]
    nines = [power - 1 for power in powers]
    tens = [sign * value for value in powers + nines for sign in (1, -1)]
    return [low, high, *tens]
