"""Fair MWEM+PGM: in each round the clique that the model fits worst is chosen and measured.

After Hardt, Ligett, McSherry: *MWEM* (2012), with Private-PGM's estimate in place of its
multiplicative weights (McKenna, Sheldon, Miklau, 2019). In each of T rounds, the exponential
mechanism chooses the candidate whose counts are furthest from the model's, minus the error that its
noise would leave; the candidate is measured, and the model is estimated again.

Paper: Extensions (MWEM-PGM).

Departs: MWEM starts from the uniform distribution, this from the one-ways. Intermediate estimates
are rough, and with many columns are made only after every few cliques; the last one is a full
estimate.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from statistics import fmean
from typing import ClassVar

import numpy as np

from sdv_prefair.counts import Clique
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.model import estimate
from sdv_prefair.privacy import PrivateTable, Score
from sdv_prefair.privacy._ledger_words import SELECT_CLIQUES
from sdv_prefair.selection._budget import Budget
from sdv_prefair.selection._measured_in_turn import MeasuredInTurn, telling
from sdv_prefair.selection._one_ways import measure_one_ways
from sdv_prefair.selection._protocol import Progress, Release, Shape, quiet
from sdv_prefair.selection._scores import model_gap
from sdv_prefair.selection._tree_first import first_shares
from sdv_prefair.selection._worst_cliques import MwemStrategy

# The maximum number of intermediate estimates.
_ESTIMATES = 10
# Iterations of these estimates, as in ``_fair_aim.py``.
_ROUGHLY = 50


@dataclass(frozen=True)
class MwemPgm:
    """Measure the one-ways, then repeatedly choose and measure what the model explains worst.

    Attributes:
        strategy: Which cliques may be chosen, and how many.
    """

    strategy: MwemStrategy
    shape: ClassVar[Shape] = 'any'

    @property
    def name(self) -> str:
        """The name of the strategy."""
        return self.strategy.name

    @property
    def requires_roles(self) -> bool:
        """Whether the strategy guarantees fairness."""
        return self.strategy.requires_roles

    def declare(self, domain: Mapping[str, int], roles: Statements) -> list[Clique]:
        """Return all single columns, and the strategy's pairs and triples."""
        return [*((column,) for column in domain), *self.strategy.histograms(domain, roles)]

    def run(
        self, table: PrivateTable, roles: Statements, budget: Budget, progress: Progress = quiet
    ) -> Release:
        """Measure one-way marginals, then in each round choose a clique and measure it.

        Privacy: spends all that is left in the table's ledger, through the table alone. Candidates
        and predictions of a round depend on released values and public facts, so rounds compose.
        """
        cliques = self.strategy.histograms(table.domain, roles)  # before codes are merged
        one_way_rho, selection_rho = first_shares(table, budget, cliques)
        progress('Measuring one-way marginals')
        one_ways = measure_one_ways(table, one_way_rho, budget)
        progress('Choosing cliques')
        left = table.ledger.remaining - selection_rho
        measured = MeasuredInTurn(table, one_ways, budget, left)
        loop = _Loop(table, measured, budget, self.strategy, roles, telling(cliques, table))
        rounds = self.strategy.rounds or 2 * len(table.domain)
        shares = table.ledger.shares(selection_rho, [1] * rounds)
        at_once = math.ceil(rounds / _ESTIMATES)
        for start in range(0, rounds, at_once):
            loop.choose(shares[start : start + at_once], max(0, rounds - start - at_once))
        return measured.finish()


class _Loop:
    """Rounds of choosing and measuring.

    Privacy: holds released values; counts are queried from the table.
    """

    def __init__(
        self,
        table: PrivateTable,
        measured: MeasuredInTurn,
        budget: Budget,
        strategy: MwemStrategy,
        roles: Statements,
        on_offer: Sequence[Clique],
    ):
        self._table, self._measured, self._budget = table, measured, budget
        self._strategy, self._roles, self._on_offer = strategy, roles, on_offer

    def choose(self, shares: Sequence[Fraction], after: int) -> None:
        """Choose and measure a clique for each share, based on one estimate of the model.

        Privacy: spends the shares at most, and a part of the tables' budget.

        Args:
            shares: The budget of each choice.
            after: How many rounds follow these.
        """
        candidates = self._open(self._on_offer)
        if not candidates:
            return
        typical = fmean(map(self._measured.weight, candidates))
        gap = self._gap(candidates, typical, after + len(shares) - 1)
        for to_come, rho in zip(count(after + len(shares) - 1, -1), shares, strict=False):
            clique = self._table.choose(candidates, gap, rho, SELECT_CLIQUES)
            self._measured.measure(clique, typical, to_come)
            candidates = self._open(candidates)
            if not candidates:
                break

    def _open(self, cliques: Sequence[Clique]) -> list[Clique]:
        chosen, domain = self._measured.cliques, self._table.domain
        return self._strategy.additions(cliques, chosen, self._roles, domain)

    def _gap(self, cliques: Sequence[Clique], typical: float, to_come: int) -> Score:
        """Return the score: the distance of counts from the model's, minus the expected noise."""
        model = estimate(
            self._measured.measurements,
            self._table.domain,
            self._measured.cliques,
            shrink=self._budget.shrink,
            iterations=_ROUGHLY,
        )
        expected = {clique: model.total * model.marginal(clique) for clique in cliques}
        noise = {clique: self._measured.noise(clique, typical, to_come) for clique in cliques}
        errors = {c: float(np.minimum(rows, noise[c]).sum()) for c, rows in expected.items()}
        return model_gap(expected, errors)
