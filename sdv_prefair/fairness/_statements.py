"""Statements of conditional independence between columns, one or several."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
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


# -- Named notions of fairness, as statements of conditional independence --------------------------
#
# Each preset returns a list, and lists can be concatenated: ``demographic_parity(['sex'],
# ['hired']) + justifiable(['sex'], ['grade'], ['pay'])``. A preset guarantees what its statement
# says about the model: joint independence of all columns of a side, in the graph. That is
# stronger than equal rates.


def justifiable(
    protected: Iterable[str],
    admissible: Iterable[str] | Mapping[str, Iterable[str]],
    outcome: Iterable[str] | None = None,
) -> list[Independent]:
    """Outcomes depend on protected columns only through admissible ones.

    Paper: Definition "Justifiable Fairness".

    Args:
        protected: Columns that must not influence an outcome in any other way.
        admissible: Columns that may; or for each outcome its own, ``{outcome: [columns]}``.
        outcome: The outcomes; omit them if ``admissible`` names them.

    Raises:
        RolesError: If columns cannot be used as given, or nothing is admissible.
    """
    if isinstance(admissible, Mapping):
        if outcome is not None:
            raise RolesError(
                'outcome is given twice: admissible is a dictionary, whose keys are the outcomes. '
                'Leave outcome out.'
            )
        protected = _kept(protected)
        return [
            statement
            for one, columns in admissible.items()
            for statement in justifiable(protected, columns, [one])
        ]
    statement = Independent(protected, outcome or (), given=admissible)
    if not statement.given:
        raise RolesError(
            'admissible must name at least one column for justifiable fairness. If nothing '
            'justifies a dependence, use demographic_parity(protected, outcome).'
        )
    return [statement]


def demographic_parity(protected: Iterable[str], outcome: Iterable[str]) -> list[Independent]:
    """Outcomes do not depend on protected columns at all.

    No path may connect the two, so the model splits into independent components.

    Args:
        protected: Columns that must not influence an outcome.
        outcome: The outcomes.
    """
    return [Independent(protected, outcome)]


def equalized_odds(
    protected: Iterable[str], decision: Iterable[str], label: Iterable[str]
) -> list[Independent]:
    """Decisions do not depend on protected columns given the true label: separation.

    Error rates, such as false positives among the negatives, are then the same for all groups.

    Args:
        protected: Columns that must not influence a decision beyond the label.
        decision: What was decided or predicted.
        label: What was true.
    """
    return [Independent(protected, decision, given=label)]


def sufficiency(
    protected: Iterable[str], decision: Iterable[str], label: Iterable[str]
) -> list[Independent]:
    """The true label does not depend on protected columns given the decision.

    Predictive values, such as the share of positive decisions that are right, are then the same for
    all groups.

    Args:
        protected: Columns that must carry no information about the label beyond the decision.
        decision: What was decided or predicted.
        label: What was true.
    """
    return [Independent(protected, label, given=decision)]


def _kept(columns: Iterable[str]) -> Iterable[str]:
    """Return columns that can be iterated again; a string stays one, and is refused as such."""
    return columns if isinstance(columns, str) or not isinstance(columns, Iterable) else [*columns]


# -- Statements from JSON, written by ``Statements.as_records`` or by hand -------------------------


_SIDES, _KEYS = {'left', 'right'}, {'left', 'right', 'given'}


def read_statements(records: Any) -> Statements:
    """Return the statements of a list of records.

    Args:
        records: One dictionary per statement, with lists of names as ``left`` and ``right``, and as
            ``given`` unless that is empty.

    Raises:
        RolesError: If they have another form, or are not valid statements.
    """
    if not isinstance(records, list) or not all(map(_is_record, records)):
        raise RolesError(
            'fairness must be a list of statements such as {"left": ["sex"], "right": ["income"], '
            '"given": ["education"]}. Correct it; without given, leave that key out.'
        )
    return Statements(Independent(**record) for record in records)


def _is_record(record: Any) -> bool:
    if not isinstance(record, dict) or not _SIDES <= set(record) <= _KEYS:
        return False
    return all(
        isinstance(names, list) and all(isinstance(name, str) for name in names)
        for names in record.values()
    )


# -- Outcomes and the columns that no statement names: whether they may be adjacent ----------------
#
# An unlabelled column may be a proxy for a protected one. An outcome that depends on it leaves the
# synthetic table fair, since the model separates the proxy from the protected column; but a model
# trained on that table can use the proxy, and is then unfair to real people, in whose rows the
# two are still dependent.


APART, FREE = 'apart', 'free'
"""No outcome is adjacent to such a column; or it may be, as long as the statements hold."""

UNLABELLED_CHOICES = (None, APART, FREE)


def outcomes_beside_unlabelled(
    cliques: Iterable[Sequence[str]], statements: Statements
) -> list[tuple[str, str]]:
    """Return the pairs of an outcome and a column that no statement names.

    Args:
        cliques: Columns that a model connects directly, or may connect.
        statements: An outcome is a column on the right of one of them.
    """
    outcomes, named = set(statements.outcome), set(statements.columns())
    pairs = {
        (outcome, other)
        for clique in cliques
        for pair in combinations(clique, 2)
        for outcome, other in (pair, pair[::-1])
        if outcome in outcomes and other not in named
    }
    return sorted(pairs, key=str)
