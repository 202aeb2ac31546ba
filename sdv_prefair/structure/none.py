"""Plain MST: the baseline that knows nothing of roles."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sdv_prefair.roles import Roles
from sdv_prefair.structure.kruskal import private_kruskal
from sdv_prefair.structure.tree import FairTree, Pair, Scores, all_pairs


@dataclass(frozen=True)
class UnconstrainedStrategy:
    """A private maximum spanning tree over all pairs; in general not fair.

    Paper: Definition (Marginals-MST), the mechanism that PreFair makes fair.
    """

    name: ClassVar[str] = 'none'
    requires_roles: ClassVar[bool] = False

    def declare(self, columns: Sequence[str], roles: Roles) -> list[Pair]:
        """Return all pairs."""
        return all_pairs(columns)

    def select(self, columns: Sequence[str], roles: Roles, scores: Scores) -> FairTree:
        """Choose any pair that joins two components, until one is left.

        Privacy: ``len(columns) - 1`` calls of ``scores.choose``.
        """
        return FairTree(private_kruskal(columns, self.declare(columns, roles), scores))
