"""Statements from JSON, written by ``Statements.as_records`` or by hand."""

from typing import Any

from sdv_prefair.errors import RolesError
from sdv_prefair.fairness._statements import Independent, Statements

_SIDES, _KEYS = {'left', 'right'}, {'left', 'right', 'given'}


def read_statements(records: Any) -> Statements:
    """Return the statements of a list of records.

    Args:
        records: One dictionary per statement, with lists of names as ``left`` and ``right``, and as
            ``given`` unless that is empty.

    Raises:
        RolesError: If they have another form, or are not valid statements.
    """
    if not isinstance(records, list) or not all(map(_is_record, records)):
        raise RolesError(
            'fairness must be a list of statements such as {"left": ["sex"], "right": ["income"], '
            '"given": ["education"]}. Correct it; without given, leave that key out.'
        )
    return Statements(Independent(**record) for record in records)


def _is_record(record: Any) -> bool:
    if not isinstance(record, dict) or not _SIDES <= set(record) <= _KEYS:
        return False
    return all(
        isinstance(names, list) and all(isinstance(name, str) for name in names)
        for names in record.values()
    )
