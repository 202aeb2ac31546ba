"""Data-dependent bins within the budget: narrow where rows are, with single bins for spikes.

A declared range says where values may lie, not how they are distributed. Each binned column is
measured by noisy histograms over a public grid, finer where rows are. Everything else is
post-processing: whatever stands out from the noise gets bins of its own.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from sdv_prefair.counts import Source
from sdv_prefair.discretization._bin_cuts import Cuts, cut
from sdv_prefair.discretization._calendar_grid import grid_of_moments
from sdv_prefair.discretization._fine_grid import FineGrid, grid_of_numbers
from sdv_prefair.discretization._look import found_pieces, look
from sdv_prefair.discretization._segmentation import Pieces
from sdv_prefair.discretization._weekdays import IN_A_WEEK, weekdays_of, with_weekdays
from sdv_prefair.privacy import Entropy, Ledger, PrivateTable
from sdv_prefair.privacy._ledger_words import DISCRETIZE
from sdv_prefair.transformers import DatetimeBins
from sdv_prefair.transformers._bin_shape import BinShape
from sdv_prefair.transformers._own_values import BinCodes

__all__ = ['CHOICES', 'declared_shapes', 'discretize', 'fine_grids']

CHOICES = ('private', 'uniform')
# The share of the budget if every column is measured.
LOOKING_SHARE = Fraction(1, 10)

Spikes = Mapping[str, Sequence[Any]]


def fine_grids(columns: Mapping[str, BinCodes], spikes: Spikes) -> dict[str, FineGrid]:
    """Return the grids of binned columns that have one.

    Args:
        columns: The columns in bins of equal width.
        spikes: Values that get a bin of their own.
    """
    grids = {column: _grid(codes, spikes.get(column, ())) for column, codes in columns.items()}
    return {column: grid for column, grid in grids.items() if grid is not None}


def _grid(codes: BinCodes, spikes: Sequence[Any]) -> FineGrid | None:
    if isinstance(codes, DatetimeBins):
        return grid_of_moments(codes, spikes)
    return grid_of_numbers(codes, spikes) if codes.low < codes.high else None


def discretize(
    grids: Mapping[str, FineGrid],
    source: Source,
    bins: int,
    num_columns: int,
    ledger: Ledger,
    entropy: Entropy,
) -> dict[str, BinShape]:
    """Return data-dependent bins, for columns in which something stands out from the noise.

    The source is read once.

    Privacy: each column may spend ``LOOKING_SHARE`` of the budget over the number of columns, an
    equal part on each level of its tree. What is not spent stays in the ledger.

    Args:
        grids: The grids of the columns to measure.
        source: The private table.
        bins: About how many bins each column gets.
        num_columns: How many columns are modelled.
        ledger: Where the histograms are debited.
        entropy: Where the noise comes from.
    """
    if not grids:
        return {}
    encoders = {column: grid.cells for column, grid in grids.items()}
    table = PrivateTable(source.count(encoders, [(c,) for c in grids]), ledger, entropy)
    share = float(LOOKING_SHARE / num_columns)
    weights = [share] * len(grids) + [1 - share * len(grids)]
    found = {}
    for (column, grid), rho in zip(
        grids.items(), ledger.shares(ledger.budget, weights)[:-1], strict=True
    ):
        found[column] = _look(table, column, grid, rho, bins)
    return {c: _shape(grids[c], cuts) for c, cuts in found.items() if cuts is not None}


def declared_shapes(grids: Mapping[str, FineGrid], bins: int) -> dict[str, BinShape]:
    """Return bins of equal width with single bins for named values; nothing is read or paid."""
    found = {}
    for column, grid in grids.items():
        whole = np.array([0, len(grid.widths)])
        even = Pieces(whole, np.ones(1), np.zeros(1))
        found[column] = cut(even, grid.widths, grid.values, bins, grid.spikes)
    return {c: _shape(grids[c], cuts) for c, cuts in found.items() if cuts is not None}


def _look(
    table: PrivateTable, column: str, grid: FineGrid, rho: Fraction, bins: int
) -> Cuts | None:
    weeks = 0 if grid.days is None else 1
    parts = iter(table.ledger.shares(rho, [1] * (len(grid.levels) + weeks)))

    def measure(group_of: np.ndarray) -> tuple[np.ndarray, float]:
        return table.measure_groups(column, group_of, next(parts), DISCRETIZE)

    measured = look(grid.levels, len(grid.widths), measure)
    pieces = found_pieces(measured, grid.widths)
    cuts = cut(pieces, grid.widths, grid.values, bins, grid.spikes)
    if grid.days is None:
        return cuts
    group_of = np.append(weekdays_of(grid.days), IN_A_WEEK)  # null has a group of its own
    noisy, sigma = measure(group_of)
    rows = noisy[:IN_A_WEEK].astype(np.float64)
    return with_weekdays(cuts, grid.days, grid.widths, rows, sigma, bins)


def _shape(grid: FineGrid, cuts: Cuts) -> BinShape:
    """Return the cuts as edges; of several cuts without a value between them, one is kept."""
    places = np.union1d(cuts.edges, cuts.finer).tolist()
    opens = np.isin(places, cuts.edges).tolist()
    begun: list[tuple[Any, bool]] = []
    weights = [float(cuts.weights[0])]
    for place, opens_bin, weight in zip(places, opens, cuts.weights[1:].tolist(), strict=True):
        edge = grid.edge(place)
        if edge > (begun[-1][0] if begun else grid.edge(0)):
            begun.append((edge, opens_bin))
            weights.append(weight)
            continue
        weights[-1] += weight
        if begun:
            begun[-1] = (edge, begun[-1][1] or opens_bin)
    edges = tuple(edge for edge, opens_bin in begun if opens_bin)
    return BinShape(edges, tuple(e for e, opens_bin in begun if not opens_bin), tuple(weights))
