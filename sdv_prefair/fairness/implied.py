"""What statements imply together although none of them says it.

Separation and sufficiency, each by itself, allow a dependence: decision and group may both follow
the label, or label and group the decision. Together they allow none: whatever path leads from the
group meets label or decision first, and the other statement forbids just that.

A statement about a graph holds for every part of that graph, so whether some graph keeps a list of
statements and yet joins two columns is asked of paths alone: is there a path between the two, as a
graph by itself, that keeps all statements? Columns that no statement names can be taken out of such
a path, and columns that all statements treat alike stand for each other, which leaves few paths.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sdv_prefair.fairness.statements import Independent, Statements

# Paths to try before a question is given up, and answered as if there were one more.
_MOST_PATHS = 2_000
# Steps before no more questions are asked of one list of statements.
_MOST_STEPS = 50_000


@dataclass(frozen=True)
class Forced:
    """One consequence of statements that hold together.

    Attributes:
        statement: What is forced.
        stated: The statement that says so only given more.
        because: The statements that force it together.
    """

    statement: Independent
    stated: Independent
    because: tuple[Independent, ...]

    def __str__(self) -> str:
        reasons = ' and '.join(f"'{statement}'" for statement in self.because)
        return f'{self.consequence}, because of {reasons}'

    @property
    def consequence(self) -> str:
        """What is forced, and what was said, in words."""
        outright = '' if self.statement.given else ' outright'
        stated = ', '.join(map(str, self.stated.given))
        return f'{self.statement}{outright}, not only given {stated}'


def forced(statements: Statements) -> list[Forced]:
    """Return what the statements imply together and no single one says.

    Every statement keeps two columns apart given some others. It is forced that fewer of these
    others are needed if no graph that keeps all statements joins the two without them. What would
    follow for every distribution, of a graph or not, is no news and is left out: if pay tells
    nothing of sex given grade, and bonus nothing given grade and pay, bonus tells nothing given
    grade.

    Args:
        statements: Any number of them. Very many columns with very many different parts in them
            are not looked at to the end; then something forced may be missing.
    """
    if len(statements.statements) < 2:
        return []
    found: dict[Independent, Forced] = {}
    steps = _Steps(_MOST_STEPS)
    for stated in statements.statements:
        for left, right, given in _reduced(stated, statements.statements, steps):
            statement = _with_all_sides(left, right, given, stated, statements.statements, steps)
            because = _needed(statement, statements.statements, steps)
            is_news = not _says_anyway(statement, stated, statements.statements)
            if len(because) > 1 and is_news and not steps.are_over:
                found.setdefault(statement, Forced(statement, stated, because))
    return list(found.values())


class _Steps:
    """How much more is looked at of one list of statements."""

    def __init__(self, most: int):
        self._left = most

    def take(self, work: int) -> None:
        """Take a step that goes through so many parts of columns."""
        self._left -= 1 + work // 100

    @property
    def are_over(self) -> bool:
        """Whether what is found from now on may be wrong."""
        return self._left < 0


def implies(
    statements: Sequence[Independent], statement: Independent, steps: _Steps | None = None
) -> bool:
    """Return whether every graph that satisfies the statements satisfies one more.

    Args:
        statements: Those that graphs keep.
        statement: The one more.
        steps: What is left to look at; by default as much as one question may take.
    """
    steps = steps or _Steps(_MOST_STEPS)
    return not any(
        _has_path(statements, left, right, statement.given, steps)
        for left in _one_of_each(statement.left, statements)
        for right in _one_of_each(statement.right, statements)
    )


def _one_of_each(columns: Sequence[str], statements: Sequence[Independent]) -> list[str]:
    """Return the first of all columns that the statements treat alike: it answers for the rest."""
    first: dict[tuple[str, ...], str] = {}
    for column in columns:
        first.setdefault(_parts(statements, column), column)
    return list(first.values())


def _reduced(
    stated: Independent, statements: Sequence[Independent], steps: _Steps
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield pairs of columns that a statement keeps apart, with less than it is given."""
    for left in _one_of_each(stated.left, statements):
        for right in _one_of_each(stated.right, statements):
            given = stated.given
            for column in stated.given:
                fewer = tuple(c for c in given if c != column)
                if implies(statements, Independent([left], [right], fewer), steps):
                    given = fewer
                if steps.are_over:
                    return
            if given != stated.given:
                yield left, right, given


def _says_anyway(
    statement: Independent, stated: Independent, statements: Sequence[Independent]
) -> bool:
    """Whether a forced statement follows by contraction, which holds for all distributions."""
    more = set(stated.given) - set(statement.given)
    return any(
        set(one.given) == set(statement.given)
        and any(
            set(first) >= set(side) and set(second) >= more
            for side in (statement.left, statement.right)
            for first, second in ((one.left, one.right), (one.right, one.left))
        )
        for one in statements
    )


def _with_all_sides(
    left: str,
    right: str,
    given: tuple[str, ...],
    stated: Independent,
    statements: Sequence[Independent],
    steps: _Steps,
) -> Independent:
    """Return the widest part of a statement's sides that is apart given as little."""
    rights = _like_any(
        [
            c
            for c in _one_of_each(stated.right, statements)
            if implies(statements, Independent([left], [c], given), steps)
        ],
        stated.right,
        statements,
    )
    lefts = _like_any(
        [
            c
            for c in _one_of_each(stated.left, statements)
            if implies(statements, Independent([c], rights, given), steps)
        ],
        stated.left,
        statements,
    )
    return Independent(lefts or [left], rights or [right], given)


def _like_any(
    some: Sequence[str], columns: Sequence[str], statements: Sequence[Independent]
) -> list[str]:
    """Return the columns that the statements treat like any of some."""
    parts = {_parts(statements, column) for column in some}
    return [column for column in columns if _parts(statements, column) in parts]


def _needed(
    statement: Independent, statements: Sequence[Independent], steps: _Steps
) -> tuple[Independent, ...]:
    """Return statements that force another, none of which can be left out."""
    needed = list(statements)
    for one in statements:
        others = [other for other in needed if other is not one]
        if implies(others, statement, steps):
            needed = others
    return tuple(needed)


def _has_path(
    statements: Sequence[Independent],
    start: str,
    end: str,
    avoided: Sequence[str],
    steps: _Steps,
) -> bool:
    """Whether a path between two columns, around some others, keeps all statements by itself."""
    search = _Paths(statements, {start, end}, set(avoided), steps)
    return search.reaches(start, end)


class _Paths:
    """Paths of columns that keep statements, grown column by column.

    Of a path so far all that matters is, for each statement, the side that was met since the last
    column that it is given.
    """

    def __init__(
        self,
        statements: Sequence[Independent],
        ends: set[str],
        avoided: set[str],
        steps: _Steps,
    ):
        self._statements, self._steps = statements, steps
        names = dict.fromkeys(c for statement in statements for c in statement.columns())
        self._alike: dict[tuple[str, ...], list[str]] = {}
        for column in names:
            if column not in avoided and column not in ends:
                self._alike.setdefault(self._parts(column), []).append(column)
        self._left, self._work = _MOST_PATHS, len(self._alike) * len(statements)
        steps.take(len(names) * len(statements))

    def reaches(self, start: str, end: str) -> bool:
        """Whether a path leads from one column to another."""
        self._end = self._parts(end)
        nothing = ('',) * len(self._statements)
        met = self._after(nothing, self._parts(start))
        return met is not None and self._goes_on(met)

    def _goes_on(self, met: tuple[str, ...]) -> bool:
        self._left -= 1
        self._steps.take(self._work)
        is_over = self._left < 0 or self._steps.are_over
        if is_over or self._after(met, self._end) is not None:
            return True
        for parts, columns in self._alike.items():
            after = self._after(met, parts) if columns else None
            if after is None or after == met:  # a column that changes nothing is not needed
                continue
            column = columns.pop()
            found = self._goes_on(after)
            columns.append(column)
            if found:
                return True
        return False

    def _parts(self, column: str) -> tuple[str, ...]:
        return _parts(self._statements, column)

    @staticmethod
    def _after(met: tuple[str, ...], parts: tuple[str, ...]) -> tuple[str, ...] | None:
        """Return the sides met with one more column; None if both sides of a statement are."""
        after = []
        for before, part in zip(met, parts, strict=True):
            if {before, part} == {'left', 'right'}:
                return None
            after.append('' if part == 'given' else part or before)
        return tuple(after)


def _parts(statements: Sequence[Independent], column: str) -> tuple[str, ...]:
    """Return the part of a column in each statement."""
    return tuple(_part(statement, column) for statement in statements)


def _part(statement: Independent, column: str) -> str:
    for name in ('left', 'right', 'given'):
        if column in getattr(statement, name):
            return name
    return ''
