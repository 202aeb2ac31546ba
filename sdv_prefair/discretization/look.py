"""A private look at a column: a histogram that becomes finer where rows are.

Nodes of a public tree are measured level by level. Those whose noisy count stands out are looked
at more closely on the next level; all others stay as they are. Every level is one histogram.

Hay, Rastogi, Miklau and Suciu (2010) for the sums: what is measured on two levels is made to agree
by least squares, which makes both more exact.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sdv_prefair.discretization.segmentation import Leaves
from sdv_prefair.values.arrays import Flags, Floats

# A node is looked into if it holds this share of the rows, and more than noise would.
LEAST_SHARE = 1 / 128
_STANDS_OUT = 3.0

Measure = Callable[[np.ndarray], tuple[np.ndarray, float]]
"""Returns the noisy counts of groups of fine cells, and sigma; spends one level's part."""


@dataclass
class _Level:
    """The nodes that were measured on one level.

    Attributes:
        starts: The first fine cell of each.
        ends: The fine cell after the last of each.
        parents: The place of the parent of each on the level above.
        counts: Their noisy counts.
        sigma: Of the noise.
    """

    starts: np.ndarray
    ends: np.ndarray
    parents: np.ndarray
    counts: Floats
    sigma: float
    expanded: Flags = field(init=False)
    variances: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.expanded = np.zeros(len(self.starts), dtype=bool)
        self.variances = np.full(len(self.starts), self.sigma**2)


def look(levels: Sequence[np.ndarray], num_cells: int, measure: Measure) -> list[_Level]:
    """Measure the levels of a tree from the top, each below the nodes that stand out.

    Privacy: every level is one histogram of disjoint groups of cells, and which groups these are
    depends on the levels before it alone. What is not measured is not paid.

    Args:
        levels: Of each level the first cells of its nodes, those of the level above among them.
        num_cells: How many fine cells there are, that of null excepted.
        measure: Answers for one level.
    """
    measured: list[_Level] = []
    for starts in levels:
        nodes = _nodes(starts, num_cells, measured[-1] if measured else None)
        if not len(nodes[0]):
            break
        counts, sigma = measure(_groups(nodes[0], nodes[1], num_cells))
        level = _Level(*nodes, counts[: len(nodes[0])].astype(np.float64), sigma)
        measured.append(level)
        total = measured[0].counts.sum()
        level.expanded = level.counts > max(_STANDS_OUT * sigma, LEAST_SHARE * total)
    if measured:
        measured[-1].expanded[:] = False
    return measured


def _nodes(
    starts: np.ndarray, num_cells: int, above: _Level | None
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


def leaves(measured: Sequence[_Level], widths: Floats) -> Leaves:
    """Return the nodes that were not looked into, with counts that agree on all levels.

    Privacy: post-processing of released values.

    Args:
        measured: What ``look`` returned.
        widths: How wide each fine cell is.
    """
    _sum_up(measured)
    _share_out(measured)
    starts, counts, variances = (
        np.concatenate([getattr(level, name)[~level.expanded] for level in measured])
        for name in ('starts', 'counts', 'variances')
    )
    order = np.argsort(starts)
    bounds = np.append(starts[order], len(widths))
    prefix = np.concatenate([[0.0], np.cumsum(widths)])
    return Leaves(bounds, counts[order], variances[order], np.diff(prefix[bounds]))


def _sum_up(measured: Sequence[_Level]) -> None:
    """Combine each node's count with the sum of its children's, by their exactness."""
    for above, below in reversed(list(zip(measured, measured[1:], strict=False))):
        sums, variances = _sums(above, below)
        open_ = above.expanded
        own = 1 / above.variances[open_]
        children = 1 / variances[open_]
        combined = own * above.counts[open_] + children * sums[open_]
        above.counts[open_] = combined / (own + children)
        above.variances[open_] = 1 / (own + children)


def _share_out(measured: Sequence[_Level]) -> None:
    """Correct children so that they add up to their parent."""
    for above, below in zip(measured, measured[1:], strict=False):
        sums, variances = _sums(above, below)
        missing = (above.counts - sums)[below.parents]
        below.counts += missing * below.variances / variances[below.parents]


def _sums(above: _Level, below: _Level) -> tuple[Floats, Floats]:
    size = len(above.starts)
    return (
        np.bincount(below.parents, below.counts, size),
        np.bincount(below.parents, below.variances, size),
    )
