"""Greedy-PreFair: outcomes may touch outcomes and admissible columns only."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sdv_prefair.roles import ADMISSIBLE, OUTCOME, Roles
from sdv_prefair.structure.kruskal import private_kruskal
from sdv_prefair.structure.tree import FairTree, Pair, Scores, all_pairs


@dataclass(frozen=True)
class GreedyStrategy:
    """Forbid what could ever hurt, then run private Kruskal over what is left.

    Optimal without noise when every column has a role.

    Paper: Algorithm 2 (Greedy-PreFair).
    """

    name: ClassVar[str] = 'greedy'
    requires_roles: ClassVar[bool] = True

    def declare(self, columns: Sequence[str], roles: Roles) -> list[Pair]:
        """Return the pairs that do not join an outcome to a protected or unlabelled column."""
        role = {column: roles.of(column) for column in columns}
        return [pair for pair in all_pairs(columns) if _keeps_outcomes_apart(pair, role)]

    def select(self, columns: Sequence[str], roles: Roles, scores: Scores) -> FairTree:
        """Choose any declared pair that joins two components, until one is left.

        Privacy: ``len(columns) - 1`` calls of ``scores.choose``.
        """
        return FairTree(private_kruskal(columns, self.declare(columns, roles), scores))


def _keeps_outcomes_apart(pair: Pair, role: dict[str, str]) -> bool:
    ends = {role[column] for column in pair}
    return OUTCOME not in ends or ends <= {OUTCOME, ADMISSIBLE}
