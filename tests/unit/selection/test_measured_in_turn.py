"""What both loops promise: a budget spent to the last unit, and a graph that is fair.

Of ``_cliques.py``, ``_privbayes.py`` and ``_mwem.py``.
"""

from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_runs import NO_NOISE, debits, roles_of, run, tables

from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.fitting._pipeline import estimate_release
from sdv_prefair.roles import Roles
from sdv_prefair.selection._measuring import BUDGETS
from sdv_prefair.selection._mechanism import too_large
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.structure import (
    AdaptiveStrategy,
    MwemStrategy,
    PrivBayesStrategy,
    UnconstrainedStrategy,
    is_justifiably_fair,
)

ANYTHING = UnconstrainedStrategy()
PLAIN = [
    PrivBayesStrategy(ANYTHING),
    PrivBayesStrategy(ANYTHING, theta=1e-3),
    MwemStrategy(ANYTHING),
]
FAIR = [
    strategy(rule, **more)
    for strategy, more in ((PrivBayesStrategy, {'theta': 1e-3}), (MwemStrategy, {'rounds': 6}))
    for rule in (PrivBayesStrategy().rule, AdaptiveStrategy())
]


def larger(release):
    return [m for m in release.measurements if len(m.columns) > 1]


@pytest.mark.parametrize('strategy', PLAIN, ids=repr)
@given(drawn=tables())
def test_the_ledger_is_spent_and_says_how_exact_each_table_is(strategy, drawn):
    codes, domain, how = drawn
    release, ledger = run(codes, domain, strategy, **how)
    assert ledger.remaining == 0
    assert release.cliques == [m.columns for m in larger(release)]
    assert len({frozenset(clique) for clique in release.cliques}) == len(release.cliques)
    for measurement in larger(release):
        lines = debits(ledger, 'measure cliques')
        paid = sum(line.rho for line in lines if line.columns == measurement.columns)
        precision = 2 * float(paid) / ledger.max_rows_per_person**2
        assert 1 / np.max(measurement.variance) == pytest.approx(precision, rel=1e-6)
        assert min(measurement.values.shape) > 1, 'a column with one code tells nothing'


@pytest.mark.parametrize('strategy', PLAIN, ids=repr)
@given(drawn=tables())
def test_choosing_costs_its_share_and_each_round_the_same(strategy, drawn):
    codes, domain, how = drawn
    release, ledger = run(codes, domain, strategy, **how)
    choices = debits(ledger, 'select cliques')
    assert len(choices) == len(release.cliques)
    per_fit = len(domain) - 1 if isinstance(strategy, PrivBayesStrategy) else 2 * len(domain)
    share = float(ledger.budget * BUDGETS[how['budget']].selection)
    for choice in choices:
        assert float(choice.rho) == pytest.approx(share / per_fit, rel=1e-6)


@pytest.mark.parametrize('strategy', FAIR, ids=repr)
@given(drawn=tables(), data=st.data())
def test_the_graph_is_fair_and_chordal_whatever_the_noise(strategy, drawn, data):
    codes, domain, how = drawn
    if len(domain) < 3:
        return
    roles = data.draw(roles_of(domain))
    release, ledger = run(codes, domain, strategy, roles=roles, **how)
    assert ledger.remaining == 0
    assert is_justifiably_fair(release.cliques, roles)
    assert nx.is_chordal(markov_graph([*release.cliques, *((c,) for c in domain)]))


@pytest.mark.parametrize('strategy', FAIR, ids=repr)
def test_the_model_s_joint_is_fair_by_enumeration(strategy):
    """Outcome and protected are independent given the admissible columns, cell by cell."""
    rng = np.random.default_rng(1)
    p, a, b = rng.integers(0, 2, (3, 3000))
    n = np.where(rng.random(3000) < 0.8, p, a)
    o = np.where(rng.random(3000) < 0.7, p ^ b, n)
    codes = {'p': p, 'n': n, 'a': a, 'o': o, 'b': b}
    domain, roles = dict.fromkeys(codes, 2), Roles(['p'], ['a', 'b'], ['o'])
    release, _ = run(codes, domain, strategy, epsilon=NO_NOISE, roles=roles)
    model = estimate_release(release, domain, 'auto', BUDGETS['tuned'])
    joint = model.marginal(['a', 'b', 'p', 'o'])
    for cell in product(range(2), repeat=2):
        given_admissible = joint[cell] / joint[cell].sum()
        independent = np.outer(given_admissible.sum(axis=1), given_admissible.sum(axis=0))
        np.testing.assert_allclose(given_admissible, independent, atol=1e-9)
    assert any('o' in clique for clique in release.cliques), 'fair, and not for want of edges'


@pytest.mark.parametrize('strategy', PLAIN, ids=repr)
@pytest.mark.parametrize(
    'domain', [{'a': 3}, {'a': 1}, {'a': 1, 'b': 1, 'c': 1}, {'a': 4, 'b': 1}], ids=str
)
def test_without_candidates_the_one_ways_have_it_all(strategy, domain):
    codes = {column: np.arange(90) % size for column, size in domain.items()}
    release, ledger = run(codes, domain, strategy)
    assert ledger.remaining == 0
    assert not release.cliques
    assert {line.step for line in ledger.debits} == {'measure one-ways'}
    assert sorted(m.columns for m in release.measurements) == sorted((c,) for c in domain)


@pytest.mark.parametrize(
    'strategy', [PrivBayesStrategy(ANYTHING), MwemStrategy(ANYTHING)], ids=repr
)
def test_triples_that_are_not_counted_are_not_news(strategy):
    domain = {'a': 30, 'b': 40, 'c': 50}
    assert not too_large(resolve_mechanism(strategy), domain, Roles())
    assert too_large(resolve_mechanism(strategy), domain | {'d': 10**6}, Roles()) == [
        (column, 'd') for column in 'abc'
    ]
