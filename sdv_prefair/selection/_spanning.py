"""Maximum spanning trees over one list of weighted pairs, as more and more pairs are forbidden.

This is the inner loop of the exact search: thousands of trees that differ in a few edges. The
algorithms are textbook ones, implemented here on integers because networkx builds a graph of
dictionaries for each tree and takes about a hundred times longer.
"""

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from sdv_prefair.values._arrays import Flags

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
