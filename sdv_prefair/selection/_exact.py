"""The optimum of Exponential-PreFair, by branch and bound over the sides of columns."""

import heapq
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from numbers import Real
from typing import ClassVar

import numpy as np

from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.fairness._unlabelled import FREE
from sdv_prefair.selection._sides import RelaxedTree, SideCosts
from sdv_prefair.selection._sides_problem import sides_problem
from sdv_prefair.selection._spanning import OUTCOME_SIDE, PROTECTED_SIDE, SpanningTrees, Tree
from sdv_prefair.selection._tree import (
    FairTree,
    Pair,
    Scores,
    check_given,
    check_unlabelled,
    measurable_pairs,
    usable_pairs,
)

DEFAULT_TIME_LIMIT = 10.0


@dataclass(frozen=True)
class ExactStrategy:
    """Release all scores with noise, then find the heaviest fair tree of the noisy scores.

    Finding it is hard in general, but the effort grows only with the columns that have no side in a
    statement, and most tables take milliseconds. If time runs out, the best fair tree found so far
    is returned, and its ``gap`` bounds its distance from the optimum; which tree that is may then
    depend on the speed of the machine.

    If pairs are too large to measure, or the statements rule out every fair tree, it is the fair
    forest with the most edges, and of those the heaviest.

    Paper: Algorithm 1 (Exponential-PreFair).

    Args:
        time_limit: Seconds to search for; ``None`` stands for 10. The first tree and bound
            are always computed.
        unlabelled: ``'free'`` lets an outcome be adjacent to a column that no statement names,
            ``'apart'`` does not.

    Raises:
        StructureError: If ``time_limit`` is not a number above 0, or ``unlabelled`` is neither
            word; when used, if there is no fair tree because no admissible column is modelled.
    """

    time_limit: float | None = None
    unlabelled: str = FREE
    name: ClassVar[str] = 'exact'
    requires_roles: ClassVar[bool] = True
    all_gaussian: ClassVar[bool] = True

    def __post_init__(self) -> None:
        limit = self.time_limit
        if limit is not None and not (isinstance(limit, Real) and limit > 0):
            raise StructureError(
                f'time_limit ({shown(limit)}) must be a number of seconds above 0, or None.'
            )
        check_unlabelled(self.unlabelled)

    def declare(self, columns: Sequence[str], roles: Statements) -> list[Pair]:
        """Return all pairs except those between the two sides of a statement."""
        return usable_pairs(columns, roles, self.unlabelled)

    def select(self, columns: Sequence[str], roles: Statements, scores: Scores) -> FairTree:
        """Return the heaviest fair tree of the released scores.

        Privacy: one call of ``scores.release``; the search is post-processing.
        """
        check_given(columns, roles)
        pairs = self.declare(columns, roles)
        measurable = measurable_pairs(pairs, scores)
        released = scores.release(measurable) if measurable else {}
        problem = sides_problem(columns, roles, released, pairs)
        search = _Search(problem.trees, problem.given)
        tree, gap = search.run(problem.sides, self.time_limit or DEFAULT_TIME_LIMIT)
        edges = [edge for edge in problem.named(tree) if edge in released]
        return FairTree(edges, math.fsum(released[edge] for edge in edges), gap)


class _Search:
    """Branch and bound over the side of each column in each statement, best bound first.

    With every column decided, the fair trees are the spanning trees without an edge between the
    sides of a statement, and every fair tree respects some choice of sides. A branch decides some
    columns; the weight of the maximum spanning tree under these decisions, minus the least cost of
    its conflicts in any one statement, is an upper bound on the branch's best fair tree.
    """

    # Departs: the paper searches over sets of edges, one tree out of d^(d-2). Sides give the same
    # optimum out of 2^n spanning trees, n the number of columns without a side in a statement,
    # and good bounds.

    def __init__(self, trees: SpanningTrees, given: Sequence[set[int]]):
        self._trees, self._given = trees, given
        self._best: Tree | None = None
        self._queue: list[tuple[float, int, np.ndarray, Tree, tuple[int, int]]] = []
        self._order = count()
        # Sums of weights are rounded: differences below this are not improvements.
        self._tolerance = 1e-12 * float(np.abs(trees.weights).max(initial=0.0))

    def run(self, sides: np.ndarray, seconds: float) -> tuple[Tree, float]:
        """Return the best fair tree found, and by how much another one can be heavier."""
        deadline = time.monotonic() + seconds
        self._explore(sides, self._trees.best(sides))
        assert self._best is not None  # the first branch always yields a tree
        while self._queue:
            negative_bound, _, sides, tree, hub = heapq.heappop(self._queue)
            if not self._may_improve(-negative_bound):
                break
            if time.monotonic() > deadline:
                return self._best, -negative_bound - self._best.weight
            for taken in (PROTECTED_SIDE, OUTCOME_SIDE):
                branch = sides.copy()
                branch[hub] = taken
                self._explore(branch, tree)
        return self._best, 0.0

    def _explore(self, sides: np.ndarray, tree: Tree) -> None:
        """Bound a branch, try its most promising tree, and queue it if it may have a better one."""
        settled = False
        while not settled:
            tree = self._trees.repair(tree, sides)
            if not self._may_improve(tree.weight):
                return
            costs = [
                RelaxedTree(tree, sides, given, statement).side_costs()
                for statement, given in enumerate(self._given)
            ]
            bound = tree.weight - max((cost.least for cost in costs), default=0.0)
            if not self._may_improve(bound):
                return
            preferred = np.array([cost.preferred for cost in costs]).reshape(sides.shape)
            self._offer(self._trees.repair(tree, preferred))
            if not self._may_improve(bound):
                return
            settled = not self._decide(sides, tree, costs)
        heapq.heappush(self._queue, (-bound, next(self._order), sides, tree, _hub(costs)))

    def _offer(self, tree: Tree) -> None:
        if self._best is None or tree.weight > self._best.weight:
            self._best = tree

    def _decide(self, sides: np.ndarray, tree: Tree, costs: Sequence[SideCosts]) -> bool:
        """Put columns on the only side that still allows a better tree; return whether any were."""
        before = np.count_nonzero(sides)
        for side, cost in zip(sides, costs, strict=True):
            bound = tree.weight - cost.least
            for node, (protected, outcome) in cost.extra.items():
                if not self._may_improve(bound - protected):
                    side[node] = OUTCOME_SIDE
                elif not self._may_improve(bound - outcome):
                    side[node] = PROTECTED_SIDE
        return bool(np.count_nonzero(sides) > before)

    def _may_improve(self, bound: float) -> bool:
        return self._best is None or bound > self._best.weight + self._tolerance


def _hub(costs: Sequence[SideCosts]) -> tuple[int, int]:
    """Return the statement with the highest cost, and the column whose side decides most in it."""
    hubs = [(cost.least, -k, cost.hub) for k, cost in enumerate(costs) if cost.hub is not None]
    _, statement, hub = max(hubs)
    return -statement, hub
