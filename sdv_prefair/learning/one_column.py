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
    num_empty,
    powers_of_two,
    stands_out,
)
from sdv_prefair.privacy import Ledger, PrivateTable, PrivateValues
from sdv_prefair.privacy.ledger_words import LEARN_DOMAINS
from sdv_prefair.values.canonical import distinct_values
from sdv_prefair.values.dtypes import decimal_scale


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
    """Learn the first and the last month: decades that stand out, without what is empty of them.

    Privacy: noisy histograms over the decades of two centuries, the years of the first and the
    last decade that stand out, and the months of the first and last year.
    """
    first, end = _outermost_months(table, column, cells.num_cells, purse)
    months = np.array([first, end], dtype=np.int64) + cells.first
    low, high = months.astype('datetime64[M]').astype('datetime64[us]').astype(np.int64).tolist()
    zone = 'UTC' if cells.instants else None
    start, stop = (pd.Timestamp(moment, unit='us', tz=zone) for moment in (low, high))
    return undeclared.with_bounds(start, stop - pd.Timedelta(days=1))


def _outermost_months(
    table: PrivateTable, column: str, num_months: int, purse: Purse
) -> tuple[int, int]:
    """Return the first month and the one after the last."""
    decade, year, month = 120, 12, 1
    parts = iter(purse.ledger.shares(purse.rho, [1, 1, 1]))

    def count(starts: np.ndarray, together: int) -> tuple[np.ndarray, float]:
        group_of = np.full(num_months + 1, len(starts), dtype=np.int64)
        for group, start in enumerate(starts.tolist()):
            group_of[start : start + together] = group
        noisy, sigma = table.measure_groups(column, group_of, next(parts), LEARN_DOMAINS)
        return noisy[: len(starts)], sigma

    starts = np.arange(0, num_months, decade)
    noisy, sigma = count(starts, decade)
    occupied, total = starts[stands_out(noisy, sigma)], float(np.clip(noisy, 0, None).sum())
    if not occupied.size:
        _warn_unlearnt(column, 'range_min and range_max')
        return 0, num_months
    first, last = int(occupied[0]), int(occupied[-1])
    for before, together in ((decade, year), (year, month)):
        inner = [np.arange(node, node + before, together) for node in (first, last)]
        starts = np.union1d(*inner)
        noisy, sigma = count(starts, together)
        left, right = (noisy[np.searchsorted(starts, part)] for part in inner)
        first = int(inner[0][num_empty(left, sigma, total)])
        last = int(inner[1][::-1][num_empty(right[::-1], sigma, total)])
    return first, last + month


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
