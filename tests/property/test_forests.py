"""Columns of any size: pairs too large to measure are never asked for, and the rest stays fair."""

import math
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.counting._kernel import MAX_CELLS
from sdv_prefair.errors import StructureError
from sdv_prefair.roles import Roles
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.structure import (
    STRATEGIES,
    AimStrategy,
    FixedStrategy,
    KnownScores,
    is_justifiably_fair,
)

SIZES = st.sampled_from([1, 2, 30, 400, 3000, 4000, 20_000, 5_000_000])


@st.composite
def tables(draw, max_size=8):
    """Draw the domain of a table, some of whose columns are huge, and roles."""
    size = draw(st.integers(3, max_size))
    role = [*'PAO', *draw(st.lists(st.sampled_from('PAONN'), min_size=size - 3, max_size=size - 3))]
    columns = draw(st.permutations([f'{kind}{place}' for place, kind in enumerate(role)]))
    roles = Roles(*([name for name in columns if name[0] == kind] for kind in 'PAO'))
    return {column: draw(SIZES) for column in columns}, roles


class LimitedScores(KnownScores):
    """Scores of pairs that are not too large; a question about any other is an error."""

    def __init__(self, oversized, weights):
        super().__init__(weights)
        self.oversized, self.rounds, self.asked = set(oversized), set(), 0

    def measurable(self, pairs):
        return [pair for pair in pairs if pair not in self.oversized]

    def choose(self, candidates, rounds):
        assert candidates and not self.oversized.intersection(candidates)
        self.rounds.add(rounds)
        self.asked += 1
        return super().choose(candidates, rounds)

    def release(self, pairs):
        assert pairs and not self.oversized.intersection(pairs)
        return super().release(pairs)


def random_weights(columns, seed):
    rng = np.random.default_rng(seed)
    return {pair: float(rng.normal()) for pair in combinations(columns, 2)}


def components(edges, columns):
    graph = nx.Graph(edges)
    graph.add_nodes_from(columns)
    return graph


def oversized_pairs(domain, roles, strategy):
    declared = resolve_mechanism(strategy).pairs(domain, roles)
    return [pair for pair in strategy.declare(list(domain), roles) if pair not in declared]


@pytest.mark.parametrize('name', STRATEGIES)
@given(table=tables(), seed=st.integers(0, 2**32))
def test_every_structure_ends_in_a_fair_forest_that_cannot_grow(name, table, seed):
    (domain, roles), strategy = table, STRATEGIES[name]()
    declared = resolve_mechanism(strategy).pairs(domain, roles)
    oversized = oversized_pairs(domain, roles, strategy)
    assert all(math.prod(map(domain.get, pair)) <= MAX_CELLS for pair in declared)
    assert all(math.prod(map(domain.get, pair)) > MAX_CELLS for pair in oversized)
    scores = LimitedScores(oversized, random_weights(domain, seed))
    edges = strategy.select(list(domain), roles, scores).edges
    assert set(edges) <= set(declared)
    graph = components(edges, domain)
    assert nx.is_forest(graph)
    kept = roles if strategy.requires_roles else Roles()
    assert is_justifiably_fair(edges, kept)
    for first, second in declared:
        if not nx.has_path(graph, first, second):
            assert not is_justifiably_fair([*edges, (first, second)], kept)
    assert len(scores.rounds) <= 1 and scores.asked <= max(scores.rounds, default=0)


@given(table=tables(max_size=5), seed=st.integers(0, 2**32))
def test_exact_is_the_heaviest_of_the_fair_forests_with_the_most_edges(table, seed):
    (domain, roles), strategy = table, STRATEGIES['exact']()
    weights = random_weights(domain, seed)
    scores = LimitedScores(oversized_pairs(domain, roles, strategy), weights)
    found = strategy.select(list(domain), roles, scores)
    best = max(
        (len(edges), math.fsum(weights[edge] for edge in edges))
        for edges in fair_forests(resolve_mechanism(strategy).pairs(domain, roles), domain, roles)
    )
    assert (len(found.edges), pytest.approx(found.weight)) == best
    assert found.gap == 0.0


def fair_forests(pairs, columns, roles):
    """Yield every fair forest of the pairs."""
    for size in range(len(columns)):
        for edges in combinations(pairs, size):
            if nx.is_forest(components(edges, columns)) and is_justifiably_fair(edges, roles):
                yield edges


@given(table=tables(), seed=st.integers(0, 2**32))
def test_chords_of_a_forest_join_no_two_components(table, seed):
    (domain, roles), strategy = table, AimStrategy(max_cells=10**9)
    scores = LimitedScores(oversized_pairs(domain, roles, strategy), random_weights(domain, seed))
    edges = strategy.select(list(domain), roles, scores).edges
    graph = components(edges, domain)
    for chord in strategy.chords(edges, roles, domain):
        assert nx.has_path(graph, *chord)


def test_a_given_tree_with_a_pair_too_large_is_refused_by_name():
    domain, roles = {'p': 20_000, 'a': 20_000, 'o': 2}, Roles(['p'], ['a'], ['o'])
    tree = FixedStrategy([('p', 'a'), ('a', 'o')])
    for strategy in (tree, AimStrategy(tree=tree)):
        with pytest.raises(StructureError, match="joins 'p' and 'a', which have 20,000"):
            resolve_mechanism(strategy).pairs(domain, roles)
