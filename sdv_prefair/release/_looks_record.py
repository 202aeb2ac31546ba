"""The scores of possible copies of outcomes, as JSON, and whether the ledger paid for them."""

from collections.abc import Sequence
from typing import Any

from sdv_prefair.errors import ReleaseError
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.fitting._outcome_copies import OutcomeLook, pairs_to_look_at
from sdv_prefair.privacy._accounting import LOOK_FOR_COPIES
from sdv_prefair.release._documents import MOST_BYTES
from sdv_prefair.release._fields import MOST_COLUMNS, Fields, read_list
from sdv_prefair.release._ledger_checks import check_scores

_KEYS = ('column', 'outcome', 'tells', 'surely')


def write_looks(looks: Sequence[OutcomeLook]) -> list[dict[str, Any]]:
    """Return looks as JSON."""
    return [{key: getattr(look, key) for key in _KEYS} for look in looks]


def read_looks(written: Any) -> tuple[OutcomeLook, ...]:
    """Return the looks that ``write_looks`` wrote; ``check_looks`` compares them with the fit."""
    return tuple(map(_read_look, read_list(written, 'looks', MOST_COLUMNS**2)))


def _read_look(written: Any) -> OutcomeLook:
    fields = Fields(written, 'a look', _KEYS)
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
