"""Fair AIM: a fair tree first, then more fair pairs where the model's error is largest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import ClassVar

from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness.predicate import fair_additions
from sdv_prefair.fairness.statements import Statements
from sdv_prefair.structure.decomposable import affordable_chords
from sdv_prefair.structure.greedy import GreedyStrategy
from sdv_prefair.structure.tree import FairTree, Pair, Scores, Strategy


@dataclass(frozen=True)
class AimStrategy:
    """A tree and chords: further pairs that the tree's model fits badly.

    In a tree every column hangs on one other; with chords an outcome can depend on several
    admissible columns. A chord must keep the Markov graph fair and chordal. Then the graph holds
    the chosen pairs and nothing else, and the one predicate tells whether the model is fair.

    After AIM (McKenna et al., 2022), which chooses, measures and estimates in turn until the
    budget is spent. What departs from it: the start is a tree and not single columns; pairs are
    chosen a few at a time between estimates; to choose nothing more is one of the candidates, the
    best once noise would take more than any pair gives, and what is left then makes the chosen
    pairs more exact. At a small epsilon the choice is blurred: "nothing more" is one candidate
    among many, so pairs are then added nearly at random.

    Args:
        tree: How the tree is selected. Chords are of the pairs that it declares.
        max_cells: Largest number of cells of a clique's table.

    Raises:
        StructureError: If ``tree`` is not a strategy, or ``max_cells`` is not an integer above 0.
    """

    tree: Strategy = field(default_factory=GreedyStrategy)
    max_cells: int = 50_000
    name: ClassVar[str] = 'aim'

    def __post_init__(self) -> None:
        if not isinstance(self.tree, Strategy) or isinstance(self.tree, type):
            raise StructureError(
                f'tree ({shown(self.tree)}) must be a strategy object, for example '
                'AdaptiveStrategy().'
            )
        cells = self.max_cells
        if not isinstance(cells, Integral) or isinstance(cells, bool) or cells < 1:
            raise StructureError(
                f'max_cells ({shown(cells)}) must be an integer above 0, for example 50_000.'
            )

    @property
    def requires_roles(self) -> bool:
        """Whether the tree, and so the model, is fair."""
        return self.tree.requires_roles

    def declare(self, columns: Sequence[str], roles: Statements) -> list[Pair]:
        """Return the pairs that the strategy of the tree declares."""
        return self.tree.declare(columns, roles)

    def select(self, columns: Sequence[str], roles: Statements, scores: Scores) -> FairTree:
        """Select the tree to start with.

        Privacy: that of the tree's strategy.
        """
        return self.tree.select(columns, roles, scores)

    def chords(
        self, edges: Sequence[Pair], roles: Statements, domain: Mapping[str, int]
    ) -> list[Pair]:
        """Return the pairs that may be added to the edges next.

        Privacy: a function of released edges and public facts.
        """
        pairs = self.declare(list(domain), roles)
        if self.requires_roles:
            pairs = fair_additions(roles, pairs, edges)
        return affordable_chords(edges, pairs, domain, self.max_cells)
