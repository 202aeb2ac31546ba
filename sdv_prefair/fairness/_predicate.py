"""The predicate: does a model over these cliques satisfy every statement?

Every fairness check in this package calls it: may an edge be chosen, is the fitted model
fair, does a constraint or a condition keep it fair.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, TypeVar

import networkx as nx

from sdv_prefair.fairness._statements import Independent, Statements

Columns = tuple[str, ...]
AnyClique = TypeVar('AnyClique', bound=Columns)
LEFT, RIGHT = 'left', 'right'


def markov_graph(cliques: Iterable[Iterable[str]]) -> 'nx.Graph[str]':
    """Return the graph in which the columns of every clique are pairwise adjacent."""
    graph: nx.Graph[str] = nx.Graph()
    for clique in map(tuple, cliques):
        graph.add_nodes_from(clique)
        graph.add_edges_from(combinations(clique, 2))
    return graph


def is_justifiably_fair(cliques: Iterable[Iterable[str]], roles: Statements) -> bool:
    """Whether the graph of the cliques satisfies every statement.

    The cliques form one undirected Markov graph. A statement is satisfied if, after deleting its
    conditioning set, no connected component contains a column of its left and one of its right
    side. Then the two sides are independent given those columns, and given every superset of
    them, in the distribution of the model. Without statements nothing is claimed and every model
    passes.

    Paper: Definition (Fair Marginals-MST), for the one statement that roles express.

    Args:
        cliques: Groups of columns that the model, or a constraint on it, connects directly.
            The edges of a tree are one case; cliques of any size are allowed.
        roles: Statements, or the roles that express one.
    """
    # Departs: the paper considers directed paths in every orientation of a tree's edges. In a
    # tree that is the same as separation, and separation also covers larger cliques.
    return unblocked_path(cliques, roles) is None


def keeps(graph: 'nx.Graph[str]', statement: Independent) -> bool:
    """Whether deleting the conditioning set leaves no path between the two sides."""
    return path_around(graph, statement) is None


def unblocked_path(cliques: Iterable[Iterable[str]], roles: Statements) -> list[str] | None:
    """Return a path that breaks a statement: from left to right around its conditioning set.

    Args:
        cliques: As for ``is_justifiably_fair``.
        roles: Statements, or the roles that express one.

    Returns:
        The columns along one such path, left (protected) column first; ``None`` when there is
        no path.
    """
    graph = markov_graph(cliques)
    paths = (path_around(graph, statement) for statement in roles.statements)
    return next((path for path in paths if path is not None), None)


def path_around(graph: 'nx.Graph[str]', statement: Independent) -> list[str] | None:
    """Return a path of the graph from left to right around the conditioning set."""
    graph = graph.copy()
    graph.remove_nodes_from(statement.given)
    for left in filter(graph.has_node, statement.left):
        paths: dict[str, list[str]] = nx.single_source_shortest_path(graph, left)
        for right in filter(paths.__contains__, statement.right):
            return paths[right]
    return None


def fair_additions(
    roles: Statements, candidates: Sequence[AnyClique], chosen: Sequence[Columns]
) -> list[AnyClique]:
    """Return the cliques that can be added, one at a time, without breaking a statement."""
    sides = [_side_of_block(statement, chosen) for statement in roles.statements]
    return [
        candidate
        for candidate in candidates
        if not any({LEFT, RIGHT} <= {side.get(column) for column in candidate} for side in sides)
    ]


def _side_of_block(statement: Independent, chosen: Sequence[Columns]) -> dict[str, str]:
    """Return left or right for each column whose block contains such a column.

    A block is a connected component after deleting the conditioning set.
    """
    # The predicate itself, called for every candidate, would give the same answer in seconds
    # instead of milliseconds; a test compares the two.
    graph = markov_graph(chosen)
    graph.add_nodes_from(statement.left + statement.right)
    graph.remove_nodes_from(statement.given)
    return {
        column: side
        for side, named in ((LEFT, statement.left), (RIGHT, statement.right))
        for start in named
        for column in nx.node_connected_component(graph, start)
    }


# -- The statements that a graph breaks, each with a path, and all edges, that break it ------------


class Broken(NamedTuple):
    """A statement that is not satisfied.

    Attributes:
        statement: The statement.
        path: Columns that connect its two sides around the conditioning set, a left one first.
    """

    statement: Independent
    path: list[str]

    def __str__(self) -> str:
        around = f' around {", ".join(map(str, self.statement.given))}'
        return (
            f'{" - ".join(map(str, self.path))} joins the two sides'
            f'{around if self.statement.given else ""}'
        )


def broken_statements(cliques: Iterable[Iterable[str]], statements: Statements) -> list[Broken]:
    """Return the statements that the graph of the cliques does not satisfy, in their order.

    Args:
        cliques: As for ``is_justifiably_fair``.
        statements: The statements to test.
    """
    graph = markov_graph(cliques)
    paths = [(statement, path_around(graph, statement)) for statement in statements.statements]
    return [Broken(statement, path) for statement, path in paths if path is not None]


def edges_around(graph: 'nx.Graph[Any]', statement: Independent) -> set[frozenset[Hashable]]:
    """Return every edge on a path from left to right around the conditioning set.

    There is none if and only if the statement is satisfied. With each side contracted to one node,
    these are the edges on a cycle with an edge between the sides: its biconnected component.
    """
    left, right = (
        frozenset(filter(graph.has_node, side)) for side in (statement.left, statement.right)
    )
    if not left or not right:
        return set()
    end_of = dict.fromkeys(left, left) | dict.fromkeys(right, right)
    rest = graph.copy()
    rest.remove_nodes_from(statement.given)
    short = {edge: frozenset(end_of.get(node, node) for node in edge) for edge in rest.edges}
    joined: nx.Graph[Any] = nx.Graph([
        (left, right),
        *(tuple(ends) for ends in short.values() if len(ends) == 2),
    ])
    across = frozenset((left, right))
    for block in nx.biconnected_component_edges(joined):
        ends = set(map(frozenset, block))
        if across in ends:
            return {frozenset(edge) for edge, of in short.items() if of in ends}
    return set()


# -- What statements imply jointly although none of them says it -----------------------------------
#
# Separation and sufficiency, each alone, allow a dependence: decision and group may both depend on
# the label, or label and group on the decision. Together they allow none: every path from the
# group meets label or decision first, and the other statement forbids just that.
#
# A statement that holds for a graph holds for every subgraph. So to decide whether some graph can
# satisfy a list of statements and yet connect two columns, it suffices to consider paths: is
# there a path between the two that, as a graph, satisfies all statements? Columns that no
# statement names can be removed from such a path, and columns that all statements treat alike are
# interchangeable, which leaves few paths.

# Paths to try before giving up and assuming that another one exists.
_MOST_PATHS = 2_000
# Steps before the search over one list of statements stops.
_MOST_STEPS = 50_000


@dataclass(frozen=True)
class Forced:
    """One consequence of statements that hold together.

    Attributes:
        statement: The implied statement.
        stated: The given statement, which conditions on more.
        because: The statements that jointly imply it.
    """

    statement: Independent
    stated: Independent
    because: tuple[Independent, ...]

    def __str__(self) -> str:
        reasons = ' and '.join(f"'{statement}'" for statement in self.because)
        return f'{self.consequence}, because of {reasons}'

    @property
    def consequence(self) -> str:
        """The implied and the given statement, in words."""
        outright = '' if self.statement.given else ' outright'
        stated = ', '.join(map(str, self.stated.given))
        return f'{self.statement}{outright}, not only given {stated}'


def forced(statements: Statements) -> list[Forced]:
    """Return what the statements imply jointly and no single one says.

    Every statement makes two columns independent given some others. A smaller conditioning set is
    implied if no graph that satisfies all statements connects the two without the rest. What
    follows for every distribution, with or without a graph, is left out as obvious: if pay is
    independent of sex given grade, and bonus given grade and pay, then bonus is independent of
    sex given grade.

    Args:
        statements: Any number of them. With very many columns in very many different roles the
            search is cut short; then something implied may be missing.
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
    """How many search steps remain for one list of statements."""

    def __init__(self, most: int):
        self._left = most

    def take(self, work: int) -> None:
        """Take a step over a number of columns."""
        self._left -= 1 + work // 100

    @property
    def are_over(self) -> bool:
        """Whether further findings may be wrong."""
        return self._left < 0


def implies(
    statements: Sequence[Independent], statement: Independent, steps: _Steps | None = None
) -> bool:
    """Return whether every graph that satisfies the statements satisfies one more.

    Args:
        statements: The statements that graphs satisfy.
        statement: The further one.
        steps: The remaining steps; by default as many as one query may take.
    """
    steps = steps or _Steps(_MOST_STEPS)
    return not any(
        _has_path(statements, left, right, statement.given, steps)
        for left in _one_of_each(statement.left, statements)
        for right in _one_of_each(statement.right, statements)
    )


def _one_of_each(columns: Sequence[str], statements: Sequence[Independent]) -> list[str]:
    """Return the first of all columns that the statements treat alike, as their representative."""
    first: dict[tuple[str, ...], str] = {}
    for column in columns:
        first.setdefault(_parts(statements, column), column)
    return list(first.values())


def _reduced(
    stated: Independent, statements: Sequence[Independent], steps: _Steps
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield pairs of columns that a statement separates, with smaller conditioning sets."""
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
    """Whether an implied statement follows by contraction, which holds for all distributions."""
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
    """Return the largest parts of a statement's sides that are independent given as little."""
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
    """Return a minimal set of statements that imply another."""
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
    """Whether a path between two columns, around some others, satisfies all statements."""
    search = _Paths(statements, {start, end}, set(avoided), steps)
    return search.reaches(start, end)


class _Paths:
    """Paths of columns that satisfy statements, extended column by column.

    The state of a path is, for each statement, the side met since the last column of its
    conditioning set.
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
