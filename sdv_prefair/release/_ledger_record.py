"""The ledger as JSON: amounts are exact fractions, written as such."""

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from sdv_prefair.errors import ReleaseError
from sdv_prefair.fitting._settings import Settings
from sdv_prefair.privacy import Ledger
from sdv_prefair.privacy._accounting import GDP, ZCDP, Debit
from sdv_prefair.release._fields import Fields
from sdv_prefair.release._ledger_checks import check_lines, check_noises
from sdv_prefair.release._strategy import ReleasedMechanism

MOST_LINES = 100_000
_FRACTION = re.compile(r'\d{1,400}(/[1-9]\d{0,399})?')
# Another version of scipy may find a slightly different root, from which the budget follows.
_ROUNDING = Fraction(1, 10**6)
_ACCOUNTING = 'accounting'
_LEDGER_KEYS = (_ACCOUNTING, 'budget', 'reserved_delta', 'learning_lines', 'lines')
_LINE_KEYS = ('step', 'mechanism', 'columns', 'rho', 'delta', 'scale')


def write_ledger(ledger: Ledger, learning_lines: int) -> dict[str, Any]:
    """Return a ledger as JSON.

    Args:
        ledger: Everything a fit has spent.
        learning_lines: How many of its first lines were spent on learning domains.
    """
    return {
        _ACCOUNTING: ledger.accounting,
        'budget': str(ledger.budget),
        'reserved_delta': ledger.reserved_delta,
        'learning_lines': learning_lines,
        'lines': [_write_line(line) for line in ledger.debits],
    }


def _write_line(line: Debit) -> dict[str, Any]:
    return {
        'step': line.step,
        'mechanism': line.mechanism,
        'columns': list(line.columns),
        'rho': str(line.rho),
        'delta': line.delta,
        'scale': None if math.isnan(line.scale) else line.scale,
    }


def read_ledger(
    written: Any, settings: Settings, columns: Iterable[str], seeded: bool
) -> tuple[Ledger, Sequence[Debit]]:
    """Return the ledger of a fit, and those of its lines that were spent on learning domains.

    Args:
        written: What ``write_ledger`` returned.
        settings: The synthesizer's settings, with the guarantee that the ledger must satisfy.
        columns: The columns whose counts may have been read.
        seeded: Whether the noise can be reproduced.

    Raises:
        ReleaseError: If it does not satisfy the guarantee: if its lines do not add up to the
            budget, have less noise than they pay for or noise of another kind, or if the budget
            does not follow from epsilon and delta.
    """
    fields = Fields(written, 'ledger', _LEDGER_KEYS)
    columns = set(columns)
    lines = [_read_line(line, columns) for line in fields.items('lines', MOST_LINES)]
    learning_lines = fields.whole('learning_lines', 0, len(lines))
    all_gaussian = fields.choice(_ACCOUNTING, (ZCDP, GDP)) == GDP
    check_noises(lines, all_gaussian)
    ledger = _enter(lines, _open_ledger(fields, settings, seeded, all_gaussian))
    if ledger.remaining:
        raise ReleaseError('The lines in the ledger of the release do not add up to its budget.')
    own_steps = isinstance(settings.mechanism, ReleasedMechanism)
    check_lines(lines, ledger.max_rows_per_person, own_steps)
    return ledger, lines[:learning_lines]


def _open_ledger(fields: Fields, settings: Settings, seeded: bool, all_gaussian: bool) -> Ledger:
    reserved = fields.number('reserved_delta', 0.0)
    if not reserved < settings.delta:
        raise ReleaseError('The ledger of the release reserves more delta than there is.')
    ledger = Ledger(
        settings.epsilon,
        settings.delta,
        settings.max_rows_per_person,
        reserved,
        seeded=seeded,
        all_gaussian=all_gaussian,
    )
    budget = read_amount(fields.text('budget'))
    if abs(budget - ledger.budget) > _ROUNDING * ledger.budget:
        raise ReleaseError(
            'The budget in the ledger of the release does not follow from epsilon and delta.'
        )
    object.__setattr__(ledger, 'budget', budget)  # exactly as it was spent
    return ledger


def _read_line(written: Any, columns: set[str]) -> Debit:
    fields = Fields(written, 'a line of the ledger', _LINE_KEYS)
    return Debit(
        fields.text('step'),
        fields.text('mechanism'),
        fields.names('columns', columns),
        read_amount(fields.text('rho')),
        fields.number('delta', 0.0),
        float(fields.number('scale', 0.0)) if fields.optional('scale') else math.nan,
    )


def _enter(lines: list[Debit], ledger: Ledger) -> Ledger:
    """Check, for all lines together, what ``Ledger.debit`` checks one by one, which is too slow."""
    spent = sum((line.rho for line in lines), Fraction(0))
    if any(line.rho <= 0 for line in lines) or spent > ledger.budget:
        raise ReleaseError('The ledger of the release does not add up: more is spent than allowed.')
    if math.fsum(line.delta for line in lines) > ledger.reserved_delta * (1 + 1e-12):
        raise ReleaseError('The ledger of the release spends more delta than was set aside.')
    ledger.carry_over(lines)
    return ledger


def read_amount(text: str) -> Fraction:
    """Return an amount of rho as it was written."""
    amount = Fraction(text) if _FRACTION.fullmatch(text) else None
    # Dyadic, like all amounts: their sums stay short, however many there are.
    if amount is None or amount.denominator & (amount.denominator - 1):
        raise ReleaseError('An amount in the ledger of the release is not a dyadic fraction.')
    return amount
