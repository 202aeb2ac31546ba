"""Graphs that stay decomposable (chordal) while pairs are added to them.

A chordal graph needs no fill-in: its maximal cliques form a junction tree, and every edge of the
model is a pair that was chosen and checked for fairness. Adding a pair u, v keeps a chordal
graph chordal exactly if its common neighbours separate u from v. The one new clique is u, v and
these neighbours.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import networkx as nx

from sdv_prefair.counts import Clique
from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.selection._tree import Pair


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
