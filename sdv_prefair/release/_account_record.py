"""The account as JSON: a line for each attempt to fit, so that a release lists all of them."""

import math
from typing import Any

from sdv_prefair.errors import ReleaseError
from sdv_prefair.privacy import Account, Ledger
from sdv_prefair.privacy._account import CALLS, FINISHED, OUTCOMES, Spending
from sdv_prefair.release._fields import Fields, read_list
from sdv_prefair.release._ledger_record import MOST_LINES, read_amount

_MOST_ATTEMPTS = 10_000
_MOST_RHO = 10**12  # more than any fit may spend
_ALL_GAUSSIAN = 'all_gaussian'
_KEYS = ('call', 'outcome', 'seeded', 'lines', 'rho', 'delta', _ALL_GAUSSIAN)


def write_account(account: Account) -> list[dict[str, Any]]:
    """Return what each attempt has spent, as JSON."""
    return [
        {
            'call': spending.call,
            'outcome': spending.outcome,
            'seeded': spending.seeded,
            'lines': spending.lines,
            'rho': str(spending.rho),
            'delta': spending.delta,
            _ALL_GAUSSIAN: spending.all_gaussian,
        }
        for spending in account.spendings
    ]


def read_account(written: Any) -> Account:
    """Return the account that ``write_account`` wrote."""
    attempts = read_list(written, 'account', _MOST_ATTEMPTS)
    return Account(list(map(_read_attempt, attempts)))


def _read_attempt(written: Any) -> Spending:
    fields = Fields(written, 'an attempt in the account', _KEYS)
    rho = read_amount(fields.text('rho'))
    lines = fields.whole('lines', 0, MOST_LINES)
    if rho > _MOST_RHO or (rho > 0) != (lines > 0):
        raise ReleaseError(
            'An attempt in the account of the release spends an amount that no lines can add up to.'
        )
    return Spending(
        fields.choice('call', CALLS),
        fields.choice('outcome', OUTCOMES),
        fields.flag('seeded'),
        lines,
        rho,
        float(fields.number('delta', 0.0)),
        fields.flag(_ALL_GAUSSIAN),
    )


def check_account(account: Account, ledger: Ledger) -> None:
    """Raise unless the fit of the model is in the account, and paid for there.

    It is the last one that finished. The cost of learning domains may belong to an earlier attempt.
    """
    finished = [spending for spending in account.spendings if spending.outcome == FINISHED]
    delta = math.fsum(line.delta for line in ledger.debits)
    is_covered = (
        account.spent >= ledger.spent
        and sum(spending.lines for spending in account.spendings) >= len(ledger.debits)
        and account.spent_delta >= delta * (1 - 1e-12)
    )
    is_last = (
        finished
        and 0 < finished[-1].rho <= ledger.spent
        and finished[-1].seeded is ledger.seeded
        and finished[-1].all_gaussian is ledger.all_gaussian
    )
    if not (is_covered and is_last):
        raise ReleaseError('The account of the release does not contain the fit of the model.')
