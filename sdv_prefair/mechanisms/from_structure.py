"""From what a user writes in ``structure=`` to a mechanism."""

from sdv_prefair.mechanisms.fair_aim import FairAim
from sdv_prefair.mechanisms.planned_marginals import Planned
from sdv_prefair.mechanisms.protocol import Mechanism
from sdv_prefair.mechanisms.tree_first import TreeFirst
from sdv_prefair.structure import (
    ExtendingStrategy,
    PlannedStrategy,
    Strategy,
    resolve_strategy,
)


def resolve_mechanism(structure: object) -> Mechanism:
    """Return the mechanism that ``structure`` stands for.

    Args:
        structure: A name in ``catalogue.STRUCTURES``, a tree (a list of column pairs, a
            ``FairTree`` or a ``networkx.Graph``), a strategy object, or a mechanism object.

    Raises:
        StructureError: If it is none of these.
    """
    if isinstance(structure, Mechanism) and not isinstance(structure, type):
        return structure
    return mechanism_of(resolve_strategy(structure))


def mechanism_of(strategy: Strategy) -> Mechanism:
    """Return the mechanism that selects by a strategy."""
    if isinstance(strategy, PlannedStrategy):
        return Planned(strategy)
    return FairAim(strategy) if isinstance(strategy, ExtendingStrategy) else TreeFirst(strategy)
