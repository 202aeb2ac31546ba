"""Statements of conditional independence between columns, one or several."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sdv_prefair.errors import RolesError, shown

PROTECTED, ADMISSIBLE, OUTCOME, UNLABELLED = 'protected', 'admissible', 'outcome', 'unlabelled'
SEVERAL = 'several roles'
"""Roles of a column: ``left`` is protected, ``right`` is outcome, ``given`` is admissible."""


@dataclass(frozen=True, init=False)
class Independent:
    """One statement: the left columns are independent of the right ones given the others.

    It is joint: given the conditioning set, all left columns together carry no information about
    all right columns together, so it holds for every intersection of groups too.

    Args:
        left: One side, usually the protected columns.
        right: The other side, usually the outcomes.
        given: The conditioning set: columns that may explain a dependence; empty by default.

    Raises:
        RolesError: If a side is empty, or a column is named twice.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    given: tuple[str, ...]

    def __init__(
        self, left: Iterable[str], right: Iterable[str], given: Iterable[str] = ()
    ) -> None:
        for name, columns in (('left', left), ('right', right), ('given', given)):
            object.__setattr__(self, name, as_names(name, columns))
        check_disjoint({'left': self.left, 'right': self.right, 'given': self.given})
        empty = [name for name in ('left', 'right') if not getattr(self, name)]
        if empty:
            raise RolesError(
                f'{" and ".join(empty)} must name at least one column. A statement says that two '
                "groups of columns are independent: Independent(['sex'], ['income'])."
            )

    def __str__(self) -> str:
        condition = f' given {", ".join(map(str, self.given))}' if self.given else ''
        right, left = ', '.join(map(str, self.right)), ', '.join(map(str, self.left))
        return f'{right} {"is" if len(self.right) == 1 else "are"} independent of {left}{condition}'

    def columns(self) -> tuple[str, ...]:
        """Return every column that the statement names."""
        return self.left + self.given + self.right


class Statements:
    """The guarantee of a model: any number of statements of conditional independence.

    ``Roles`` is the special case of one statement with all three groups named. Functions that
    take statements take roles, and the other way round unless they say otherwise.

    Args:
        statements: The statements; an empty list guarantees nothing.

    Raises:
        RolesError: If one of them is not a statement.
    """

    def __init__(self, statements: Iterable[Independent] = ()) -> None:
        self._statements = tuple(statements)
        for statement in self._statements:
            if not isinstance(statement, Independent):
                raise RolesError(
                    f'fairness ({shown(statement)}) must be a list of Independent statements, for '
                    "example [Independent(['sex'], ['income'], given=['education'])]."
                )

    @property
    def statements(self) -> tuple[Independent, ...]:
        """The statements, in the order given."""
        return self._statements

    @property
    def protected(self) -> tuple[str, ...]:
        """The columns on the left of any statement."""
        return _union(statement.left for statement in self.statements)

    @property
    def outcome(self) -> tuple[str, ...]:
        """The columns on the right of any statement."""
        return _union(statement.right for statement in self.statements)

    @property
    def admissible(self) -> tuple[str, ...]:
        """The columns in the conditioning set of any statement."""
        return _union(statement.given for statement in self.statements)

    def __bool__(self) -> bool:
        return bool(self.statements)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Statements) and self.statements == other.statements

    def __hash__(self) -> int:
        return hash(self.statements)

    def __repr__(self) -> str:
        return f'{type(self).__name__}({list(self.statements)!r})'

    def of(self, column: str) -> str:
        """Return the column's role: ``'several roles'`` if statements differ."""
        groups = {PROTECTED: self.protected, ADMISSIBLE: self.admissible, OUTCOME: self.outcome}
        roles = [role for role, columns in groups.items() if column in columns]
        return SEVERAL if len(roles) > 1 else roles[0] if roles else UNLABELLED

    def columns(self) -> tuple[str, ...]:
        """Return every column that is named in a statement."""
        return _union((self.protected, self.admissible, self.outcome))

    def unlabelled(self, columns: Iterable[str]) -> tuple[str, ...]:
        """Return those of ``columns`` that no statement names."""
        labelled = set(self.columns())
        return tuple(column for column in columns if column not in labelled)

    def is_saturated(self, columns: Iterable[str]) -> bool:
        """Whether every one of ``columns`` is named in a statement.

        Paper: the saturated case, in which Greedy-PreFair is optimal without noise.
        """
        return not self.unlabelled(columns)

    def as_records(self) -> list[dict[str, list[str]]]:
        """Return one dictionary per statement, for JSON."""
        return [
            {'left': list(s.left), 'right': list(s.right), 'given': list(s.given)}
            for s in self.statements
        ]


def as_names(group: str, names: Iterable[str] | None) -> tuple[str, ...]:
    """Return the names of a group of columns; raise unless they are a list without repetition."""
    if isinstance(names, str):
        raise RolesError(
            f"{group} ('{names}') must be a list of column names. Write {group}=['{names}']."
        )
    try:
        names = () if names is None else tuple(names)
    except TypeError:
        raise RolesError(f'{group} ({shown(names)}) must be a list of column names.') from None
    if not all(isinstance(name, Hashable) for name in names):
        raise RolesError(
            f'{group} ({shown(list(names))}) must be one list of column names, without lists in it.'
        )
    repeated = sorted({str(name) for name in names if names.count(name) > 1})
    if repeated:
        raise RolesError(f'{group} names a column more than once: {repeated}. Name it once.')
    return names


def check_disjoint(groups: dict[str, Sequence[str]] | dict[str, Any]) -> None:
    """Raise if a column is in two groups."""
    named = [(group, set(columns)) for group, columns in groups.items()]
    for position, (group, columns) in enumerate(named):
        for other, other_columns in named[position + 1 :]:
            shared = sorted(map(str, columns & other_columns))
            if shared:
                raise RolesError(
                    f'{group} and {other} both name {shared}. A column has at most one role: '
                    'take it out of one of the lists.'
                )


def _union(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column for group in groups for column in group))
