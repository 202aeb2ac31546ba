"""The exact Renyi divergence of choosing cliques in turn, against the ledger's claim.

What is measured stays as it was for one table; every sequence of choices is enumerated, with its
exact probability for that table and for each of its neighbours, by the epsilons that the mechanism
has asked for and the scores that it has described.
"""

import copy
import math

import numpy as np
import pytest

from sdv_prefair.counting import count_codes
from sdv_prefair.privacy import Debit, Ledger
from sdv_prefair.privacy._answers import ExactScores, exponential_epsilon
from sdv_prefair.roles import Roles
from sdv_prefair.selection._measuring import BUDGETS
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.structure import MwemStrategy, PrivBayesStrategy

DOMAIN = {'p': 2, 'o': 2, 'a': 2, 'b': 2}
ROLES = Roles(['p'], ['a', 'b'], ['o'])
STRATEGIES = {'privbayes': PrivBayesStrategy(theta=0.01), 'mwem': MwemStrategy(rounds=2)}
ORDERS = (1.5, 2.0, 8.0, 64.0)
EPSILON = 3.0


class Scripted:
    """A table that follows a script of choices, and notes their probability for other tables."""

    hidden_codes = {}
    public_groups = {}

    def __init__(self, counts, neighbours, ledger, script, factor):
        self.domain, self.ledger = dict(counts.domain), ledger
        self._counts, self._factor, self._script = counts, factor, list(script)
        self._tables = [counts, *neighbours]
        self.log_probabilities, self.branches = np.zeros(len(self._tables)), None

    def regroup(self, group_of, spread):
        assert not spread
        assert all((np.diff(groups) == 1).all() for groups in group_of.values()), 'nothing is rare'

    def measure(self, clique, rho, step):
        self.ledger.debit(Debit(step, 'discrete Gaussian', tuple(clique), rho))
        return self._counts.project(clique) + len(clique), 1 / math.sqrt(2 * float(rho))

    def choose(self, candidates, score, rho, step):
        if not self._script:
            self.branches = len(candidates)
            raise StopIteration
        self.ledger.debit(Debit(step, 'exponential', (), rho))
        chosen, epsilon = self._script.pop(0), self._factor * float(exponential_epsilon(rho))
        for place, counts in enumerate(self._tables):
            exact = ExactScores(counts, score)
            weights = np.array([epsilon * exact(c) / exact.unit / 2 for c in candidates])
            self.log_probabilities[place] += weights[chosen] - np.logaddexp.reduce(weights)
        return candidates[chosen]


def rows(seed=0, num_rows=160):
    rng = np.random.default_rng(seed)
    common = rng.integers(0, 2, num_rows)
    return np.where(rng.random((4, num_rows)) < 0.2, common, rng.integers(0, 2, (4, num_rows)))


def sequences(strategy, factor):
    """Return the log probabilities of all complete runs, a row each; and what choices may cost."""
    mechanism = resolve_mechanism(strategy)
    cliques = mechanism.declare(DOMAIN, ROLES)
    assert any(len(clique) == 3 for clique in cliques)

    def count(codes):
        return count_codes(dict(zip(DOMAIN, codes, strict=True)), DOMAIN, cliques)

    table = rows()
    more = [np.append(table, np.reshape(row, (4, 1)), axis=1) for row in np.ndindex(2, 2, 2, 2)]
    less = [np.delete(table, place, axis=1) for place in range(8)]
    counts, neighbours = count(table), [count(codes) for codes in (*more, *less)]
    complete, waiting, fresh, spent = [], [()], Ledger(EPSILON, 1e-9), 0.0
    while waiting:
        script = waiting.pop()
        run = Scripted(counts, neighbours, copy.deepcopy(fresh), script, factor)
        try:
            mechanism.run(run, ROLES, BUDGETS['tuned'])
        except StopIteration:
            waiting += [(*script, choice) for choice in range(run.branches)]
            continue
        assert run.ledger.remaining == 0
        complete.append(run.log_probabilities)
        lines = [line for line in run.ledger.debits if line.mechanism == 'exponential']
        spent = max(spent, float(sum(line.rho for line in lines)))
    return np.array(complete), spent


def worst_ratio(structure, factor=1.0):
    """Return the largest D_alpha / (alpha rho) over neighbours and orders."""
    logs, rho = sequences(STRATEGIES[structure], factor)
    assert len(logs) > 10
    assert np.allclose(np.logaddexp.reduce(logs), 0.0)
    here = logs[:, :1]
    worst = 0.0
    for order in ORDERS:
        for one, other in ((here, logs[:, 1:]), (logs[:, 1:], here)):
            moments = np.logaddexp.reduce(order * one + (1 - order) * other)
            worst = max(worst, float(moments.max()) / (order - 1) / (order * rho))
    return worst


@pytest.mark.parametrize('structure', STRATEGIES)
def test_choosing_costs_at_most_what_the_ledger_says(structure):
    assert 0.5 < worst_ratio(structure) <= 1.0


@pytest.mark.parametrize('structure', STRATEGIES)
def test_choices_that_are_too_sharp_are_caught(structure):
    assert worst_ratio(structure, factor=1.2) > 1.0
