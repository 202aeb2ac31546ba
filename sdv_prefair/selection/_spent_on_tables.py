"""What has been spent on each table so far: its precision, and what it still lacks of its share."""

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from sdv_prefair.counts import Clique
from sdv_prefair.values._arrays import Floats

# A table is not measured again if it would get less than this part of its share.
_NOT_WORTH = 0.02


class SpentOnTables:
    """The rho of every table that was measured, in all its measurements together.

    Privacy: depends on amounts in the ledger, which are released.
    """

    def __init__(self) -> None:
        self._rho: dict[Clique, Fraction] = {}

    def add(self, clique: Clique, rho: Fraction) -> None:
        """Add one measurement."""
        self._rho[clique] = self._rho.get(clique, Fraction(0)) + rho

    @property
    def total(self) -> Fraction:
        """The total spent on tables."""
        return sum(self._rho.values(), Fraction(0))

    def lacking(self, targets: Mapping[Clique, float], rest: Fraction) -> dict[Clique, float]:
        """Return what tables still lack of their targets, omitting those that lack very little.

        Args:
            targets: What each table is to have in total.
            rest: The budget left for all of them.
        """
        lacking = {t: max(0.0, rho - float(self._rho.get(t, 0))) for t, rho in targets.items()}
        whole = sum(lacking.values())
        scale = float(rest) / whole if whole > 0 else 0.0
        worth = {t: rho for t, rho in lacking.items() if rho * scale > _NOT_WORTH * targets[t]}
        return worth or dict(targets)

    def precision(self, domain: Mapping[str, int], rows: int) -> Floats:
        """Return 1/sigma^2 for each column so far, from its one-way and from its tables' sums.

        Args:
            domain: Number of codes of every column.
            rows: Rows that one person may have.
        """
        precision = dict.fromkeys(domain, 0.0)
        for clique, rho in self._rho.items():
            cells = math.prod(domain[column] for column in clique)
            for column in clique:
                precision[column] += 2 * float(rho) / rows**2 * domain[column] / cells
        return np.array(list(precision.values()))
