"""Whether the model of a release is one that its arguments can lead to."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import networkx as nx

from sdv_prefair.counts import is_measurable
from sdv_prefair.errors import ReleaseError
from sdv_prefair.model import GraphicalModel
from sdv_prefair.roles import Roles
from sdv_prefair.structure import ExtendingStrategy, Pair, Strategy, declared_pairs
from sdv_prefair.structure.fairness import fair_additions, markov_graph
from sdv_prefair.structure.resolve import STRATEGIES


def check_structure(model: GraphicalModel, strategy: Strategy, roles: Roles) -> None:
    """Raise unless the strategy could have chosen the edges of the model.

    Args:
        model: Its columns are all that the edges have to join.
        strategy: What was asked for.
        roles: The roles of the columns of the model.
    """
    graph = markov_graph(model.cliques)
    edges = set(map(frozenset, graph.edges))
    given = getattr(strategy, 'edges', None)
    same = given is None or set(map(frozenset, given)) == edges
    possible = nx.is_connected(graph) or _has_large_pair(graph, model.domain)
    known = _as_named(strategy)
    if not (same and possible and all(_could_choose(s, graph, roles, model.domain) for s in known)):
        raise ReleaseError('The model of the release is not the one that was asked for.')


def _has_large_pair(graph: nx.Graph, domain: Mapping[str, int]) -> bool:
    """Whether columns may be left apart: two of them have too many combinations to measure."""
    return any(not is_measurable(pair, domain) for pair in combinations(graph, 2))


def _could_choose(
    strategy: Strategy, graph: nx.Graph, roles: Roles, domain: Mapping[str, int]
) -> bool:
    if not isinstance(strategy, ExtendingStrategy) and not nx.is_forest(graph):
        return False
    declared = declared_pairs(domain, roles, strategy)
    if not set(map(frozenset, graph.edges)).issubset(map(frozenset, declared)):
        return False
    return not _could_go_on(declared, graph, roles if strategy.requires_roles else Roles())


def _could_go_on(declared: Sequence[Pair], graph: nx.Graph, roles: Roles) -> bool:
    """Whether a declared pair joins two components fairly: a strategy would have chosen it."""
    components = nx.utils.UnionFind(graph)
    for edge in graph.edges:
        components.union(*edge)
    joining = [pair for pair in declared if components[pair[0]] != components[pair[1]]]
    return bool(fair_additions(roles, joining, list(graph.edges)))


def _as_named(strategy: Strategy) -> list[Strategy]:
    """Return the strategy of this package that the name stands for, if it is one.

    What goes by the name of a tree, with whatever arguments, is one. Which pairs fair AIM declares
    depends on its arguments, so of one that has some no more is known than its edges.
    """
    if type(strategy) in STRATEGIES.values():
        return [strategy]
    named = [known() for name, known in STRATEGIES.items() if name == strategy.name]
    return [known for known in named if not isinstance(known, ExtendingStrategy)]


def check_estimate(model: GraphicalModel, estimator: str) -> None:
    """Raise unless the model is said to come from the estimator that its graph goes to.

    Only the solver of forests knows how near to the best model it has come.
    """
    direct = estimator == 'auto'
    solved = direct and nx.is_forest(markov_graph(model.cliques))
    if (model.estimator == 'direct') != direct or (model.gap is not None) != solved:
        raise ReleaseError('The model of the release does not come from the estimator it names.')
