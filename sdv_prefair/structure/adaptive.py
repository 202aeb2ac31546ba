"""Adaptive selection: forbid an edge only once it would really join protected to outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from sdv_prefair.fairness.predicate import fair_additions
from sdv_prefair.roles import Roles
from sdv_prefair.structure.kruskal import private_kruskal
from sdv_prefair.structure.tree import FairTree, Pair, Scores, usable_pairs


@dataclass(frozen=True)
class AdaptiveStrategy:
    """Private Kruskal that looks at the tree so far before it forbids a pair.

    A block is what hangs together once the admissible columns are deleted. A pair is refused
    when it would put a protected and an outcome column into one block. Pairs that touch an
    admissible column are never refused, so the loop cannot get stuck while there is one.
    """

    # Departs: Greedy-PreFair forbids every pair of an outcome and an unlabelled column from the
    # start. Here the unlabelled column may go to either side, whichever is chosen first: the
    # same rounds at the same cost in privacy, over candidates that contain the paper's.

    name: ClassVar[str] = 'adaptive'
    requires_roles: ClassVar[bool] = True

    def declare(self, columns: Sequence[str], roles: Roles) -> list[Pair]:
        """Return all pairs but those of a protected and an outcome column."""
        return usable_pairs(columns, roles)

    def select(self, columns: Sequence[str], roles: Roles, scores: Scores) -> FairTree:
        """Choose any pair that joins two components and keeps every block fair.

        Privacy: ``len(columns) - 1`` calls of ``scores.choose``.
        """
        pairs = self.declare(columns, roles)
        return FairTree(private_kruskal(columns, pairs, scores, partial(fair_additions, roles)))
