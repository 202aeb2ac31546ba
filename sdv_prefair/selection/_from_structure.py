"""Resolves the argument ``structure`` to a mechanism."""

from sdv_prefair.selection._aim import FairAim
from sdv_prefair.selection._apart import with_unlabelled
from sdv_prefair.selection._mwem import MwemPgm, MwemStrategy
from sdv_prefair.selection._planned import PlannedStrategy
from sdv_prefair.selection._planned_marginals import Planned
from sdv_prefair.selection._privbayes import PrivBayes, PrivBayesStrategy
from sdv_prefair.selection._protocol import Mechanism
from sdv_prefair.selection._resolve import resolve_strategy
from sdv_prefair.selection._strategy import ExtendingStrategy, Strategy
from sdv_prefair.selection._tree_first import TreeFirst


def resolve_mechanism(structure: object, unlabelled: str | None = None) -> Mechanism:
    """Return the mechanism that ``structure`` denotes.

    Args:
        structure: A name in ``catalogue.STRUCTURES``, a tree (a list of column pairs, a
            ``FairTree`` or a ``networkx.Graph``), a strategy object, or a mechanism object.
        unlabelled: Whether outcomes may be adjacent to columns that no statement names, as in
            ``structure.with_unlabelled``. A mechanism object is returned unchanged.

    Raises:
        StructureError: If it is none of these, or does not support ``unlabelled``.
    """
    if isinstance(structure, Mechanism) and not isinstance(structure, type):
        return structure
    return mechanism_of(with_unlabelled(resolve_strategy(structure), unlabelled))


def mechanism_of(strategy: Strategy) -> Mechanism:
    """Return the mechanism that selects by a strategy."""
    if isinstance(strategy, PlannedStrategy):
        return Planned(strategy)
    if isinstance(strategy, PrivBayesStrategy):
        return PrivBayes(strategy)
    if isinstance(strategy, MwemStrategy):
        return MwemPgm(strategy)
    return FairAim(strategy) if isinstance(strategy, ExtendingStrategy) else TreeFirst(strategy)
