"""Any columns, roles, weights and noise: what is selected is a fair spanning tree."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.roles import Roles
from sdv_prefair.structure import (
    STRATEGIES,
    FixedStrategy,
    KnownScores,
    fair_spanning_tree,
    is_justifiably_fair,
    unblocked_path,
)

WEIGHTS = st.one_of(
    st.integers(-3, 3).map(float), st.floats(-1e6, 1e6, allow_nan=False, allow_subnormal=False)
)


@st.composite
def problems(draw, min_size=3, max_size=9):
    """Draw columns in some order, roles over them and weights for some of the pairs."""
    size = draw(st.integers(min_size, max_size))
    role = [*'PAO', *draw(st.lists(st.sampled_from('PAONN'), min_size=size - 3, max_size=size - 3))]
    columns = draw(st.permutations([f'{kind}{place}' for place, kind in enumerate(role)]))
    roles = Roles(*([name for name in columns if name[0] == kind] for kind in 'PAO'))
    pairs = list(combinations(draw(st.permutations(columns)), 2))
    weights = draw(st.dictionaries(st.sampled_from(pairs), WEIGHTS))
    return columns, roles, weights


class NoisyScores:
    """The other extreme of ``KnownScores``: nothing but noise, and a list of what was asked."""

    def __init__(self, seed):
        self.rng, self.asked = np.random.default_rng(seed), set()

    def choose(self, candidates, rounds):
        self.asked.update(candidates)
        return candidates[self.rng.integers(len(candidates))]

    def release(self, pairs):
        self.asked.update(pairs)
        return {pair: float(self.rng.normal()) for pair in pairs}


def assert_fair_spanning_tree(tree, columns, roles, fair=True):
    graph = nx.Graph(tree.edges)
    assert nx.is_tree(graph)
    assert sorted(graph) == sorted(columns)
    assert len(tree.edges) == len(columns) - 1
    if fair:
        for protected in roles.protected:
            for outcome in roles.outcome:
                path = nx.shortest_path(graph, protected, outcome)
                assert set(path) & set(roles.admissible)


@pytest.mark.parametrize('name', STRATEGIES)
@given(problem=problems(), seed=st.integers(0, 2**32))
def test_noise_never_breaks_fairness_nor_reaches_an_undeclared_pair(name, problem, seed):
    columns, roles, _ = problem
    strategy, scores = STRATEGIES[name](), NoisyScores(seed)
    tree = strategy.select(columns, roles, scores)
    assert_fair_spanning_tree(tree, columns, roles, fair=name != 'none')
    assert set(tree.edges) <= scores.asked <= set(strategy.declare(columns, roles))


@pytest.mark.parametrize('name', STRATEGIES)
@given(problem=problems())
def test_known_weights_give_a_fair_spanning_tree_with_a_gap(name, problem):
    columns, roles, weights = problem
    tree = fair_spanning_tree(weights, roles, name, columns=columns)
    assert_fair_spanning_tree(tree, columns, roles, fair=name != 'none')
    assert tree.gap >= 0.0
    assert tree.weight == pytest.approx(KnownScores(weights).total(tree.edges))


@given(problem=problems())
def test_exact_is_at_least_as_heavy_as_the_others_and_at_most_as_the_unconstrained(problem):
    columns, roles, weights = problem
    weight = {
        name: fair_spanning_tree(weights, roles, name, columns=columns).weight
        for name in ('greedy', 'adaptive', 'exact', 'none')
    }
    slack = 1e-9 * max(1.0, *map(abs, weights.values()), 1.0)
    assert max(weight['greedy'], weight['adaptive']) <= weight['exact'] + slack
    assert weight['exact'] <= weight['none'] + slack


@given(problem=problems(max_size=8))
def test_greedy_is_optimal_when_saturated(problem):
    columns, roles, weights = problem
    saturated = Roles(roles.protected, roles.admissible + roles.unlabelled(columns), roles.outcome)
    greedy = fair_spanning_tree(weights, saturated, 'greedy', columns=columns)
    exact = fair_spanning_tree(weights, saturated, 'exact', columns=columns)
    assert greedy.weight == exact.weight
    assert greedy.gap == 0.0


@given(problem=problems(max_size=8), data=st.data())
def test_the_exact_weight_does_not_depend_on_the_order_of_anything(problem, data):
    columns, roles, weights = problem
    again = {
        data.draw(st.permutations(pair).map(tuple)): weight
        for pair, weight in data.draw(st.permutations(list(weights.items())))
    }
    shuffled = data.draw(st.permutations(columns))
    first = fair_spanning_tree(weights, roles, 'exact', columns=columns)
    second = fair_spanning_tree(again, roles, 'exact', columns=shuffled)
    assert first.weight == pytest.approx(second.weight, rel=1e-9, abs=1e-6)


@given(problem=problems(), seed=st.integers(0, 2**32))
def test_a_selected_tree_can_be_given_back(problem, seed):
    columns, roles, _ = problem
    tree = STRATEGIES['adaptive']().select(columns, roles, NoisyScores(seed))
    assert FixedStrategy(tree.edges).select(columns, roles, None).edges == tree.edges


@given(problem=problems(), data=st.data())
def test_adding_a_clique_never_makes_a_model_fair(problem, data):
    columns, roles, weights = problem
    clique = data.draw(st.lists(st.sampled_from(columns), min_size=1, max_size=4, unique=True))
    if not is_justifiably_fair(weights, roles):
        assert not is_justifiably_fair([*weights, clique], roles)
    path = unblocked_path([*weights, clique], roles)
    assert (path is None) == is_justifiably_fair([*weights, clique], roles)
