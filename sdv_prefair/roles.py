"""The three lists of columns a fairness claim is about."""

from collections.abc import Iterable

from sdv_prefair.errors import RolesError, shown
from sdv_prefair.fairness._statements import (
    ADMISSIBLE,
    OUTCOME,
    PROTECTED,
    UNLABELLED,
    Independent,
    Statements,
    as_names,
    check_disjoint,
)

ROLES = (PROTECTED, ADMISSIBLE, OUTCOME)

__all__ = ['ADMISSIBLE', 'OUTCOME', 'PROTECTED', 'UNLABELLED', 'Roles', 'as_statements']


class Roles(Statements):
    """Protected (P), admissible (A) and outcome (O) columns; all others are unlabelled (N).

    Either all three lists are given or none is: without any one of them, justifiable fairness is
    empty. The lists are pairwise disjoint. Order is kept, for display only.

    Paper: Definition "Justifiable Fairness" (P, A, O).

    Args:
        protected: Columns that must not influence an outcome except through admissible ones.
        admissible: Columns that may legitimately influence an outcome.
        outcome: Columns with the decision or label.
    """

    def __init__(
        self,
        protected: Iterable[str] | None = (),
        admissible: Iterable[str] | None = (),
        outcome: Iterable[str] | None = (),
    ) -> None:
        given = {PROTECTED: protected, ADMISSIBLE: admissible, OUTCOME: outcome}
        lists = {role: as_names(role, names) for role, names in given.items()}
        check_disjoint(lists)
        self.__dict__.update(lists)
        _check_complete(self)

    @property
    def protected(self) -> tuple[str, ...]:
        """Columns that must not influence an outcome except through admissible ones."""
        return self._list(PROTECTED)

    @property
    def admissible(self) -> tuple[str, ...]:
        """Columns that may legitimately influence an outcome."""
        return self._list(ADMISSIBLE)

    @property
    def outcome(self) -> tuple[str, ...]:
        """Columns with the decision or label."""
        return self._list(OUTCOME)

    def _list(self, role: str) -> tuple[str, ...]:
        names: tuple[str, ...] = self.__dict__[role]
        return names

    def __bool__(self) -> bool:
        return bool(self.protected or self.admissible or self.outcome)

    def __repr__(self) -> str:
        lists = ', '.join(f'{role}={self._list(role)!r}' for role in ROLES)
        return f'Roles({lists})'

    @property
    def statements(self) -> tuple[Independent, ...]:
        """The one statement that the roles express; none without roles."""
        if not self:
            return ()
        return (Independent(self.protected, self.outcome, self.admissible),)

    def as_dict(self) -> dict[str, list[str]]:
        """Return the three lists under their names."""
        return {role: list(self._list(role)) for role in ROLES}


def as_statements(fairness: object) -> Statements:
    """Return statements in a unique form: as roles where these are equivalent.

    A single statement with a conditioning set is equivalent to roles, and is returned as roles.

    Args:
        fairness: A statement, a list of statements, ``Statements`` or ``Roles``.

    Raises:
        RolesError: If it is something else.
    """
    if isinstance(fairness, Roles):
        return fairness
    if isinstance(fairness, Independent):
        fairness = [fairness]
    if not isinstance(fairness, Statements | list | tuple):
        raise RolesError(
            f'fairness ({shown(fairness)}) must be a list of Independent statements, for example '
            "[Independent(['sex'], ['income'], given=['education'])]."
        )
    statements = fairness if isinstance(fairness, Statements) else Statements(fairness)
    if not statements:
        return Roles()
    if len(statements.statements) == 1 and statements.admissible:
        return Roles(statements.protected, statements.admissible, statements.outcome)
    return statements


def _check_complete(roles: Roles) -> None:
    empty = [role for role, names in roles.as_dict().items() if not names]
    if roles and empty:
        raise RolesError(
            f'{" and ".join(empty)} must name at least one column. Justifiable fairness needs '
            "protected, admissible and outcome columns; use structure='none' without any roles "
            'for a plain private synthesizer.'
        )
