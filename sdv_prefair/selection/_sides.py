"""The inner loop of the exact search: spanning trees under sides, and a bound on fair ones.

Maximum spanning trees over one list of weighted pairs are repaired as more and more pairs are
forbidden: thousands of trees that differ in a few edges. The algorithms are textbook ones,
implemented here on integers because networkx builds a graph of dictionaries for each tree and takes
about a hundred times longer.

The bound is a lower bound on the cost of making a relaxed tree fair. A tree of the relaxation may
connect the two sides through undecided columns. In a fair tree each of these columns is on one
side, and the edges to the other side are lost. The weight of the best spanning tree is the weighted
rank of a matroid, which is submodular, so losing disjoint sets of edges together costs no less than
the sum of losing each set alone. The smallest such sum over all choices of sides is therefore a
lower bound, and as it is a sum over the edges of a tree, one pass up and one pass down compute it
for every column and side.
"""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sdv_prefair._arrays import Flags

PROTECTED_SIDE, UNDECIDED, OUTCOME_SIDE = 1, 0, -1
"""The side of a node in one statement. What the statement is given, such as admissible columns,
stays ``UNDECIDED``: it may touch both sides."""


class SpanningTrees:
    """The maximum spanning trees of a graph whose nodes take sides.

    An edge is a position in the list of pairs sorted from the heaviest to the lightest. It is
    forbidden while its two ends are on opposite sides. Nodes may take sides in several statements
    at once, one row of sides for each; then an edge is forbidden while any statement forbids it.

    Args:
        size: Number of nodes, which are 0, 1, ..., size - 1.
        pairs: The two ends of each edge; together they connect all nodes.
        weights: One weight for each pair; of pairs with equal weights, the first is taken first.
    """

    def __init__(self, size: int, pairs: Sequence[tuple[int, int]], weights: Sequence[float]):
        order = sorted(range(len(pairs)), key=lambda edge: -weights[edge])
        self.size = size
        self.ends = [pairs[edge] for edge in order]
        self.weights = np.array([weights[edge] for edge in order], dtype=float)
        self._first, self._second = np.array(self.ends, dtype=np.intp).reshape(-1, 2).T.copy()

    def best(self, side: np.ndarray) -> 'Tree':
        """Return the maximum spanning tree over the allowed edges."""
        return self._fill(np.array([], dtype=np.intp), np.arange(self.size), self.allowed(side))

    def repair(self, tree: 'Tree', side: np.ndarray) -> 'Tree':
        """Return the maximum spanning tree after more nodes took sides.

        Forbidding edges never removes another edge from a maximum spanning tree: the rest of the
        old tree stays, and only its components are connected again.

        Args:
            tree: The maximum spanning tree before; no node has left the side that it had then.
            side: The side of each node now.
        """
        allowed = self.allowed(side)
        kept = allowed[tree.edges]
        if kept.all():
            return tree
        return self._fill(tree.edges[kept], tree.parts(tree.edges[~kept]), allowed)

    def allowed(self, side: np.ndarray) -> Flags:
        """Return for each edge whether its ends are not on opposite sides."""
        sides = np.atleast_2d(side)
        allowed: Flags = (sides[:, self._first] * sides[:, self._second] != -1).all(axis=0)
        return allowed

    def _fill(self, edges: np.ndarray, part: np.ndarray, allowed: Flags) -> 'Tree':
        """Join the components of a forest, heaviest edge first."""
        added = []
        candidates = np.flatnonzero(allowed & (part[self._first] != part[self._second]))
        while candidates.size:
            edge = candidates[0]
            added.append(edge)
            part[part == part[self._second[edge]]] = part[self._first[edge]]
            joins = part[self._first[candidates]] != part[self._second[candidates]]
            candidates = candidates[joins]
        return Tree(self, np.append(edges, added).astype(np.intp))


class Tree:
    """One spanning tree, with data for removing and replacing edges quickly.

    Args:
        graph: The graph that the edges are numbered in.
        edges: The edges of the tree.
    """

    def __init__(self, graph: SpanningTrees, edges: np.ndarray):
        self.graph, self.edges = graph, edges
        # Rounded once, so that trees with the same weights weigh the same.
        self.weight = math.fsum(graph.weights[edges].tolist())

    @cached_property
    def neighbours(self) -> list[list[tuple[int, int]]]:
        """For each node its neighbours, with the edges that lead there."""
        neighbours: list[list[tuple[int, int]]] = [[] for _ in range(self.graph.size)]
        for edge in self.edges.tolist():
            first, second = self.graph.ends[edge]
            neighbours[first].append((second, edge))
            neighbours[second].append((first, edge))
        return neighbours

    def parts(self, lost: np.ndarray) -> np.ndarray:
        """Return the number of the component of each node after some edges are removed."""
        part = np.zeros(self.graph.size, dtype=np.intp)
        places = sorted(self._walk.below[edge] for edge in lost.tolist())
        for number, place in enumerate(places, start=1):
            part[self._walk.nodes[place : self._walk.stop[place]]] = number
        return part

    def replacement_losses(self, side: np.ndarray) -> dict[int, float]:
        """Return, for each edge, what it would cost to lose that edge alone.

        The allowed edges outside the tree are taken from the heaviest to the lightest; each
        replaces the edges on the tree path between its ends that have no replacement yet. Of two
        nodes, the one with the later place is not above the other, so it is the one that moves up.
        """
        allowed = self.graph.allowed(side)
        allowed[self.edges] = False
        walk, weights = self._walk, self.graph.weights.tolist()
        losses, top = {}, list(range(self.graph.size))
        for edge in np.flatnonzero(allowed).tolist():
            lower, upper = (_find(top, walk.place[node]) for node in self.graph.ends[edge])
            while lower != upper:
                lower, upper = max(lower, upper), min(lower, upper)
                lost = walk.above[lower]
                losses[lost] = weights[lost] - weights[edge]
                top[lower] = walk.parent[lower]
                lower = _find(top, lower)
            if len(losses) == len(self.edges):
                break
        return losses

    @cached_property
    def _walk(self) -> 'Walk':
        return Walk(self.neighbours)


class Walk:
    """The nodes of a tree in depth-first order, in which every subtree is contiguous.

    Attributes:
        nodes: The node at each place.
        place: The place of each node.
        parent: The place of the parent of the node at each place.
        above: The edge from the node at each place to its parent.
        below: For each edge, the place of its lower end.
        stop: The place after the last of the subtree that starts at each place.
    """

    def __init__(self, neighbours: list[list[tuple[int, int]]]):
        nodes: list[int] = []
        self.parent: list[int] = []
        self.above: list[int] = []
        stack = [(0, -1, -1)]
        while stack:
            node, parent, above = stack.pop()
            place = len(nodes)
            nodes.append(node)
            self.parent.append(parent)
            self.above.append(above)
            stack.extend((new, place, edge) for new, edge in neighbours[node] if edge != above)
        self.nodes = np.array(nodes)
        self.place = np.argsort(self.nodes).tolist()
        self.below = {edge: place for place, edge in enumerate(self.above)}
        self.stop = list(range(1, len(nodes) + 1))
        for place in range(len(nodes) - 1, 0, -1):
            parent = self.parent[place]
            self.stop[parent] = max(self.stop[parent], self.stop[place])


def _find(top: list[int], place: int) -> int:
    while top[place] != place:
        top[place] = place = top[top[place]]
    return place


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
