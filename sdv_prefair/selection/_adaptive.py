"""Adaptive selection: forbid an edge only if it would connect a protected column to an outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from sdv_prefair.fairness._predicate import fair_additions
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.fairness._unlabelled import FREE
from sdv_prefair.selection._kruskal import private_kruskal
from sdv_prefair.selection._tree import (
    FairTree,
    Pair,
    Scores,
    check_given,
    check_unlabelled,
    usable_pairs,
)


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
