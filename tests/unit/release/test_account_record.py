"""The account of a release must hold the fit that the model came from, and what it has spent.

About ``_ledger_record.py``.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

from sdv_prefair.errors import ReleaseError
from sdv_prefair.privacy import Account, Ledger
from sdv_prefair.privacy._account import FAILED, FINISHED, UNFINISHED, Spending
from sdv_prefair.privacy._accounting import Debit
from sdv_prefair.release._ledger_record import check_account, read_account, write_account


def spent_ledger(seeded=False):
    ledger = Ledger(1.0, 1e-6, reserved_delta=1e-7, seeded=seeded)
    learning, measuring = ledger.shares(ledger.budget, [1, 3])
    threshold = 'discrete Gaussian, threshold'
    ledger.debit(Debit('learn domains', threshold, ('a',), learning, 1e-7, 2.0))
    ledger.debit(Debit('measure one-ways', 'discrete Gaussian', ('a',), measuring, scale=1.0))
    return ledger


LEDGER = spent_ledger()
FIT = Spending('fit', FINISHED, False, 2, LEDGER.spent, 1e-7)
LEARNING, MEASURING = (line.rho for line in LEDGER.debits)
LEFT = Spending('preprocess', UNFINISHED, False, 1, LEARNING, 1e-7)
REST = Spending('fit_processed_data', FINISHED, False, 1, MEASURING, 0.0)
BROKEN = Spending('fit', FAILED, False, 1, Fraction(1, 8), 0.0)


@pytest.mark.parametrize(
    'attempts',
    [[FIT], [BROKEN, FIT], [FIT, FIT], [FIT, BROKEN], [LEFT, REST], [FIT, LEFT, REST]],
)
def test_accounts_with_the_fit_are_taken_and_come_back(attempts):
    account = read_account(write_account(Account(attempts)))
    assert account.spendings == tuple(attempts)
    check_account(account, LEDGER)


@pytest.mark.parametrize(
    'attempts',
    [
        [],
        [BROKEN],
        [replace(FIT, outcome=FAILED)],
        [replace(FIT, outcome=UNFINISHED), replace(FIT, lines=0, rho=Fraction(0))],
        [replace(FIT, rho=FIT.rho / 2)],
        [replace(FIT, lines=1)],
        [replace(FIT, delta=0.0)],
        [replace(FIT, rho=2 * FIT.rho)],
        [replace(FIT, seeded=True)],
        [FIT, replace(FIT, seeded=True)],
        [REST],
    ],
)
def test_an_account_without_the_fit_is_refused(attempts):
    with pytest.raises(ReleaseError, match='does not contain the fit'):
        check_account(Account(attempts), LEDGER)


def test_a_seeded_fit_is_seeded_in_the_account():
    check_account(Account([replace(FIT, seeded=True)]), spent_ledger(seeded=True))
    with pytest.raises(ReleaseError, match='does not contain the fit'):
        check_account(Account([FIT]), spent_ledger(seeded=True))


@pytest.mark.parametrize('changes', [{'lines': 0}, {'rho': '0'}, {'rho': str(10**12 + 1)}], ids=str)
def test_attempts_that_no_lines_can_be_are_refused(changes):
    (written,) = write_account(Account([FIT]))
    with pytest.raises(ReleaseError, match='that no lines can'):
        read_account([written | changes])
