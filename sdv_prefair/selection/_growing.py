"""A fair chordal graph that grows pair by pair, and the pairs that may be added next."""

import math
from collections.abc import Mapping

import networkx as nx
import numpy as np

from sdv_prefair.fairness._predicate import fair_additions
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.selection._decomposable import common_neighbours, keeps_chordal
from sdv_prefair.selection._tree import Pair
from sdv_prefair.values._arrays import Flags, Integers


class GrowingGraph:
    """Columns and pairs of them; every pair added keeps the graph fair, chordal and affordable.

    Privacy: a function of public facts and of the pairs added, which are released.

    Args:
        domain: Number of codes of every column.
        roles: The roles that it must satisfy; none, if it need not be fair.
        max_cells: Largest number of cells of a clique's table.
    """

    def __init__(self, domain: Mapping[str, int], roles: Statements, max_cells: int):
        self.edges: list[Pair] = []
        self._domain, self._roles, self._max_cells = dict(domain), roles, max_cells
        self._graph: nx.Graph[str] = nx.Graph()
        self._graph.add_nodes_from(domain)
        self._place = {column: place for place, column in enumerate(domain)}
        self._joined = np.zeros((len(domain), len(domain)), dtype=np.int64)
        self._common = self._joined.copy()  # numbers of common neighbours
        self._component = np.arange(len(domain))
        # Pairs that were refused, and how many common neighbours each had then.
        self._refused: dict[Pair, int] = {}

    def is_joined(self, column: str) -> bool:
        """Whether the column has an edge."""
        return bool(self._graph[column])

    def apart(self, places: Integers) -> Flags:
        """Return for each pair of positions whether its columns are in different components."""
        first, second = places.T
        flags: Flags = self._component[first] != self._component[second]
        return flags

    def maybe(self, places: Integers) -> Flags:
        """Return for each pair of positions whether it can possibly be added, by a quick test.

        A pair inside a component needs a common neighbour, or it would close a cycle of four or
        more.
        """
        first, second = places.T
        near = self._common[first, second] > 0
        flags: Flags = (self._joined[first, second] == 0) & (near | self.apart(places))
        return flags

    def takes(self, pair: Pair) -> bool:
        """Whether the graph with the pair is chordal and fair, and its new clique small enough.

        A pair that was refused stays so until it gets another common neighbour: any other edge only
        adds paths around the common neighbours, and makes nothing fairer or smaller.
        """
        first, second = (self._place[column] for column in pair)
        common = int(self._common[first, second])
        if self._refused.get(pair) == common:
            return False
        is_taken = self._is_taken(pair)
        if not is_taken:
            self._refused[pair] = common
        return is_taken

    def _is_taken(self, pair: Pair) -> bool:
        clique = common_neighbours(self._graph, pair) | set(pair)
        if math.prod(self._domain[column] for column in clique) > self._max_cells:
            return False
        first, second = (self._place[column] for column in pair)
        joins = self._component[first] != self._component[second]
        if not joins and not keeps_chordal(self._graph, pair):
            return False
        return bool(fair_additions(self._roles, [pair], self.edges))

    def add(self, pair: Pair) -> None:
        """Join the columns of a pair that ``takes`` accepts."""
        first, second = (self._place[column] for column in pair)
        self.edges.append(pair)
        self._graph.add_edge(*pair)
        for column, other in ((first, second), (second, first)):
            self._common[column] += self._joined[other]
            self._common[:, column] += self._joined[other]
        self._joined[first, second] = self._joined[second, first] = 1
        merged = self._component == self._component[second]
        self._component[merged] = self._component[first]

    def cliques(self) -> list[tuple[str, ...]]:
        """Return the maximal cliques, without single columns."""
        return [tuple(clique) for clique in nx.find_cliques(self._graph) if len(clique) > 1]
