"""One-way marginals, a fair tree, its two-way marginals.

Paper: Marginals-MST with the fair selection step of Algorithm 1 or 2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sdv_prefair.counts import Clique
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.model import one_way_model
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.privacy._ledger_words import MEASURE_TWO_WAYS
from sdv_prefair.selection._measuring import (
    Budget,
    OneWays,
    expected_errors,
    measure,
    measure_one_ways,
)
from sdv_prefair.selection._protocol import Progress, Release, Shape, quiet
from sdv_prefair.selection._scores import PrivateScores, independence_gap
from sdv_prefair.selection._strategy import FairTree, Pair, Strategy, declared_pairs


@dataclass(frozen=True)
class TreeFirst:
    """Measure the one-way marginals, select a tree by a strategy, measure its two-way marginals.

    Attributes:
        strategy: How the tree is selected.
    """

    strategy: Strategy
    shape: ClassVar[Shape] = 'tree'

    @property
    def name(self) -> str:
        """The name of the strategy."""
        return self.strategy.name

    @property
    def requires_roles(self) -> bool:
        """Whether the strategy guarantees fairness."""
        return self.strategy.requires_roles

    @property
    def all_gaussian(self) -> bool:
        """Whether the strategy declares that it releases all scores at once, or uses none."""
        return getattr(self.strategy, 'all_gaussian', False) is True

    def declare(self, domain: Mapping[str, int], roles: Statements) -> list[Clique]:
        """Return all single columns, and the strategy's pairs that are small enough to measure."""
        return declared_cliques(domain, roles, self.strategy)

    def run(
        self, table: PrivateTable, roles: Statements, budget: Budget, progress: Progress = quiet
    ) -> Release:
        """Measure one-way marginals, select a tree, measure its two-way marginals.

        Privacy: spends all that is left in the table's ledger, through the table alone.
        """
        pairs = declared_pairs(table.domain, roles, self.strategy)  # before codes are merged
        one_way_rho, selection_rho = first_shares(table, budget, pairs)
        progress('Measuring one-way marginals')
        one_ways = measure_one_ways(table, one_way_rho, budget)
        progress('Selecting the tree')
        tree = select_tree(table, one_ways, roles, self.strategy, budget, selection_rho, pairs)
        progress('Measuring two-way marginals')
        left = table.ledger.remaining
        two_ways = measure(table, tree.edges, left, budget, MEASURE_TWO_WAYS)
        return Release(
            one_ways.measurements + two_ways,
            [measurement.columns for measurement in two_ways],
            one_ways.compressions,
            one_ways.mostly_outside,
        )


def declared_cliques(
    domain: Mapping[str, int], roles: Statements, strategy: Strategy
) -> list[Clique]:
    """Return the histograms that a strategy's selection may read: one-ways, and its pairs.

    Pairs too large to measure are left out.
    """
    single: list[Clique] = [(column,) for column in domain]
    return [*single, *declared_pairs(domain, roles, strategy)]


def first_shares(
    table: PrivateTable, budget: Budget, cliques: Sequence[Clique]
) -> tuple[Fraction, Fraction]:
    """Return the budgets of one-ways and selection; without cliques, one-ways get everything."""
    shares = [budget.one_way, budget.selection, 1 - budget.one_way - budget.selection]
    one_way, selection, _ = table.ledger.shares(
        table.ledger.remaining, shares if cliques else [1, 0, 0]
    )
    return one_way, selection


def select_tree(
    table: PrivateTable,
    one_ways: OneWays,
    roles: Statements,
    strategy: Strategy,
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
    oversized = set(strategy.declare(columns, roles)) - set(pairs)
    scores = PrivateScores(table, independence_gap(expected, discount), rho, oversized)
    return strategy.select(columns, roles, scores)
