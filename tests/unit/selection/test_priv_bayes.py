"""A Bayesian network chosen node by node: what is chosen, and what is too noisy to be.

Of ``_privbayes.py``.
"""

import numpy as np
import pytest
from small_runs import NO_NOISE, run

from sdv_prefair.selection._measuring import BUDGETS, expected_noise
from sdv_prefair.structure import PrivBayesStrategy, UnconstrainedStrategy

PLAIN = PrivBayesStrategy(UnconstrainedStrategy())


def chain(num_rows=6000, seed=0):
    """a - b - c - d, each tied to the one before."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 3, num_rows)]
    for _ in range(3):
        other = rng.integers(0, 3, num_rows)
        columns.append(np.where(rng.random(num_rows) < 0.8, columns[-1], other))
    return dict(zip('abcd', columns, strict=True))


@pytest.mark.parametrize('budget', BUDGETS)
def test_each_column_is_a_child_once(budget):
    release, _ = run(chain(), dict.fromkeys('abcd', 3), PLAIN, epsilon=NO_NOISE, budget=budget)
    known = set(release.cliques[0])
    assert len(known) == 2
    for clique in release.cliques[1:]:
        assert len(set(clique) - known) == 1
        known |= set(clique)
    assert known == set('abcd')


def test_a_child_that_depends_on_two_gets_both_parents():
    """The parity of two columns shows in neither alone."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, (2, 4000))
    tied = np.where(rng.random(4000) < 0.6, a, b)
    codes = {'a': a, 'b': tied, 'c': a ^ tied}
    release, _ = run(codes, dict.fromkeys('abc', 2), PLAIN, epsilon=NO_NOISE)
    assert ('a', 'b', 'c') in release.cliques


def test_how_parents_depend_on_each_other_counts_for_nothing():
    """a and b are copies and c is tied to d alone: a score of all three would choose a, b, c."""
    rng = np.random.default_rng(4)
    a, d = rng.integers(0, 4, (2, 8000))
    c = np.where(rng.random(8000) < 0.5, d, rng.integers(0, 4, 8000))
    d = np.where(rng.random(8000) < 0.2, a, d)
    codes = {'a': a, 'b': a, 'c': c, 'd': d}
    release, _ = run(codes, dict.fromkeys('abcd', 4), PLAIN, epsilon=NO_NOISE, budget='paper')
    assert release.cliques[0] == ('a', 'b')
    assert not any({'a', 'b', 'c'} == set(clique) for clique in release.cliques)
    assert any({'c', 'd'} <= set(clique) for clique in release.cliques)


@pytest.mark.parametrize('cells_per_noise', [0.9, 1.1])
def test_theta_bounds_the_size_of_a_table(cells_per_noise):
    """A pair of 5 times 5 cells is measured if 25 cells hold theta times their noise."""
    rng = np.random.default_rng(5)
    a = rng.integers(0, 5, 100_000)
    codes, domain = {'a': a, 'b': a}, {'a': 5, 'b': 5}
    for rows in (1, 3):
        _, ledger = run(codes, domain, PLAIN, rows=rows)
        rho = float(ledger.budget) * (1 - 0.45 - 0.10)
        limit = 100_000 / (25 * expected_noise(rho, rows))
        strategy = PrivBayesStrategy(UnconstrainedStrategy(), theta=limit * cells_per_noise)
        release, ledger = run(codes, domain, strategy, rows=rows)
        assert bool(release.cliques) == (cells_per_noise < 1)
        assert ledger.remaining == 0
