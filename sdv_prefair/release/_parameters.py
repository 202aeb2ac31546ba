"""The arguments of the synthesizer as JSON."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from faker.config import AVAILABLE_LOCALES

from sdv_prefair._metadata_files import FACTS, Domain, facts_of
from sdv_prefair.columns._facts import RANGE_GROUPS
from sdv_prefair.errors import ReleaseError
from sdv_prefair.fairness._records import read_statements
from sdv_prefair.fairness._statements import Independent, Statements
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.release._columns_record import MOST_BINS
from sdv_prefair.release._fields import MOST_CODES, Fields
from sdv_prefair.release._strategy import read_structure, write_structure
from sdv_prefair.release._values import read_value, write_value
from sdv_prefair.roles import Roles

_ROLES = ('protected', 'admissible', 'outcome')
_MOST_ROWS_PER_PERSON = 10**9
_MOST_STATEMENTS = 100


def write_parameters(parameters: Mapping[str, Any], fitted: Fitted) -> dict[str, Any]:
    """Return the arguments of a fitted synthesizer, except the metadata, as JSON."""
    given, promise = dict(parameters), fitted.settings.promise
    given['epsilon'] = fitted.ledger.epsilon  # which may have been asked for as a risk
    statements = _write_statements(given, promise.roles)
    for role in _ROLES:
        if type(given[role]) not in (list, tuple):
            given[role] = getattr(promise.roles, role)
    given['spikes'] = [[c, list(v)] for c, v in (given['spikes'] or {}).items()] or None
    if isinstance(given['other'], Mapping):
        given['other'] = [[c, value] for c, value in given['other'].items()]
    given['domain'] = _write_domain(given['domain'])
    structure = write_structure(given.pop('structure'), promise.mechanism, fitted.model.cliques)
    written = {name: write_value(value) for name, value in given.items()}
    return written | {'structure': structure} | statements


def _write_statements(given: dict[str, Any], roles: Statements) -> dict[str, Any]:
    """Return the statements, if roles cannot express them; otherwise roles are written instead."""
    asked = given.pop('fairness')
    if not isinstance(roles, Roles):
        return {'fairness': roles.as_records()}
    if asked is not None:
        given |= roles.as_dict()
    return {'fairness': None}


def read_parameters(
    written: Any, synthesizer_class: type, columns: Sequence[str]
) -> dict[str, Any]:
    """Return the arguments to construct a synthesizer with, except the metadata.

    Only what the constructor would not refuse is checked here.

    Args:
        written: What ``write_parameters`` returned.
        synthesizer_class: The class that will be constructed.
        columns: The columns of the table, each of which may be binned.

    Raises:
        ReleaseError: If an argument is unknown, or would make something too large.
    """
    signature = inspect.signature(synthesizer_class).parameters
    fields = Fields(written, 'parameters', [name for name in signature if name != 'metadata'])
    fields.whole('numeric_bins', 1, min(MOST_BINS, MOST_CODES // len(columns)))
    fields.whole('max_rows_per_person', 1, _MOST_ROWS_PER_PERSON)
    read_apart = ('structure', 'fairness')
    given = {name: read_value(v) for name, v in written.items() if name not in read_apart}
    _check_locales(given['locales'])
    given['spikes'] = _read_spikes(given['spikes'])
    given['other'] = _read_other(given['other'])
    given['domain'] = _read_domain(given['domain'])
    for role in _ROLES:
        if not _are_texts(given[role]):
            raise ReleaseError(f'{role} of the release must be a list of columns.')
    given['fairness'] = _read_statements(fields.raw('fairness'))
    return given | {'structure': read_structure(written['structure'], columns)}


def _read_statements(records: Any) -> list[Independent] | None:
    if records is None:
        return None
    if not isinstance(records, list) or not 0 < len(records) <= _MOST_STATEMENTS:
        raise ReleaseError(
            f'fairness of the release must be a list of 1 to {_MOST_STATEMENTS} statements.'
        )
    statements = read_statements(records)
    if len(statements.statements) == 1 and statements.admissible:
        raise ReleaseError('fairness of the release holds one statement that roles express.')
    return list(statements.statements)


def _write_domain(domain: Domain | None) -> list[list[Any]] | None:
    if domain is None:
        return None
    return [
        [c, [[key, _as_pairs(fact)] for key, fact in f.items()]]
        for c, f in facts_of(domain).items()
    ]


def _as_pairs(fact: Any) -> Any:
    """Return values by group as pairs, which preserve their types; anything else unchanged."""
    if not isinstance(fact, Mapping):
        return fact
    return [[group, list(values)] for group, values in fact.items()]


def _read_domain(pairs: Any) -> dict[str, dict[str, Any]] | None:
    if pairs is None:
        return None
    is_list = isinstance(pairs, list) and all(map(_is_spike, pairs))
    if not is_list or not all(_is_fact(fact) for _, facts in pairs for fact in facts):
        raise ReleaseError('domain of the release must be pairs of a column and its facts.')
    domain = {column: dict(facts) for column, facts in pairs}
    for facts in domain.values():
        if isinstance(facts.get(RANGE_GROUPS), list):
            facts[RANGE_GROUPS] = _read_groups(facts[RANGE_GROUPS])
    return domain


def _read_groups(pairs: list[Any]) -> dict[str, list[Any]]:
    if not all(map(_is_spike, pairs)):
        raise ReleaseError('range_groups of the release must be pairs of a group and its values.')
    return dict(pairs)


def _is_fact(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and pair[0] in FACTS


def _read_spikes(pairs: Any) -> dict[str, list[Any]] | None:
    if pairs is None:
        return None
    if not isinstance(pairs, list) or not all(map(_is_spike, pairs)):
        raise ReleaseError('spikes of the release must be pairs of a column and a list of values.')
    return dict(pairs)


def _read_other(other: Any) -> Any:
    if not isinstance(other, list):
        return other
    is_paired = all(isinstance(pair, list) and len(pair) == 2 for pair in other)
    if not is_paired or not _are_texts([column for column, _ in other]):
        raise ReleaseError(
            'other of the release must be a string, or pairs of a column and a value.'
        )
    return dict(other)


def _is_spike(pair: Any) -> bool:
    is_pair = isinstance(pair, list) and len(pair) == 2
    return is_pair and isinstance(pair[0], str) and isinstance(pair[1], list)


def _check_locales(locales: Any) -> None:
    """Raise for a locale that Faker does not list: it would look for a module of that name."""
    listed = [locales] if isinstance(locales, str) else locales
    if listed is not None and not _are_texts(listed):
        raise ReleaseError('locales of the release must be a list of names.')
    for locale in listed or ():
        if locale.replace('-', '_') not in AVAILABLE_LOCALES:
            raise ReleaseError('The release names a locale that Faker does not know.')


def _are_texts(values: object) -> bool:
    return isinstance(values, list | tuple) and all(isinstance(value, str) for value in values)
