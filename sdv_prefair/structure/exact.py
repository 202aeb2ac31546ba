"""The optimum of Exponential-PreFair, by branch and bound over the sides of columns."""

import heapq
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from numbers import Real
from typing import ClassVar

import numpy as np

from sdv_prefair.errors import StructureError, shown
from sdv_prefair.roles import ADMISSIBLE, OUTCOME, PROTECTED, Roles
from sdv_prefair.structure.sides import RelaxedTree, SideCosts
from sdv_prefair.structure.spanning import (
    OUTCOME_SIDE,
    PROTECTED_SIDE,
    UNDECIDED,
    SpanningTrees,
    Tree,
)
from sdv_prefair.structure.tree import FairTree, Pair, Scores, measurable_pairs, usable_pairs

DEFAULT_TIME_LIMIT = 10.0
SIDES = {PROTECTED: PROTECTED_SIDE, OUTCOME: OUTCOME_SIDE}


@dataclass(frozen=True)
class ExactStrategy:
    """Release all scores with noise, then find the heaviest fair tree of the noisy scores.

    Finding it is hard in general, but the effort grows with the unlabelled columns only, and
    most tables take milliseconds. When the time is up the best fair tree found so far is
    returned, and its ``gap`` says how far from the optimum it can be at most; which tree that is
    may then depend on the speed of the machine.

    Where pairs are too large to measure, it is the fair forest of the others with the most edges,
    and of those the heaviest.

    Paper: Algorithm 1 (Exponential-PreFair).

    Args:
        time_limit: Seconds to search for; ``None`` stands for 10. The first tree and bound
            are always computed.

    Raises:
        StructureError: If ``time_limit`` is not a number above 0; when used, if there is no
            fair tree because no admissible column is modelled.
    """

    time_limit: float | None = None
    name: ClassVar[str] = 'exact'
    requires_roles: ClassVar[bool] = True
    all_gaussian: ClassVar[bool] = True

    def __post_init__(self) -> None:
        limit = self.time_limit
        if limit is not None and not (isinstance(limit, Real) and limit > 0):
            raise StructureError(
                f'time_limit ({shown(limit)}) must be a number of seconds above 0, or None.'
            )

    def declare(self, columns: Sequence[str], roles: Roles) -> list[Pair]:
        """Return all pairs but those of a protected and an outcome column."""
        return usable_pairs(columns, roles)

    def select(self, columns: Sequence[str], roles: Roles, scores: Scores) -> FairTree:
        """Return the heaviest fair tree of the released scores.

        Privacy: one call of ``scores.release``; the search is post-processing.
        """
        role = [roles.of(column) for column in columns]
        _check_feasible(role)
        pairs = self.declare(columns, roles)
        measurable = measurable_pairs(pairs, scores)
        released = scores.release(measurable) if measurable else {}
        weights = _with_stand_ins(released, pairs)
        position = {column: place for place, column in enumerate(columns)}
        ends = [(position[first], position[second]) for first, second in weights]
        trees = SpanningTrees(len(columns), ends, list(weights.values()))
        search = _Search(trees, {place for place, name in enumerate(role) if name == ADMISSIBLE})
        side = np.array([SIDES.get(name, UNDECIDED) for name in role], dtype=np.int8)
        tree, gap = search.run(side, self.time_limit or DEFAULT_TIME_LIMIT)
        edges = [
            tuple(columns[end] for end in trees.ends[edge]) for edge in sorted(tree.edges.tolist())
        ]
        edges = [edge for edge in edges if edge in released]
        return FairTree(edges, math.fsum(released[edge] for edge in edges), gap)


def _with_stand_ins(released: Mapping[Pair, float], pairs: Sequence[Pair]) -> dict[Pair, float]:
    """Return the weights of all pairs, so low for those without a score that any other is better.

    A fair forest can be completed to a fair tree, by pairs with an admissible column. So the
    heaviest fair tree holds as few of these pairs as possible, and without them it is the heaviest
    of the fair forests with the most edges.
    """
    least = -1.0 - 2.0 * len(pairs) * max(map(abs, released.values()), default=0.0)
    return {pair: released.get(pair, least) for pair in pairs}


def _check_feasible(role: Sequence[str]) -> None:
    if PROTECTED in role and OUTCOME in role and ADMISSIBLE not in role:
        raise StructureError(
            'There is no fair spanning tree: protected and outcome columns are modelled, but no '
            'admissible one. Give a modelled column the role admissible.'
        )


class _Search:
    """Branch and bound over the side of each unlabelled column, best bound first.

    With every column decided, the fair trees are the spanning trees without an edge between
    the sides, and every fair tree respects some choice of sides. A branch decides some columns;
    the maximum spanning tree under what is decided, less what its conflicts must cost, is no
    lighter than the branch's best fair tree.
    """

    # Departs: the paper searches over sets of edges, one tree out of d^(d-2). Sides give the same
    # optimum out of 2^n spanning trees, n the number of unlabelled columns, and good bounds.

    def __init__(self, trees: SpanningTrees, admissible: set[int]):
        self._trees, self._admissible = trees, admissible
        self._best: Tree | None = None
        self._queue: list[tuple[float, int, np.ndarray, Tree, int | None]] = []
        self._order = count()
        # Sums of weights are rounded: differences below this are not improvements.
        self._tolerance = 1e-12 * float(np.abs(trees.weights).max(initial=0.0))

    def run(self, side: np.ndarray, seconds: float) -> tuple[Tree, float]:
        """Return the best fair tree found and how much heavier another one can be."""
        deadline = time.monotonic() + seconds
        self._explore(side, self._trees.best(side))
        assert self._best is not None  # the first branch always offers a tree
        while self._queue:
            negative_bound, _, side, tree, node = heapq.heappop(self._queue)
            if not self._may_improve(-negative_bound):
                break
            if time.monotonic() > deadline:
                return self._best, -negative_bound - self._best.weight
            for taken in (PROTECTED_SIDE, OUTCOME_SIDE):
                branch = side.copy()
                branch[node] = taken
                self._explore(branch, tree)
        return self._best, 0.0

    def _explore(self, side: np.ndarray, tree: Tree) -> None:
        """Bound a branch, try its most promising tree, and queue it if it may hold a better."""
        settled = False
        while not settled:
            tree = self._trees.repair(tree, side)
            if not self._may_improve(tree.weight):
                return
            costs = RelaxedTree(tree, side, self._admissible).side_costs()
            bound = tree.weight - costs.least
            if not self._may_improve(bound):
                return
            self._offer(self._trees.repair(tree, costs.preferred))
            if not self._may_improve(bound):
                return
            settled = not self._decide(side, bound, costs)
        heapq.heappush(self._queue, (-bound, next(self._order), side, tree, costs.hub))

    def _offer(self, tree: Tree) -> None:
        if self._best is None or tree.weight > self._best.weight:
            self._best = tree

    def _decide(self, side: np.ndarray, bound: float, costs: SideCosts) -> bool:
        """Put each column on the only side that can still hold a better tree; say if any was."""
        before = np.count_nonzero(side)
        for node, (protected, outcome) in costs.extra.items():
            if not self._may_improve(bound - protected):
                side[node] = OUTCOME_SIDE
            elif not self._may_improve(bound - outcome):
                side[node] = PROTECTED_SIDE
        return bool(np.count_nonzero(side) > before)

    def _may_improve(self, bound: float) -> bool:
        return self._best is None or bound > self._best.weight + self._tolerance
