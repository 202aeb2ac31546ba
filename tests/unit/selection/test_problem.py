"""The noise-free problem and the names it is asked by."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from sdv_prefair.errors import StructureError
from sdv_prefair.roles import Roles
from sdv_prefair.structure import (
    STRATEGIES,
    ExactStrategy,
    FairTree,
    FixedStrategy,
    GreedyStrategy,
    fair_spanning_tree,
    resolve_strategy,
)

ROLES = Roles(['p'], ['a'], ['o'])


@pytest.mark.parametrize('name', STRATEGIES)
def test_every_name_stands_for_its_strategy(name):
    assert resolve_strategy(name).name == name
    assert isinstance(resolve_strategy(name), STRATEGIES[name])


@pytest.mark.parametrize(
    'tree',
    [[('a', 'b')], (('a', 'b'),), [['a', 'b']], nx.Graph([('a', 'b')]), FairTree([('a', 'b')])],
)
def test_a_tree_stands_for_itself(tree):
    assert resolve_strategy(tree) == FixedStrategy([('a', 'b')])


def test_a_strategy_object_stands_for_itself():
    strategy = ExactStrategy(time_limit=3)
    assert resolve_strategy(strategy) is strategy


@pytest.mark.parametrize(
    'structure',
    ['Greedy', 'fixed', '', None, 3, {'a': 'b'}, {('a', 'b')}, GreedyStrategy, np.zeros((1, 2))],
    ids=repr,
)
def test_anything_else_is_refused_with_what_is_accepted(structure):
    with pytest.raises(StructureError) as caught:
        resolve_strategy(structure)
    names = "'planned', 'adaptive', 'greedy', 'exact', 'aim', 'privbayes', 'mwem', 'none'"
    accepted = f'must be one of {names}, a list of column pairs'
    assert accepted in str(caught.value)


@pytest.mark.parametrize(
    ('weights', 'message'),
    [
        ({('a', 'a'): 1}, r"has the key \('a', 'a'\), a column paired with itself"),
        ({('a', 'b', 'c'): 1}, 'Keys must be pairs of two columns'),
        ({'ab': 1}, 'Keys must be pairs of two columns'),
        ({('a', 'b'): 1, ('b', 'a'): 2}, "gives the pair 'b', 'a' twice, in both orders"),
        ({('a', 'b'): float('nan')}, r"weights\[\('a', 'b'\)\] must be a finite number"),
        ({('a', 'b'): float('-inf')}, 'must be a finite number'),
        ({('a', 'b'): None}, 'must be a finite number'),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(StructureError, match=message):
        fair_spanning_tree(weights, Roles())


def test_a_pair_given_twice_with_one_weight_is_fine():
    assert fair_spanning_tree({('a', 'b'): 1, ('b', 'a'): 1.0}, Roles()).weight == 1.0


@pytest.mark.parametrize(
    ('weights', 'roles', 'columns', 'message'),
    [
        ({('a', 'x'): 1}, ROLES, ['p', 'a', 'o'], r"\['x'\], which is not in columns"),
        ({}, ROLES, ['p', 'a'], r"\['o'\], which is not in columns"),
        ({}, ROLES, ['p', 'a', 'o', 'a'], r"columns names \['a'\] more than once"),
    ],
)
def test_unknown_and_repeated_columns_are_refused(weights, roles, columns, message):
    with pytest.raises(StructureError, match=message):
        fair_spanning_tree(weights, roles, columns=columns)


def test_a_time_limit_is_for_the_exact_search():
    assert fair_spanning_tree({}, ROLES, time_limit=5).gap == 0.0
    assert fair_spanning_tree({}, ROLES, ExactStrategy(1), time_limit=5).gap == 0.0
    with pytest.raises(StructureError, match="time_limit is for strategy='exact'; 'greedy'"):
        fair_spanning_tree({}, ROLES, 'greedy', time_limit=5)
    with pytest.raises(StructureError, match=r'time_limit \(0\) must be'):
        fair_spanning_tree({}, ROLES, time_limit=0)


def test_columns_are_those_named_in_weights_and_roles_unless_given():
    tree = fair_spanning_tree({('x', 'a'): 2.0}, ROLES)
    assert {column for edge in tree.edges for column in edge} == set('xapo')
    tree = fair_spanning_tree({('x', 'a'): 2.0}, ROLES, columns=list('opaxyz'))
    assert {column for edge in tree.edges for column in edge} == set('xapoyz')
    assert all('opaxyz'.index(first) < 'opaxyz'.index(second) for first, second in tree.edges)


def test_absent_pairs_weigh_nothing_and_beat_negative_ones():
    tree = fair_spanning_tree({('p', 'n'): -1.0, ('n', 'o'): -1.0}, ROLES)
    assert tree.weight == 0.0
    assert tree.edges[0]


def test_nothing_and_one_column():
    assert fair_spanning_tree({}, Roles()) == FairTree([], 0.0, 0.0)
    assert fair_spanning_tree({}, Roles(), columns=['a'], strategy='greedy').edges == []


@pytest.mark.parametrize('strategy', STRATEGIES)
@pytest.mark.parametrize('seed', range(20))
def test_the_gap_holds(strategy, seed):
    rng = np.random.default_rng(seed)
    weights = {pair: float(rng.normal()) for pair in combinations('pqanmko', 2)}
    roles = Roles([*'pq'], [*'a'], [*'o'])
    best = fair_spanning_tree(weights, roles, 'exact').weight
    tree = fair_spanning_tree(weights, roles, strategy)
    assert tree.gap >= 0.0
    assert best <= tree.weight + tree.gap + 1e-12
    assert tree.weight == pytest.approx(
        sum(weights.get(e, weights.get(e[::-1])) for e in tree.edges)
    )
    if strategy == 'none':
        assert tree.gap == 0.0
        assert tree.weight >= best


def test_a_given_tree_is_weighed():
    weights = {('p', 'a'): 1.0, ('a', 'o'): 2.0, ('p', 'n'): 4.0, ('a', 'n'): 3.0}
    tree = fair_spanning_tree(weights, ROLES, [('p', 'a'), ('o', 'a'), ('n', 'a')])
    assert (tree.weight, tree.gap) == (6.0, 3.0)
