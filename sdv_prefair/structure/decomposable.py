"""Graphs that stay decomposable (chordal) while pairs are added to them.

A chordal graph needs no fill-in: its maximal cliques form a junction tree, and every edge of the
model is a pair that was chosen, and so was found to be fair. Adding a pair u, v keeps a chordal
graph chordal exactly if its common neighbours separate u from v. The one new clique is u, v and
these neighbours.
"""

import math
from collections.abc import Mapping, Sequence

import networkx as nx

from sdv_prefair.structure.tree import Pair


def common_neighbours(graph: 'nx.Graph[str]', pair: Pair) -> set[str]:
    """Return the columns that are joined with both columns of a pair."""
    return set(graph[pair[0]]) & set(graph[pair[1]])


def keeps_chordal(graph: 'nx.Graph[str]', pair: Pair) -> bool:
    """Whether a chordal graph is still chordal with the pair as one more edge.

    The pair must lie in one connected component; one that joins two is no chord.
    """
    first, second = pair
    between = common_neighbours(graph, pair)
    if not between or graph.has_edge(first, second):
        return False
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


def _cells(columns: set[str], domain: Mapping[str, int]) -> int:
    return math.prod(domain[column] for column in columns)
