"""Learning what the metadata does not make public of one column, from its share of the budget."""

import math
import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.counts.cells import EvenCells, MonthCells, NumberCells
from sdv_prefair.domain.columns import Categories, Datetimes, Numbers, Undeclared
from sdv_prefair.errors import PrivacyWarning
from sdv_prefair.learning.bounds import (
    FIRST_MONTH,
    NUM_MONTHS,
    SMALLEST,
    Grid,
    calendar,
    largest_bin_share,
    occupied_range,
    powers_of_two,
)
from sdv_prefair.privacy import Ledger, PrivateTable, PrivateValues
from sdv_prefair.privacy.ledger_words import LEARN_DOMAINS
from sdv_prefair.values.canonical import distinct_values
from sdv_prefair.values.dtypes import decimal_scale

_SKEWED = 0.4
_FINE_CELLS = 65_536


@dataclass(frozen=True)
class Purse:
    """What one column may spend on its domain, and where it is debited."""

    rho: Fraction
    delta: float
    ledger: Ledger

    def half(self) -> Fraction:
        """Return half of rho, in whole quanta."""
        return self.ledger.shares(self.rho, [1, 1])[0]


@dataclass(frozen=True)
class FineLook:
    """What a skewed column of numbers is looked at a second time with.

    Attributes:
        cells: The fine grid.
        bar: What a noisy count must exceed to be split.
    """

    cells: EvenCells
    bar: int


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
    """Learn the first and the last month that stand out of the noise.

    Privacy: one noisy histogram over the months of two centuries.
    """
    low, high, _, _ = _bounds(table, column, calendar(), purse.rho)
    zone = 'UTC' if cells.instants else None
    first, last = (pd.Timestamp(moment, unit='us', tz=zone) for moment in (low, high))
    return undeclared.with_bounds(first, last - pd.Timedelta(days=1))


def learn_numbers(
    table: PrivateTable, column: str, undeclared: Undeclared, dtype: Any, bins: int, purse: Purse
) -> tuple[Numbers, FineLook | None]:
    """Learn bounds, and whether bins should follow the density as uniform ones would not do.

    Privacy: half of the column's share pays a noisy histogram over powers of two. It also shows
    whether the column is skewed; only then the other half is spent, on ``learn_edges``.

    Returns:
        The domain, and what the column is to be looked at a second time with, if at all.
    """
    grid = powers_of_two()
    low, high, noisy, found = _bounds(table, column, grid, purse.half())
    low, high = (0.0 if abs(edge) <= SMALLEST else edge for edge in (low, high))
    whole = undeclared.decimal_places == 0 or decimal_scale(dtype) == 0
    if whole:
        low, high = math.ceil(low), max(math.ceil(low), math.ceil(high) - 1)
    domain = undeclared.with_bounds(low, high)
    share = largest_bin_share(noisy, grid, domain.low, domain.high, bins)
    if not found or not share > _SKEWED:
        return domain, None
    bar = max(1, int(np.clip(noisy, 0, None).sum() / (2 * bins)))
    return domain, FineLook(_fine_cells(domain, whole), bar)


def learn_edges(
    table: PrivateTable, column: str, fine: FineLook, purse: Purse
) -> tuple[float, ...]:
    """Learn the edges of bins that are narrow where rows are dense.

    Privacy: the other half of the column's share pays for PrivTree.
    """
    cells = fine.cells
    rho = purse.rho - purse.half()
    starts = table.split(column, fine.bar, rho, LEARN_DOMAINS, ordered=cells.num_cells)
    return tuple(float(cells.low + start * cells.width) for start in starts[1:])


def _bounds(
    table: PrivateTable, column: str, grid: Grid, rho: Fraction
) -> tuple[float, float, np.ndarray, bool]:
    noisy, sigma = table.measure((column,), rho, LEARN_DOMAINS)
    noisy = noisy[:-1]  # without the cell of null
    occupied = occupied_range(noisy, sigma)
    if occupied is None:
        _warn_unlearnt(column, 'range_min and range_max')
        return *grid.fallback, noisy, False
    return *grid.span(*occupied), noisy, True


def _fine_cells(domain: Numbers, whole: bool) -> EvenCells:
    span = float(domain.high) - float(domain.low)
    num_cells = int(min(_FINE_CELLS, span + 1)) if whole else _FINE_CELLS
    return EvenCells(domain.low, domain.high, (span + whole) / num_cells, num_cells)


def _warn_unlearnt(name: Any, keys: str) -> None:
    warnings.warn(
        f"Nothing of column '{name}' stood out of the noise, so its domain could not be learnt "
        f'within the budget. Declare {keys} in the metadata if they are public, or raise epsilon.',
        PrivacyWarning,
        stacklevel=2,
    )
