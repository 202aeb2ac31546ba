"""Whether roles, or statements, match a table: their columns must exist and be modelled."""

from collections.abc import Collection
from typing import Any

from sdv.metadata import Metadata

from sdv_prefair.errors import RolesError, near
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.roles import Roles


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
