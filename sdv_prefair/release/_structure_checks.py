"""Whether the arguments of a release can produce its model."""

from collections.abc import Mapping, Sequence, Set
from itertools import combinations

import networkx as nx

from sdv_prefair.counting import is_measurable
from sdv_prefair.errors import ReleaseError
from sdv_prefair.fairness._predicate import fair_additions, markov_graph
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.model import GraphicalModel
from sdv_prefair.release._strategy import ReleasedMechanism
from sdv_prefair.roles import Roles
from sdv_prefair.selection._aim import FairAim
from sdv_prefair.selection._exact import ExactStrategy
from sdv_prefair.selection._mechanism import Mechanism, PairMechanism
from sdv_prefair.selection._resolve import STRATEGIES, mechanism_of
from sdv_prefair.selection._strategy import Pair
from sdv_prefair.selection._tree_first import TreeFirst


def check_structure(model: GraphicalModel, mechanism: Mechanism, roles: Statements) -> None:
    """Raise unless the mechanism could have selected the graph of the model.

    Args:
        model: The model; the graph must connect its columns.
        mechanism: The requested mechanism.
        roles: The roles of the model's columns, or the statements about them.
    """
    graph = markov_graph(model.cliques)
    edges = set(map(frozenset, graph.edges))
    same = _has_given(mechanism, edges)
    joined = (
        nx.is_connected(graph)
        or _leaves_columns_apart(roles)
        or _may_be_apart(mechanism, graph, model.domain)
    )
    known = _as_named(mechanism)
    if not (same and joined and all(_could_choose(m, graph, roles, model.domain) for m in known)):
        raise ReleaseError('The model of the release is not the one that was asked for.')


def _has_given(mechanism: Mechanism, edges: Set[frozenset[str]]) -> bool:
    """Whether a graph that was given is the one of the model; more may be added to some trees."""
    pairs = mechanism.given if isinstance(mechanism, PairMechanism | ReleasedMechanism) else None
    given = set(map(frozenset, pairs or ()))
    return pairs is None or given == edges or (isinstance(mechanism, FairAim) and given <= edges)


def _leaves_columns_apart(roles: Statements) -> bool:
    """Whether statements may rule out every tree; roles never do, thanks to admissible columns."""
    return bool(roles) and not isinstance(roles, Roles)


def _may_be_apart(mechanism: Mechanism, graph: 'nx.Graph[str]', domain: Mapping[str, int]) -> bool:
    """Whether columns may be unconnected, because some pairs are too large to measure."""
    if mechanism.shape == 'any':
        return True
    return any(not is_measurable(pair, domain) for pair in combinations(graph, 2))


def _could_choose(
    mechanism: Mechanism, graph: 'nx.Graph[str]', roles: Statements, domain: Mapping[str, int]
) -> bool:
    if mechanism.shape == 'tree' and not nx.is_forest(graph):
        return False
    cliques = mechanism.declare(domain, roles)
    declared = [pair for clique in cliques for pair in combinations(clique, 2)]
    if not set(map(frozenset, graph.edges)).issubset(map(frozenset, declared)):
        return False
    kept = roles if mechanism.requires_roles else Roles()
    return mechanism.shape == 'any' or not _could_go_on(declared, graph, kept)


def _could_go_on(declared: Sequence[Pair], graph: 'nx.Graph[str]', roles: Statements) -> bool:
    """Whether a declared pair joins two components fairly: a strategy would have chosen it."""
    components = nx.utils.UnionFind(graph)
    for edge in graph.edges:
        components.union(*edge)
    joining = [pair for pair in declared if components[pair[0]] != components[pair[1]]]
    return bool(fair_additions(roles, joining, list(graph.edges)))


def _as_named(mechanism: Mechanism) -> list[Mechanism]:
    """Return the mechanism of this package that has this name, if there is one.

    One with the name of a tree strategy selects a tree, whatever its arguments. The pairs that fair
    AIM declares depend on its arguments, so if it has any, only its edges are known. Of a given
    tree, they are all there is to know.
    """
    if not isinstance(mechanism, ReleasedMechanism):
        is_given = isinstance(mechanism, TreeFirst) and mechanism.given is not None
        return [] if is_given else [mechanism]
    named = [mechanism_of(known()) for name, known in STRATEGIES.items() if name == mechanism.name]
    return [known for known in named if known.shape == 'tree']


def num_scores(mechanism: Mechanism, domain: Mapping[str, int], roles: Statements) -> int | None:
    """Return how many scores the mechanism releases at once, if it does so."""
    if not isinstance(mechanism, TreeFirst) or not isinstance(mechanism.rule, ExactStrategy):
        return None
    return sum(len(clique) == 2 for clique in mechanism.declare(domain, roles))


def check_estimate(model: GraphicalModel, estimator: str) -> None:
    """Raise unless the model names the estimator that its graph requires.

    Only the forest solver computes its distance from the optimum.
    """
    direct = estimator == 'auto'
    solved = direct and nx.is_forest(markov_graph(model.cliques))
    if (model.estimator == 'direct') != direct or (model.gap is not None) != solved:
        raise ReleaseError('The model of the release does not come from the estimator it names.')
