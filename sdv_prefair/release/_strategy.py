"""The structure of a release: a name, a tree, or the choice of a user-defined strategy."""

import inspect
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import networkx as nx
from faker.config import AVAILABLE_LOCALES

from sdv_prefair._metadata_files import FACTS, Domain, facts_of
from sdv_prefair.columns._facts import RANGE_GROUPS
from sdv_prefair.counting import Clique, is_measurable
from sdv_prefair.errors import ReleaseError
from sdv_prefair.fairness._predicate import fair_additions, markov_graph
from sdv_prefair.fairness._statements import Independent, Statements, read_statements
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.model import GraphicalModel
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.release._columns_record import MOST_BINS
from sdv_prefair.release._fields import MOST_CODES, TYPE, Fields, read_value, write_value
from sdv_prefair.release._model_record import MOST_MEASUREMENTS
from sdv_prefair.roles import Roles
from sdv_prefair.selection._aim import FairAim
from sdv_prefair.selection._catalogue import STRUCTURES
from sdv_prefair.selection._exact import ExactStrategy
from sdv_prefair.selection._measuring import Budget, first_shares, measure_one_ways
from sdv_prefair.selection._mechanism import (
    Mechanism,
    PairMechanism,
    Progress,
    Release,
    Shape,
    TreeFirst,
    measure_the_rest,
    quiet,
    readable_pairs,
)
from sdv_prefair.selection._resolve import STRATEGIES, mechanism_of, resolve_mechanism
from sdv_prefair.selection._strategy import Pair
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


# -- Whether the arguments of a release can produce its model --------------------------------------


def check_structure(model: GraphicalModel, mechanism: Mechanism, roles: Statements) -> None:
    """Raise unless the mechanism could have selected the graph of the model.

    Args:
        model: The model; the graph must connect its columns.
        mechanism: The requested mechanism.
        roles: The roles of the model's columns, or the statements about them.
    """
    graph = markov_graph(model.cliques)
    edges = set(map(frozenset, graph.edges))
    same = _has_given(mechanism, edges)
    joined = (
        nx.is_connected(graph)
        or _leaves_columns_apart(roles)
        or _may_be_apart(mechanism, graph, model.domain)
    )
    known = _as_named(mechanism)
    if not (same and joined and all(_could_choose(m, graph, roles, model.domain) for m in known)):
        raise ReleaseError('The model of the release is not the one that was asked for.')


def _has_given(mechanism: Mechanism, edges: Set[frozenset[str]]) -> bool:
    """Whether a graph that was given is the one of the model; more may be added to some trees."""
    pairs = mechanism.given if isinstance(mechanism, PairMechanism | ReleasedMechanism) else None
    given = set(map(frozenset, pairs or ()))
    return pairs is None or given == edges or (isinstance(mechanism, FairAim) and given <= edges)


def _leaves_columns_apart(roles: Statements) -> bool:
    """Whether statements may rule out every tree; roles never do, thanks to admissible columns."""
    return bool(roles) and not isinstance(roles, Roles)


def _may_be_apart(mechanism: Mechanism, graph: 'nx.Graph[str]', domain: Mapping[str, int]) -> bool:
    """Whether columns may be unconnected, because some pairs are too large to measure."""
    if mechanism.shape == 'any':
        return True
    return any(not is_measurable(pair, domain) for pair in combinations(graph, 2))


def _could_choose(
    mechanism: Mechanism, graph: 'nx.Graph[str]', roles: Statements, domain: Mapping[str, int]
) -> bool:
    if mechanism.shape == 'tree' and not nx.is_forest(graph):
        return False
    cliques = mechanism.declare(domain, roles)
    declared = [pair for clique in cliques for pair in combinations(clique, 2)]
    if not set(map(frozenset, graph.edges)).issubset(map(frozenset, declared)):
        return False
    kept = roles if mechanism.requires_roles else Roles()
    return mechanism.shape == 'any' or not _could_go_on(declared, graph, kept)


def _could_go_on(declared: Sequence[Pair], graph: 'nx.Graph[str]', roles: Statements) -> bool:
    """Whether a declared pair joins two components fairly: a strategy would have chosen it."""
    components = nx.utils.UnionFind(graph)
    for edge in graph.edges:
        components.union(*edge)
    joining = [pair for pair in declared if components[pair[0]] != components[pair[1]]]
    return bool(fair_additions(roles, joining, list(graph.edges)))


def _as_named(mechanism: Mechanism) -> list[Mechanism]:
    """Return the mechanism of this package that has this name, if there is one.

    One with the name of a tree strategy selects a tree, whatever its arguments. The pairs that fair
    AIM declares depend on its arguments, so if it has any, only its edges are known. Of a given
    tree, they are all there is to know.
    """
    if not isinstance(mechanism, ReleasedMechanism):
        is_given = isinstance(mechanism, TreeFirst) and mechanism.given is not None
        return [] if is_given else [mechanism]
    named = [mechanism_of(known()) for name, known in STRATEGIES.items() if name == mechanism.name]
    return [known for known in named if known.shape == 'tree']


def num_scores(mechanism: Mechanism, domain: Mapping[str, int], roles: Statements) -> int | None:
    """Return how many scores the mechanism releases at once, if it does so."""
    if not isinstance(mechanism, TreeFirst) or not isinstance(mechanism.rule, ExactStrategy):
        return None
    return sum(len(clique) == 2 for clique in mechanism.declare(domain, roles))


def check_estimate(model: GraphicalModel, estimator: str) -> None:
    """Raise unless the model names the estimator that its graph requires.

    Only the forest solver computes its distance from the optimum.
    """
    direct = estimator == 'auto'
    solved = direct and nx.is_forest(markov_graph(model.cliques))
    if (model.estimator == 'direct') != direct or (model.gap is not None) != solved:
        raise ReleaseError('The model of the release does not come from the estimator it names.')


# -- The arguments of the synthesizer as JSON ------------------------------------------------------


_ROLES = ('protected', 'admissible', 'outcome')
_MOST_ROWS_PER_PERSON = 10**9
_MOST_STATEMENTS = 100


def write_parameters(parameters: Mapping[str, Any], fitted: Fitted) -> dict[str, Any]:
    """Return the arguments of a fitted synthesizer, except the metadata, as JSON."""
    given, promise = dict(parameters), fitted.settings.promise
    given['epsilon'] = fitted.ledger.epsilon  # which may have been asked for as a risk
    statements = _write_statements(given, promise.roles)
    for role in _ROLES:
        if type(given[role]) not in (list, tuple):
            given[role] = getattr(promise.roles, role)
    given['spikes'] = [[c, list(v)] for c, v in (given['spikes'] or {}).items()] or None
    if isinstance(given['other'], Mapping):
        given['other'] = [[c, value] for c, value in given['other'].items()]
    given['domain'] = _write_domain(given['domain'])
    structure = write_structure(given.pop('structure'), promise.mechanism, fitted.model.cliques)
    written = {name: write_value(value) for name, value in given.items()}
    return written | {'structure': structure} | statements


def _write_statements(given: dict[str, Any], roles: Statements) -> dict[str, Any]:
    """Return the statements, if roles cannot express them; otherwise roles are written instead."""
    asked = given.pop('fairness')
    if not isinstance(roles, Roles):
        return {'fairness': roles.as_records()}
    if asked is not None:
        given |= roles.as_dict()
    return {'fairness': None}


def read_parameters(
    written: Any, synthesizer_class: type, columns: Sequence[str]
) -> dict[str, Any]:
    """Return the arguments to construct a synthesizer with, except the metadata.

    Only what the constructor would not refuse is checked here.

    Args:
        written: What ``write_parameters`` returned.
        synthesizer_class: The class that will be constructed.
        columns: The columns of the table, each of which may be binned.

    Raises:
        ReleaseError: If an argument is unknown, or would make something too large.
    """
    signature = inspect.signature(synthesizer_class).parameters
    fields = Fields(written, 'parameters', [name for name in signature if name != 'metadata'])
    fields.whole('numeric_bins', 1, min(MOST_BINS, MOST_CODES // len(columns)))
    fields.whole('max_rows_per_person', 1, _MOST_ROWS_PER_PERSON)
    read_apart = ('structure', 'fairness')
    given = {name: read_value(v) for name, v in written.items() if name not in read_apart}
    _check_locales(given['locales'])
    given['spikes'] = _read_spikes(given['spikes'])
    given['other'] = _read_other(given['other'])
    given['domain'] = _read_domain(given['domain'])
    for role in _ROLES:
        if not _are_texts(given[role]):
            raise ReleaseError(f'{role} of the release must be a list of columns.')
    given['fairness'] = _read_statements(fields.raw('fairness'))
    return given | {'structure': read_structure(written['structure'], columns)}


def _read_statements(records: Any) -> list[Independent] | None:
    if records is None:
        return None
    if not isinstance(records, list) or not 0 < len(records) <= _MOST_STATEMENTS:
        raise ReleaseError(
            f'fairness of the release must be a list of 1 to {_MOST_STATEMENTS} statements.'
        )
    statements = read_statements(records)
    if len(statements.statements) == 1 and statements.admissible:
        raise ReleaseError('fairness of the release holds one statement that roles express.')
    return list(statements.statements)


def _write_domain(domain: Domain | None) -> list[list[Any]] | None:
    if domain is None:
        return None
    return [
        [c, [[key, _as_pairs(fact)] for key, fact in f.items()]]
        for c, f in facts_of(domain).items()
    ]


def _as_pairs(fact: Any) -> Any:
    """Return values by group as pairs, which preserve their types; anything else unchanged."""
    if not isinstance(fact, Mapping):
        return fact
    return [[group, list(values)] for group, values in fact.items()]


def _read_domain(pairs: Any) -> dict[str, dict[str, Any]] | None:
    if pairs is None:
        return None
    is_list = isinstance(pairs, list) and all(map(_is_spike, pairs))
    if not is_list or not all(_is_fact(fact) for _, facts in pairs for fact in facts):
        raise ReleaseError('domain of the release must be pairs of a column and its facts.')
    domain = {column: dict(facts) for column, facts in pairs}
    for facts in domain.values():
        if isinstance(facts.get(RANGE_GROUPS), list):
            facts[RANGE_GROUPS] = _read_groups(facts[RANGE_GROUPS])
    return domain


def _read_groups(pairs: list[Any]) -> dict[str, list[Any]]:
    if not all(map(_is_spike, pairs)):
        raise ReleaseError('range_groups of the release must be pairs of a group and its values.')
    return dict(pairs)


def _is_fact(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and pair[0] in FACTS


def _read_spikes(pairs: Any) -> dict[str, list[Any]] | None:
    if pairs is None:
        return None
    if not isinstance(pairs, list) or not all(map(_is_spike, pairs)):
        raise ReleaseError('spikes of the release must be pairs of a column and a list of values.')
    return dict(pairs)


def _read_other(other: Any) -> Any:
    if not isinstance(other, list):
        return other
    is_paired = all(isinstance(pair, list) and len(pair) == 2 for pair in other)
    if not is_paired or not _are_texts([column for column, _ in other]):
        raise ReleaseError(
            'other of the release must be a string, or pairs of a column and a value.'
        )
    return dict(other)


def _is_spike(pair: Any) -> bool:
    is_pair = isinstance(pair, list) and len(pair) == 2
    return is_pair and isinstance(pair[0], str) and isinstance(pair[1], list)


def _check_locales(locales: Any) -> None:
    """Raise for a locale that Faker does not list: it would look for a module of that name."""
    listed = [locales] if isinstance(locales, str) else locales
    if listed is not None and not _are_texts(listed):
        raise ReleaseError('locales of the release must be a list of names.')
    for locale in listed or ():
        if locale.replace('-', '_') not in AVAILABLE_LOCALES:
            raise ReleaseError('The release names a locale that Faker does not know.')


def _are_texts(values: object) -> bool:
    return isinstance(values, list | tuple) and all(isinstance(value, str) for value in values)
