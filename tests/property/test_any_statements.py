"""Any statements, any structure, any noise: what is selected and estimated keeps every statement.

In the joint distribution of the model, written out cell by cell, the conditional mutual information
of each statement is zero.
"""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from any_statements import any_statements, could_be_joined, kept
from hypothesis import given
from hypothesis import strategies as st
from small_runs import run

from sdv_prefair.fairness._statements import outcomes_beside_unlabelled
from sdv_prefair.fitting._released_model import estimate_release
from sdv_prefair.selection._measuring import BUDGETS
from sdv_prefair.structure import STRATEGIES, KnownScores, fair_spanning_tree, with_unlabelled

COLUMNS = list('abcdef')
FAIR = [name for name in STRATEGIES if name != 'none']
CHOICES = st.sampled_from([None, 'apart', 'free'])


class NoisyScores:
    """Nothing but noise, and a list of what was asked."""

    def __init__(self, seed):
        self.rng, self.asked, self.rounds = np.random.default_rng(seed), set(), set()

    def choose(self, candidates, rounds):
        self.asked.update(candidates)
        self.rounds.add(rounds)
        return candidates[self.rng.integers(len(candidates))]

    def release(self, pairs):
        self.asked.update(pairs)
        return {pair: float(self.rng.normal()) for pair in pairs}


def made(name, unlabelled):
    return with_unlabelled(STRATEGIES[name](), None if name == 'greedy' else unlabelled)


@pytest.mark.parametrize('name', FAIR)
@given(statements=any_statements(COLUMNS), seed=st.integers(0, 2**32), unlabelled=CHOICES)
def test_a_selected_forest_is_fair_and_no_fair_pair_is_left(name, statements, seed, unlabelled):
    columns = list(np.random.default_rng(seed).permutation(COLUMNS))
    strategy, scores = made(name, unlabelled), NoisyScores(seed)
    tree = strategy.select(columns, statements, scores)
    declared = strategy.declare(columns, statements)
    assert kept(tree.edges, statements, columns)
    assert not tree.edges or nx.is_forest(nx.Graph(tree.edges))
    assert set(tree.edges) <= scores.asked <= set(declared)
    assert not could_be_joined(tree.edges, declared, statements, columns)
    assert len(scores.rounds) <= 1 and all(len(tree.edges) <= most for most in scores.rounds)
    if unlabelled == 'apart':
        assert outcomes_beside_unlabelled(tree.edges, statements) == []


@given(
    statements=any_statements(COLUMNS),
    values=st.lists(st.floats(-1e3, 1e3), min_size=15, max_size=15),
)
def test_exact_is_at_least_as_good_as_the_others(statements, values):
    weights = dict(zip(combinations(COLUMNS, 2), values, strict=True))
    tree = {
        name: fair_spanning_tree(weights, statements, name, columns=COLUMNS)
        for name in ('greedy', 'adaptive', 'exact')
    }
    slack = 1e-9 * max(map(abs, values), default=1.0) + 1e-9
    for other in (tree['greedy'], tree['adaptive']):
        assert len(other.edges) <= len(tree['exact'].edges)
        if len(other.edges) == len(tree['exact'].edges):
            assert other.weight <= tree['exact'].weight + slack
        assert other.gap >= -slack
    assert tree['exact'].weight == pytest.approx(KnownScores(weights).total(tree['exact'].edges))


def joint(model, columns):
    """Return the probability of every row, by chaining the tables that rows are drawn from."""
    shape = [model.domain[column] for column in columns]
    return np.asarray(model.marginal(tuple(columns))).reshape(shape)


def conditional_information(table, columns, statement):
    """Return I(left; right | given) in nats, of a table over all columns."""

    def entropy(names):
        others = tuple(place for place, c in enumerate(columns) if c not in names)
        shares = table.sum(axis=others).ravel()
        shares = shares[shares > 0]
        return -float((shares * np.log(shares)).sum())

    left, right, given_ = map(set, (statement.left, statement.right, statement.given))
    return (
        entropy(left | given_)
        + entropy(right | given_)
        - entropy(left | right | given_)
        - (entropy(given_) if given_ else 0.0)
    )


@pytest.mark.parametrize('name', FAIR)
@given(
    statements=any_statements(COLUMNS),
    seed=st.integers(0, 10**6),
    unlabelled=CHOICES,
    epsilon=st.sampled_from([0.5, 50.0, 1e6]),
)
def test_of_a_fitted_model_every_statement_has_no_information(
    name, statements, seed, unlabelled, epsilon
):
    rng = np.random.default_rng(seed)
    domain = dict(zip(COLUMNS, rng.integers(2, 4, size=6).tolist(), strict=True))
    common = rng.integers(0, 6, 500)  # every column tells of every other
    codes = {
        c: np.where(rng.random(500) < 0.9, common, rng.integers(0, 6, 500)) % size
        for c, size in domain.items()
    }
    strategy = made(name, unlabelled)
    release, ledger = run(codes, domain, strategy, epsilon=epsilon, roles=statements)
    model = estimate_release(release, domain, 'auto', BUDGETS['tuned'])
    assert ledger.remaining == 0
    assert kept(model.cliques, statements, COLUMNS)
    if unlabelled == 'apart':
        assert outcomes_beside_unlabelled(model.cliques, statements) == []
    small = {c: compression.num_groups for c, compression in release.compressions.items()}
    if all(small.get(c, size) == size for c, size in domain.items()):
        table = joint(model, COLUMNS)
        assert table.sum() == pytest.approx(1.0)
        for statement in statements.statements:
            assert abs(conditional_information(table, COLUMNS, statement)) < 1e-9
