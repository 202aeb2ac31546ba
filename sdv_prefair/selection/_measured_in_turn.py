"""Tables that are measured in sequence, as they are chosen.

Each gets the share it would get if all remaining ones were average. What is left at the end makes
all of them more precise, so the whole budget is spent, whatever was chosen.
"""

from collections.abc import Sequence
from fractions import Fraction

from sdv_prefair.counts import Clique
from sdv_prefair.model import Measurement
from sdv_prefair.model._measurement import by_columns
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.privacy._ledger_words import MEASURE_CLIQUES, MEASURE_ONE_WAYS
from sdv_prefair.selection._budget import Budget, expected_noise, measure, weight
from sdv_prefair.selection._one_ways import OneWays
from sdv_prefair.selection._protocol import Release


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
        """Spend the rest on all measured cliques, or on the one-ways if there are none.

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
