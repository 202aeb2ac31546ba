"""The structure of a release: a name, a tree, or what a strategy of the user's own has selected."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sdv_prefair.release.fields import MOST_COLUMNS, Fields
from sdv_prefair.release.values import TYPE, read_value, write_value
from sdv_prefair.roles import Roles
from sdv_prefair.structure import FairTree, Strategy
from sdv_prefair.structure.fixed import FixedStrategy
from sdv_prefair.structure.resolve import STRATEGIES
from sdv_prefair.structure.tree import Pair, Scores

_STRATEGY = 'strategy'


@dataclass(frozen=True)
class ReleasedStrategy:
    """The tree that some other strategy selected. That one is code, so it is not in a release.

    Args:
        name: Name of the other strategy.
        requires_roles: Whether it keeps to the roles.
        edges: The tree.
    """

    name: str
    requires_roles: bool
    edges: tuple[Pair, ...]

    def declare(self, columns: Sequence[str], roles: Roles) -> list[Pair]:
        """Return the pairs of the tree, once it is known to be a spanning tree, and a fair one."""
        kept = roles if self.requires_roles else Roles()
        return FixedStrategy(self.edges).declare(columns, kept)

    def select(self, columns: Sequence[str], roles: Roles, scores: Scores) -> FairTree:
        """Return the tree.

        Privacy: asks nothing of ``scores``.
        """
        return FairTree(self.declare(columns, roles))


def write_structure(structure: Any, strategy: Strategy, cliques: Sequence[tuple]) -> Any:
    """Return the structure as JSON.

    Args:
        structure: What the user gave.
        strategy: What it stands for.
        cliques: Those of the fitted model.
    """
    if isinstance(structure, str | list | tuple):
        return write_value(structure)
    if isinstance(strategy, FixedStrategy):
        return write_value(list(strategy.edges))
    if type(strategy) in STRATEGIES.values() and strategy == type(strategy)():
        return strategy.name
    edges = [list(clique) for clique in cliques if len(clique) == 2]
    return {
        TYPE: _STRATEGY,
        'name': str(strategy.name),
        'requires_roles': bool(strategy.requires_roles),
        'edges': edges,
    }


def read_structure(written: Any) -> Any:
    """Return what to give as ``structure``; a list of pairs is checked where it is used."""
    if not isinstance(written, dict) or written.get(TYPE) != _STRATEGY:
        return read_value(written)
    fields = Fields(written, 'structure', (TYPE, 'name', 'requires_roles', 'edges'))
    edges = FixedStrategy(fields.items('edges', MOST_COLUMNS)).edges
    return ReleasedStrategy(fields.text('name'), fields.flag('requires_roles'), edges)
