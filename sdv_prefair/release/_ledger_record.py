"""The ledger as JSON: amounts are exact fractions, written as such."""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from sdv_prefair.errors import ReleaseError
from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.fitting._fitted import Fitted, OutcomeLook, Settings, pairs_to_look_at
from sdv_prefair.model import GraphicalModel, Measurement
from sdv_prefair.privacy import Account, Ledger
from sdv_prefair.privacy._account import CALLS, FINISHED, OUTCOMES, Spending
from sdv_prefair.privacy._accounting import (
    BEFORE_MEASURING,
    DISCRETIZE,
    EXPONENTIAL,
    GDP,
    LOOK_FOR_COPIES,
    MEASURING_NOISES,
    NOISES,
    ROUNDED_NOISES,
    SCORING_NOISES,
    STEPS,
    THRESHOLDS,
    ZCDP,
    Debit,
)
from sdv_prefair.release._archive import MOST_BYTES
from sdv_prefair.release._fields import MOST_COLUMNS, Fields, read_list
from sdv_prefair.release._strategy import ReleasedMechanism

# -- Checks of an untrusted ledger: each line must cost what its noise costs -----------------------
#
# A file cannot prove that its noise was random. But its noise must agree with its budget: scales
# follow from amounts, and measurements are no more precise than the lines paid for.

# Scales are floating-point square roots of exact amounts.
_ROUNDING = 1e-9


def check_lines(lines: Iterable[Debit], max_rows_per_person: int, own_steps: bool = False) -> None:
    """Raise unless every line is of a known kind, with the noise that its rho requires.

    Args:
        lines: The lines.
        max_rows_per_person: How many rows one person may have.
        own_steps: Whether a third-party mechanism may have named its own steps.
    """
    elsewhere = NOISES if own_steps else ()
    for line in lines:
        if line.mechanism not in STEPS.get(line.step, elsewhere):
            raise ReleaseError('A line of the ledger of the release is of an unknown kind.')
        if (line.delta > 0) != (line.mechanism in THRESHOLDS):
            raise ReleaseError(
                'In the ledger of the release thresholds must cost some of delta, and nothing else '
                'may.'
            )
        # A line of scores has at least one score, of two columns; `check_scores` is stricter.
        scores = math.ceil(len(line.columns) / 2) if line.mechanism in SCORING_NOISES else 1
        _check_scale(line, max_rows_per_person**2 * scores)


def check_noises(lines: Iterable[Debit], all_gaussian: bool) -> None:
    """Raise unless lines composed as one Gaussian mechanism are rounded Gaussians."""
    if all_gaussian and any(line.mechanism not in ROUNDED_NOISES for line in lines):
        raise ReleaseError(
            'The ledger of the release composes its lines in a way that their noise does not allow.'
        )


def check_scores(lines: Iterable[Debit], num_pairs: int, max_rows_per_person: int) -> None:
    """Raise unless noise on scores is enough for so many of them."""
    for line in lines:
        if line.mechanism in SCORING_NOISES:
            _check_scale(line, max_rows_per_person**2 * num_pairs)


def _check_scale(line: Debit, sensitivity_squared: int) -> None:
    """Raise if noise is smaller, or a choice more precise, than the line pays for.

    rho is D^2/(2 sigma^2) for a Gaussian, epsilon^2/8 for a choice.
    """
    rho, squared = float(line.rho), line.scale * line.scale
    if line.mechanism == EXPONENTIAL:
        enough = squared <= 8 * rho * (1 + _ROUNDING)
    else:
        enough = 2 * rho * squared >= sensitivity_squared * (1 - _ROUNDING)
    if not enough:
        raise ReleaseError(
            'A line of the ledger of the release has less noise than its rho requires.'
        )


def check_measurements(measurements: Sequence[Measurement], ledger: Ledger) -> None:
    """Raise unless lines on the same columns paid for the claimed precision of each measurement.

    Precision is the sum of 1/sigma^2: two lines may pay for one measurement, and one line pays for
    one measurement only. Merging codes makes cells less precise, never more.
    """
    paid: dict[frozenset[str], float] = defaultdict(float)
    claimed: dict[frozenset[str], float] = defaultdict(float)
    for line in ledger.debits:
        if line.mechanism in MEASURING_NOISES and line.step not in BEFORE_MEASURING:
            paid[frozenset(line.columns)] += 1 / (line.scale * line.scale)
    for measurement in measurements:
        claimed[frozenset(measurement.columns)] += float(1 / np.min(measurement.variance))
    if any(not exact <= paid[columns] * (1 + _ROUNDING) for columns, exact in claimed.items()):
        raise ReleaseError(
            'A measurement of the release claims to be more precise than the ledger pays for.'
        )


def check_measured(model: GraphicalModel) -> None:
    """Raise unless every column and every pair that the model connects was measured."""
    measured = {
        frozenset(columns)
        for measurement in model.measurements
        for size in (1, 2)
        for columns in combinations(measurement.columns, size)
    }
    tied = [*((column,) for column in model.domain), *markov_graph(model.cliques).edges]
    if not measured.issuperset(map(frozenset, tied)):
        raise ReleaseError(
            'The model of the release connects columns that were never measured together.'
        )


def check_learning(
    learnt: Iterable[str], learning: Sequence[Debit], after: Sequence[Debit] = ()
) -> None:
    """Raise unless something was paid for every domain that is not public.

    Args:
        learnt: The columns whose domains are not public.
        learning: The lines that encoders depend on, which fits of the same codes carry over.
        after: The lines after them.
    """
    paid = {column for line in learning for column in line.columns}
    is_told = all(line.step in BEFORE_MEASURING for line in learning)
    if not paid.issuperset(learnt) or not is_told or any(s.step in BEFORE_MEASURING for s in after):
        raise ReleaseError('The release has learnt a domain that its ledger does not pay for.')


def check_shapes(
    shaped: Collection[str], binned: Collection[str], learning: Sequence[Debit]
) -> None:
    """Raise unless histograms were paid for every column with data-dependent bins.

    Args:
        shaped: These columns.
        binned: All binned columns; there are no histograms for others.
        learning: The lines that encoders depend on.
    """
    looks = [line for line in learning if line.step == DISCRETIZE]
    looked_at = {column for line in looks for column in line.columns}
    if not looked_at.issuperset(shaped) or not looked_at.issubset(binned):
        raise ReleaseError('The release has bins of a column that its ledger does not pay for.')


# -- The ledger as JSON: amounts are exact fractions, written as such ------------------------------


MOST_LINES = 100_000
_FRACTION = re.compile(r'\d{1,400}(/[1-9]\d{0,399})?')
# Another version of scipy may find a slightly different root, from which the budget follows.
_ROUNDING_OF_RHO = Fraction(1, 10**6)
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
    if abs(budget - ledger.budget) > _ROUNDING_OF_RHO * ledger.budget:
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


# -- The account as JSON: a line for each attempt to fit, so that a release lists all of them ------


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


# -- The scores of possible copies of outcomes, as JSON, and whether the ledger paid for them ------


_KEYS_OF_LOOKS = ('column', 'outcome', 'tells', 'surely')


def write_looks(looks: Sequence[OutcomeLook]) -> list[dict[str, Any]]:
    """Return looks as JSON."""
    return [{key: getattr(look, key) for key in _KEYS_OF_LOOKS} for look in looks]


def read_looks(written: Any) -> tuple[OutcomeLook, ...]:
    """Return the looks that ``write_looks`` wrote; ``check_looks`` compares them with the fit."""
    return tuple(map(_read_look, read_list(written, 'looks', MOST_COLUMNS**2)))


def _read_look(written: Any) -> OutcomeLook:
    fields = Fields(written, 'a look', _KEYS_OF_LOOKS)
    tells, surely = (float(fields.number(key, 0.0)) for key in ('tells', 'surely'))
    if not surely <= tells <= 1:
        raise ReleaseError('A look of the release has a score that is out of range.')
    # Names may be as long as in the metadata, to which they are compared.
    column, outcome = (fields.text(key, most=MOST_BYTES) for key in ('column', 'outcome'))
    return OutcomeLook(column, outcome, tells, surely)


def check_looks(fitted: Fitted) -> None:
    """Raise unless the fit scores these pairs, and its ledger pays for that many scores."""
    settings, ledger = fitted.settings, fitted.ledger
    pairs = pairs_to_look_at(fitted.encoding.counted_domain, settings.roles)
    expected = pairs if settings.looks_for_copies else []
    lines = [line for line in ledger.debits if line.step == LOOK_FOR_COPIES]
    looked_at = {frozenset((look.column, look.outcome)) for look in fitted.looks}
    paid = {column for line in lines for column in line.columns}
    if (
        looked_at != set(map(frozenset, expected))
        or len(fitted.looks) != len(expected)
        or len(lines) != bool(expected)
        or paid != {column for pair in expected for column in pair}
    ):
        raise ReleaseError(
            'The release reports a look for copies of outcomes that its ledger does not pay for.'
        )
    check_scores(lines, len(expected), ledger.max_rows_per_person)
