"""Bins that follow the rows, within the budget."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sdv_prefair._arrays import Flags, Floats
from sdv_prefair.columns import DatetimeBins
from sdv_prefair.columns._bins import BinCodes, BinShape
from sdv_prefair.counting import Source
from sdv_prefair.learning._bin_cuts import Cuts, Pieces, cut, merge_pieces
from sdv_prefair.learning._bin_grids import (
    IN_A_WEEK,
    FineGrid,
    grid_of_moments,
    grid_of_numbers,
    weekdays_of,
    with_weekdays,
)
from sdv_prefair.privacy import Entropy, Ledger, PrivateTable
from sdv_prefair.privacy._accounting import DISCRETIZE

# -- A private hierarchical histogram of a column, which becomes finer where rows are --------------
#
# Nodes of a public tree are measured level by level. Those whose noisy count stands out are split
# on the next level; all others stay as they are. Every level is one histogram.
#
# Hay, Rastogi, Miklau and Suciu (2010) for the sums: measurements on two levels are made consistent
# by least squares, which makes both more precise.

# A node is split if it has this share of the rows, and stands out from the noise.
LEAST_SHARE = 1 / 128
_STANDS_OUT = 4.0

Measure = Callable[[np.ndarray], tuple[np.ndarray, float]]
"""Returns the noisy counts of groups of fine cells, and sigma; spends one level's part."""


@dataclass
class Level:
    """The nodes that were measured on one level.

    Attributes:
        starts: The first fine cell of each.
        ends: The fine cell after the last of each.
        parents: The place of the parent of each on the level above.
        counts: Their noisy counts.
        sigma: Standard deviation of the noise.
        expanded: Which of them are split.
    """

    starts: np.ndarray
    ends: np.ndarray
    parents: np.ndarray
    counts: Floats
    sigma: float
    expanded: Flags


def look(levels: Sequence[np.ndarray], num_cells: int, measure: Measure) -> list[Level]:
    """Measure the levels of a tree from the top, each below the nodes that stand out.

    Privacy: every level is one histogram of disjoint groups of cells, and which groups these are
    depends on the levels before it alone. Levels that are not measured cost nothing.

    Args:
        levels: For each level, the first cells of its nodes; they include those of the level above.
        num_cells: The number of fine cells, without the one for null.
        measure: Answers for one level.
    """
    measured: list[Level] = []
    for starts in levels:
        nodes = _nodes(starts, num_cells, measured[-1] if measured else None)
        if not len(nodes[0]):
            break
        noisy, sigma = measure(_groups(nodes[0], nodes[1], num_cells))
        counts = noisy[: len(nodes[0])].astype(np.float64)
        total = (measured[0].counts if measured else counts).sum()
        expanded = counts > max(_STANDS_OUT * sigma, LEAST_SHARE * total)
        measured.append(Level(*nodes, counts, sigma, expanded))
    if measured:
        measured[-1].expanded[:] = False
    return measured


def _nodes(
    starts: np.ndarray, num_cells: int, above: Level | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return first cells, ends and parents of the nodes to be measured."""
    ends = np.append(starts[1:], num_cells)
    if above is None:
        return starts, ends, np.zeros(len(starts), dtype=np.int64)
    parents = np.searchsorted(above.starts, starts, side='right') - 1
    inside = (parents >= 0) & above.expanded[parents] & (ends <= above.ends[parents])
    halves = inside & (ends - starts < above.ends[parents] - above.starts[parents])
    above.expanded[np.setdiff1d(np.arange(len(above.starts)), parents[halves])] = False
    return starts[halves], ends[halves], parents[halves]


def _groups(starts: np.ndarray, ends: np.ndarray, num_cells: int) -> np.ndarray:
    """Return the group of each fine cell and of null; what is in no node is in the last group."""
    group_of = np.full(num_cells + 1, len(starts), dtype=np.int64)
    steps = np.zeros(num_cells + 1, dtype=np.int64)
    np.add.at(steps, starts, 1)
    np.add.at(steps, ends, -1)
    inside = np.cumsum(steps)[:num_cells] > 0
    group_of[:num_cells][inside] = np.searchsorted(starts, np.flatnonzero(inside), side='right') - 1
    return group_of


def found_pieces(measured: Sequence[Level], widths: Floats) -> Pieces:
    """Return pieces of a line whose densities differ by more than noise.

    From the bottom up: below a node, children are merged as far as noise explains their
    differences; the rest is corrected to be consistent with the node's own measurement.

    Privacy: post-processing of released values.

    Args:
        measured: What ``look`` returned.
        widths: How wide each fine cell is.
    """
    to_left = np.concatenate([[0.0], np.cumsum(widths)])
    below: dict[int, Pieces] = {}
    for above, level in reversed(list(zip(measured, measured[1:], strict=False))):
        below = _pieces_below(above, level, _pieces_of(level, below), to_left)
    whole = _join(_pieces_of(measured[0], below))
    return merge_pieces(whole, np.diff(to_left[whole.starts]), len(measured[0].starts))


def _pieces_below(
    above: Level, level: Level, pieces: list[Pieces], to_left: Floats
) -> dict[int, Pieces]:
    """Return the pieces below each split node."""
    found = {}
    for parent in np.flatnonzero(above.expanded).tolist():
        own = _join([pieces[child] for child in np.flatnonzero(level.parents == parent)])
        own = merge_pieces(own, np.diff(to_left[own.starts]), len(level.starts))
        found[parent] = _agree(own, above.counts[parent], above.sigma**2)
    return found


def _pieces_of(level: Level, below: dict[int, Pieces]) -> list[Pieces]:
    """Return for each node of a level the pieces below it, or the node itself."""
    return [
        below.get(place)
        or Pieces(
            np.array([level.starts[place], level.ends[place]]),
            level.counts[place : place + 1],
            np.array([level.sigma**2]),
        )
        for place in range(len(level.starts))
    ]


def _join(pieces: list[Pieces]) -> Pieces:
    starts = np.concatenate([piece.starts[:-1] for piece in pieces] + [pieces[-1].starts[-1:]])
    rows, variances = (
        np.concatenate([getattr(piece, name) for piece in pieces]) for name in ('rows', 'variances')
    )
    return Pieces(starts, rows, variances)


def _agree(pieces: Pieces, count: float, variance: float) -> Pieces:
    """Return pieces that add up to the best estimate of their sum, by least squares.

    Args:
        pieces: The measurements below a node.
        count: The measurement of the node itself.
        variance: The variance of its noise.
    """
    total, spread = pieces.rows.sum(), pieces.variances.sum()
    agreed = (count / variance + total / spread) / (1 / variance + 1 / spread)
    part = pieces.variances / spread
    left = 1 / (1 / variance + 1 / spread)
    return Pieces(
        pieces.starts,
        pieces.rows + (agreed - total) * part,
        pieces.variances * (1 - part) + part**2 * left,
    )


# -- Data-dependent bins within the budget: narrow where rows are, with single bins for spikes -----
#
# A declared range says where values may lie, not how they are distributed. Each binned column is
# measured by noisy histograms over a public grid, finer where rows are. Everything else is
# post-processing: whatever stands out from the noise gets bins of its own.


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
