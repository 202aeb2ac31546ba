"""``unlabelled=`` in a strategy: whether outcomes may be adjacent to columns without a role."""

from dataclasses import replace
from typing import Any

from sdv_prefair.errors import StructureError
from sdv_prefair.fairness._unlabelled import FREE
from sdv_prefair.selection._aim import AimStrategy
from sdv_prefair.selection._cliques import CliqueStrategy
from sdv_prefair.selection._exact import ExactStrategy
from sdv_prefair.selection._planned import PlannedStrategy
from sdv_prefair.selection._strategy import Strategy
from sdv_prefair.selection._trees import AdaptiveStrategy, GreedyStrategy, UnconstrainedStrategy

_TREES = (AdaptiveStrategy, ExactStrategy, UnconstrainedStrategy)


def with_unlabelled(strategy: Strategy, unlabelled: str | None) -> Strategy:
    """Return the strategy with outcomes and unlabelled columns kept apart, or free to be adjacent.

    Args:
        strategy: The strategy; a user's own, or a given tree, is returned unchanged.
        unlabelled: ``'apart'`` or ``'free'``; ``None`` leaves the strategy unchanged.

    Raises:
        StructureError: If ``'free'`` is requested of greedy selection, which keeps them apart.
    """
    if unlabelled is None:
        return strategy
    if isinstance(strategy, GreedyStrategy) and unlabelled == FREE:
        raise StructureError(
            "structure='greedy' keeps outcomes apart from columns without a role, so it cannot be "
            "used with unlabelled='free'. Use structure='adaptive', or leave unlabelled out."
        )
    if isinstance(strategy, AimStrategy):
        return replace(strategy, tree=_rule(strategy.tree, unlabelled))
    if isinstance(strategy, PlannedStrategy | CliqueStrategy):
        return replace(strategy, rule=_rule(strategy.rule, unlabelled))
    if isinstance(strategy, _TREES):
        tree: Any = strategy
        chosen: Strategy = replace(tree, unlabelled=unlabelled)
        return chosen
    return strategy


def _rule(rule: Strategy, unlabelled: str) -> Strategy:
    """Return the rule that a strategy starts from; greedy, unless apart, is adaptive."""
    if isinstance(rule, GreedyStrategy) and unlabelled == FREE:
        return AdaptiveStrategy()
    return with_unlabelled(rule, unlabelled)
