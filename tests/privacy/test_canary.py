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
from scipy.stats import beta

from sdv_prefair.allocation import BUDGETS
from sdv_prefair.counts import count_codes
from sdv_prefair.mechanism import declared_cliques, measure_and_select
from sdv_prefair.privacy import Debit, Ledger, PrivateTable, SeededEntropy, epsilon_of
from sdv_prefair.privacy import private_table as private_table_module
from sdv_prefair.roles import Roles
from sdv_prefair.structure import resolve_strategy

DOMAIN = {'p': 2, 'a': 3, 'o': 2}
ROLES = Roles(['p'], ['a'], ['o'])
DELTA = 1e-3
CONFIDENCE = 0.999


def counts(with_canary):
    rng = np.random.default_rng(0)
    codes = {column: rng.integers(0, size - (column == 'a'), 40) for column, size in DOMAIN.items()}
    canary = {'p': 1, 'a': 2, 'o': 1}
    if with_canary:
        codes = {column: np.append(codes[column], canary[column]) for column in DOMAIN}
    return count_codes(codes, DOMAIN, declared_cliques(list(DOMAIN), ROLES, strategy()))


def strategy():
    return resolve_strategy('adaptive')


def evidence(table_counts, fresh_ledger, entropy):
    """Return the attacker's statistic of one run: noise-weighted counts of the canary's cells."""
    ledger = copy.deepcopy(fresh_ledger)
    release = measure_and_select(
        PrivateTable(table_counts, ledger, entropy), ROLES, strategy(), BUDGETS['paper']
    )
    statistic = 0.0
    for measurement in release.measurements:
        # The canary's code is the last one of every column, also after rare codes are merged.
        cell = measurement.values.ravel()[-1]
        statistic += cell / float(np.max(measurement.stddev)) ** 2
    return statistic


def certified_epsilon(without, with_canary):
    """Return the best certified lower bound over thresholds chosen on the first half."""
    half = len(without) // 2
    best, threshold = -np.inf, 0.0
    for candidate in np.quantile(np.concatenate([without[:half], with_canary[:half]]), _LEVELS):
        bound = _bound(without[:half] > candidate, with_canary[:half] > candidate)
        if bound > best:
            best, threshold = bound, candidate
    return _bound(without[half:] > threshold, with_canary[half:] > threshold)


_LEVELS = np.linspace(0.02, 0.98, 49)


def _bound(false_alarms, hits):
    false_rate = beta.ppf(
        CONFIDENCE, false_alarms.sum() + 1, len(false_alarms) - false_alarms.sum()
    )
    hit_rate = beta.ppf(1 - CONFIDENCE, hits.sum(), len(hits) - hits.sum() + 1) if hits.any() else 0
    return np.log(max(hit_rate - DELTA, 1e-12) / false_rate)


def audit(runs, epsilon):
    entropy = SeededEntropy(17)
    base, canary, ledger = counts(False), counts(True), Ledger(epsilon, DELTA)
    without = np.array([evidence(base, ledger, entropy) for _ in range(runs)])
    with_canary = np.array([evidence(canary, ledger, entropy) for _ in range(runs)])
    return certified_epsilon(without, with_canary)


@pytest.mark.slow
def test_an_attacker_certifies_less_than_the_claim():
    epsilon = 4.0
    ledger = Ledger(epsilon, DELTA)
    assert float(ledger.budget) >= 0.1
    certified = audit(6000, epsilon)
    assert 0.3 * epsilon < certified <= epsilon


@pytest.mark.slow
def test_the_audit_catches_a_mechanism_with_a_third_of_the_noise(monkeypatch):
    honest = private_table_module.gaussian_variance
    monkeypatch.setattr(
        private_table_module, 'gaussian_variance', lambda rho, s: honest(rho, s) / 9
    )
    assert audit(6000, 2.0) > 2.0


def test_the_claim_is_the_sum_of_the_ledger():
    ledger = Ledger(4.0, DELTA)
    for share in ledger.shares(ledger.budget, [1, 2, 3]):
        ledger.debit(Debit('step', 'discrete Gaussian', ('a',), share))
    assert ledger.spent == ledger.budget
    assert epsilon_of(ledger.spent, DELTA) == pytest.approx(4.0, rel=1e-6)
    assert ledger.remaining == Fraction(0)
