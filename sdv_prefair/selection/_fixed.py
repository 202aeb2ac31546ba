"""A tree given by the user."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from networkx.utils import UnionFind

from sdv_prefair.errors import StructureError, UnfairModelError, shown
from sdv_prefair.fairness._predicate import fair_additions, markov_graph, path_around
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.roles import Roles
from sdv_prefair.selection._tree import FairTree, Pair, Scores, all_pairs


@dataclass(frozen=True)
class FixedStrategy:
    """A given spanning tree, which is checked, not selected, so it needs no selection budget.

    If statements rule out every fair tree, it is a forest to which no fair pair can be added.

    The tree must come from public knowledge or from an earlier private fit. One derived from the
    private rows would void the privacy guarantee.

    Args:
        edges: Pairs of columns, each pair and its two columns in any order.

    Raises:
        StructureError: If ``edges`` is not a list of pairs of two columns; when used, if it is
            not a spanning tree over the modelled columns.
        UnfairModelError: When used with roles, if the tree is not fair.
    """

    edges: tuple[Pair, ...]
    name: ClassVar[str] = 'fixed'
    requires_roles: ClassVar[bool] = True
    all_gaussian: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, 'edges', tuple(_as_pair(edge) for edge in _as_list(self.edges)))

    def declare(self, columns: Sequence[str], roles: Statements) -> list[Pair]:
        """Return the pairs of the given tree, after checking that it is a fair spanning tree."""
        check_known(self.edges, columns)
        _check_tree(self.edges, columns, roles)
        check_fair(self.edges, roles)
        return in_order(self.edges, columns)

    def select(self, columns: Sequence[str], roles: Statements, scores: Scores) -> FairTree:
        """Return the given tree.

        Privacy: does not use ``scores``.
        """
        return FairTree(self.declare(columns, roles))


def in_order(edges: Iterable[Pair], columns: Sequence[str]) -> list[Pair]:
    """Return the pairs with the columns of each in the order of the table."""
    position = {column: place for place, column in enumerate(columns)}
    return [(a, b) if position[a] <= position[b] else (b, a) for a, b in edges]


def _as_list(edges: Iterable[object]) -> list[object]:
    try:
        return list(edges)
    except TypeError:
        raise StructureError(
            f'structure ({shown(edges)}) must be a list of column pairs.'
        ) from None


def _as_pair(edge: object) -> Pair:
    if not isinstance(edge, list | tuple) or len(edge) != 2:
        raise StructureError(
            f"structure lists {shown(edge)}, which is not a pair of columns. Write ('a', 'b') for "
            'each edge of the tree.'
        )
    first, second = edge
    return first, second


def check_known(edges: Iterable[Pair], columns: Sequence[str]) -> None:
    """Raise if a pair names a column that is not modelled."""
    unknown = [column for edge in edges for column in edge if column not in columns]
    if unknown:
        raise StructureError(
            f'structure names columns that are not modelled: {unknown}. The tree must connect '
            f'exactly these columns: {list(columns)}.'
        )


def _check_tree(edges: Sequence[Pair], columns: Sequence[str], roles: Statements) -> None:
    components = UnionFind(columns)
    for first, second in edges:
        if components[first] == components[second]:
            raise StructureError(
                f'structure is not a tree: the pair {first!r}, {second!r} closes a cycle. Remove '
                'one pair of that cycle.'
            )
        components.union(first, second)
    _check_joined({column: components[column] for column in columns}, edges, columns, roles)


def _check_joined(
    root: dict[str, str], edges: Sequence[Pair], columns: Sequence[str], roles: Statements
) -> None:
    """Raise if one more fair pair could join two components."""
    # The first column's component counts as the tree; columns outside it were left out.
    outside = [column for column in columns if root[column] != root[columns[0]]]
    apart = [(first, second) for first, second in all_pairs(columns) if root[first] != root[second]]
    missing = fair_additions(roles, apart, edges)
    if missing and len(roles.statements) > 1:
        first, second = missing[0]
        raise StructureError(
            f'structure leaves {first!r} and {second!r} in two components that no statement '
            'separates. Add pairs until no two components can be connected.'
        )
    if missing:
        raise StructureError(
            f'structure does not connect {outside} to {columns[0]!r}. Add the missing pairs: '
            f'a tree over {len(columns)} columns has {len(columns) - 1}.'
        )


def check_fair(edges: Iterable[Pair], roles: Statements) -> None:
    """Raise, and name the path, if the pairs join the two sides of a statement."""
    graph = markov_graph(edges)
    for statement in roles.statements:
        path = path_around(graph, statement)
        if path is None:
            continue
        along = ' - '.join(map(str, path))
        if isinstance(roles, Roles):
            raise UnfairModelError(
                f'structure is not justifiably fair: the path {along} connects protected '
                f'{path[0]!r} to outcome {path[-1]!r} without an admissible column in between. '
                'Connect the two sides only through an admissible column.'
            )
        raise UnfairModelError(
            f'structure violates the statement that {statement}: the path {along} connects its '
            'two sides and bypasses its conditioning set. Remove one pair of that path.'
        )
