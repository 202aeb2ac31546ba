"""The structure of a release: a name, a tree, or the choice of a user-defined strategy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx

from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.release._fields import Fields
from sdv_prefair.release._model_record import MOST_MEASUREMENTS
from sdv_prefair.release._values import TYPE, read_value, write_value
from sdv_prefair.roles import Roles
from sdv_prefair.selection._protocol import Mechanism
from sdv_prefair.selection._resolve import STRATEGIES
from sdv_prefair.selection._strategy import FairTree, Pair, Scores
from sdv_prefair.selection._trees import FixedStrategy, check_fair, check_known, in_order

_STRATEGY, _APART = 'strategy', 'apart'


@dataclass(frozen=True)
class ReleasedStrategy:
    """The pairs that a user's strategy chose. A strategy is code, so it is not in a release.

    Args:
        name: Name of that strategy.
        requires_roles: Whether it satisfies the roles.
        edges: The pairs: those of a tree, or of a chordal graph.
        given: The columns of the table before constraints change them, while a release is opened.
        apart: Whether columns may be unconnected, as they are if their pairs are too large to
            measure.
    """

    name: str
    requires_roles: bool
    edges: tuple[Pair, ...]
    given: tuple[str, ...] = ()
    apart: bool = False

    def declare(self, columns: Sequence[str], roles: Statements) -> list[Pair]:
        """Return the pairs, after checking that they are a fair spanning tree or chordal graph.

        Pairs may name columns that constraints will make. Until all exist, nothing is checked.
        """
        return [] if self._waits(columns) else self._checked(columns, roles)

    def select(self, columns: Sequence[str], roles: Statements, scores: Scores) -> FairTree:
        """Return the pairs.

        Privacy: does not use ``scores``.
        """
        return FairTree(self._checked(columns, roles))

    def _waits(self, columns: Sequence[str]) -> bool:
        """Whether constraints have yet to make columns, and have replaced none that is needed."""
        missing = [column for edge in self.edges for column in edge if column not in columns]
        # The one column of a model without pairs may be made from several.
        awaits = bool(missing) or (not self.edges and not self.apart and len(columns) > 1)
        return awaits and bool(self.given) and not any(c in self.given for c in missing)

    def _checked(self, columns: Sequence[str], roles: Statements) -> list[Pair]:
        kept = roles if self.requires_roles else Roles()
        check_known(self.edges, columns)
        if not _is_chordal(self.edges, columns, self.apart):
            return FixedStrategy(self.edges).declare(columns, kept)
        check_fair(self.edges, kept)
        return in_order(self.edges, columns)


def _is_chordal(edges: Sequence[Pair], columns: Sequence[str], apart: bool) -> bool:
    """Whether pairs, each given once, join all columns in a chordal graph, or some if ``apart``."""
    graph = nx.Graph(edges)
    graph.add_nodes_from(columns if apart else ())
    return (
        len(edges) == graph.number_of_edges()
        and set(graph) == set(columns)
        and not nx.number_of_selfloops(graph)
        and (apart or nx.is_connected(graph))
        and nx.is_chordal(graph)
    )


def write_structure(
    structure: Any, mechanism: Mechanism, cliques: Sequence[tuple[str, ...]]
) -> Any:
    """Return the structure as JSON.

    Args:
        structure: What the user gave.
        mechanism: The mechanism that it denotes.
        cliques: The cliques of the fitted model.
    """
    if isinstance(structure, str | list | tuple):
        return write_value(structure)
    strategy = getattr(mechanism, 'strategy', None)
    if isinstance(strategy, FixedStrategy):
        return write_value(list(strategy.edges))
    known = STRATEGIES.values()
    if strategy is not None and type(strategy) in known and strategy == type(strategy)():
        return strategy.name
    graph = markov_graph(cliques)
    written = {
        TYPE: _STRATEGY,
        'name': str(mechanism.name),
        'requires_roles': bool(mechanism.requires_roles),
        'edges': [list(edge) for edge in graph.edges],
    }
    return written if nx.is_connected(graph) else written | {_APART: True}


def read_structure(written: Any, given: Sequence[str]) -> Any:
    """Return the argument ``structure``; a list of pairs is checked where it is used.

    Args:
        written: What ``write_structure`` returned.
        given: The columns of the table, before constraints change them.
    """
    if not isinstance(written, dict) or written.get(TYPE) != _STRATEGY:
        return read_value(written)
    known = (TYPE, 'name', 'requires_roles', 'edges')
    fields = Fields(written, 'structure', (*known, _APART) if _APART in written else known)
    edges = FixedStrategy(tuple(fields.items('edges', MOST_MEASUREMENTS))).edges
    name, requires_roles = fields.text('name'), fields.flag('requires_roles')
    apart = _APART in written and fields.flag(_APART)
    return ReleasedStrategy(name, requires_roles, edges, tuple(given), apart)
