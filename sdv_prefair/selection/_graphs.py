"""Graphs that stay fair and decomposable (chordal) while pairs are added to them.

A chordal graph needs no fill-in: its maximal cliques form a junction tree, and every edge of the
model is a pair that was chosen and checked for fairness. Adding a pair u, v keeps a chordal
graph chordal exactly if its common neighbours separate u from v. The one new clique is u, v and
these neighbours.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import networkx as nx
import numpy as np

from sdv_prefair._arrays import Flags, Integers
from sdv_prefair.counting import Clique
from sdv_prefair.fairness._predicate import fair_additions, markov_graph
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.selection._strategy import Pair


def common_neighbours(graph: 'nx.Graph[str]', pair: Pair) -> set[str]:
    """Return the columns that are adjacent to both columns of a pair."""
    return set(graph[pair[0]]) & set(graph[pair[1]])


def keeps_chordal(graph: 'nx.Graph[str]', pair: Pair) -> bool:
    """Whether a chordal graph is still chordal with the pair as one more edge.

    The pair must lie in one connected component; one that joins two is not a chord.
    """
    if graph.has_edge(*pair) or not common_neighbours(graph, pair):
        return False
    return _are_separated(graph, pair)


def _are_separated(graph: 'nx.Graph[str]', pair: Pair) -> bool:
    """Whether the common neighbours of two columns separate them."""
    first, second = pair
    between = common_neighbours(graph, pair)
    reached, found = {first}, [first]
    while found:
        for column in graph[found.pop()]:
            if column == second:
                return False
            if column not in reached and column not in between:
                reached.add(column)
                found.append(column)
    return True


def affordable_chords(
    edges: Sequence[Pair], candidates: Sequence[Pair], domain: Mapping[str, int], max_cells: int
) -> list[Pair]:
    """Return the candidates that keep the graph chordal, with a new clique of few cells.

    Args:
        edges: A chordal graph.
        candidates: Pairs that may be added.
        domain: Number of codes of every column.
        max_cells: Largest number of cells that a clique's table may have.
    """
    graph = nx.Graph(edges)
    graph.add_nodes_from(domain)
    return [
        pair
        for pair in candidates
        if _cells(common_neighbours(graph, pair) | set(pair), domain) <= max_cells
        and keeps_chordal(graph, pair)
    ]


def affordable_cliques(
    cliques: Sequence[Clique],
    candidates: Sequence[Clique],
    domain: Mapping[str, int],
    max_cells: int,
) -> list[Clique]:
    """Return the candidates that keep the graph chordal, with new cliques of few cells.

    If one chordal graph contains another, the pairs that it has in addition can be added one by one
    so that every graph in between is chordal (Lauritzen, *Graphical Models*, 1996, lemma 2.21). So
    a clique that can be added at all can be added in some order of its pairs.

    Args:
        cliques: The cliques of a chordal graph.
        candidates: Cliques that may be added.
        domain: Number of codes of every column.
        max_cells: Largest number of cells that a clique's table may have.
    """
    graph = markov_graph(cliques)
    graph.add_nodes_from(domain)

    def takes(clique: Clique) -> bool:
        missing = [pair for pair in combinations(clique, 2) if not graph.has_edge(*pair)]
        return not missing or any(takes_first(pair, clique) for pair in missing)

    def takes_first(pair: Pair, clique: Clique) -> bool:
        new = common_neighbours(graph, pair) | set(pair)
        if _cells(new, domain) > max_cells or not _are_separated(graph, pair):
            return False
        graph.add_edge(*pair)
        fits = takes(clique)
        graph.remove_edge(*pair)
        return fits

    return [clique for clique in candidates if takes(clique)]


def _cells(columns: set[str], domain: Mapping[str, int]) -> int:
    return math.prod(domain[column] for column in columns)


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
