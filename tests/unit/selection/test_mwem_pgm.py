"""MWEM's rounds: the clique that the model explains worst, until there is none or time is up.

Of ``_mwem.py``.
"""

import numpy as np
import pytest
from small_runs import NO_NOISE, debits, run

from sdv_prefair.fitting._pipeline import estimate_release
from sdv_prefair.selection._measuring import BUDGETS
from sdv_prefair.structure import MwemStrategy, UnconstrainedStrategy

ANYTHING = UnconstrainedStrategy()


def parity(num_rows=4000, seed=0):
    """c is the parity of a and b, which are tied; d is on its own."""
    rng = np.random.default_rng(seed)
    a, b, d = rng.integers(0, 2, (3, num_rows))
    b = np.where(rng.random(num_rows) < 0.6, a, b)
    return {'a': a, 'b': b, 'c': a ^ b, 'd': d}


@pytest.mark.parametrize('rounds', [1, 2, 5])
def test_so_many_cliques_are_chosen(rounds):
    strategy = MwemStrategy(ANYTHING, rounds=rounds)
    release, ledger = run(parity(), dict.fromkeys('abcd', 2), strategy)
    assert len(release.cliques) == len(debits(ledger, 'select cliques')) == rounds
    assert ledger.remaining == 0


def test_the_worst_explained_is_chosen_first_and_a_triple_that_pairs_cannot_explain():
    strategy = MwemStrategy(ANYTHING, rounds=3)
    release, _ = run(parity(), dict.fromkeys('abcd', 2), strategy, epsilon=NO_NOISE)
    assert set(release.cliques[0]) <= set('abc')
    assert ('a', 'b', 'c') in release.cliques
    model = estimate_release(release, dict.fromkeys('abcd', 2), 'auto', BUDGETS['tuned'])
    codes = parity()
    counts, _ = np.histogramdd(np.stack([codes[c] for c in 'abc'], axis=1), [[0, 1, 2]] * 3)
    assert np.abs(model.marginal(list('abc')) - counts / counts.sum()).sum() / 2 < 0.01


def test_nothing_is_measured_twice_and_rounds_end_when_nothing_is_left():
    strategy = MwemStrategy(ANYTHING, rounds=50)
    release, ledger = run(parity(400), dict.fromkeys('abcd', 2), strategy, epsilon=10.0)
    chosen = [set(clique) for clique in release.cliques]
    for place, clique in enumerate(chosen):
        assert not any(clique <= before for before in chosen[:place])
    assert len(chosen) < 50
    assert ledger.remaining == 0


def test_a_model_is_estimated_with_all_that_was_released():
    """Once a pair is explained, another one is worse, whatever the first was worth."""
    rng = np.random.default_rng(2)
    a, c = rng.integers(0, 4, (2, 5000))
    codes = {'a': a, 'b': a, 'c': c, 'd': np.where(rng.random(5000) < 0.5, c, 0)}
    strategy = MwemStrategy(ANYTHING, rounds=2)
    release, _ = run(codes, dict.fromkeys('abcd', 4), strategy, epsilon=NO_NOISE)
    assert release.cliques == [('a', 'b'), ('c', 'd')]
