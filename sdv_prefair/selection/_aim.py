"""Fair AIM: a fair tree first, then more fair pairs where the model's error is largest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import ClassVar

from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness._predicate import fair_additions
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.selection._decomposable import affordable_chords
from sdv_prefair.selection._greedy import GreedyStrategy
from sdv_prefair.selection._tree import FairTree, Pair, Scores, Strategy


@dataclass(frozen=True)
class AimStrategy:
    """A tree, then chords: further pairs that the tree's model fits badly.

    In a tree every column depends on one other; with chords, an outcome can depend on several
    admissible columns. A chord must keep the Markov graph fair and chordal. Then the graph contains
    the chosen pairs and nothing else, and the one predicate determines whether the model is fair.

    After AIM (McKenna et al., 2022), which chooses, measures and estimates in turn until the budget
    is spent. The differences: it starts from a tree and not from single columns; a few pairs are
    chosen at a time between estimates; and "nothing more" is one of the candidates, the best one
    once noise would cost more than any pair gains. The rest of the budget then makes the chosen
    pairs more precise. At a small epsilon the choice is noisy: "nothing more" is one candidate
    among many, so pairs are then added nearly at random.

    Args:
        tree: How the tree is selected. Chords are chosen among the pairs that it declares.
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
        """Select the initial tree.

        Privacy: as in the tree's strategy.
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
