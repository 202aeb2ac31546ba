"""The range of a column of numbers, learnt with its share of the budget: size, decimals, bounds.

The first step learns the size of the numbers, as powers of two, and how many decimals they have.
Powers of two may leave up to half of the range empty, with ages up to 127. So the second step
refines the bounds on an even grid over that range, without cutting off more rows than noise would
hide.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from sdv_prefair.counts._cells import DecimalCells
from sdv_prefair.counts._fine_cells import FineCells
from sdv_prefair.domain._columns import Numbers, Undeclared
from sdv_prefair.learning._bounds import (
    CLEAR,
    FEW_ROWS,
    SMALLEST,
    narrow,
    powers_of_two,
    stands_out,
)
from sdv_prefair.learning._one_column import Purse, cell_counter, warn_unlearnt, with_nulls
from sdv_prefair.privacy import Ledger, PrivateTable
from sdv_prefair.privacy._ledger_words import LEARN_DOMAINS
from sdv_prefair.values._dtypes import decimal_scale, largest_decimal

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
