"""The statements that a report measures, in whichever form they are given."""

from collections.abc import Iterable, Mapping, Sequence

from sdv_prefair.errors import RolesError
from sdv_prefair.fairness._statements import Independent, Statements
from sdv_prefair.roles import Roles

Promised = Statements | Mapping[str, Sequence[str]] | Iterable[Independent]


def as_statements(roles: Promised) -> Statements:
    """Return roles or statements; raise if there are none.

    Args:
        roles: ``Roles`` or their ``dict``; ``Statements``, or a list of `Independent`.
    """
    if isinstance(roles, Mapping):
        roles = Roles(**roles)
    if isinstance(roles, list | tuple) and all(isinstance(s, Independent) for s in roles):
        roles = Statements(roles)
    if not (isinstance(roles, Statements) and roles):
        raise RolesError(
            'roles must name protected, admissible and outcome columns: without them there is '
            'no fairness to report on.'
        )
    return roles


def named_groups(statements: Statements) -> dict[str, tuple[str, ...]]:
    """Return the columns of each role, over all statements."""
    groups = {
        'protected': statements.protected,
        'admissible': statements.admissible,
        'outcome': statements.outcome,
    }
    return {role: columns for role, columns in groups.items() if columns}
