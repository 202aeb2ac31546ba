"""Learning what the metadata does not make public of one column, from its share of the budget."""

import math
import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.counts.cells import MonthCells, NumberCells
from sdv_prefair.domain.columns import Categories, Datetimes, Numbers, Undeclared
from sdv_prefair.errors import PrivacyWarning
from sdv_prefair.learning.bounds import (
    FIRST_MONTH,
    NUM_MONTHS,
    SMALLEST,
    Grid,
    powers_of_two,
    stands_out,
)
from sdv_prefair.privacy import Ledger, PrivateTable, PrivateValues
from sdv_prefair.privacy.ledger_words import LEARN_DOMAINS
from sdv_prefair.values.canonical import distinct_values
from sdv_prefair.values.dtypes import decimal_scale

# Decades, years, months: a month of two centuries rarely stands out at once.
_MONTHS_TOGETHER = (120, 12, 1)


@dataclass(frozen=True)
class Purse:
    """What one column may spend on its domain, and where it is debited."""

    rho: Fraction
    delta: float
    ledger: Ledger


def first_look(undeclared: Undeclared, dtype: Any) -> NumberCells | MonthCells:
    """Return the public grid over which numbers or datetimes are counted first."""
    if undeclared.kind == 'numbers':
        return NumberCells(powers_of_two().edges)
    instants = isinstance(dtype, pd.DatetimeTZDtype)
    return MonthCells(FIRST_MONTH, NUM_MONTHS, undeclared.datetime_format, instants)


def learn_categories(
    table: PrivateValues, column: str, undeclared: Undeclared, purse: Purse
) -> Categories:
    """Learn the values that many rows hold; all rarer ones become "other".

    Privacy: threshold on noisy counts, see ``frequent_values``.
    """
    values = table.frequent(column, purse.rho, purse.delta, LEARN_DOMAINS)
    if not values:
        _warn_unlearnt(column, 'range_values')
    return undeclared.with_values(distinct_values(values))


def learn_datetimes(
    table: PrivateTable, column: str, undeclared: Undeclared, cells: MonthCells, purse: Purse
) -> Datetimes:
    """Learn the first and the last month that stand out of the noise, or year, or decade.

    Privacy: noisy histograms over the decades of two centuries, the years of the first and the
    last decade that stand out, and the months of the first and last year.
    """
    first, last = _outermost_months(table, column, cells.num_cells, purse)
    months = np.array([first, last], dtype=np.int64) + cells.first
    low, high = months.astype('datetime64[M]').astype('datetime64[us]').astype(np.int64).tolist()
    zone = 'UTC' if cells.instants else None
    start, end = (pd.Timestamp(moment, unit='us', tz=zone) for moment in (low, high))
    return undeclared.with_bounds(start, end - pd.Timedelta(days=1))


def _outermost_months(
    table: PrivateTable, column: str, num_months: int, purse: Purse
) -> tuple[int, int]:
    """Return the first month and the one after the last, as finely as they stand out."""
    parts = purse.ledger.shares(purse.rho, [1] * len(_MONTHS_TOGETHER))
    first, last = (0, num_months), (0, num_months)
    found = False
    for together, rho in zip(_MONTHS_TOGETHER, parts, strict=True):
        starts = np.union1d(np.arange(*first, together), np.arange(*last, together))
        group_of = _groups_of(starts, together, num_months)
        noisy, sigma = table.measure_groups(column, group_of, rho, LEARN_DOMAINS)
        occupied = starts[stands_out(noisy[: len(starts)], sigma)]
        if not occupied.size:
            break
        found = True
        first = _within(occupied, first, together, 0)
        last = _within(occupied, last, together, -1)
    if not found:
        _warn_unlearnt(column, 'range_min and range_max')
    return first[0], last[1]


def _groups_of(starts: np.ndarray, together: int, num_months: int) -> np.ndarray:
    """Return the group of each month, and of null; months of none are in the last."""
    group_of = np.full(num_months + 1, len(starts), dtype=np.int64)
    for group, start in enumerate(starts.tolist()):
        group_of[start : start + together] = group
    return group_of


def _within(
    occupied: np.ndarray, node: tuple[int, int], together: int, place: int
) -> tuple[int, int]:
    """Return the outermost part of a node that stands out; the node itself if none does."""
    inside = occupied[(occupied >= node[0]) & (occupied < node[1])]
    if not inside.size:
        return node
    return int(inside[place]), int(inside[place]) + together


def learn_numbers(
    table: PrivateTable, column: str, undeclared: Undeclared, dtype: Any, purse: Purse
) -> Numbers:
    """Learn bounds: the outermost powers of two that stand out.

    Privacy: one noisy histogram over powers of two.
    """
    low, high = _bounds(table, column, powers_of_two(), purse.rho)
    low, high = (0.0 if abs(edge) <= SMALLEST else edge for edge in (low, high))
    if undeclared.decimal_places == 0 or decimal_scale(dtype) == 0:
        low, high = math.ceil(low), max(math.ceil(low), math.ceil(high) - 1)
    return undeclared.with_bounds(low, high)


def _bounds(table: PrivateTable, column: str, grid: Grid, rho: Fraction) -> tuple[float, float]:
    noisy, sigma = table.measure((column,), rho, LEARN_DOMAINS)
    occupied = np.flatnonzero(stands_out(noisy[:-1], sigma))  # without the cell of null
    if not occupied.size:
        _warn_unlearnt(column, 'range_min and range_max')
        return grid.fallback
    return grid.span(int(occupied[0]), int(occupied[-1]))


def _warn_unlearnt(name: Any, keys: str) -> None:
    warnings.warn(
        f"Nothing of column '{name}' stood out of the noise, so its domain could not be learnt "
        f'within the budget. Declare {keys} in the metadata if they are public, or raise epsilon.',
        PrivacyWarning,
        stacklevel=2,
    )
