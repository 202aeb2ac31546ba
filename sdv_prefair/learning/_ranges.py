"""Ranges of numbers and dates."""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from sdv_prefair._arrays import Flags
from sdv_prefair._users_line import users_line
from sdv_prefair.columns._dtypes import decimal_scale, largest_decimal
from sdv_prefair.columns._facts import Datetimes, Numbers, Undeclared
from sdv_prefair.columns._grids import DecimalCells, FineCells, MonthCells
from sdv_prefair.columns._moments import is_temporal
from sdv_prefair.errors import PrivacyWarning
from sdv_prefair.privacy import Ledger, PrivateTable
from sdv_prefair.privacy._accounting import LEARN_DOMAINS

# -- Private bounds of a column: the outermost cells of a public grid that noise cannot explain.

_FALSE_ALARM = 1e-5
# The share of rows that may be left out at one end, because they are clipped to the bound.
FEW_ROWS = 0.01
# The least and the greatest threshold, in standard deviations, above which cells count as holding
# rows. A high threshold misses rows. A low one takes noise for rows, which costs less: the next
# level measures inside and finds nothing.
_AT_LEAST, _AT_MOST = 0.7, 4.0
# By how many standard deviations nulls, or rows with more decimals, must stand out.
CLEAR = 3.0
_LARGEST_POWER = 63
_SMALLEST_POWER = -32
SMALLEST = 2.0**_SMALLEST_POWER
# January 1900, counted from January 1970, and the number of months from then to January 2100.
FIRST_MONTH, NUM_MONTHS = -70 * 12, 200 * 12

CountCells = Callable[[np.ndarray, int], tuple[np.ndarray, float]]
"""From first cells and a width, returns noisy counts of groups of that many cells, and sigma."""


@dataclass(frozen=True)
class Grid:
    """A public partition of the line: cell i is [edges[i], edges[i + 1]).

    Attributes:
        edges: The edges of the cells, in increasing order.
        fallback: Bounds to use if nothing stands out from the noise.
    """

    edges: np.ndarray
    fallback: tuple[float, float]

    def span(self, first: int, last: int) -> tuple[float, float]:
        """Return the lower edge of the first cell and the upper edge of the last."""
        return self.edges[first].item(), self.edges[last + 1].item()


def powers_of_two() -> Grid:
    """Return the grid for numbers of unknown size: zero, and powers of two on either side."""
    powers = 2.0 ** np.arange(_SMALLEST_POWER, _LARGEST_POWER + 1)
    # Zero has a cell of its own, [0, tiny), so that a column of zeros does not get a bound of 1.
    return Grid(np.concatenate([-powers[::-1], [0.0], powers]), (0.0, 1.0))


def stands_out(noisy: np.ndarray, sigma: float) -> Flags:
    """Return the cells whose counts stand out from the noise.

    Privacy: post-processing. The probability that any cell of an empty histogram exceeds the
    threshold is at most one in a hundred thousand.
    """
    bar = sigma * float(norm.isf(_FALSE_ALARM / noisy.size))
    above: Flags = noisy > max(bar, 0.0)
    return above


def num_empty(noisy: np.ndarray, sigma: float, few: float) -> int:
    """Return how many cells at the beginning may be left out; the last cell never is.

    The cells left out may hold very few rows in total, because these rows are clipped to the bound:
    ``few``, within limits that depend on the noise.

    Privacy: post-processing.

    Args:
        noisy: Noisy counts of the cells.
        sigma: Standard deviation of their noise.
        few: How many rows may be left out, as far as the noise permits.
    """
    bar = np.clip(few, _AT_LEAST * sigma, _AT_MOST * sigma) * np.sqrt(np.arange(1, len(noisy)))
    empty = np.flatnonzero(np.cumsum(noisy[:-1]) <= bar)
    return int(empty[-1]) + 1 if empty.size else 0


def narrow(
    ends: tuple[int, int],
    widths: Sequence[int],
    num_cells: int,
    total: float,
    count: CountCells,
) -> tuple[int, int]:
    """Find, level by level, the first cell that holds rows and the cell after the last one.

    Privacy: each level is one histogram of disjoint groups of cells, and which groups these are
    depends on the levels before it alone.

    Args:
        ends: The first cells of the first and of the last group that hold rows.
        widths: The number of cells in a group: on the level of ``ends``, and on each measured
            level.
        num_cells: The number of cells.
        total: The approximate number of rows.
        count: Measures one level.
    """
    first, last = ends
    few = FEW_ROWS * total / max(1, len(widths) - 1)
    for before, together in zip(widths, widths[1:], strict=False):
        inner = [np.arange(end, min(end + before, num_cells), together) for end in (first, last)]
        starts = np.union1d(*inner)
        noisy, sigma = count(starts, together)
        left, right = (noisy[np.searchsorted(starts, part)] for part in inner)
        first = int(inner[0][num_empty(left, sigma, few)])
        last = max(first, int(inner[1][::-1][num_empty(right[::-1], sigma, few)]))
    return first, min(last + widths[-1], num_cells)


# -- What all kinds of learning share: a column's part of the budget, and nulls --------------------


@dataclass(frozen=True)
class Purse:
    """What one column may spend on its domain, and the ledger that is debited."""

    rho: Fraction
    delta: float
    ledger: Ledger


def with_nulls(undeclared: Undeclared, noisy: float, sigma: float) -> Undeclared:
    """Return the domain, nullable only if the noisy count shows that rows hold nulls.

    Whether a column may hold nulls is often not public. If noise alone suggested nulls, they would
    appear in synthetic rows of a column that has none.

    Privacy: post-processing.

    Args:
        undeclared: The public facts about the column.
        noisy: The noisy number of nulls.
        sigma: Standard deviation of the noise.
    """
    if not undeclared.learns_nulls:
        return undeclared
    return replace(undeclared, nullable=undeclared.nullable and bool(noisy > CLEAR * sigma))


def cell_counter(
    table: PrivateTable, column: str, num_cells: int, parts: list[Fraction]
) -> CountCells:
    """Return a function that measures groups of cells of a column; each call spends one part.

    Privacy: every answer is one noisy histogram; one of its cells holds all rows in no group.
    """
    left = iter(parts)

    def count(starts: np.ndarray, together: int) -> tuple[np.ndarray, float]:
        group_of = np.full(num_cells + 1, len(starts), dtype=np.int64)
        for group, start in enumerate(starts.tolist()):
            group_of[start : min(start + together, num_cells)] = group
        noisy, sigma = table.measure_groups(column, group_of, next(left), LEARN_DOMAINS)
        return noisy, sigma

    return count


def warn_unlearnt(name: Any, keys: str) -> None:
    """Warn that the domain of a column could not be learnt."""
    warnings.warn(
        f"Nothing in column '{name}' stood out from the noise, so its domain could not be learnt "
        f'within the budget. Declare {keys} in the metadata if they are public, or raise epsilon.',
        PrivacyWarning,
        stacklevel=users_line(),
    )


# -- The first and the last month of a column of timestamps, learnt with its share of the budget.


_DECADE, _YEAR, _MONTH = 120, 12, 1


def month_cells(undeclared: Undeclared, dtype: Any) -> MonthCells:
    """Return the public grid over which timestamps are counted."""
    # Texts are instants if their format has a zone.
    written = '' if is_temporal(dtype) else undeclared.datetime_format or ''
    instants = isinstance(dtype, pd.DatetimeTZDtype) or '%z' in written
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


# -- The range of a column of numbers, learnt with its share of the budget: size, decimals,
# bounds.
#
# The first step learns the size of the numbers, as powers of two, and how many decimals they have.
# Powers of two may leave up to half of the range empty, with ages up to 127. So the second step
# refines the bounds on an even grid over that range, without cutting off more rows than noise would
# hide.


MOST_DECIMALS = 6
# The number of cells in a range, and the ratio of cell widths from one level to the next.
_CELLS, _BRANCHES = 1024, 4
_EXACT_FLOAT = 2.0**52
# The weights of sizes, bounds and decimals in the column's budget.
_WEIGHTS = (3, 3, 1)


@dataclass(frozen=True)
class RoughRange:
    """What the first step has learnt about a column of numbers.

    Attributes:
        domain: Its range, with powers of two as bounds.
        total: The approximate number of rows that hold a number.
        left: The budget left for the bounds.
    """

    domain: Numbers
    total: float
    left: Fraction


def size_cells(undeclared: Undeclared, dtype: Any) -> DecimalCells:
    """Return the public grid for the first histogram of numbers."""
    is_known = undeclared.decimal_places is not None or decimal_scale(dtype) is not None
    return DecimalCells(powers_of_two().edges, None if is_known else MOST_DECIMALS)


def learn_size(
    table: PrivateTable,
    column: str,
    undeclared: Undeclared,
    dtype: Any,
    purse: Purse,
) -> RoughRange | Numbers:
    """Learn the outermost powers of two that stand out, and the number of decimals.

    Privacy: one noisy histogram over powers of two, and one over numbers of decimals.

    Returns:
        What has been learnt; the final domain if nothing stands out, or only zero.
    """
    cells = size_cells(undeclared, dtype)
    size, ends, decimals = _parts(purse.ledger, purse.rho, cells)
    noisy, sigma = table.measure_groups(column, cells.sizes, size, LEARN_DOMAINS)
    undeclared = with_nulls(undeclared, noisy[-1], sigma)
    occupied = np.flatnonzero(stands_out(noisy[:-1], sigma))
    if not occupied.size:
        warn_unlearnt(column, 'range_min and range_max')
        return _whole(undeclared, dtype, *powers_of_two().fallback)
    total = float(noisy[occupied].sum())
    if cells.places is not None:
        by_decimals = table.measure_groups(column, cells.decimals, decimals, LEARN_DOMAINS)
        undeclared = replace(undeclared, decimal_places=_decimals(*by_decimals, total))
    span = powers_of_two().span(int(occupied[0]), int(occupied[-1]))
    whole = _whole(undeclared, dtype, *span)
    # Numbers that are all closer to zero than the smallest power count as zero.
    return RoughRange(whole, total, ends) if whole.low < whole.high else whole


def _parts(ledger: Ledger, rho: Fraction, cells: DecimalCells) -> list[Fraction]:
    if cells.places is not None:
        return ledger.shares(rho, _WEIGHTS)
    return [*ledger.shares(rho, _WEIGHTS[:2]), Fraction(0)]


def _decimals(noisy: np.ndarray, sigma: float, total: float) -> int | None:
    """Return how many decimals suffice for nearly all numbers; None if more than are counted."""
    beyond = np.cumsum(noisy[:-1][::-1])[::-1][1:]  # without nulls: the rows with more decimals
    noise = CLEAR * sigma * np.sqrt(np.arange(len(beyond), 0, -1))
    enough = np.flatnonzero(beyond <= np.maximum(noise, FEW_ROWS * total))
    return int(enough[0]) if enough.size else None


def _whole(undeclared: Undeclared, dtype: Any, low: float, high: float) -> Numbers:
    largest = largest_decimal(dtype)
    low, high = max(low, -largest), min(high, largest)  # a power of two may exceed the dtype
    if undeclared.decimal_places == 0 or decimal_scale(dtype) == 0:
        # Cells exclude their upper edge. That of the cell of zero is above zero, so zero stays
        # inside.
        above = math.ceil(high) - (high < largest)
        low, high = math.ceil(low), max(math.ceil(low), above)
    else:
        low, high = (0.0 if abs(edge) <= SMALLEST else edge for edge in (low, high))
    return undeclared.with_bounds(low, high)


def end_cells(domain: Numbers, dtype: Any) -> FineCells:
    """Return an even grid over a range; on the possible numbers, if these can be counted."""
    low, high = float(domain.low), float(domain.high)
    scale = 10.0 ** _places(domain, dtype)
    if max(abs(low), abs(high)) * scale >= _EXACT_FLOAT:
        return FineCells(low, high, None, (high - low) / _CELLS or 1.0, _CELLS)
    points = _point(high, scale) - _point(low, scale) + 1
    width = -(-points // _CELLS)
    return FineCells(low, high, scale, float(width), -(-points // width))


def _places(domain: Numbers, dtype: Any) -> float:
    known = [p for p in (domain.decimal_places, decimal_scale(dtype)) if p is not None]
    return min(known, default=math.inf)


def _point(number: float, scale: float) -> int:
    return math.floor(number * scale + 0.5)


def learn_ends(
    table: PrivateTable, column: str, rough: RoughRange, dtype: Any, ledger: Ledger
) -> Numbers:
    """Return the range without the empty cells at either end.

    Privacy: noisy histograms, each over a few groups of cells at both ends.
    """
    cells = end_cells(rough.domain, dtype)
    widths = _widths(cells.num_cells)
    if len(widths) < 2:
        return rough.domain
    count = cell_counter(
        table, column, cells.num_cells, ledger.shares(rough.left, [1] * (len(widths) - 1))
    )
    first, end = narrow((0, 0), widths, cells.num_cells, rough.total, count)
    low, high = _edges(cells, first, end)
    domain = rough.domain
    is_whole = isinstance(domain.low, int) and isinstance(domain.high, int)
    low, high = (int(low), int(high)) if is_whole else (low, high)
    return replace(domain, low=max(low, domain.low), high=min(high, domain.high))


def _widths(num_cells: int) -> Sequence[int]:
    """Return the number of cells in a group on each level, from all of them to one."""
    depth = math.ceil(math.log(max(num_cells, 1), _BRANCHES))
    return [_BRANCHES**power for power in range(depth, -1, -1)]


def _edges(cells: FineCells, first: int, end: int) -> tuple[float, float]:
    """Return the smallest and the largest number in a run of cells."""
    low, high = cells.first + first * cells.width, cells.first + end * cells.width
    return (low, high) if cells.scale is None else (low / cells.scale, (high - 1) / cells.scale)
