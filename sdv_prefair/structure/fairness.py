"""The predicate: is a model over these cliques justifiably fair?

Every question about fairness in this package ends here: may an edge be chosen, is the fitted model
fair, does a constraint or a condition keep it fair.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TypeVar

import networkx as nx

from sdv_prefair.counts import Clique
from sdv_prefair.roles import OUTCOME, PROTECTED, Roles

AnyClique = TypeVar('AnyClique', bound=Clique)


def markov_graph(cliques: Iterable[Iterable[str]]) -> 'nx.Graph[str]':
    """Return the graph in which the columns of every clique are joined with each other."""
    graph: nx.Graph[str] = nx.Graph()
    for clique in map(tuple, cliques):
        graph.add_nodes_from(clique)
        graph.add_edges_from(combinations(clique, 2))
    return graph


def is_justifiably_fair(cliques: Iterable[Iterable[str]], roles: Roles) -> bool:
    """Whether the admissible columns separate every protected column from every outcome.

    The cliques are united into one undirected Markov graph and the admissible columns deleted
    from it. If no component of what is left holds a protected and an outcome column, then
    outcome and protected columns are independent given the admissible ones, and given every
    superset of them, in the distribution of the model. Without roles nothing is claimed and
    every model passes.

    Paper: Definition (Fair Marginals-MST).

    Args:
        cliques: Groups of columns that the model, or a constraint on it, ties together directly.
            The edges of a tree are one case; cliques of any size are allowed.
        roles: Protected, admissible and outcome columns.
    """
    # Departs: the paper asks about directed paths in every direction of a tree's edges. In a
    # tree that is the same as separation, and separation also covers larger cliques.
    return unblocked_path(cliques, roles) is None


def unblocked_path(cliques: Iterable[Iterable[str]], roles: Roles) -> list[str] | None:
    """Return a path from a protected to an outcome column around the admissible ones.

    Args:
        cliques: As for ``is_justifiably_fair``.
        roles: Protected, admissible and outcome columns.

    Returns:
        The columns along one such path, protected column first; ``None`` when there is no path.
    """
    graph = markov_graph(cliques)
    graph.remove_nodes_from(roles.admissible)
    for protected in filter(graph.has_node, roles.protected):
        paths = nx.single_source_shortest_path(graph, protected)
        for outcome in filter(paths.__contains__, roles.outcome):
            return paths[outcome]
    return None


def fair_additions(
    roles: Roles, candidates: Sequence[AnyClique], chosen: Sequence[Clique]
) -> list[AnyClique]:
    """Return the cliques that can be added, one at a time, to fair ones and leave them fair."""
    side = _side_of_block(roles, chosen)
    return [
        candidate
        for candidate in candidates
        if not {PROTECTED, OUTCOME} <= {side.get(column) for column in candidate}
    ]


def _side_of_block(roles: Roles, chosen: Sequence[Clique]) -> dict[str, str]:
    """Return protected or outcome for each column whose block holds such a column.

    A block is what hangs together once the admissible columns are deleted.
    """
    # The predicate itself, asked of every candidate, would give the same answer in seconds
    # instead of milliseconds; a test holds the two together.
    graph = markov_graph(chosen)
    graph.add_nodes_from(roles.protected + roles.outcome)
    graph.remove_nodes_from(roles.admissible)
    return {
        column: role
        for role, labelled in ((PROTECTED, roles.protected), (OUTCOME, roles.outcome))
        for start in labelled
        for column in nx.node_connected_component(graph, start)
    }
