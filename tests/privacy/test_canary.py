"""A canary audit of the real mechanism: what an attacker can certify stays under the claim.

The attacker knows every row but one and sees all measurements and the tree. From many runs with
and without the canary a lower bound on epsilon is certified (Clopper-Pearson, 99.9 per cent
each); it must not exceed what the ledger claims, and it must exceed it for a mechanism that draws
half the noise.
"""

import copy
from fractions import Fraction

import numpy as np
import pytest
from certified import DELTA, certified_epsilon

from sdv_prefair.counting import count_codes
from sdv_prefair.privacy import Debit, Ledger, PrivateTable, SeededEntropy, epsilon_of
from sdv_prefair.privacy import _answers as answers_module
from sdv_prefair.roles import Roles
from sdv_prefair.selection._measuring import BUDGETS
from sdv_prefair.selection._resolve import resolve_mechanism

# With a fourth column fair AIM has a pair to choose beyond the tree.
DOMAINS = {
    'adaptive': {'p': 2, 'a': 3, 'o': 2},
    'aim': {'p': 2, 'a': 3, 'o': 2, 'n': 2},
    'planned': {'p': 2, 'a': 3, 'o': 2, 'n': 2},
}
ROLES = Roles(['p'], ['a'], ['o'])
# Fair AIM estimates models on its way: fewer runs, which certify less.
RUNS = {'adaptive': 6000, 'aim': 3000, 'planned': 3000}


def counts(structure, with_canary):
    rng = np.random.default_rng(0)
    domain = DOMAINS[structure]
    codes = {column: rng.integers(0, size - (column == 'a'), 40) for column, size in domain.items()}
    if with_canary:
        codes = {column: np.append(codes[column], size - 1) for column, size in domain.items()}
    cliques = resolve_mechanism(structure).declare(domain, ROLES)
    return count_codes(codes, domain, cliques)


def evidence(structure, table_counts, fresh_ledger, entropy):
    """Return the attacker's statistic of one run: noise-weighted counts of the canary's cells."""
    ledger = copy.deepcopy(fresh_ledger)
    table = PrivateTable(table_counts, ledger, entropy)
    release = resolve_mechanism(structure).run(table, ROLES, BUDGETS['paper'])
    statistic = 0.0
    for measurement in release.measurements:
        # The canary's code is the last one of every column, also after rare codes are merged.
        cell = measurement.values.ravel()[-1]
        statistic += cell / float(np.max(measurement.stddev)) ** 2
    return statistic


def audit(structure, epsilon):
    entropy, ledger = SeededEntropy(17), Ledger(epsilon, DELTA)
    runs = range(RUNS[structure])
    without, with_canary = (
        np.array([evidence(structure, table, ledger, entropy) for _ in runs])
        for table in (counts(structure, False), counts(structure, True))
    )
    return certified_epsilon(without, with_canary)


@pytest.mark.slow
@pytest.mark.parametrize(
    ('structure', 'least'), [('adaptive', 0.3), ('aim', 0.1), ('planned', 0.1)]
)
def test_an_attacker_certifies_less_than_the_claim(structure, least):
    epsilon = 4.0
    ledger = Ledger(epsilon, DELTA)
    assert float(ledger.budget) >= 0.1
    certified = audit(structure, epsilon)
    assert least * epsilon < certified <= epsilon


@pytest.mark.slow
@pytest.mark.parametrize(('structure', 'parts'), [('adaptive', 3), ('aim', 5), ('planned', 5)])
def test_the_audit_catches_a_mechanism_with_a_part_of_the_noise(structure, parts, monkeypatch):
    honest = answers_module.gaussian_variance
    monkeypatch.setattr(
        answers_module, 'gaussian_variance', lambda rho, s: honest(rho, s) / parts**2
    )
    assert audit(structure, 2.0) > 2.0


def test_the_claim_is_the_sum_of_the_ledger():
    ledger = Ledger(4.0, DELTA)
    for share in ledger.shares(ledger.budget, [1, 2, 3]):
        ledger.debit(Debit('step', 'discrete Gaussian', ('a',), share))
    assert ledger.spent == ledger.budget
    assert epsilon_of(ledger.spent, DELTA) == pytest.approx(4.0, rel=1e-6)
    assert ledger.remaining == Fraction(0)
