"""The interface of a mechanism. Each mechanism is one file next to this one.

A mechanism declares which histograms it may read, before any is counted. Then it runs on a private
table, which it may query in any way, paying for every answer. It returns a list of noisy
measurements and the cliques of a model. Nothing else in the package depends on the mechanism.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal, Protocol, runtime_checkable

from sdv_prefair.counting import Clique, is_measurable
from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.model import Compression, Measurement, one_way_model
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.privacy._accounting import MEASURE_TWO_WAYS
from sdv_prefair.selection._measuring import (
    Budget,
    OneWays,
    PrivateScores,
    expected_errors,
    first_shares,
    independence_gap,
    measure,
    measure_one_ways,
)
from sdv_prefair.selection._strategy import FairTree, Pair, Strategy, looked_at
from sdv_prefair.selection._trees import pairs_of_given_tree

Progress = Callable[[str], None]

Shape = Literal['tree', 'connected', 'any']


def quiet(step: str) -> None:
    """Report no progress."""


@dataclass(frozen=True)
class Release:
    """The result of a mechanism: released values and public facts, and nothing private.

    Attributes:
        measurements: The noisy marginals, of cliques of any size.
        cliques: The cliques of the model, without single columns.
        compressions: How codes were merged, for each column whose codes were.
        mostly_outside: Columns in which most rows, according to the noisy marginal, hold values
            outside the domain.
    """

    measurements: Sequence[Measurement]
    cliques: Sequence[Clique]
    compressions: Mapping[str, Compression] = field(default_factory=dict)
    mostly_outside: Sequence[str] = ()


@runtime_checkable
class Mechanism(Protocol):
    """One way from counts to noisy measurements.

    A mechanism that uses only ``measure`` and ``score`` may declare so: if it has an attribute
    ``all_gaussian`` that is True, the whole fit is one Gaussian mechanism, with less noise for the
    same guarantee, and ``choose`` and ``split`` are refused.
    """

    @property
    def name(self) -> str:
        """Its name in reports and in ``structure=``."""

    @property
    def requires_roles(self) -> bool:
        """Whether it guarantees fairness, for which it needs roles."""

    @property
    def shape(self) -> Shape:
        """The kind of graph it can return, which is checked when a release is opened.

        ``'tree'`` for spanning trees, or forests where pairs are too large to measure;
        ``'connected'`` if there may be more edges than a tree has; ``'any'`` if the graph need not
        be connected.
        """

    def declare(self, domain: Mapping[str, int], roles: Statements) -> list[Clique]:
        """Return the cliques whose histograms may be read, including single columns.

        Args:
            domain: Number of codes of every column.
            roles: The roles of the columns.
        """

    def run(
        self, table: PrivateTable, roles: Statements, budget: Budget, progress: Progress = quiet
    ) -> Release:
        """Measure and choose, and return what is released.

        Privacy: spends all that is left in the table's ledger, through the table alone.

        Args:
            table: Answers queries and debits the ledger.
            roles: The roles of the table's columns.
            budget: How what is left in the ledger is divided.
            progress: Called with the name of each step.
        """


class PairMechanism:
    """The base of this package's mechanisms: what they read are pairs that a rule allows.

    Attributes:
        rule: Which pairs of columns may be joined: those that this strategy declares.
    """

    rule: Strategy

    @property
    def requires_roles(self) -> bool:
        """Whether the rule, and so the model, is fair."""
        return self.rule.requires_roles

    @property
    def given(self) -> Sequence[Pair] | None:
        """The pairs of a graph that was given, none of which may be left out."""
        return None

    def kept_roles(self, roles: Statements) -> Statements:
        """Return the roles that the model must satisfy: none, if it need not be fair."""
        return roles if self.requires_roles else Statements()

    def declare(self, domain: Mapping[str, int], roles: Statements) -> list[Clique]:
        """Return all single columns, and what else may be read."""
        return [*((column,) for column in domain), *self.histograms(domain, roles)]

    def histograms(self, domain: Mapping[str, int], roles: Statements) -> list[Clique]:
        """Return the cliques of more than one column that may be read."""
        return list(self.pairs(domain, roles))

    def pairs(self, domain: Mapping[str, int], roles: Statements) -> list[Pair]:
        """Return the pairs that the rule allows and whose histograms can be measured.

        Privacy: a function of public facts.

        Args:
            domain: Number of codes of every column, before any are merged.
            roles: The roles of the columns.
        """
        allowed = self.rule.declare(list(domain), roles)
        return readable_pairs(allowed, domain, roles, self.given or ())


def readable_pairs(
    allowed: Sequence[Pair],
    domain: Mapping[str, int],
    roles: Statements,
    given: Sequence[Pair] = (),
) -> list[Pair]:
    """Return those of the allowed pairs that are looked at and can be measured.

    Privacy: a function of public facts.

    Args:
        allowed: The pairs that may be joined.
        domain: Number of codes of every column, before any are merged.
        roles: The roles of the columns.
        given: Pairs that may not be left out.

    Raises:
        StructureError: If a given pair cannot be measured.
    """
    pairs = looked_at(allowed, list(domain), roles)
    _check_given(given, domain)
    return [pair for pair in pairs if is_measurable(pair, domain)]


def _check_given(given: Sequence[Pair], domain: Mapping[str, int]) -> None:
    for first, second in given:
        if not domain.keys() >= {first, second}:
            continue  # a column that constraints have yet to make
        if not is_measurable((first, second), domain):
            raise StructureError(
                f'structure joins {first!r} and {second!r}, which have {domain[first]:,} and '
                f'{domain[second]:,} codes: too many combinations to measure. Coarsen one of these '
                'columns with fewer range_values or a smaller numeric_bins, join them through '
                "others, or use structure='adaptive', which goes around such pairs."
            )


def check_rule(name: str, rule: object) -> None:
    """Raise unless an argument is a strategy object."""
    if not isinstance(rule, Strategy) or isinstance(rule, type):
        raise StructureError(
            f'{name} ({shown(rule)}) must be a strategy object, for example GreedyStrategy().'
        )


def is_all_gaussian(declaring: Mechanism | Strategy) -> bool:
    """Whether a mechanism or strategy declares, before anything is read, only Gaussian noise."""
    return getattr(declaring, 'all_gaussian', False) is True


def too_large(mechanism: Mechanism, domain: Mapping[str, int], roles: Statements) -> list[Clique]:
    """Return the pairs that would be declared if they had fewer cells.

    Larger cliques are not listed, because a table has far too many.
    """
    declared = set(mechanism.declare(domain, roles))
    wished = mechanism.declare(dict.fromkeys(domain, 1), roles)
    return [clique for clique in wished if len(clique) == 2 and clique not in declared]


# -- One-way marginals, a fair tree, its two-way marginals -----------------------------------------
#
# Paper: Marginals-MST with the fair selection step of Algorithm 1 or 2.


@dataclass(frozen=True)
class TreeFirst(PairMechanism):
    """Measure the one-way marginals, select a tree by the rule, measure its two-way marginals.

    Attributes:
        rule: How the tree is selected.
    """

    rule: Strategy
    shape: ClassVar[Shape] = 'tree'

    @property
    def name(self) -> str:
        """The name of the rule."""
        return self.rule.name

    @property
    def all_gaussian(self) -> bool:
        """Whether the rule declares that it releases all scores at once, or uses none."""
        return is_all_gaussian(self.rule)

    @property
    def given(self) -> Sequence[Pair] | None:
        """The pairs of a given tree."""
        return pairs_of_given_tree(self.rule)

    def run(
        self, table: PrivateTable, roles: Statements, budget: Budget, progress: Progress = quiet
    ) -> Release:
        """Measure one-way marginals, select a tree, measure its two-way marginals.

        Privacy: spends all that is left in the table's ledger, through the table alone.
        """
        pairs = self.pairs(table.domain, roles)  # before codes are merged
        one_way_rho, selection_rho = first_shares(table, budget, pairs)
        progress('Measuring one-way marginals')
        one_ways = measure_one_ways(table, one_way_rho, budget)
        progress('Selecting the tree')
        tree = select_tree(table, one_ways, roles, self.rule, budget, selection_rho, pairs)
        progress('Measuring two-way marginals')
        return measure_the_rest(table, one_ways, tree.edges, budget)


def measure_the_rest(
    table: PrivateTable, one_ways: OneWays, edges: Sequence[Pair], budget: Budget
) -> Release:
    """Measure the pairs of a graph, and return them with the one-way marginals.

    Privacy: spends all that is left in the table's ledger.
    """
    two_ways = measure(table, edges, table.ledger.remaining, budget, MEASURE_TWO_WAYS)
    return Release(
        one_ways.measurements + two_ways,
        [measurement.columns for measurement in two_ways],
        one_ways.compressions,
        one_ways.mostly_outside,
    )


def select_tree(
    table: PrivateTable,
    one_ways: OneWays,
    roles: Statements,
    rule: Strategy,
    budget: Budget,
    rho: Fraction,
    pairs: list[Pair],
) -> FairTree:
    """Select a tree by scores: distances of counts from what the one-way marginals predict.

    Privacy: spends rho at most. Predictions and discounts depend on released values alone.
    """
    columns = list(table.domain)
    _, expected = one_way_model(one_ways.measurements)
    two_way_rho = table.ledger.remaining - rho
    discount: dict[Pair, float] = {}
    if budget.discount_noise:
        rows = table.ledger.max_rows_per_person
        discount = expected_errors(pairs, expected, two_way_rho, rows, budget)
    oversized = set(rule.declare(columns, roles)) - set(pairs)
    scores = PrivateScores(table, independence_gap(expected, discount), rho, oversized)
    return rule.select(columns, roles, scores)
