"""What PrivBayes and MWEM have in common: small cliques, chosen and measured one after another.

Which pairs and triples may be read is declared before anything is counted, so it depends on roles
and domain sizes alone. With d columns there are about d^3/6 triples, and the time of a fit grows
with their number: those with few cells are counted, up to a limit, those with an outcome first.

Each clique that is chosen gets the share it would get if all remaining ones were average. What is
left at the end makes all of them more precise, so the whole budget is spent, whatever was chosen.
"""

import heapq
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral
from typing import ClassVar

from sdv_prefair.counting import Clique
from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.model import Measurement
from sdv_prefair.model._measurement import by_columns
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.privacy._accounting import MEASURE_CLIQUES, MEASURE_ONE_WAYS
from sdv_prefair.selection._measuring import Budget, OneWays, expected_noise, measure, weight
from sdv_prefair.selection._mechanism import PairMechanism, Release, Shape, check_rule
from sdv_prefair.selection._strategy import Pair, Strategy
from sdv_prefair.selection._trees import GreedyStrategy


@dataclass(frozen=True)
class CliqueMechanism(PairMechanism):
    """Base of mechanisms that choose pairs and triples of columns.

    Args:
        rule: Which columns may be in one clique: those of which this strategy declares all pairs.
            With the default, the paper's strict rule, outcomes are adjacent to outcomes and
            admissible columns only; ``UnconstrainedStrategy()`` ignores fairness.
        max_cells: Largest number of cells of a triple, and of a clique of the model.
        max_triples: The maximum number of triples that are counted.

    Raises:
        StructureError: If ``rule`` is not a strategy, or another argument is not an integer above
            0.
    """

    rule: Strategy = field(default_factory=GreedyStrategy)
    max_cells: int = 20_000
    max_triples: int = 1_000
    shape: ClassVar[Shape] = 'any'

    def __post_init__(self) -> None:
        check_rule('rule', self.rule)
        check_whole('max_cells', self.max_cells, 20_000)
        check_whole('max_triples', self.max_triples, 1_000)

    def histograms(self, domain: Mapping[str, int], roles: Statements) -> list[Clique]:
        """Return the pairs and triples that may be read.

        Privacy: a function of public facts.

        Args:
            domain: Number of codes of every column, before any are merged.
            roles: The roles of the columns.
        """
        pairs = self.pairs(domain, roles)
        outcomes = set(roles.outcome)
        small = (t for t in _triples(pairs, domain) if _cells(t, domain) <= self.max_cells)
        # A wide table has millions, so not all are kept.
        chosen = heapq.nsmallest(
            self.max_triples, small, lambda t: (outcomes.isdisjoint(t), _cells(t, domain))
        )
        return [*pairs, *chosen]


def _triples(pairs: Sequence[Pair], domain: Mapping[str, int]) -> Iterator[Clique]:
    """Yield the triples whose pairs are all given, with columns in order."""
    place = {column: position for position, column in enumerate(domain)}
    after: dict[str, set[str]] = {column: set() for column in domain}
    for pair in pairs:
        first, second = sorted(pair, key=place.__getitem__)
        after[first].add(second)
    for first in domain:
        for second in sorted(after[first], key=place.__getitem__):
            for third in sorted(after[first] & after[second], key=place.__getitem__):
                yield first, second, third


def _cells(clique: Clique, domain: Mapping[str, int]) -> int:
    return math.prod(domain[column] for column in clique)


def check_whole(name: str, value: object, example: int) -> None:
    """Raise unless an argument of a strategy is an integer above 0."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise StructureError(
            f'{name} ({shown(value)}) must be an integer above 0, for example {example:_}.'
        )


class MeasuredInTurn:
    """The tables measured so far.

    Privacy: holds released values; counts are queried from the table.

    Args:
        table: Answers queries and debits the ledger.
        one_ways: What was measured before.
        budget: The weights by which rho is divided.
        rho: The budget of all tables together.
    """

    def __init__(self, table: PrivateTable, one_ways: OneWays, budget: Budget, rho: Fraction):
        self._table, self._one_ways, self._budget = table, one_ways, budget
        self._left = rho
        self.tables: list[Measurement] = []

    @property
    def cliques(self) -> list[Clique]:
        """The measured cliques, in order of measurement."""
        return [measurement.columns for measurement in self.tables]

    @property
    def measurements(self) -> list[Measurement]:
        """All measurements released so far, including one-way marginals."""
        return self._one_ways.measurements + self.tables

    def noise(self, clique: Clique, typical: float, to_come: int) -> float:
        """Return the mean noise of a cell of the clique, if it is measured next."""
        own = self.weight(clique)
        rho = float(self._left) * own / (own + typical * to_come)
        return expected_noise(rho, self._table.ledger.max_rows_per_person)

    def measure(self, clique: Clique, typical: float, to_come: int) -> None:
        """Measure a clique.

        Privacy: spends a part of the tables' budget.

        Args:
            clique: The clique.
            typical: Weight of an average clique.
            to_come: How many more will be measured.
        """
        shares = [self.weight(clique), typical * to_come]
        rho, self._left = self._table.ledger.shares(self._left, shares)
        self.tables += measure(self._table, [clique], rho, self._budget, MEASURE_CLIQUES)

    def weight(self, clique: Clique) -> float:
        """Return the weight by which a clique gets its share."""
        return weight(self._table.domain, clique, self._budget)

    def finish(self) -> Release:
        """Spend the rest on all measured cliques, or on one-way marginals if there are none.

        Privacy: spends all that is left in the table's ledger.
        """
        left, measured = self._table.ledger.remaining, self.measurements
        if left:
            step = MEASURE_CLIQUES if self.tables else MEASURE_ONE_WAYS
            again = self.cliques or [m.columns for m in measured]
            measured = measured + measure(self._table, again, left, self._budget, step)
        return Release(
            list(by_columns(measured).values()),
            self.cliques,
            self._one_ways.compressions,
            self._one_ways.mostly_outside,
        )


def telling(cliques: Sequence[Clique], table: PrivateTable) -> list[Clique]:
    """Return the cliques of two or more columns whose columns all have more than one code.

    A column with one code contains no information, so measuring it would waste budget.
    """
    domain = table.domain
    return [clique for clique in cliques if min(domain[column] for column in clique) > 1]
