"""Resolves the argument ``structure`` to a mechanism."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import networkx as nx

from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness._statements import FREE
from sdv_prefair.selection._aim import AimStrategy, FairAim
from sdv_prefair.selection._catalogue import ANY_RULE, STRUCTURES
from sdv_prefair.selection._exact import ExactStrategy
from sdv_prefair.selection._mechanism import Mechanism, PairMechanism
from sdv_prefair.selection._mwem import MwemStrategy
from sdv_prefair.selection._planned import PlannedStrategy
from sdv_prefair.selection._privbayes import PrivBayesStrategy
from sdv_prefair.selection._strategy import ExtendingStrategy, FairTree, Strategy
from sdv_prefair.selection._tree_first import TreeFirst
from sdv_prefair.selection._trees import (
    AdaptiveStrategy,
    FixedStrategy,
    GreedyStrategy,
    UnconstrainedStrategy,
)

STRATEGIES: Mapping[str, type[Strategy]] = MappingProxyType({
    strategy.name: strategy
    for strategy in (
        GreedyStrategy,
        ExactStrategy,
        AdaptiveStrategy,
        AimStrategy,
        UnconstrainedStrategy,
    )
})
"""The strategies that can be asked for by name: each selects a tree."""

MECHANISMS: Mapping[str, type[PairMechanism]] = MappingProxyType({
    mechanism.name: mechanism
    for mechanism in (
        PlannedStrategy,
        PrivBayesStrategy,
        MwemStrategy,
    )
})
"""The mechanisms that can be asked for by name, besides those that follow a strategy."""


def resolve_mechanism(structure: object, unlabelled: str | None = None) -> Mechanism:
    """Return the mechanism that ``structure`` denotes.

    Args:
        structure: A name in ``STRUCTURES``, a tree (a list of column pairs, a ``FairTree`` or a
            ``networkx.Graph``), a strategy object, or a mechanism object.
        unlabelled: Whether outcomes may be adjacent to columns that no statement names, as in
            ``with_unlabelled``. A mechanism of one's own is returned unchanged.

    Raises:
        StructureError: If it is none of these, or does not support ``unlabelled``.
    """
    if isinstance(structure, str) and structure in MECHANISMS:
        structure = MECHANISMS[structure]()
    if not isinstance(structure, Mechanism) or isinstance(structure, type):
        return mechanism_of(with_unlabelled(resolve_strategy(structure), unlabelled))
    if unlabelled is None or not isinstance(structure, PairMechanism):
        return structure
    own: Any = structure
    changed: Mechanism = replace(own, rule=_rule(structure.rule, unlabelled))
    return changed


def without_roles(structure: object) -> object:
    """Return what the name of a structure denotes if there are no roles: all pairs may be joined.

    Args:
        structure: As in ``resolve_mechanism``. What is no name in ``ANY_RULE`` is returned as it
            is; it may need roles.
    """
    if not isinstance(structure, str) or structure not in ANY_RULE:
        return structure
    everything: Any = MECHANISMS.get(structure, AimStrategy)
    return everything(UnconstrainedStrategy())


def mechanism_of(strategy: Strategy) -> TreeFirst | FairAim:
    """Return the mechanism that selects by a strategy."""
    return FairAim(strategy) if isinstance(strategy, ExtendingStrategy) else TreeFirst(strategy)


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
        f'structure ({shown(structure)}) must be one of {", ".join(map(repr, STRUCTURES))}, a list '
        'of column pairs that form a tree, or a strategy object with name, requires_roles, declare '
        'and select.'
    )


def rule_of(structure: object) -> Strategy:
    """Return the strategy that selects a tree; of a mechanism that needs none, its rule.

    Raises:
        StructureError: As in ``resolve_strategy``.
    """
    if isinstance(structure, str) and structure in MECHANISMS:
        structure = MECHANISMS[structure]()
    return structure.rule if isinstance(structure, PairMechanism) else resolve_strategy(structure)


def with_unlabelled(strategy: Strategy, unlabelled: str | None) -> Strategy:
    """Return the strategy with outcomes and unlabelled columns kept apart, or free to be adjacent.

    Args:
        strategy: The strategy; a user's own, or a given tree, is returned unchanged.
        unlabelled: ``'apart'`` or ``'free'``; ``None`` leaves the strategy unchanged.

    Raises:
        StructureError: If ``'free'`` is requested of greedy selection, which keeps them apart.
    """
    if unlabelled == FREE and isinstance(strategy, GreedyStrategy):
        raise StructureError(
            "structure='greedy' keeps outcomes apart from columns without a role, so it cannot be "
            "used with unlabelled='free'. Use structure='adaptive', or leave unlabelled out."
        )
    return strategy if unlabelled is None else _rule(strategy, unlabelled)


def _rule(rule: Strategy, unlabelled: str) -> Strategy:
    """Return the rule with a word on unlabelled columns; greedy, unless apart, is adaptive."""
    match rule:
        case GreedyStrategy():
            return AdaptiveStrategy() if unlabelled == FREE else rule
        case AimStrategy():
            return replace(rule, tree=_rule(rule.tree, unlabelled))
        case AdaptiveStrategy() | ExactStrategy() | UnconstrainedStrategy():
            return replace(rule, unlabelled=unlabelled)
    return rule
