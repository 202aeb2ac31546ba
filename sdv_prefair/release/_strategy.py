"""The structure of a release: a name, a tree, or the choice of a user-defined strategy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx

from sdv_prefair.counting import Clique
from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.release._fields import Fields
from sdv_prefair.release._model_record import MOST_MEASUREMENTS
from sdv_prefair.release._values import TYPE, read_value, write_value
from sdv_prefair.roles import Roles
from sdv_prefair.selection._catalogue import STRUCTURES
from sdv_prefair.selection._measuring import Budget, first_shares, measure_one_ways
from sdv_prefair.selection._mechanism import (
    Mechanism,
    Progress,
    Release,
    Shape,
    quiet,
    readable_pairs,
)
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.selection._strategy import Pair
from sdv_prefair.selection._tree_first import TreeFirst, measure_the_rest
from sdv_prefair.selection._trees import FixedStrategy, check_fair, check_known, in_order

_STRATEGY, _APART = 'strategy', 'apart'


@dataclass(frozen=True)
class ReleasedMechanism:
    """What a mechanism or strategy of a user's own has chosen, under its name.

    Such a mechanism is code, so it is not in a release: what is there is the graph that it chose.
    Fitted again, the pairs of this graph are measured, and nothing is chosen.

    Args:
        name: Name of that mechanism.
        requires_roles: Whether it satisfies the roles.
        given: The pairs: those of a tree, or of a chordal graph.
        columns: The columns of the table before constraints change them, while a release is opened.
        apart: Whether columns may be unconnected, as they are if their pairs are too large to
            measure.
    """

    name: str
    requires_roles: bool
    given: tuple[Pair, ...]
    columns: tuple[str, ...] = ()
    apart: bool = False

    @property
    def shape(self) -> Shape:
        """Connected, unless columns may be unconnected."""
        return 'any' if self.apart else 'connected'

    def declare(self, domain: Mapping[str, int], roles: Statements) -> list[Clique]:
        """Return all single columns, and the pairs."""
        pairs = readable_pairs(self.pairs(list(domain), roles), domain, roles, self.given)
        return [*((column,) for column in domain), *pairs]

    def pairs(self, columns: Sequence[str], roles: Statements) -> list[Pair]:
        """Return the pairs, after checking that they are a fair spanning tree or chordal graph.

        Pairs may name columns that constraints will make. Until all exist, nothing is checked.
        """
        return [] if self._waits(columns) else self._checked(columns, roles)

    def run(
        self, table: PrivateTable, roles: Statements, budget: Budget, progress: Progress = quiet
    ) -> Release:
        """Measure one-way marginals, then the pairs.

        Privacy: spends all that is left in the table's ledger, through the table alone.
        """
        pairs = self._checked(list(table.domain), roles)
        one_way_rho, _ = first_shares(table, budget, pairs)
        progress('Measuring one-way marginals')
        one_ways = measure_one_ways(table, one_way_rho, budget)
        progress('Measuring two-way marginals')
        return measure_the_rest(table, one_ways, pairs, budget)

    def _waits(self, columns: Sequence[str]) -> bool:
        """Whether constraints have yet to make columns, and have replaced none that is needed."""
        missing = [column for edge in self.given for column in edge if column not in columns]
        # The one column of a model without pairs may be made from several.
        awaits = bool(missing) or (not self.given and not self.apart and len(columns) > 1)
        return awaits and bool(self.columns) and not any(c in self.columns for c in missing)

    def _checked(self, columns: Sequence[str], roles: Statements) -> list[Pair]:
        kept = roles if self.requires_roles else Roles()
        check_known(self.given, columns)
        if not _is_chordal(self.given, columns, self.apart):
            return FixedStrategy(self.given).declare(columns, kept)
        check_fair(self.given, kept)
        return in_order(self.given, columns)


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
    if isinstance(mechanism, TreeFirst) and mechanism.given is not None:
        return write_value(list(mechanism.given))
    if mechanism.name in STRUCTURES and mechanism == resolve_mechanism(mechanism.name):
        return mechanism.name
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
    return ReleasedMechanism(name, requires_roles, edges, tuple(given), apart)
