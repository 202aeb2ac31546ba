"""The ledger as JSON: amounts are exact fractions, written as such."""

import math
import re
from fractions import Fraction
from typing import Any

from sdv_prefair.errors import BudgetError, ReleaseError
from sdv_prefair.privacy import Ledger
from sdv_prefair.privacy.accounting import Debit
from sdv_prefair.release.fields import Fields

MOST_LINES = 100_000
_FRACTION = re.compile(r'\d{1,400}(/[1-9]\d{0,399})?')
# Another version of scipy may find the root from which the budget follows a little elsewhere.
_ROUNDING = Fraction(1, 10**6)
_LEDGER_KEYS = ('budget', 'reserved_delta', 'learning_lines', 'lines')
_LINE_KEYS = ('step', 'mechanism', 'columns', 'rho', 'delta', 'scale')


def write_ledger(ledger: Ledger, learning: Ledger) -> dict[str, Any]:
    """Return a ledger as JSON.

    Args:
        ledger: Everything a fit has spent.
        learning: The part of it that was spent on learning domains: its first lines.
    """
    return {
        'budget': str(ledger.budget),
        'reserved_delta': ledger.reserved_delta,
        'learning_lines': len(learning.debits),
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


def read_ledger(written: Any, parameters: dict[str, Any]) -> tuple[Ledger, Ledger]:
    """Return the ledger of a fit, and the part of it for learning domains.

    Args:
        written: What ``write_ledger`` returned.
        parameters: Arguments of the synthesizer: the promise that the ledger has to keep.

    Raises:
        ReleaseError: If it does not: if lines add up to more than the budget, or the budget is not
            the one that follows from epsilon and delta.
    """
    fields = Fields(written, 'ledger', _LEDGER_KEYS)
    lines = [_read_line(line) for line in fields.items('lines', MOST_LINES)]
    learning_lines = fields.whole('learning_lines', 0, len(lines))
    return (
        _enter(lines, _open_ledger(fields, parameters)),
        _enter(lines[:learning_lines], _open_ledger(fields, parameters)),
    )


def _open_ledger(fields: Fields, parameters: dict[str, Any]) -> Ledger:
    reserved = fields.number('reserved_delta', 0.0)
    if not reserved < parameters['delta']:
        raise ReleaseError('The ledger of the release reserves more of delta than there is.')
    ledger = Ledger(
        parameters['epsilon'],
        parameters['delta'],
        parameters['max_rows_per_person'],
        reserved,
        seeded=parameters['seed'] is not None,
    )
    budget = _read_fraction(fields.text('budget'))
    if abs(budget - ledger.budget) > _ROUNDING * ledger.budget:
        raise ReleaseError(
            'The budget in the ledger of the release does not follow from epsilon and delta.'
        )
    ledger.budget = budget
    return ledger


def _read_line(written: Any) -> Debit:
    fields = Fields(written, 'a line of the ledger', _LINE_KEYS)
    columns = fields.items('columns', MOST_LINES)
    if not all(isinstance(column, str) for column in columns):
        raise ReleaseError('A line of the ledger of the release names no columns.')
    return Debit(
        fields.text('step'),
        fields.text('mechanism'),
        tuple(columns),
        _read_fraction(fields.text('rho')),
        fields.number('delta', 0.0),
        fields.number('scale', 0.0) if fields.optional('scale') else math.nan,
    )


def _enter(lines: list[Debit], ledger: Ledger) -> Ledger:
    try:
        for line in lines:
            ledger.debit(line)
    except BudgetError as error:
        raise ReleaseError(f'The ledger of the release does not add up: {error}') from None
    return ledger


def _read_fraction(text: str) -> Fraction:
    if not _FRACTION.fullmatch(text):
        raise ReleaseError('An amount in the ledger of the release is no fraction.')
    return Fraction(text)
