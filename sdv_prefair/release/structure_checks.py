"""Whether the model of a release is one that its arguments can lead to."""

import networkx as nx

from sdv_prefair.errors import ReleaseError
from sdv_prefair.model import GraphicalModel
from sdv_prefair.roles import Roles
from sdv_prefair.structure import ExtendingStrategy, Strategy
from sdv_prefair.structure.fairness import markov_graph
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
    if not same or not all(_could_choose(known, graph, roles) for known in _as_named(strategy)):
        raise ReleaseError('The model of the release is not the one that was asked for.')


def _could_choose(strategy: Strategy, graph: nx.Graph, roles: Roles) -> bool:
    if not nx.is_connected(graph):
        return False
    if not isinstance(strategy, ExtendingStrategy) and not nx.is_forest(graph):
        return False
    declared = map(frozenset, strategy.declare(list(graph), roles))
    return set(map(frozenset, graph.edges)).issubset(declared)


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
