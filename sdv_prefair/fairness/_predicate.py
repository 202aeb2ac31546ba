"""The predicate: does a model over these cliques satisfy every statement?

Every fairness check in this package calls it: may an edge be chosen, is the fitted model
fair, does a constraint or a condition keep it fair.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TypeVar

import networkx as nx

from sdv_prefair.fairness._statements import Independent, Statements

Columns = tuple[str, ...]
AnyClique = TypeVar('AnyClique', bound=Columns)
LEFT, RIGHT = 'left', 'right'


def markov_graph(cliques: Iterable[Iterable[str]]) -> 'nx.Graph[str]':
    """Return the graph in which the columns of every clique are pairwise adjacent."""
    graph: nx.Graph[str] = nx.Graph()
    for clique in map(tuple, cliques):
        graph.add_nodes_from(clique)
        graph.add_edges_from(combinations(clique, 2))
    return graph


def is_justifiably_fair(cliques: Iterable[Iterable[str]], roles: Statements) -> bool:
    """Whether the graph of the cliques satisfies every statement.

    The cliques form one undirected Markov graph. A statement is satisfied if, after deleting its
    conditioning set, no connected component contains a column of its left and one of its right
    side. Then the two sides are independent given those columns, and given every superset of
    them, in the distribution of the model. Without statements nothing is claimed and every model
    passes.

    Paper: Definition (Fair Marginals-MST), for the one statement that roles express.

    Args:
        cliques: Groups of columns that the model, or a constraint on it, connects directly.
            The edges of a tree are one case; cliques of any size are allowed.
        roles: Statements, or the roles that express one.
    """
    # Departs: the paper considers directed paths in every orientation of a tree's edges. In a
    # tree that is the same as separation, and separation also covers larger cliques.
    return unblocked_path(cliques, roles) is None


def keeps(graph: 'nx.Graph[str]', statement: Independent) -> bool:
    """Whether deleting the conditioning set leaves no path between the two sides."""
    return path_around(graph, statement) is None


def unblocked_path(cliques: Iterable[Iterable[str]], roles: Statements) -> list[str] | None:
    """Return a path that breaks a statement: from left to right around its conditioning set.

    Args:
        cliques: As for ``is_justifiably_fair``.
        roles: Statements, or the roles that express one.

    Returns:
        The columns along one such path, left (protected) column first; ``None`` when there is
        no path.
    """
    graph = markov_graph(cliques)
    paths = (path_around(graph, statement) for statement in roles.statements)
    return next((path for path in paths if path is not None), None)


def path_around(graph: 'nx.Graph[str]', statement: Independent) -> list[str] | None:
    """Return a path of the graph from left to right around the conditioning set."""
    graph = graph.copy()
    graph.remove_nodes_from(statement.given)
    for left in filter(graph.has_node, statement.left):
        paths: dict[str, list[str]] = nx.single_source_shortest_path(graph, left)
        for right in filter(paths.__contains__, statement.right):
            return paths[right]
    return None


def fair_additions(
    roles: Statements, candidates: Sequence[AnyClique], chosen: Sequence[Columns]
) -> list[AnyClique]:
    """Return the cliques that can be added, one at a time, without breaking a statement."""
    sides = [_side_of_block(statement, chosen) for statement in roles.statements]
    return [
        candidate
        for candidate in candidates
        if not any({LEFT, RIGHT} <= {side.get(column) for column in candidate} for side in sides)
    ]


def _side_of_block(statement: Independent, chosen: Sequence[Columns]) -> dict[str, str]:
    """Return left or right for each column whose block contains such a column.

    A block is a connected component after deleting the conditioning set.
    """
    # The predicate itself, called for every candidate, would give the same answer in seconds
    # instead of milliseconds; a test compares the two.
    graph = markov_graph(chosen)
    graph.add_nodes_from(statement.left + statement.right)
    graph.remove_nodes_from(statement.given)
    return {
        column: side
        for side, named in ((LEFT, statement.left), (RIGHT, statement.right))
        for start in named
        for column in nx.node_connected_component(graph, start)
    }
