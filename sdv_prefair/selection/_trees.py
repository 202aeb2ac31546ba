"""The strategies that choose a tree edge by edge, and trees that are given.

All of them but the given tree run one loop, private Kruskal; they differ in the pairs that it may
choose from. Greedy-PreFair fixes these pairs in advance: outcomes are adjacent to outcomes and
admissible columns only. The adaptive strategy refuses a pair only once it would connect a protected
column to an outcome. The unconstrained one is plain MST, the baseline that ignores roles.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import networkx as nx
from networkx.utils import UnionFind

from sdv_prefair.errors import StructureError, UnfairModelError, shown
from sdv_prefair.fairness._predicate import fair_additions, markov_graph, path_around
from sdv_prefair.fairness._statements import APART, FREE, Statements
from sdv_prefair.roles import Roles
from sdv_prefair.selection._strategy import (
    FairTree,
    Pair,
    Scores,
    Strategy,
    all_pairs,
    check_given,
    check_unlabelled,
    measurable_pairs,
    towards_unlabelled,
    usable_pairs,
)

Filter = Callable[[list[Pair], list[Pair]], list[Pair]]


def _all_of(candidates: list[Pair], edges: list[Pair]) -> list[Pair]:
    return candidates


def private_kruskal(
    columns: Sequence[str], pairs: Sequence[Pair], scores: Scores, still_allowed: Filter = _all_of
) -> list[Pair]:
    """Grow a spanning tree, one chosen pair per round.

    Pairs that are too large to measure are not candidates. The rounds end once no more components
    can be joined. If pairs are too large, or statements rule out every tree, the result is a
    maximal forest.

    Privacy: reads scores through ``scores.choose`` only. The candidates of a round depend on the
    roles and on the pairs chosen before, never on counts, so the rounds compose. The number of
    rounds among which the budget is divided depends on the initial candidates, which are public;
    whether the last of them take place depends on the pairs chosen. What they do not spend stays in
    the ledger for whatever is measured next.

    Paper: Algorithm 2 (Greedy-PreFair), the loop.

    Args:
        columns: The nodes of the tree.
        pairs: The pairs that may be edges.
        scores: The scores by which pairs are chosen.
        still_allowed: Given the candidates and the edges so far, returns the candidates that may be
            added; all by default. A pair that is refused once is never a candidate again.
    """
    pairs, components = measurable_pairs(pairs, scores), UnionFind(columns)
    rounds = _most_edges(pairs)
    edges: list[Pair] = []
    for _ in range(rounds):
        # Departs: the paper's S contains every pair in different components; taken literally, that
        # brings removed edges back. So the next candidates are taken from the last ones.
        root = {column: components[column] for column in columns}
        pairs = [pair for pair in pairs if root[pair[0]] != root[pair[1]]]
        pairs = still_allowed(pairs, edges)
        if not pairs:
            break
        edges.append(scores.choose(pairs, rounds=rounds))
        components.union(*edges[-1])
    return edges


def _most_edges(pairs: Sequence[Pair]) -> int:
    """Return the maximum number of edges of a forest of these pairs."""
    graph = nx.Graph(pairs)
    return len(graph) - nx.number_connected_components(graph)


@dataclass(frozen=True)
class GreedyStrategy:
    """Forbid every pair that could break fairness, then run private Kruskal over the rest.

    Optimal without noise when every column has a role.

    Paper: Algorithm 2 (Greedy-PreFair).
    """

    name: ClassVar[str] = 'greedy'
    requires_roles: ClassVar[bool] = True

    def declare(self, columns: Sequence[str], roles: Statements) -> list[Pair]:
        """Return the pairs that do not join an outcome to a protected or unlabelled column.

        With several statements, each one rules out the pairs of its own columns.
        """
        return usable_pairs(columns, roles, APART)

    def select(self, columns: Sequence[str], roles: Statements, scores: Scores) -> FairTree:
        """Choose any declared pair that joins two components, until one is left.

        Privacy: at most ``len(columns) - 1`` calls of ``scores.choose``.
        """
        check_given(columns, roles)
        pairs = self.declare(columns, roles)
        # With one statement, all declared pairs stay fair. A column that one statement names may be
        # on a path that another forbids, so with several the pairs are checked in every round.
        return FairTree(private_kruskal(columns, pairs, scores, partial(fair_additions, roles)))


@dataclass(frozen=True)
class AdaptiveStrategy:
    """Private Kruskal that forbids a pair only if it would make the tree so far unfair.

    A block is a connected component after the conditioning set of a statement is deleted. A pair is
    refused if it would put columns of both sides, such as a protected and an outcome column, into
    one block. Pairs with a column that is in every conditioning set are never refused, so if there
    is such a column, the loop ends in a tree; if not, it may end in a forest to which no fair pair
    can be added.

    Args:
        unlabelled: ``'free'`` lets an outcome be adjacent to a column that no statement names,
            ``'apart'`` does not.

    Raises:
        StructureError: If ``unlabelled`` is neither.
    """

    # Departs: Greedy-PreFair forbids every pair of an outcome and an unlabelled column from the
    # start. Here an unlabelled column may end up on either side, depending on what is chosen first:
    # the same number of rounds at the same privacy cost, with candidates that include the paper's.

    unlabelled: str = FREE
    name: ClassVar[str] = 'adaptive'
    requires_roles: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_unlabelled(self.unlabelled)

    def declare(self, columns: Sequence[str], roles: Statements) -> list[Pair]:
        """Return all pairs except those between the two sides of a statement."""
        return usable_pairs(columns, roles, self.unlabelled)

    def select(self, columns: Sequence[str], roles: Statements, scores: Scores) -> FairTree:
        """Choose any pair that joins two components and keeps every block fair.

        Privacy: at most ``len(columns) - 1`` calls of ``scores.choose``.
        """
        check_given(columns, roles)
        pairs = self.declare(columns, roles)
        return FairTree(private_kruskal(columns, pairs, scores, partial(fair_additions, roles)))


@dataclass(frozen=True)
class UnconstrainedStrategy:
    """A private maximum spanning tree over all pairs; in general not fair.

    Paper: Definition (Marginals-MST), the mechanism that PreFair makes fair.

    Args:
        unlabelled: ``'apart'`` keeps outcomes apart from columns that no statement names, if there
            are statements. Protected columns are not restricted in any case.

    Raises:
        StructureError: If ``unlabelled`` is neither ``'apart'`` nor ``'free'``.
    """

    unlabelled: str = FREE
    name: ClassVar[str] = 'none'
    requires_roles: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_unlabelled(self.unlabelled)

    def declare(self, columns: Sequence[str], roles: Statements) -> list[Pair]:
        """Return all pairs except those that ``unlabelled`` keeps apart."""
        return towards_unlabelled(all_pairs(columns), roles, self.unlabelled)

    def select(self, columns: Sequence[str], roles: Statements, scores: Scores) -> FairTree:
        """Choose any pair that joins two components, until one is left.

        Privacy: at most ``len(columns) - 1`` calls of ``scores.choose``.
        """
        return FairTree(private_kruskal(columns, self.declare(columns, roles), scores))


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


def pairs_of_given_tree(rule: Strategy) -> Sequence[Pair] | None:
    """Return the pairs of a given tree; None if the rule selects one."""
    return rule.edges if isinstance(rule, FixedStrategy) else None
