"""SDV's metadata and the roles in one JSON file, which may be a form to fill in.

The file is in SDV's format with an additional key ``role`` on each column that has a role, or an
additional list ``fairness`` of statements. SDV rejects such keys, so read a file that has them with
``load_metadata``; a file without them can be read by both. A key with the value null was not filled
in, and a key that begins with an underscore is a note for the reader: both are ignored.
"""

import copy
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeGuard

from sdv.metadata import Metadata
from sdv.metadata.utils import _validate_file_mode, read_json, validate_file_does_not_exist

from sdv_prefair._atomic_write import draft_of
from sdv_prefair._sdv_versions import RANGE_KEYS
from sdv_prefair.columns._public import single_table
from sdv_prefair.columns._texts import MISSING_VALUES
from sdv_prefair.errors import DomainError, RolesError, near, shown
from sdv_prefair.fairness._statements import Statements, read_statements
from sdv_prefair.roles import ADMISSIBLE, OUTCOME, PROTECTED, Roles

# -- A metadata file to fill in: every key with null, and a note on its meaning --------------------
#
# A key with the value null was not filled in, and a key that begins with an underscore is a note
# for the reader. Both are ignored when the file is loaded, so a form is always valid metadata.

NOTE = '_'
"""The prefix of the name of a note."""

Seen = Mapping[str, Mapping[str, Any]]

_MISSING = (
    "words that stand for a missing value, as ['NA', '?']; [] if none do; null for the usual ones"
)
_NULLABLE = 'true if values can be missing, false if not; null if you do not know'
_ROLE_NOTE = "'protected', 'admissible' or 'outcome'; null for none"
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
    for key, note in (keys | {'role': _ROLE_NOTE}).items():
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


# -- Whether roles, or statements, match a table: their columns must exist and be modelled ---------


def check_one_table(metadata: Metadata) -> Any:
    """Return the metadata of the one table; raise if there are none or several."""
    if len(metadata.tables) != 1:
        raise RolesError('The metadata must have exactly one table: roles are for one table.')
    return next(iter(metadata.tables.values()))


def check_known_roles(roles: Statements, columns: Collection[str]) -> None:
    """Raise if roles name columns that the metadata does not have."""
    unknown = [column for column in roles.columns() if column not in columns]
    if unknown:
        raise RolesError(
            f'The roles name columns that the metadata does not have: {unknown}. Correct the '
            f'names, or add the columns to the metadata.{near(unknown[0], columns)}'
        )


def check_modelled_roles(
    roles: Statements, columns: Collection[str], modelled: Collection[str]
) -> None:
    """Raise unless every column with a role is in the metadata, and modelled.

    Args:
        roles: What the user gave.
        columns: All columns of the metadata.
        modelled: Those that are modelled.
    """
    for column in roles.columns():
        role = roles.of(column) if isinstance(roles, Roles) else 'fairness'
        if column not in columns:
            raise RolesError(
                f"{role} names the column '{column}', which is not in the metadata. Correct the "
                f'name: its columns are {list(columns)}.{near(column, columns)}'
            )
        if column not in modelled:
            raise RolesError(
                f"{role} names the column '{column}', which is not modelled: keys, ids, personal "
                "(pii) and 'unknown' columns are generated, not learnt, so they carry no "
                'dependence. Take it out of the list, or give it a statistical sdtype such as '
                "'categorical' in the metadata."
            )


# -- SDV's metadata and the roles in one JSON file -------------------------------------------------
#
# The file is in SDV's format with an additional key ``role`` on each column that has a role, or
# an additional list ``fairness`` of statements. SDV rejects such keys, so read a file that has
# them with ``load_metadata``; a file without them can be read by both. Keys that are null and
# notes are left out, see above.


_TABLES = ('.csv', '.tsv', '.gz', '.parquet', '.xlsx')
_ROLE, _FAIRNESS = 'role', 'fairness'


def save_metadata(
    metadata: Metadata, roles: Statements, path: str | Path, mode: str = 'write'
) -> None:
    """Save metadata and roles to a file, atomically.

    Args:
        metadata: SDV's metadata of one table.
        roles: The roles of its columns, or the statements about them.
        path: Where to save them.
        mode: ``'write'`` refuses to replace a file, ``'overwrite'`` does not.

    Raises:
        ValueError: If the file exists and the mode is ``'write'``, as with SDV's ``save_to_json``.
        RolesError: If a role names a column the metadata does not have.
    """
    path = Path(path)
    _validate_file_mode(mode)
    if mode == 'write':
        validate_file_does_not_exist(path)
    check_known_roles(roles, check_one_table(metadata).columns)
    _write(metadata, path, lambda document: put_roles(document, roles))


def save_form(metadata: Metadata, path: Path, seen: Seen = MappingProxyType({})) -> None:
    """Save metadata as a form: every key that a column may have, with a note on its meaning.

    Args:
        metadata: SDV's metadata of one table.
        path: Where to save them.
        seen: Facts seen in the data, by column and key, written as notes that are ignored when
            read. A file with such notes is not private.
    """
    _write(metadata, path, lambda document: as_form(document, seen))


def _write(metadata: Metadata, path: Path, put: Callable[[dict[str, Any]], None]) -> None:
    with draft_of(path) as draft:
        Metadata.save_to_json(metadata, draft)  # SDV's own, also for metadata that has roles
        document = read_json(draft)
        put(document)
        text = json.dumps(document, indent=4, ensure_ascii=False, default=str)
        # A name may contain a lone surrogate, which UTF-8 cannot encode.
        draft.write_text(text, encoding='utf-8', errors='backslashreplace')


def load_metadata(path: str | Path) -> tuple[Metadata, Statements]:
    """Load metadata and roles from a file; a file written by SDV has no roles.

    Within a role, columns are in the order of the metadata. If the file has statements, they are
    returned in place of the roles.

    Raises:
        ValueError: If there is no such file, or it is not JSON.
        RolesError: If a column has a role that does not exist, or statements have another form,
            are combined with roles, or name columns that do not exist.
    """
    document, roles = take_roles(read_object(path))
    metadata = Metadata.load_from_dict(document)
    if not isinstance(roles, Roles):  # these are stored with the columns
        check_known_roles(roles, check_one_table(metadata).columns)
    return metadata, roles


def load_lists(path: str | Path) -> tuple[Metadata, dict[str, list[str]]]:
    """Return the metadata of a file, and the columns of each role, if any.

    Raises:
        ValueError: If there is no such file, or it is not JSON.
        RolesError: If a column has a role that does not exist.
    """
    document, named = _take_lists(read_object(path))
    document.pop(_FAIRNESS, None)
    return Metadata.load_from_dict(document), named


def take_roles(described: Mapping[str, Any]) -> tuple[dict[str, Any], Statements]:
    """Split a dictionary of metadata into one without roles or statements, and these.

    Args:
        described: SDV's dictionary with ``role`` on columns, or with a list ``fairness`` beside its
            tables. It is not modified.

    Raises:
        RolesError: If a column has a role that does not exist, or statements have another form or
            are combined with roles.
    """
    document, named = _take_lists(described)
    roles = Roles(**{role: tuple(columns) for role, columns in named.items()})
    written = document.pop(_FAIRNESS, None)
    if written is None:
        return document, roles
    if roles:
        raise RolesError(
            'The metadata gives roles to columns and has fairness statements as well. Keep one of '
            'the two: roles are the short form of one statement.'
        )
    return document, read_statements(written)


def _take_lists(described: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    document = copy.deepcopy(dict(described))
    named: dict[str, list[str]] = {PROTECTED: [], ADMISSIBLE: [], OUTCOME: []}
    for column, description in columns_of(document):
        role = description.pop(_ROLE, None)
        if role is not None:
            _members(named, role, column).append(column)
        filled = without_notes(description)
        description.clear()
        description.update(filled)
    return document, named


def put_roles(document: dict[str, Any], roles: Statements) -> None:
    """Write roles into a dictionary of metadata, each with its column; or a list of statements."""
    if not isinstance(roles, Roles):
        document[_FAIRNESS] = roles.as_records()
        return
    for column, description in columns_of(document):
        if column in roles.columns():
            description[_ROLE] = roles.of(column)


def read_object(path: str | Path) -> dict[str, Any]:
    """Return the document in a metadata file; raise ``ValueError`` if there is none."""
    if not Path(path).exists():
        raise ValueError(f"There is no file '{path}'. Give the path of a metadata file.")
    if Path(path).suffix.lower() in _TABLES:
        raise ValueError(
            f"'{path}' is a table, not metadata. Swap the two files, or give the JSON file of the "
            'metadata here.'
        )
    try:
        document: object = read_json(path)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"'{path}' is not valid JSON at line {error.lineno}, column {error.colno}: "
            f'{error.msg}. Look for an extra or missing comma or quotation mark.'
        ) from None
    except UnicodeDecodeError:
        document = None
    if not is_document(document):
        raise ValueError(
            f"'{path}' is not SDV metadata in JSON. Give a file that save_metadata or SDV's "
            'save_to_json wrote.'
        )
    return document


def is_document(document: object) -> TypeGuard[dict[str, Any]]:
    """Whether a document consists of tables of described columns, or is one such table."""
    tables = document.get('tables', {'': document}) if isinstance(document, dict) else None
    if not isinstance(tables, dict) or not tables:
        return False
    columns = [
        table.get('columns') if isinstance(table, dict) else None for table in tables.values()
    ]
    return all(
        isinstance(described, dict) and all(isinstance(c, dict) for c in described.values())
        for described in columns
    )


def columns_of(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the columns of a document and their descriptions."""
    for table in document.get('tables', {'': document}).values():
        yield from table.get('columns', {}).items()


def _members(named: dict[str, list[str]], role: Any, column: str) -> list[str]:
    if not isinstance(role, str) or role not in named:
        raise RolesError(
            f"The role of column '{column}' ({role!r}) must be one of {list(named)}. Correct it in "
            'the file, or remove the key for a column without a role.'
        )
    return named[role]


# -- Public facts about columns that are given in addition to the metadata -------------------------
#
# SDV 1 has no place for ranges in its metadata, and under SDV 2 many of them were detected from
# the data. The user declares that what is given here is public.


FACTS = (
    *('sdtype', 'datetime_format', 'regex_format', 'rare_sdtype', MISSING_VALUES),
    *RANGE_KEYS,
)
_ORDERED = ('categorical', 'ordinal')

Domain = Mapping[str, Any] | str | Path


def facts_of(domain: Domain | None) -> dict[str, dict[str, Any]]:
    """Return the user's facts about each column.

    Args:
        domain: Facts by column, a document as ``save_metadata`` writes it, or the path of one.
            Anything in a document that is not about values, such as roles, is ignored.

    Raises:
        DomainError: If it has none of these forms.
    """
    if domain is None:
        return {}
    if isinstance(domain, str | Path):
        return _facts_in(read_object(domain))
    if is_document(domain):
        return _facts_in(dict(domain))
    if not isinstance(domain, Mapping) or not all(isinstance(f, Mapping) for f in domain.values()):
        raise DomainError(
            f'domain ({shown(domain)}) must be a dictionary from columns to facts, as in '
            "{'age': {'range_min': 0, 'range_max': 99}}, or the path of a metadata file."
        )
    given = {column: without_notes(facts) for column, facts in domain.items()}
    for column, facts in given.items():
        if strange := [key for key in facts if key not in FACTS]:
            raise DomainError(
                f"domain gives {strange} for '{column}', which are not known keys. Use "
                f'{list(FACTS)}.{near(strange[0], FACTS)}'
            )
    return given


def with_facts(metadata: Metadata, domain: Domain | None) -> Metadata:
    """Return the metadata with additional facts.

    Args:
        metadata: The metadata of one table. It is not modified.
        domain: The user's facts.

    Raises:
        DomainError: If the two contradict each other.
    """
    facts = facts_of(domain)
    if not facts:
        return metadata
    told = metadata.copy()
    columns = single_table(told).columns
    if unknown := [column for column in facts if column not in columns]:
        raise DomainError(
            f'domain names {unknown}, which the metadata does not have. Correct the names: its '
            f'columns are {list(columns)}.'
        )
    for column, given in facts.items():
        _check_agrees(column, columns[column], given)
        columns[column] = columns[column] | given
    return told


def _facts_in(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        column: {key: value for key, value in without_notes(about).items() if key in FACTS}
        for column, about in columns_of(document)
    }


def _check_agrees(column: str, about: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    for key, fact in given.items():
        is_finer = key == 'sdtype' and (about[key], fact) == _ORDERED
        if key in about and about[key] != fact and not is_finer:
            raise DomainError(
                f"domain and metadata contradict each other: {key} of '{column}' is {shown(fact)} "
                f'in one and {shown(about[key])} in the other. Correct one of them.'
            )
    both = {**about, **given}
    if both.get('high_cardinality') and both.get('range_values') is not None:
        raise DomainError(
            f"domain and metadata contradict each other: '{column}' has range_values and "
            'high_cardinality. Leave one of them out.'
        )
