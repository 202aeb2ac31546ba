"""SDV's metadata and the roles in one JSON file.

The file is SDV's own format with one key more, ``role``, on each column that has a role. SDV knows
no such key, so a file with roles is read by ``load_metadata``; a file without by both.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeGuard

from sdv.metadata import Metadata
from sdv.metadata.utils import _validate_file_mode, read_json, validate_file_does_not_exist

from sdv_prefair.atomic_write import draft_of
from sdv_prefair.errors import RolesError
from sdv_prefair.roles import ADMISSIBLE, OUTCOME, PROTECTED, Roles

_ROLE = 'role'


def save_metadata(metadata: Metadata, roles: Roles, path: str | Path, mode: str = 'write') -> None:
    """Save metadata and roles; the file is complete or not there, never half written.

    Args:
        metadata: SDV's metadata of one table.
        roles: The roles of its columns.
        path: Where to.
        mode: ``'write'`` refuses to replace a file, ``'overwrite'`` does not.

    Raises:
        ValueError: If the file exists and the mode is ``'write'``, as with SDV's ``save_to_json``.
        RolesError: If a role names a column the metadata does not have.
    """
    path = Path(path)
    _validate_file_mode(mode)
    if mode == 'write':
        validate_file_does_not_exist(path)
    _check_known(metadata, roles)
    with draft_of(path) as draft:
        metadata.save_to_json(draft)
        document = read_json(draft)
        for column, description in columns_of(document):
            if column in roles.columns():
                description[_ROLE] = roles.of(column)
        text = json.dumps(document, indent=4, ensure_ascii=False)
        # A name may hold half a character, which UTF-8 cannot write.
        draft.write_text(text, encoding='utf-8', errors='backslashreplace')


def load_metadata(path: str | Path) -> tuple[Metadata, Roles]:
    """Return the metadata and the roles of a file; no roles if SDV wrote it.

    Within a role the columns come in the order of the metadata.

    Raises:
        ValueError: If there is no such file, or it is no JSON.
        RolesError: If a column has a role that does not exist.
    """
    document = read_object(path)
    named: dict[str, list[str]] = {PROTECTED: [], ADMISSIBLE: [], OUTCOME: []}
    for column, description in columns_of(document):
        role = description.pop(_ROLE, None)
        if role is not None:
            _members(named, role, column).append(column)
    roles = Roles(**{role: tuple(columns) for role, columns in named.items()})
    return Metadata.load_from_dict(document), roles


def read_object(path: str | Path) -> dict[str, Any]:
    """Return the document in a metadata file; raise ``ValueError`` if there is none."""
    if not Path(path).exists():
        raise ValueError(f"There is no file '{path}'. Give the path of a metadata file.")
    try:
        document: object = read_json(path)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"'{path}' is no JSON from line {error.lineno}, column {error.colno}: {error.msg}. "
            'Look for a comma or a quotation mark too many or too few.'
        ) from None
    except UnicodeDecodeError:
        document = None
    if not _has_form(document):
        raise ValueError(
            f"'{path}' is no metadata of SDV in JSON. Give a file that save_metadata or SDV's "
            'save_to_json wrote.'
        )
    return document


def _has_form(document: object) -> TypeGuard[dict[str, Any]]:
    """Whether a document is made of tables of described columns, or is one such table."""
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
    """Yield the columns of a document and what it says of them."""
    for table in document.get('tables', {'': document}).values():
        yield from table.get('columns', {}).items()


def _members(named: dict[str, list[str]], role: Any, column: str) -> list[str]:
    if not isinstance(role, str) or role not in named:
        raise RolesError(
            f"The role of column '{column}' ({role!r}) must be one of {list(named)}. Correct it in "
            'the file, or remove the key for a column without a role.'
        )
    return named[role]


def _check_known(metadata: Metadata, roles: Roles) -> None:
    if len(metadata.tables) != 1:
        raise RolesError('The metadata must have exactly one table: roles are for one table.')
    known = next(iter(metadata.tables.values())).columns
    unknown = [column for column in roles.columns() if column not in known]
    if unknown:
        raise RolesError(
            f'The roles name columns that the metadata does not have: {unknown}. Correct the '
            'names, or add the columns to the metadata.'
        )
