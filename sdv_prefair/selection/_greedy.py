"""Greedy-PreFair: outcomes are adjacent to outcomes and admissible columns only."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from sdv_prefair.fairness._predicate import fair_additions
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.fairness._unlabelled import APART
from sdv_prefair.selection._kruskal import private_kruskal
from sdv_prefair.selection._tree import FairTree, Pair, Scores, check_given, usable_pairs


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
