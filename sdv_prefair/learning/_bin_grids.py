"""The grids on which bins are looked for."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair._arrays import Floats, Integers
from sdv_prefair.columns import DatetimeBins, NumberBins
from sdv_prefair.columns._bins import GridBins, RealBins
from sdv_prefair.columns._grids import MOST_CELLS, FineCells, MomentCells, MonthCells
from sdv_prefair.columns._moments import as_timestamp
from sdv_prefair.counting import Encoder
from sdv_prefair.learning._bin_cuts import Cuts

# -- Days of the week: dates that fall on working days come back on working days -------------------
#
# Bins are usually wider than a week, so the hierarchical histogram cannot show its days. One more
# noisy histogram of seven groups of cells does. If it differs from the pieces by more than noise
# and sampling error, each day within a bin gets the share of its weekday.

IN_A_WEEK = 7
# Every day within a bin has a weight of its own, so longer ranges are left without.
MOST_DAYS = 20_000
_LEAST_DAYS = 2 * IN_A_WEEK
# Chi-square of six degrees of freedom exceeds this by chance once in a thousand columns.
_MORE_THAN_CHANCE = 22.5
# Every day has a positive weight, so that every value can be sampled.
_LEAST_FACTOR = 1e-3
_MONDAY = 3  # days are counted from a Thursday


def has_weeks(days: Integers) -> bool:
    """Whether measuring weekdays makes sense, by the days of the cells: a public fact."""
    return bool(_LEAST_DAYS <= days[-1] - days[0] + 1 <= MOST_DAYS)


def weekdays_of(days: Integers) -> Integers:
    """Return the weekday of each cell; 0 is Monday.

    Args:
        days: The day of each cell, as a number.
    """
    weekdays: Integers = (days + _MONDAY) % IN_A_WEEK
    return weekdays


def with_weekdays(
    cuts: Cuts | None, days: Integers, widths: Floats, noisy: Floats, sigma: float, bins: int
) -> Cuts | None:
    """Return the cuts with a weight for each day, if weekdays stand out; else as they are.

    Privacy: post-processing of released values.

    Args:
        cuts: Bins and pieces, or None for bins of equal width.
        days: The day of each fine cell, as a number.
        widths: The width of each fine cell.
        noisy: Noisy numbers of rows on each weekday.
        sigma: Standard deviation of their noise.
        bins: The number of bins, if they have equal width.
    """
    whole = _even(len(days), bins) if cuts is None else cuts
    rows = _rows_of_cells(whole, widths)
    weekdays = weekdays_of(days)
    expected = np.bincount(weekdays, rows, IN_A_WEEK) / rows.sum()
    shares = _shares_that_stand_out(expected, noisy, sigma)
    if shares is None:
        return cuts
    factors = np.maximum(shares / np.maximum(expected, 1e-300), _LEAST_FACTOR)
    rows *= factors[weekdays]
    midnights = np.flatnonzero(np.diff(days)) + 1
    inner = np.union1d(np.union1d(whole.edges, whole.finer), midnights)
    weights: Floats = np.add.reduceat(rows, np.concatenate([[0], inner]))
    return Cuts(whole.edges, np.setdiff1d(inner, whole.edges), weights)


def _even(num_cells: int, bins: int) -> Cuts:
    edges = np.unique(np.round(np.linspace(0, num_cells, bins + 1)[1:-1]).astype(np.int64))
    edges = edges[(edges > 0) & (edges < num_cells)]
    return Cuts(edges, np.zeros(0, dtype=np.int64), np.ones(len(edges) + 1))


def _rows_of_cells(cuts: Cuts, widths: Floats) -> Floats:
    """Return about how many rows each cell has, in proportion to widths within a piece."""
    starts = np.concatenate([[0], np.union1d(cuts.edges, cuts.finer)])
    piece = np.searchsorted(starts, np.arange(len(widths)), side='right') - 1
    of_piece = np.bincount(piece, widths, len(starts))
    rows: Floats = cuts.weights[piece] * widths / np.maximum(of_piece[piece], 1e-300)
    return rows


def _shares_that_stand_out(expected: Floats, noisy: Floats, sigma: float) -> Floats | None:
    positive = np.maximum(noisy, 0.0)
    total = float(positive.sum())
    if not total > 0:
        return None
    differences = noisy - total * expected
    chance = float(np.sum(differences**2 / (sigma**2 + total * expected)))
    shares: Floats = positive / total
    return shares if chance > _MORE_THAN_CHANCE else None


# -- The public grid of a column's histograms, and the tree over it --------------------------------
#
# With up to a million possible numbers or timestamps each has its own cell, so that a value which
# many rows share is found wherever it is. With more, and for real numbers, cells have equal width,
# and values that are often special have cells of their own: zero, the bounds of the range, powers
# of ten, and what the user names.

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


# -- The public grid for histograms of timestamps: years, then months, days, hours and so on -------

# From fine to coarse, with the number of seconds if that is constant.
_SECONDS = {'s': 1, 'm': 60, 'h': 3600, 'D': 86_400}
_UNITS = [*_SECONDS, 'M', 'Y']
_FINER_THAN_SECONDS = ('us', 'ms')


def grid_of_moments(codes: DatetimeBins, spikes: Sequence[Any]) -> FineGrid | None:
    """Return the grid of a column of timestamps, or None if there is none for it.

    Args:
        codes: The column in bins of equal width.
        spikes: Timestamps that get a bin of their own.
    """
    unit, line = codes.unit, codes.line
    ends = np.array([line.first, line.last]).astype(f'M8[{unit}]')
    first, last = ends
    fine = _fine_unit(unit, first, last)
    if fine is None or (fine == 'M' and codes.instants):
        return None
    starts = np.arange(first.astype(f'M8[{fine}]'), last.astype(f'M8[{fine}]') + 1)
    cells = _cells(starts, fine, codes)
    bounds = np.append(_steps_from(starts, unit), line.last + 1)
    bounds[0] = line.first
    values = np.diff(bounds).astype(np.float64)
    zone = 'UTC' if codes.instants else None

    def edge(cell: int) -> pd.Timestamp:
        moment = starts[cell].astype('M8[us]').astype(np.int64)
        return pd.Timestamp(moment, unit='us', tz=zone)

    own = _named_cells(cells, spikes, codes.datetime_format)
    own = own[values[own] == 1]
    return FineGrid(cells, _levels(starts, fine), values, values, edge, own, _days(starts, fine))


def _days(starts: np.ndarray, fine: str) -> Integers | None:
    if fine not in _SECONDS:
        return None
    days: Integers = starts.astype('M8[D]').astype(np.int64)
    return days if has_weeks(days) else None


def _named_cells(
    cells: MonthCells | MomentCells, spikes: Sequence[Any], written: str | None
) -> np.ndarray:
    if not spikes:
        return np.zeros(0, dtype=np.int64)
    moments = pd.Series([as_timestamp(spike, written, 'spikes') for spike in spikes])
    return np.unique(cells.encode(moments))


def _fine_unit(unit: str, first: np.datetime64, last: np.datetime64) -> str | None:
    """Return the finest unit that is not finer than the column's and has few enough cells."""
    if unit in ('M', 'Y'):
        return 'M'
    finest = 's' if unit in _FINER_THAN_SECONDS else unit
    for candidate in list(_SECONDS)[list(_SECONDS).index(finest) :]:
        ends = (end.astype(f'M8[{candidate}]').astype(np.int64) for end in (first, last))
        if -next(ends) + next(ends) < MOST_CELLS:
            return candidate
    return None


def _cells(starts: np.ndarray, fine: str, codes: DatetimeBins) -> MonthCells | MomentCells:
    written, instants = codes.datetime_format, codes.instants
    if fine == 'M':
        return MonthCells(int(starts[0].astype(np.int64)), len(starts), written, instants)
    first = int(starts[0].astype('M8[s]').astype(np.int64))
    return MomentCells(first, _SECONDS[fine], len(starts), written, instants)


def _steps_from(starts: np.ndarray, unit: str) -> np.ndarray:
    """Return for each timestamp the first step of the column's own unit that is not before it."""
    steps = starts.astype(f'M8[{unit}]')
    late = steps.astype(starts.dtype) < starts  # for years, which begin only in the first month
    return steps.astype(np.int64) + late


def _levels(starts: np.ndarray, fine: str) -> tuple[np.ndarray, ...]:
    """Return the first cells of each unit, from the finest with few cells down to the fine one."""
    levels: list[np.ndarray] = []
    for unit in _UNITS[_UNITS.index(fine) :]:
        coarse = starts.astype(f'M8[{unit}]')
        begins = np.flatnonzero(np.append(True, coarse[1:] != coarse[:-1]))
        levels.insert(0, begins)
        if len(begins) <= ONE_LEVEL:
            break
    return tuple(levels)
