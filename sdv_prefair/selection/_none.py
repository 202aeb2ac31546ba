"""Plain MST: the baseline that ignores roles."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sdv_prefair.fairness._statements import Statements
from sdv_prefair.fairness._unlabelled import FREE
from sdv_prefair.selection._kruskal import private_kruskal
from sdv_prefair.selection._tree import (
    FairTree,
    Pair,
    Scores,
    all_pairs,
    check_unlabelled,
    towards_unlabelled,
)


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
