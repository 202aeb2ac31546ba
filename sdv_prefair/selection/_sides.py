"""A lower bound on the cost of making a relaxed tree fair: the bound of the exact search.

A tree of the relaxation may connect the two sides through undecided columns. In a fair tree each of
these columns is on one side, and the edges to the other side are lost. The weight of the best
spanning tree is the weighted rank of a matroid, which is submodular, so losing disjoint sets of
edges together costs no less than the sum of losing each set alone. The smallest such sum over all
choices of sides is therefore a lower bound, and as it is a sum over the edges of a tree, one
pass up and one pass down compute it for every column and side.
"""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sdv_prefair.selection._spanning import OUTCOME_SIDE, PROTECTED_SIDE, UNDECIDED, Tree

Block = list[tuple[int, int, int]]  # nodes breadth first, each with its parent and edge to it
Cost = tuple[float, float]  # of being on the protected side and on the outcome side


@dataclass(frozen=True)
class SideCosts:
    """Lower bounds on what fairness costs one tree of the relaxation.

    Args:
        least: How much less any fair tree weighs.
        extra: For each undecided node in a block that contains both sides, the cost, in addition to
            ``least``, of putting it on either side.
        preferred: The cheapest sides, with every node decided.
        hub: The node of ``extra`` with the most neighbours in its block, the one whose side
            settles most; ``None`` when the tree is fair.
    """

    least: float
    extra: dict[int, Cost]
    preferred: np.ndarray
    hub: int | None


class RelaxedTree:
    """The maximum spanning tree once some nodes have taken sides; not fair in general.

    Args:
        tree: The maximum spanning tree of its graph under ``side``.
        side: The side of each node; with several statements, a row for each.
        admissible: The nodes that separate blocks in the statement considered. If there are none,
            one of its two sides must be empty.
        statement: The row of that statement. The cost of one is a lower bound on the cost of all.
    """

    def __init__(self, tree: Tree, side: np.ndarray, admissible: set[int], statement: int = 0):
        self._sides, self._statement = np.atleast_2d(side), statement
        self._tree, self._side, self._admissible = tree, self._sides[statement], admissible
        self._neighbours = [
            [(node, edge) for node, edge in around if node not in admissible]
            for around in tree.neighbours
        ]

    def side_costs(self) -> SideCosts:
        """Return the least cost of fairness, and the sides at which it is reached."""
        least, extra, preferred = 0.0, {}, self._side.copy()
        for block in self._blocks():
            nodes = [node for node, _, _ in block]
            undecided = [node for node in nodes if self._side[node] == UNDECIDED]
            taken = set(self._side[nodes].tolist())
            if not taken.issuperset((PROTECTED_SIDE, OUTCOME_SIDE)):
                preferred[undecided] = OUTCOME_SIDE if OUTCOME_SIDE in taken else PROTECTED_SIDE
                continue
            costs = self._block_costs(block)
            cheapest = min(costs[nodes[0]])
            least += cheapest
            for node in undecided:
                protected, outcome = costs[node]
                preferred[node] = PROTECTED_SIDE if protected <= outcome else OUTCOME_SIDE
                extra[node] = (protected - cheapest, outcome - cheapest)
        hub = max(extra, key=lambda node: len(self._neighbours[node]), default=None)
        return SideCosts(least, extra, preferred, hub)

    def _blocks(self) -> Iterator[Block]:
        seen = set(self._admissible)
        for start in range(len(self._neighbours)):
            if start not in seen:
                block = list(self._walk(start))
                seen.update(node for node, _, _ in block)
                yield block

    def _walk(self, start: int) -> Iterator[tuple[int, int, int]]:
        queue = deque([(start, -1, -1)])
        while queue:
            node, parent, edge = queue.popleft()
            yield node, parent, edge
            queue.extend((new, node, to) for new, to in self._neighbours[node] if new != parent)

    def _block_costs(self, block: Block) -> dict[int, Cost]:
        """Return the least cost of the whole block for each node and side."""
        costs = {node: self._own_cost(node) for node, _, _ in block}
        passed_up = {}
        for node, parent, edge in reversed(block[1:]):
            passed_up[node] = _across(costs[node], self._cutting_cost(node, parent, edge))
            costs[parent] = _plus(costs[parent], passed_up[node])
        for node, parent, edge in block[1:]:
            up, (protected, outcome) = passed_up[node], costs[parent]
            others = (protected - up[0], outcome - up[1])
            passed_down = _across(others, self._cutting_cost(node, parent, edge))
            costs[node] = _plus(costs[node], passed_down)
        return costs

    def _own_cost(self, node: int) -> Cost:
        """Return the weight lost in edges between a node and the decided nodes around it."""
        if self._side[node] == PROTECTED_SIDE:
            return 0.0, math.inf
        if self._side[node] == OUTCOME_SIDE:
            return math.inf, 0.0
        around = {self._side[neighbour] for neighbour, _ in self._neighbours[node]}
        return (
            self._deciding_cost(node, PROTECTED_SIDE) if OUTCOME_SIDE in around else 0.0,
            self._deciding_cost(node, OUTCOME_SIDE) if PROTECTED_SIDE in around else 0.0,
        )

    def _deciding_cost(self, node: int, side: int) -> float:
        decided = self._sides.copy()
        decided[self._statement, node] = side
        return self._tree.weight - self._tree.graph.repair(self._tree, decided).weight

    def _cutting_cost(self, node: int, parent: int, edge: int) -> float:
        """Return the weight lost if two undecided neighbours are on opposite sides.

        Edges to a decided node are in the other end's own cost.
        """
        if self._side[node] or self._side[parent]:
            return 0.0
        return self._replacement_losses[edge]

    @cached_property
    def _replacement_losses(self) -> dict[int, float]:
        return self._tree.replacement_losses(self._sides)


def _across(cost: Cost, cutting: float) -> Cost:
    """Return the cost of a subtree, seen across an edge: on the same side, or with the edge cut."""
    protected, outcome = cost
    return min(protected, outcome + cutting), min(outcome, protected + cutting)


def _plus(cost: Cost, other: Cost) -> Cost:
    return cost[0] + other[0], cost[1] + other[1]
