"""SDV's metadata and the roles in one JSON file.

The file is in SDV's format with an additional key ``role`` on each column that has a role, or an
additional list ``fairness`` of statements. SDV rejects such keys, so read a file that has them with
``load_metadata``; a file without them can be read by both. Keys that are null and notes are left
out, see ``metadata_form``.
"""

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeGuard

from sdv.metadata import Metadata
from sdv.metadata.utils import _validate_file_mode, read_json, validate_file_does_not_exist

from sdv_prefair._atomic_write import draft_of
from sdv_prefair.domain._metadata_form import Seen, as_form, without_notes
from sdv_prefair.domain._role_columns import check_known_roles, check_one_table
from sdv_prefair.errors import RolesError
from sdv_prefair.fairness._records import read_statements
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.roles import ADMISSIBLE, OUTCOME, PROTECTED, Roles

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
