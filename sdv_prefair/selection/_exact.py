"""The optimum of Exponential-PreFair, by branch and bound over the sides of columns.

The input of the search is columns as numbers, with a side in every statement. A forest satisfies a
statement if and only if each column outside its conditioning set can be put on one of its two
sides, left columns on one and right columns on the other, so that no edge connects the sides. This
holds for each statement separately, so several of them are several rows of sides.

If no fair tree can connect all columns, one more node does. It is in every conditioning set, so it
may be adjacent to everything, and its edges are so light that any other is better: the heaviest
fair tree with that node has as few of them as possible. Without them it is the fair forest with the
most edges, and of these the heaviest. Some columns are never connected in any fair forest, such as
a left and a right column of a statement with an empty conditioning set. For a set of columns that
are pairwise separated in this way, the node's edges are always taken, since there are at least as
many components: so the search need not find out first that no tree is fair.
"""

import heapq
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, product
from numbers import Real
from typing import ClassVar

import networkx as nx
import numpy as np

from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness._predicate import implies
from sdv_prefair.fairness._statements import FREE, Independent, Statements
from sdv_prefair.selection._sides import (
    OUTCOME_SIDE,
    PROTECTED_SIDE,
    UNDECIDED,
    RelaxedTree,
    SideCosts,
    SpanningTrees,
    Tree,
)
from sdv_prefair.selection._strategy import (
    FairTree,
    Pair,
    Scores,
    check_given,
    check_unlabelled,
    measurable_pairs,
    usable_pairs,
)


@dataclass(frozen=True)
class SidesProblem:
    """Spanning trees whose nodes take sides.

    Attributes:
        trees: The graph, which some fair tree connects.
        sides: For each statement a row: the side of every node.
        given: For each statement, the nodes that may be adjacent to both of its sides.
        columns: The names of the nodes; the additional node, if any, has none.
    """

    trees: SpanningTrees
    sides: np.ndarray
    given: list[set[int]]
    columns: Sequence[str]

    def named(self, tree: Tree) -> Iterator[Pair]:
        """Yield the edges of a tree between columns, the heaviest first."""
        for edge in sorted(tree.edges.tolist()):
            first, second = self.trees.ends[edge]
            if max(first, second) < len(self.columns):
                yield self.columns[first], self.columns[second]


def sides_problem(
    columns: Sequence[str],
    roles: Statements,
    released: Mapping[Pair, float],
    declared: Sequence[Pair],
) -> SidesProblem:
    """Return the problem of finding the heaviest fair tree, or forest with the most edges.

    Privacy: a function of released scores.

    Args:
        columns: The nodes.
        roles: Statements, or the roles that are short for one.
        released: The weights of the pairs that can be measured.
        declared: These pairs, and those that are too large.
    """
    statements = roles.statements
    place = {column: number for number, column in enumerate(columns)}
    if _is_always_connected(columns, statements):
        weights = _with_stand_ins(released, declared)
        ends, extra = [(place[first], place[second]) for first, second in weights], 0
        values = list(weights.values())
    else:
        ends = [(place[first], place[second]) for first, second in released]
        ends += [(number, len(columns)) for number in range(len(columns))]
        values, extra = [*released.values(), *_costs_of_parts(columns, roles, released)], 1
    size = len(columns) + extra
    sides = np.full((len(statements), size), UNDECIDED, dtype=np.int8)
    given = [_take_sides(side, place, s) for side, s in zip(sides, statements, strict=True)]
    for nodes in given:
        nodes.update(range(len(columns), size))
    return SidesProblem(SpanningTrees(size, ends, values), sides, given, columns)


def _take_sides(side: np.ndarray, place: Mapping[str, int], statement: Independent) -> set[int]:
    """Put the columns of a statement on its sides; return its conditioning set."""
    for taken, names in ((PROTECTED_SIDE, statement.left), (OUTCOME_SIDE, statement.right)):
        side[[place[name] for name in names if name in place]] = taken
    return {place[name] for name in statement.given if name in place}


def _is_always_connected(columns: Sequence[str], statements: Sequence[Independent]) -> bool:
    """Whether there is one statement, with a column whose pairs complete any fair forest."""
    return len(statements) < 2 and all(set(columns) & set(s.given) for s in statements)


def _costs_of_parts(
    columns: Sequence[str], roles: Statements, released: Mapping[Pair, float]
) -> list[float]:
    """Return, for each column, the weight of an edge to the additional node."""
    free = set(_never_joined(columns, roles))
    heavy, light = 1.0 + max(map(abs, released.values()), default=0.0), _lightest(released)
    return [heavy if column in free else light for column in columns]


def _never_joined(columns: Sequence[str], roles: Statements) -> list[str]:
    """Return columns no two of which are ever in one component; as many as are found."""
    apart: nx.Graph[str] = nx.Graph()
    apart.add_node(columns[0])
    for statement in roles.statements:
        for left, right in product(statement.left, statement.right):
            if implies(roles.statements, Independent([left], [right])):
                apart.add_edge(left, right)
    apart = apart.subgraph(columns)
    found: list[str] = max(nx.find_cliques(apart), key=len)
    return found


def _with_stand_ins(released: Mapping[Pair, float], pairs: Sequence[Pair]) -> dict[Pair, float]:
    """Return the weights of all pairs, with very low weights for pairs without a score.

    A fair forest can be completed to a fair tree, by pairs with an admissible column. So the
    heaviest fair tree holds as few of these pairs as possible, and without them it is the heaviest
    of the fair forests with the most edges.
    """
    lightest = _lightest(released, len(pairs))
    return {pair: released.get(pair, lightest) for pair in pairs}


def _lightest(released: Mapping[Pair, float], pairs: int | None = None) -> float:
    pairs = len(released) if pairs is None else pairs
    return -1.0 - 2.0 * pairs * max(map(abs, released.values()), default=0.0)


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
