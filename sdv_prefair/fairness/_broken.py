"""The statements that a graph breaks, each with a path, and all edges, that break it."""

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import networkx as nx

from sdv_prefair.fairness._predicate import markov_graph, path_around
from sdv_prefair.fairness._statements import Independent, Statements


class Broken(NamedTuple):
    """A statement that is not satisfied.

    Attributes:
        statement: The statement.
        path: Columns that connect its two sides around the conditioning set, a left one first.
    """

    statement: Independent
    path: list[str]

    def __str__(self) -> str:
        around = f' around {", ".join(map(str, self.statement.given))}'
        return (
            f'{" - ".join(map(str, self.path))} joins the two sides'
            f'{around if self.statement.given else ""}'
        )


def broken_statements(cliques: Iterable[Iterable[str]], statements: Statements) -> list[Broken]:
    """Return the statements that the graph of the cliques does not satisfy, in their order.

    Args:
        cliques: As for ``is_justifiably_fair``.
        statements: The statements to test.
    """
    graph = markov_graph(cliques)
    paths = [(statement, path_around(graph, statement)) for statement in statements.statements]
    return [Broken(statement, path) for statement, path in paths if path is not None]


def edges_around(graph: 'nx.Graph[Any]', statement: Independent) -> set[frozenset[Hashable]]:
    """Return every edge on a path from left to right around the conditioning set.

    There is none if and only if the statement is satisfied. With each side contracted to one node,
    these are the edges on a cycle with an edge between the sides: its biconnected component.
    """
    left, right = (
        frozenset(filter(graph.has_node, side)) for side in (statement.left, statement.right)
    )
    if not left or not right:
        return set()
    end_of = dict.fromkeys(left, left) | dict.fromkeys(right, right)
    rest = graph.copy()
    rest.remove_nodes_from(statement.given)
    short = {edge: frozenset(end_of.get(node, node) for node in edge) for edge in rest.edges}
    joined: nx.Graph[Any] = nx.Graph([
        (left, right),
        *(tuple(ends) for ends in short.values() if len(ends) == 2),
    ])
    across = frozenset((left, right))
    for block in nx.biconnected_component_edges(joined):
        ends = set(map(frozenset, block))
        if across in ends:
            return {frozenset(edge) for edge, of in short.items() if of in ends}
    return set()
