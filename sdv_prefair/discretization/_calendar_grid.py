"""The public grid for histograms of timestamps: years, then months, days, hours and so on."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.counts._cells import MonthCells
from sdv_prefair.counts._fine_cells import MOST_CELLS, MomentCells
from sdv_prefair.discretization._fine_grid import ONE_LEVEL, FineGrid
from sdv_prefair.discretization._weekdays import has_weeks
from sdv_prefair.transformers import DatetimeBins
from sdv_prefair.values._arrays import Integers
from sdv_prefair.values._timestamps import as_timestamp

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
