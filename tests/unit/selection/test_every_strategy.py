"""What every strategy promises. A new one in ``STRATEGIES`` is tested here without a change.

Of ``_resolve.py``.
"""

import math
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from sdv_prefair.counting._kernel import MAX_CELLS
from sdv_prefair.errors import StructureError
from sdv_prefair.roles import Roles
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.structure import (
    STRATEGIES,
    FixedStrategy,
    KnownScores,
    Strategy,
    is_justifiably_fair,
)

COLUMNS = ['sex', 'race', 'edu', 'job', 'age', 'zip', 'hours', 'income', 'loan']
ROLES = Roles(['sex', 'race'], ['edu', 'job'], ['income', 'loan'])
STAR = FixedStrategy([('job', column) for column in COLUMNS if column != 'job'])
EVERY = [*(strategy() for strategy in STRATEGIES.values()), STAR]
FAIR = [strategy for strategy in EVERY if strategy.name != 'none']


def named(strategies):
    return pytest.mark.parametrize('strategy', strategies, ids=lambda strategy: strategy.name)


class RecordedScores:
    """Random scores that note what they are asked, and answer as a noisy mechanism may."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.chosen, self.released = [], []

    def choose(self, candidates, rounds):
        assert len(candidates) == len(set(candidates)) > 0
        self.chosen.append((list(candidates), rounds))
        return candidates[self.rng.integers(len(candidates))]

    def release(self, pairs):
        self.released.append(list(pairs))
        return {pair: self.rng.normal() for pair in pairs}


@named(EVERY)
def test_is_a_strategy(strategy):
    assert isinstance(strategy, Strategy)
    assert isinstance(strategy.name, str)
    assert isinstance(strategy.requires_roles, bool)
    assert hash(strategy) == hash(strategy)


@named(EVERY)
@pytest.mark.parametrize('seed', range(10))
def test_selects_a_spanning_tree_of_declared_pairs(strategy, seed):
    tree = strategy.select(COLUMNS, ROLES, RecordedScores(seed))
    graph = nx.Graph(tree.edges)
    assert nx.is_tree(graph)
    assert set(graph) == set(COLUMNS)
    assert len(tree.edges) == len(COLUMNS) - 1
    assert set(tree.edges) <= set(strategy.declare(COLUMNS, ROLES))


@named(FAIR)
@pytest.mark.parametrize('seed', range(25))
def test_selects_a_fair_tree_whatever_the_noise(strategy, seed):
    columns = list(np.random.default_rng(seed).permutation(COLUMNS))
    tree = strategy.select(columns, ROLES, RecordedScores(seed))
    assert is_justifiably_fair(tree.edges, ROLES)


@named(EVERY)
def test_declares_pairs_of_two_columns_once_in_the_order_of_the_columns(strategy):
    declared = strategy.declare(COLUMNS, ROLES)
    assert len(declared) == len(set(declared))
    assert set(declared) <= set(combinations(COLUMNS, 2))


@named(FAIR)
def test_never_declares_a_protected_and_an_outcome_column(strategy):
    for pair in strategy.declare(COLUMNS, ROLES):
        assert not (set(pair) & set(ROLES.protected) and set(pair) & set(ROLES.outcome))


@named(EVERY)
@pytest.mark.parametrize('seed', range(5))
def test_asks_for_declared_pairs_only_and_for_one_budget(strategy, seed):
    scores = RecordedScores(seed)
    strategy.select(COLUMNS, ROLES, scores)
    declared = set(strategy.declare(COLUMNS, ROLES))
    for candidates, _ in scores.chosen:
        assert set(candidates) <= declared
    for pairs in scores.released:
        assert set(pairs) <= declared
    assert not (scores.chosen and scores.released)
    assert len(scores.released) <= 1
    assert {rounds for _, rounds in scores.chosen} <= {len(scores.chosen)}


@named(EVERY)
def test_candidates_depend_on_the_order_of_the_columns_only(strategy):
    first, second = RecordedScores(0), RecordedScores(0)
    shuffled = Roles(*(list(names)[::-1] for names in ROLES.as_dict().values()))
    strategy.select(COLUMNS, ROLES, first)
    strategy.select(list(COLUMNS), shuffled, second)
    assert first.chosen == second.chosen
    assert first.released == second.released


@named(EVERY)
def test_weight_and_gap_come_from_released_scores_alone(strategy):
    scores = RecordedScores(3)
    tree = strategy.select(COLUMNS, ROLES, scores)
    assert math.isnan(tree.weight) is not bool(scores.released)
    assert math.isnan(tree.gap) is not bool(scores.released)


@named([strategy for strategy in EVERY if strategy is not STAR])
def test_one_column_needs_no_edge_and_asks_nothing(strategy):
    scores = RecordedScores(0)
    assert strategy.select(['sex'], Roles(), scores).edges == []
    assert scores.chosen == scores.released == []


@named([strategy for strategy in EVERY if strategy is not STAR])
def test_without_roles_the_heaviest_tree_of_all_is_selected(strategy):
    rng = np.random.default_rng(8)
    weights = {pair: rng.normal() for pair in combinations(COLUMNS, 2)}
    tree = strategy.select(COLUMNS, Roles(), KnownScores(weights))
    graph = nx.Graph()
    graph.add_weighted_edges_from((*pair, weight) for pair, weight in weights.items())
    best = nx.maximum_spanning_tree(graph)
    assert {frozenset(edge) for edge in tree.edges} == {frozenset(edge) for edge in best.edges}


@named([strategy for strategy in FAIR if strategy is not STAR])
def test_says_so_when_no_admissible_column_is_among_the_columns(strategy):
    columns = [column for column in COLUMNS if column not in ROLES.admissible]
    with pytest.raises(StructureError, match='Give a modelled column the role admissible'):
        strategy.select(columns, ROLES, RecordedScores(0))


@named(EVERY)
def test_inputs_are_left_as_they_were(strategy):
    columns = list(COLUMNS)
    strategy.select(columns, ROLES, RecordedScores(1))
    assert columns == COLUMNS


@named([strategy for strategy in EVERY if strategy is not STAR])
def test_pairs_too_large_to_measure_are_never_declared(strategy):
    large = math.isqrt(MAX_CELLS)
    domain = dict.fromkeys(COLUMNS, 2) | {'edu': large, 'job': large, 'age': large + 2}
    declared = resolve_mechanism(strategy).declare(domain, ROLES)
    assert {(column,) for column in COLUMNS} <= set(declared)
    pairs = {frozenset(clique) for clique in declared if len(clique) == 2}
    assert {'edu', 'job'} in pairs
    assert not pairs & {frozenset({'edu', 'age'}), frozenset({'job', 'age'})}
