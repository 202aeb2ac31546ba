"""The three lists of columns a fairness claim is about."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from sdv_prefair.errors import RolesError, shown

PROTECTED, ADMISSIBLE, OUTCOME, UNLABELLED = 'protected', 'admissible', 'outcome', 'unlabelled'


@dataclass(frozen=True, init=False)
class Roles:
    """Protected (P), admissible (A) and outcome (O) columns; all others are unlabelled (N).

    Either all three lists are given or none is: without any one of them justifiable fairness
    says nothing. The lists are pairwise disjoint. Order is kept, for display only.

    Paper: Definition "Justifiable Fairness" (P, A, O).

    Args:
        protected: Columns that must not influence an outcome except through admissible ones.
        admissible: Columns that may legitimately influence an outcome.
        outcome: Columns that stand for the decision or label.
    """

    protected: tuple[str, ...]
    admissible: tuple[str, ...]
    outcome: tuple[str, ...]

    def __init__(
        self,
        protected: Iterable[str] | None = (),
        admissible: Iterable[str] | None = (),
        outcome: Iterable[str] | None = (),
    ) -> None:
        given = {PROTECTED: protected, ADMISSIBLE: admissible, OUTCOME: outcome}
        for role, names in given.items():
            object.__setattr__(self, role, _as_names(role, names))
        _check_disjoint(self)
        _check_complete(self)

    def __bool__(self) -> bool:
        return bool(self.protected or self.admissible or self.outcome)

    def of(self, column: str) -> str:
        """Return ``'protected'``, ``'admissible'``, ``'outcome'`` or ``'unlabelled'``."""
        for role in (PROTECTED, ADMISSIBLE, OUTCOME):
            if column in getattr(self, role):
                return role
        return UNLABELLED

    def columns(self) -> tuple[str, ...]:
        """Return every column that has a role."""
        return self.protected + self.admissible + self.outcome

    def unlabelled(self, columns: Iterable[str]) -> tuple[str, ...]:
        """Return those of ``columns`` that have no role."""
        labelled = set(self.columns())
        return tuple(column for column in columns if column not in labelled)

    def is_saturated(self, columns: Iterable[str]) -> bool:
        """Whether every one of ``columns`` has a role.

        Paper: the saturated case, in which Greedy-PreFair is optimal without noise.
        """
        return not self.unlabelled(columns)

    def as_dict(self) -> dict[str, list[str]]:
        """Return the three lists under their names."""
        return {field.name: list(getattr(self, field.name)) for field in fields(self)}


def _as_names(role: str, names: Iterable[str] | None) -> tuple[str, ...]:
    if isinstance(names, str):
        raise RolesError(
            f"{role} ('{names}') must be a list of column names. Write {role}=['{names}']."
        )
    try:
        names = () if names is None else tuple(names)
    except TypeError:
        raise RolesError(f'{role} ({shown(names)}) must be a list of column names.') from None
    repeated = sorted({str(name) for name in names if names.count(name) > 1})
    if repeated:
        raise RolesError(f'{role} names a column more than once: {repeated}. Name it once.')
    return names


def _check_disjoint(roles: Roles) -> None:
    named = [(field.name, set(getattr(roles, field.name))) for field in fields(roles)]
    for position, (role, columns) in enumerate(named):
        for other, other_columns in named[position + 1 :]:
            shared = sorted(map(str, columns & other_columns))
            if shared:
                raise RolesError(
                    f'{role} and {other} both name {shared}. A column has at most one role: '
                    'take it out of one of the lists.'
                )


def _check_complete(roles: Roles) -> None:
    empty = [field.name for field in fields(roles) if not getattr(roles, field.name)]
    if roles and empty:
        raise RolesError(
            f'{" and ".join(empty)} must name at least one column. Justifiable fairness needs '
            "protected, admissible and outcome columns; use structure='none' without any roles "
            'for a plain private synthesizer.'
        )
