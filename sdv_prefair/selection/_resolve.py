"""Resolves the argument ``structure`` to a strategy."""

import networkx as nx

from sdv_prefair.errors import StructureError, shown
from sdv_prefair.selection._aim import AimStrategy
from sdv_prefair.selection._exact import ExactStrategy
from sdv_prefair.selection._mwem import MwemStrategy
from sdv_prefair.selection._planned import PlannedStrategy
from sdv_prefair.selection._privbayes import PrivBayesStrategy
from sdv_prefair.selection._strategy import FairTree, Strategy
from sdv_prefair.selection._trees import (
    AdaptiveStrategy,
    FixedStrategy,
    GreedyStrategy,
    UnconstrainedStrategy,
)

STRATEGIES = {
    strategy.name: strategy
    for strategy in (
        GreedyStrategy,
        ExactStrategy,
        AdaptiveStrategy,
        AimStrategy,
        PlannedStrategy,
        PrivBayesStrategy,
        MwemStrategy,
        UnconstrainedStrategy,
    )
}
"""The strategies that can be asked for by name."""


def resolve_strategy(structure: object) -> Strategy:
    """Return the strategy that ``structure`` denotes.

    Args:
        structure: A name in ``STRATEGIES``, a tree (a list of column pairs, a ``FairTree`` or a
            ``networkx.Graph``), or a strategy object.

    Raises:
        StructureError: If it is none of these.
    """
    if isinstance(structure, str) and structure in STRATEGIES:
        return STRATEGIES[structure]()
    if isinstance(structure, list | tuple):
        return FixedStrategy(tuple(structure))
    if isinstance(structure, FairTree | nx.Graph):
        return FixedStrategy(tuple(structure.edges))
    if isinstance(structure, Strategy) and not isinstance(structure, type):
        return structure
    raise StructureError(
        f'structure ({shown(structure)}) must be one of {", ".join(map(repr, STRATEGIES))}, a list '
        'of column pairs that form a tree, or a strategy object with name, requires_roles, declare '
        'and select.'
    )
