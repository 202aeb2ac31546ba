"""The predicate: is a model over these cliques justifiably fair?

Every question about fairness in this package ends here: may an edge be chosen, is the fitted model
fair, does a constraint or a condition keep it fair.
"""

from collections.abc import Iterable
from itertools import combinations

import networkx as nx

from sdv_prefair.roles import Roles


def is_justifiably_fair(cliques: Iterable[Iterable[str]], roles: Roles) -> bool:
    """Whether the admissible columns separate every protected column from every outcome.

    The cliques are united into one undirected Markov graph and the admissible columns deleted
    from it. If no component of what is left holds a protected and an outcome column, then
    outcome and protected columns are independent given the admissible ones, and given every
    superset of them, in everything sampled from the model. Without roles nothing is claimed
    and every model passes.

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
    graph = nx.Graph()
    for clique in cliques:
        graph.add_edges_from(combinations(clique, 2))
    graph.remove_nodes_from(roles.admissible)
    for protected in filter(graph.has_node, roles.protected):
        paths = nx.single_source_shortest_path(graph, protected)
        for outcome in filter(paths.__contains__, roles.outcome):
            return paths[outcome]
    return None
