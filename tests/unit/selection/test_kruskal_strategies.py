"""Greedy, adaptive and none: what each lets in, round by round.

Of ``_trees.py``, ``_trees.py`` and ``_trees.py``.
"""

from itertools import combinations

import numpy as np
import pytest

from sdv_prefair.roles import Roles
from sdv_prefair.structure import (
    AdaptiveStrategy,
    GreedyStrategy,
    KnownScores,
    UnconstrainedStrategy,
    fair_spanning_tree,
    is_justifiably_fair,
)

COLUMNS = list('abcdefgh')
ROLES = Roles([*'ab'], [*'c'], [*'gh'])


class FollowedScores:
    """Chooses at random and keeps, for each round, the candidates and the edges before it."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.rounds, self.edges = [], []

    def choose(self, candidates, rounds):
        self.rounds.append((list(candidates), list(self.edges)))
        self.edges.append(candidates[self.rng.integers(len(candidates))])
        return self.edges[-1]


def joins_two_components(pair, edges):
    part = {pair[0]}
    for _ in COLUMNS:
        part |= {column for edge in edges if part & set(edge) for column in edge}
    return pair[1] not in part


@pytest.mark.parametrize('seed', range(20))
def test_adaptive_allows_exactly_what_the_predicate_allows(seed):
    scores = FollowedScores(seed)
    AdaptiveStrategy().select(COLUMNS, ROLES, scores)
    for candidates, edges in scores.rounds:
        assert candidates == [
            pair
            for pair in combinations(COLUMNS, 2)
            if joins_two_components(pair, edges) and is_justifiably_fair([*edges, pair], ROLES)
        ]


@pytest.mark.parametrize('seed', range(20))
def test_greedy_allows_outcomes_to_touch_outcomes_and_admissible_columns_only(seed):
    scores = FollowedScores(seed)
    GreedyStrategy().select(COLUMNS, ROLES, scores)
    for candidates, edges in scores.rounds:
        assert candidates == [
            pair
            for pair in combinations(COLUMNS, 2)
            if joins_two_components(pair, edges)
            and (not set(pair) & set('gh') or set(pair) <= set('cgh'))
        ]


@pytest.mark.parametrize('seed', range(20))
def test_the_candidates_of_adaptive_contain_those_of_greedy(seed):
    greedy = FollowedScores(seed)
    GreedyStrategy().select(COLUMNS, ROLES, greedy)

    class Replay(FollowedScores):
        def choose(self, candidates, rounds):
            round_number = len(self.rounds)
            self.rounds.append((list(candidates), []))
            return greedy.edges[round_number]

    adaptive = Replay(seed)
    AdaptiveStrategy().select(COLUMNS, ROLES, adaptive)
    for (wider, _), (narrower, _) in zip(adaptive.rounds, greedy.rounds, strict=True):
        assert set(wider) >= set(narrower)


@pytest.mark.parametrize('strategy', [GreedyStrategy(), AdaptiveStrategy()])
def test_two_outcomes_may_be_joined(strategy):
    assert ('g', 'h') in strategy.declare(COLUMNS, ROLES)


def test_none_may_join_protected_to_outcome():
    weights = {('a', 'g'): 5.0}
    tree = UnconstrainedStrategy().select(COLUMNS, ROLES, KnownScores(weights))
    assert ('a', 'g') in tree.edges


def test_one_candidate_is_still_chosen_so_that_every_round_is_accounted_for():
    scores = FollowedScores(0)
    UnconstrainedStrategy().select(['a', 'b'], Roles(), scores)
    assert scores.rounds == [([('a', 'b')], [])]


def test_greedy_is_optimal_when_saturated():
    rng = np.random.default_rng(5)
    for _ in range(100):
        columns = list('abcdefghij')
        role = rng.integers(3, size=10)
        role[:3] = [0, 1, 2]
        roles = Roles(
            *([c for c, r in zip(columns, role, strict=True) if r == k] for k in range(3))
        )
        weights = {pair: float(rng.normal()) for pair in combinations(columns, 2)}
        greedy = fair_spanning_tree(weights, roles, 'greedy')
        exact = fair_spanning_tree(weights, roles, 'exact')
        assert greedy.weight == exact.weight
        assert greedy.gap == exact.gap == 0.0


def test_adaptive_is_not_always_better_than_greedy_but_nearly_always():
    rng = np.random.default_rng(6)
    roles = Roles([*'ab'], [*'cd'], [*'gh'])
    shares = []
    for _ in range(200):
        weights = {pair: float(rng.random()) for pair in combinations('abcdefghij', 2)}
        weight = {
            strategy: fair_spanning_tree(weights, roles, strategy).weight
            for strategy in ('greedy', 'adaptive', 'exact')
        }
        shares.append((weight['greedy'] / weight['exact'], weight['adaptive'] / weight['exact']))
    greedy, adaptive = np.mean(shares, axis=0)
    assert max(map(max, shares)) <= 1.0 + 1e-12
    assert greedy < adaptive < 1.0
    assert adaptive > 0.98
