"""Which pairs and triples may be read: public facts alone decide.

Of ``_cliques.py``, ``_privbayes.py`` and ``_mwem.py``.
"""

import math
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.roles import Roles
from sdv_prefair.selection._privbayes import child_of
from sdv_prefair.structure import (
    AdaptiveStrategy,
    MwemStrategy,
    PrivBayesStrategy,
    UnconstrainedStrategy,
    is_justifiably_fair,
)

BOTH = [PrivBayesStrategy, MwemStrategy]
DOMAIN = {'p': 2, 'a': 3, 'b': 40, 'o': 2, 'n': 5, 'q': 60}
ROLES = Roles(['p'], ['a', 'b'], ['o'])


@pytest.mark.parametrize('strategy', BOTH)
def test_outcomes_stand_with_outcomes_and_admissible_columns_only(strategy):
    cliques = strategy().histograms(DOMAIN, ROLES)
    assert ('a', 'b', 'o') in cliques
    assert all(set(clique) <= set('abo') for clique in cliques if 'o' in clique)
    assert any(set('pn') <= set(clique) for clique in cliques)


@pytest.mark.parametrize('strategy', BOTH)
def test_without_a_rule_all_small_ones_are_read_those_with_an_outcome_first(strategy):
    cliques = strategy(UnconstrainedStrategy(), max_cells=300, max_triples=7).histograms(
        DOMAIN, ROLES
    )
    triples = [clique for clique in cliques if len(clique) == 3]
    assert len(cliques) - len(triples) == math.comb(6, 2)
    small = [t for t in combinations(DOMAIN, 3) if math.prod(DOMAIN[c] for c in t) <= 300]
    with_outcome = [t for t in small if 'o' in t]
    assert len(with_outcome) < len(triples) == 7 < len(small)
    assert set(with_outcome) < set(triples) < set(small)


@pytest.mark.parametrize('strategy', BOTH)
def test_the_unconstrained_ones_need_no_roles(strategy):
    plain = strategy(UnconstrainedStrategy())
    assert not plain.requires_roles
    assert strategy().requires_roles
    assert plain.histograms({'x': 2, 'y': 2, 'z': 2}, Roles())[-1] == ('x', 'y', 'z')


@given(st.integers(0, 10**6))
def test_a_network_grows_by_joined_parents_fair_in_its_moral_graph(seed):
    """Under the lenient rule it is the predicate that keeps the sides apart."""
    rng = np.random.default_rng(seed)
    strategy, chosen = PrivBayesStrategy(AdaptiveStrategy()), []
    on_offer = strategy.histograms(dict.fromkeys(DOMAIN, 2), ROLES)
    while families := strategy.families(on_offer, chosen, ROLES):
        graph = markov_graph(chosen)
        for family in families:
            assert is_justifiably_fair([*chosen, family], ROLES)
            parents = set(family) - {child_of(family, chosen)}
            assert child_of(family, chosen) not in graph
            if chosen:
                assert all(graph.has_edge(*pair) for pair in combinations(parents, 2))
        chosen.append(families[rng.integers(len(families))])
    assert set(markov_graph(chosen)) == set(DOMAIN)
    assert nx.is_chordal(markov_graph(chosen))


@given(st.integers(0, 10**6))
def test_cliques_are_on_offer_exactly_if_the_graph_stays_fair_and_chordal(seed):
    rng = np.random.default_rng(seed)
    domain = dict.fromkeys(DOMAIN, 2)
    strategy, chosen = MwemStrategy(AdaptiveStrategy()), []
    on_offer = strategy.histograms(domain, ROLES)
    for _ in range(8):
        additions = strategy.additions(on_offer, chosen, ROLES, domain)
        graph = markov_graph([*chosen, *((column,) for column in domain)])
        for clique in on_offer:
            grown = markov_graph([*graph.edges, *((c,) for c in domain), clique])
            near = len(clique) == 2 or graph.subgraph(clique).number_of_edges() > 0
            new = not any(set(clique) <= set(other) for other in chosen)
            fine = nx.is_chordal(grown) and is_justifiably_fair([*chosen, clique], ROLES)
            assert (clique in additions) == (near and new and fine)
        if not additions:
            break
        chosen.append(additions[rng.integers(len(additions))])


def test_a_clique_of_the_model_is_no_larger_than_allowed():
    domain = dict.fromkeys('abcd', 10)
    strategy = MwemStrategy(UnconstrainedStrategy(), max_cells=1000)
    on_offer = strategy.histograms(domain, Roles())
    assert ('a', 'b', 'd') in on_offer
    additions = strategy.additions(on_offer, [('a', 'b', 'c'), ('b', 'c', 'd')], Roles(), domain)
    assert ('a', 'd') not in additions, 'a, b, c, d would be a clique of 10,000 cells'
    assert ('a', 'b', 'd') not in additions
