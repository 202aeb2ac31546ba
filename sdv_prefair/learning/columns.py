"""Learning what the metadata does not make public of one column, from its share of the budget."""

import math
import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.column_domain import Categories, Datetimes, Numbers, Undeclared
from sdv_prefair.counts import count_codes
from sdv_prefair.dtypes import decimal_scale, read_numbers
from sdv_prefair.errors import PrivacyWarning
from sdv_prefair.learning.bounds import (
    SMALLEST,
    Grid,
    calendar,
    largest_bin_share,
    noisy_histogram,
    occupied_range,
    powers_of_two,
)
from sdv_prefair.moments import read_micros
from sdv_prefair.privacy import Entropy, Ledger, PrivateTable
from sdv_prefair.privacy.private_values import frequent_values

_STEP = 'learn domains'
_SKEWED = 0.4
_FINE_CELLS = 65_536


@dataclass(frozen=True)
class Purse:
    """What one column may spend on its domain, and where it is debited."""

    rho: Fraction
    delta: float
    ledger: Ledger
    entropy: Entropy

    def half(self) -> Fraction:
        """Return half of rho, in whole quanta."""
        return self.ledger.shares(self.rho, [1, 1])[0]


def learn_categories(column: pd.Series, undeclared: Undeclared, purse: Purse) -> Categories:
    """Learn the values that many rows hold; all rarer ones become "other".

    Privacy: threshold on noisy counts, see ``frequent_values``.
    """
    values = frequent_values(column, purse.rho, purse.delta, _STEP, purse.ledger, purse.entropy)
    if not values:
        _warn_unlearnt(column.name, 'range_values')
    return undeclared.with_values(values)


def learn_datetimes(column: pd.Series, undeclared: Undeclared, purse: Purse) -> Datetimes:
    """Learn the first and the last month that stand out of the noise.

    Privacy: one noisy histogram over the months of two centuries.
    """
    instants = isinstance(column.dtype, pd.DatetimeTZDtype)
    micros, nulls = read_micros(column, undeclared.datetime_format, instants)
    grid = calendar()
    low, high, _, _ = _bounds(column.name, micros[~nulls], grid, purse.rho, purse)
    zone = 'UTC' if instants else None
    first, last = (pd.Timestamp(moment, unit='us', tz=zone) for moment in (low, high))
    return undeclared.with_bounds(first, last - pd.Timedelta(days=1))


def learn_numbers(
    column: pd.Series, undeclared: Undeclared, bins: int, purse: Purse
) -> tuple[Numbers, tuple[float, ...] | None]:
    """Learn bounds, and bins that follow the density where uniform ones would not do.

    Privacy: half of the column's share pays a noisy histogram over powers of two. It also shows
    whether the column is skewed; only then the other half is spent, on PrivTree.

    Returns:
        The domain, and edges of unequal bins or None for uniform ones.
    """
    numbers, nulls = read_numbers(column)
    values = numbers[~nulls].astype(np.float64)
    grid = powers_of_two()
    low, high, noisy, found = _bounds(column.name, values, grid, purse.half(), purse)
    low, high = (0.0 if abs(edge) <= SMALLEST else edge for edge in (low, high))
    whole = undeclared.decimal_places == 0 or decimal_scale(column.dtype) == 0
    if whole:
        low, high = math.ceil(low), max(math.ceil(low), math.ceil(high) - 1)
    domain = undeclared.with_bounds(low, high)
    share = largest_bin_share(noisy, grid, domain.low, domain.high, bins)
    if not found or not share > _SKEWED:
        return domain, None
    bar = max(1, int(np.clip(noisy, 0, None).sum() / (2 * bins)))
    return domain, _skewed_edges(column.name, values, domain, whole, bar, purse)


def _bounds(
    name: Any, values: np.ndarray, grid: Grid, rho: Fraction, purse: Purse
) -> tuple[float, float, np.ndarray, bool]:
    noisy, sigma = noisy_histogram(values, grid, str(name), rho, _STEP, purse.ledger, purse.entropy)
    occupied = occupied_range(noisy, sigma)
    if occupied is None:
        _warn_unlearnt(name, 'range_min and range_max')
        return *grid.fallback, noisy, False
    return *grid.span(*occupied), noisy, True


def _skewed_edges(
    name: Any, values: np.ndarray, domain: Numbers, whole: bool, bar: int, purse: Purse
) -> tuple[float, ...]:
    span = float(domain.high) - float(domain.low)
    num_cells = int(min(_FINE_CELLS, span + 1)) if whole else _FINE_CELLS
    width = (span + whole) / num_cells
    cells = np.clip((values - domain.low) // width, 0, num_cells - 1).astype(np.int64)
    counts = count_codes({name: cells}, {name: num_cells}, [(name,)])
    table = PrivateTable(counts, purse.ledger, purse.entropy)
    starts = table.split(name, bar, purse.rho - purse.half(), _STEP)
    return tuple(float(domain.low + start * width) for start in starts[1:])


def _warn_unlearnt(name: Any, keys: str) -> None:
    warnings.warn(
        f"Nothing of column '{name}' stood out of the noise, so its domain could not be learnt "
        f'within the budget. Declare {keys} in the metadata if they are public, or raise epsilon.',
        PrivacyWarning,
        stacklevel=2,
    )
