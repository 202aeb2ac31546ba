"""Adaptive selection: forbid an edge only once it would really join protected to outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import networkx as nx

from sdv_prefair.roles import OUTCOME, PROTECTED, Roles
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
        return FairTree(private_kruskal(columns, pairs, scores, partial(_fair, roles)))


def _fair(roles: Roles, candidates: list[Pair], edges: list[Pair]) -> list[Pair]:
    side = _side_of_block(roles, edges)
    conflicts = {(PROTECTED, OUTCOME), (OUTCOME, PROTECTED)}
    return [
        (first, second)
        for first, second in candidates
        if (side.get(first), side.get(second)) not in conflicts
    ]


def _side_of_block(roles: Roles, edges: list[Pair]) -> dict[str, str]:
    """Return protected or outcome for each column whose block holds such a column."""
    # The predicate itself, asked of every candidate, would give the same answer in seconds
    # instead of milliseconds; a test holds the two together.
    forest = nx.Graph(edges)
    forest.add_nodes_from(roles.protected + roles.outcome)
    forest.remove_nodes_from(roles.admissible)
    return {
        column: role
        for role, labelled in ((PROTECTED, roles.protected), (OUTCOME, roles.outcome))
        for start in labelled
        for column in nx.node_connected_component(forest, start)
    }
