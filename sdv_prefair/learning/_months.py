"""The first and the last month of a column of timestamps, learnt with its share of the budget."""

from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.counts._cells import MonthCells
from sdv_prefair.domain._columns import Datetimes, Undeclared
from sdv_prefair.learning._bounds import FIRST_MONTH, NUM_MONTHS, narrow, stands_out
from sdv_prefair.learning._one_column import Purse, cell_counter, warn_unlearnt, with_nulls
from sdv_prefair.privacy import PrivateTable

_DECADE, _YEAR, _MONTH = 120, 12, 1


def month_cells(undeclared: Undeclared, dtype: Any) -> MonthCells:
    """Return the public grid over which timestamps are counted."""
    instants = isinstance(dtype, pd.DatetimeTZDtype)
    return MonthCells(FIRST_MONTH, NUM_MONTHS, undeclared.datetime_format, instants)


def learn_datetimes(
    table: PrivateTable, column: str, undeclared: Undeclared, cells: MonthCells, purse: Purse
) -> Datetimes:
    """Learn the first and the last month: of the decades that stand out, without empty months.

    Privacy: noisy histograms over the decades of two centuries, the years of the first and the
    last decade that stand out, and the months of the first and last year.
    """
    parts = purse.ledger.shares(purse.rho, [1, 1, 1])
    count = cell_counter(table, column, cells.num_cells, parts)
    starts = np.arange(0, cells.num_cells, _DECADE)
    noisy, sigma = count(starts, _DECADE)
    undeclared = with_nulls(undeclared, noisy[-1], sigma)
    decades = noisy[:-1]
    occupied, total = starts[stands_out(decades, sigma)], float(np.clip(decades, 0, None).sum())
    if not occupied.size:
        warn_unlearnt(column, 'range_min and range_max')
        return _between(0, cells.num_cells, undeclared, cells)
    ends = int(occupied[0]), int(occupied[-1])
    widths = (_DECADE, _YEAR, _MONTH)
    first, end = narrow(ends, widths, cells.num_cells, total, count)
    return _between(first, end, undeclared, cells)


def _between(first: int, end: int, undeclared: Undeclared, cells: MonthCells) -> Datetimes:
    months = np.array([first, end], dtype=np.int64) + cells.first
    low, high = months.astype('datetime64[M]').astype('datetime64[us]').astype(np.int64).tolist()
    zone = 'UTC' if cells.instants else None
    start, stop = (pd.Timestamp(moment, unit='us', tz=zone) for moment in (low, high))
    return undeclared.with_bounds(start, stop - pd.Timedelta(days=1))
