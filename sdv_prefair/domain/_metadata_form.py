"""A metadata file to fill in: every key with null, and a note on its meaning.

A key with the value null was not filled in, and a key that begins with an underscore is a note for
the reader. Both are ignored when the file is loaded, so a form is always valid metadata.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sdv_prefair._sdv_versions import RANGE_KEYS

NOTE = '_'
"""The prefix of the name of a note."""

Seen = Mapping[str, Mapping[str, Any]]

_MISSING = (
    "words that stand for a missing value, as ['NA', '?']; [] if none do; null for the usual ones"
)
_NULLABLE = 'true if values can be missing, false if not; null if you do not know'
_ROLE = "'protected', 'admissible' or 'outcome'; null for none"
_BOUND = 'the {} value that can occur, known without looking at the data; null to learn it'
_NUMBERS = {
    'range_min': _BOUND.format('smallest'),
    'range_max': _BOUND.format('largest'),
    'decimal_places': 'how many decimals values have, 0 for integers; null for any',
    'range_is_nullable': _NULLABLE,
}
_DATES = {
    'datetime_format': "how dates are written, as '%Y-%m-%d' or '%d.%m.%Y %H:%M'",
    'range_min': _BOUND.format('first') + '; written as datetime_format says',
    'range_max': _BOUND.format('last'),
    'range_is_nullable': _NULLABLE,
}
_VALUES = {
    'range_values': 'a list of all values that can occur, known without looking at the data; null '
    'to learn them',
    'range_is_nullable': _NULLABLE,
    'range_groups': 'of very many values: lists of them by the names of groups, or how many '
    'letters values of one group begin with; null for few',
    'high_cardinality': 'true if there are very many values and none is listed; null for few',
    'missing_values': _MISSING,
    'rare_sdtype': "of very many values that are texts: what they are, as 'city' or 'company', to "
    'make up rare ones; null if none of these',
}
_KEYS: dict[str, dict[str, str]] = {
    'categorical': _VALUES,
    'ordinal': _VALUES,
    'boolean': {'range_is_nullable': _NULLABLE},
    'numerical': _NUMBERS,
    'datetime': _DATES,
}
_SDTYPE = (
    'read from the file; if it is wrong: categorical, ordinal, boolean, numerical, datetime, or id '
    'for what tells rows apart'
)


def as_form(document: dict[str, Any], seen: Seen) -> None:
    """Write every key that a column may have into a metadata document, each with a note.

    Args:
        document: SDV's dictionary; it is modified.
        seen: Facts seen in the data, by column and key. They are written as notes, which are
            ignored when read, and marked as not private.
    """
    for table in document['tables'].values():
        columns = table['columns']
        for column, about in columns.items():
            columns[column] = dict(_filled(about, seen.get(column, {})))


def _filled(about: Mapping[str, Any], seen: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield 'sdtype', about['sdtype']
    yield f'{NOTE}sdtype', _SDTYPE
    keys = _KEYS.get(about['sdtype'])
    if keys is None:
        yield from ((key, value) for key, value in about.items() if key != 'sdtype')
        return
    for key, note in (keys | {'role': _ROLE}).items():
        yield key, about.get(key)
        yield f'{NOTE}{key}', note
        if key in seen:
            yield f'{NOTE}{key}_in_the_data_NOT_PRIVATE', seen[key]
    known = {'sdtype', *keys, *RANGE_KEYS}
    yield from ((key, value) for key, value in about.items() if key not in known)


def without_notes(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the filled-in part of a column's description, without notes and nulls."""
    return {
        key: value
        for key, value in about.items()
        if value is not None and not (isinstance(key, str) and key.startswith(NOTE))
    }
