"""Adaptive selection: forbid an edge only if it would actually connect protected to outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from sdv_prefair.fairness.predicate import fair_additions
from sdv_prefair.fairness.statements import Statements
from sdv_prefair.fairness.unlabelled import FREE
from sdv_prefair.structure.kruskal import private_kruskal
from sdv_prefair.structure.tree import (
    FairTree,
    Pair,
    Scores,
    check_given,
    check_unlabelled,
    usable_pairs,
)


@dataclass(frozen=True)
class AdaptiveStrategy:
    """Private Kruskal that forbids a pair only in view of the tree so far.

    A block is what hangs together once the columns that a statement is given are deleted. A pair
    is refused when it would put columns of both sides, such as a protected and an outcome column,
    into one block. Pairs that touch a column that every statement is given are never refused, so
    with one the loop ends in a tree; without any it may end in a forest, to which no fair pair
    could be added.

    Args:
        unlabelled: ``'free'`` lets an outcome be adjacent to a column that no statement names,
            ``'apart'`` does not.

    Raises:
        StructureError: If ``unlabelled`` is neither.
    """

    # Departs: Greedy-PreFair forbids every pair of an outcome and an unlabelled column from the
    # start. Here the unlabelled column may go to either side, whichever is chosen first: the
    # same rounds at the same cost in privacy, over candidates that contain the paper's.

    unlabelled: str = FREE
    name: ClassVar[str] = 'adaptive'
    requires_roles: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_unlabelled(self.unlabelled)

    def declare(self, columns: Sequence[str], roles: Statements) -> list[Pair]:
        """Return all pairs but those between the two sides of a statement."""
        return usable_pairs(columns, roles, self.unlabelled)

    def select(self, columns: Sequence[str], roles: Statements, scores: Scores) -> FairTree:
        """Choose any pair that joins two components and keeps every block fair.

        Privacy: at most ``len(columns) - 1`` calls of ``scores.choose``.
        """
        check_given(columns, roles)
        pairs = self.declare(columns, roles)
        return FairTree(private_kruskal(columns, pairs, scores, partial(fair_additions, roles)))
