"""What attempts of both kinds add up to."""

from fractions import Fraction

import pytest

from sdv_prefair.privacy import Account, Debit, Ledger
from sdv_prefair.privacy._accounting import (
    delta_of_gaussian,
    delta_of_rho,
    epsilon_of,
    gaussian_epsilon_of,
)

DELTA = 1e-9


def attempt(account, all_gaussian, part=Fraction(1)):
    ledger = Ledger(1.0, DELTA, all_gaussian=all_gaussian)
    kind = 'rounded Gaussian' if all_gaussian else 'exponential'
    with account.open('fit', ledger) as opened:
        if part:
            ledger.debit(Debit('step', kind, ('a',), ledger.budget * part))
        opened.finish()
    return ledger


def test_attempts_that_are_all_gaussian_add_up_as_one_gaussian_mechanism():
    account = Account()
    ledgers = [attempt(account, True), attempt(account, True, Fraction(1, 2))]
    total = account.total(DELTA)['epsilon_all_attempts']
    spent = float(sum(ledger.spent for ledger in ledgers))
    assert total == gaussian_epsilon_of(spent, DELTA) < epsilon_of(spent, DELTA)
    assert delta_of_gaussian(spent, total) <= DELTA
    assert list(account.to_frame()['accounting']) == ['GDP', 'GDP']


@pytest.mark.parametrize('kinds', [(True, False), (False, True), (False, False)])
def test_beside_one_that_is_not_rhos_add_up_by_zcdp(kinds):
    account = Account()
    spent = float(sum(attempt(account, kind).spent for kind in kinds))
    total = account.total(DELTA)['epsilon_all_attempts']
    assert total == epsilon_of(spent, DELTA)
    assert delta_of_rho(spent, total) <= DELTA


def test_an_attempt_that_has_read_nothing_does_not_count():
    account = Account()
    attempt(account, False, Fraction(0))
    assert account.all_gaussian
    attempt(account, True)
    assert account.all_gaussian
    attempt(account, False, Fraction(1, 10**6))
    assert not account.all_gaussian


def test_the_sum_with_a_next_attempt_is_converted_by_what_both_are():
    account = Account()
    spent = attempt(account, True).spent
    more = Fraction(1, 100)
    both = float(spent + more)
    assert account.epsilon_with(more, True, DELTA) == gaussian_epsilon_of(both, DELTA)
    assert account.epsilon_with(more, False, DELTA) == epsilon_of(both, DELTA)
