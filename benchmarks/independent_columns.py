"""The least a model can be: every column by itself. What is not better than this learnt no ties."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sdv_prefair.counting import Clique
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.roles import Roles
from sdv_prefair.selection._measuring import Budget, measure_one_ways
from sdv_prefair.selection._mechanism import Progress, Release, Shape, quiet


@dataclass(frozen=True)
class IndependentColumns:
    """All budget to the one-way marginals; no pairs."""

    name: ClassVar[str] = 'independent'
    requires_roles: ClassVar[bool] = True
    shape: ClassVar[Shape] = 'any'
    all_gaussian: ClassVar[bool] = True

    def declare(self, domain: Mapping[str, int], roles: Roles) -> list[Clique]:
        """Return all single columns."""
        return [(column,) for column in domain]

    def run(
        self, table: PrivateTable, roles: Roles, budget: Budget, progress: Progress = quiet
    ) -> Release:
        """Measure the one-ways.

        Privacy: spends all that is left in the table's ledger, through the table alone.
        """
        progress('Measuring one-way marginals')
        one_ways = measure_one_ways(table, table.ledger.remaining, budget)
        return Release(one_ways.measurements, [], one_ways.compressions, one_ways.mostly_outside)
