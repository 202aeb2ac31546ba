"""The input of the exact search: columns as numbers, with a side in every statement.

A forest satisfies a statement if and only if each column outside its conditioning set can be put on
one of its two sides, left columns on one and right columns on the other, so that no edge connects
the sides. This holds for each statement separately, so several of them are several rows of sides.

If no fair tree can connect all columns, one more node does. It is in every conditioning set, so it
may be adjacent to everything, and its edges are so light that any other is better: the heaviest
fair tree with that node has as few of them as possible. Without them it is the fair forest with the
most edges, and of these the heaviest. Some columns are never connected in any fair forest, such as
a left and a right column of a statement with an empty conditioning set. For a set of columns that
are pairwise separated in this way, the node's edges are always taken, since there are at least as
many components: so the search need not find out first that no tree is fair.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import networkx as nx
import numpy as np

from sdv_prefair.fairness._implied import implies
from sdv_prefair.fairness._statements import Independent, Statements
from sdv_prefair.selection._spanning import (
    OUTCOME_SIDE,
    PROTECTED_SIDE,
    UNDECIDED,
    SpanningTrees,
    Tree,
)
from sdv_prefair.selection._tree import Pair


@dataclass(frozen=True)
class SidesProblem:
    """Spanning trees whose nodes take sides.

    Attributes:
        trees: The graph, which some fair tree connects.
        sides: For each statement a row: the side of every node.
        given: For each statement, the nodes that may be adjacent to both of its sides.
        columns: The names of the nodes; the additional node, if any, has none.
    """

    trees: SpanningTrees
    sides: np.ndarray
    given: list[set[int]]
    columns: Sequence[str]

    def named(self, tree: Tree) -> Iterator[Pair]:
        """Yield the edges of a tree between columns, the heaviest first."""
        for edge in sorted(tree.edges.tolist()):
            first, second = self.trees.ends[edge]
            if max(first, second) < len(self.columns):
                yield self.columns[first], self.columns[second]


def sides_problem(
    columns: Sequence[str],
    roles: Statements,
    released: Mapping[Pair, float],
    declared: Sequence[Pair],
) -> SidesProblem:
    """Return the problem of finding the heaviest fair tree, or forest with the most edges.

    Privacy: a function of released scores.

    Args:
        columns: The nodes.
        roles: Statements, or the roles that are short for one.
        released: The weights of the pairs that can be measured.
        declared: These pairs, and those that are too large.
    """
    statements = roles.statements
    place = {column: number for number, column in enumerate(columns)}
    if _is_always_connected(columns, statements):
        weights = _with_stand_ins(released, declared)
        ends, extra = [(place[first], place[second]) for first, second in weights], 0
        values = list(weights.values())
    else:
        ends = [(place[first], place[second]) for first, second in released]
        ends += [(number, len(columns)) for number in range(len(columns))]
        values, extra = [*released.values(), *_costs_of_parts(columns, roles, released)], 1
    size = len(columns) + extra
    sides = np.full((len(statements), size), UNDECIDED, dtype=np.int8)
    given = [_take_sides(side, place, s) for side, s in zip(sides, statements, strict=True)]
    for nodes in given:
        nodes.update(range(len(columns), size))
    return SidesProblem(SpanningTrees(size, ends, values), sides, given, columns)


def _take_sides(side: np.ndarray, place: Mapping[str, int], statement: Independent) -> set[int]:
    """Put the columns of a statement on its sides; return its conditioning set."""
    for taken, names in ((PROTECTED_SIDE, statement.left), (OUTCOME_SIDE, statement.right)):
        side[[place[name] for name in names if name in place]] = taken
    return {place[name] for name in statement.given if name in place}


def _is_always_connected(columns: Sequence[str], statements: Sequence[Independent]) -> bool:
    """Whether there is one statement, with a column whose pairs complete any fair forest."""
    return len(statements) < 2 and all(set(columns) & set(s.given) for s in statements)


def _costs_of_parts(
    columns: Sequence[str], roles: Statements, released: Mapping[Pair, float]
) -> list[float]:
    """Return, for each column, the weight of an edge to the additional node."""
    free = set(_never_joined(columns, roles))
    heavy, light = 1.0 + max(map(abs, released.values()), default=0.0), _lightest(released)
    return [heavy if column in free else light for column in columns]


def _never_joined(columns: Sequence[str], roles: Statements) -> list[str]:
    """Return columns no two of which are ever in one component; as many as are found."""
    apart: nx.Graph[str] = nx.Graph()
    apart.add_node(columns[0])
    for statement in roles.statements:
        for left, right in product(statement.left, statement.right):
            if implies(roles.statements, Independent([left], [right])):
                apart.add_edge(left, right)
    apart = apart.subgraph(columns)
    found: list[str] = max(nx.find_cliques(apart), key=len)
    return found


def _with_stand_ins(released: Mapping[Pair, float], pairs: Sequence[Pair]) -> dict[Pair, float]:
    """Return the weights of all pairs, with very low weights for pairs without a score.

    A fair forest can be completed to a fair tree, by pairs with an admissible column. So the
    heaviest fair tree holds as few of these pairs as possible, and without them it is the heaviest
    of the fair forests with the most edges.
    """
    lightest = _lightest(released, len(pairs))
    return {pair: released.get(pair, lightest) for pair in pairs}


def _lightest(released: Mapping[Pair, float], pairs: int | None = None) -> float:
    pairs = len(released) if pairs is None else pairs
    return -1.0 - 2.0 * pairs * max(map(abs, released.values()), default=0.0)
