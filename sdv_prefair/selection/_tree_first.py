"""One-way marginals, a fair tree, its two-way marginals.

Paper: Marginals-MST with the fair selection step of Algorithm 1 or 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sdv_prefair.fairness._statements import Statements
from sdv_prefair.model import one_way_model
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.privacy._accounting import MEASURE_TWO_WAYS
from sdv_prefair.selection._measuring import (
    Budget,
    OneWays,
    expected_errors,
    first_shares,
    measure,
    measure_one_ways,
)
from sdv_prefair.selection._mechanism import (
    PairMechanism,
    Progress,
    Release,
    Shape,
    is_all_gaussian,
    quiet,
)
from sdv_prefair.selection._scores import PrivateScores, independence_gap
from sdv_prefair.selection._strategy import FairTree, Pair, Strategy
from sdv_prefair.selection._trees import pairs_of_given_tree


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
