"""Fair MWEM+PGM: the clique that the model explains worst is chosen, measured, and so on.

After Hardt, Ligett, McSherry: *MWEM* (2012), with Private-PGM's estimate in place of its
multiplicative weights (McKenna, Sheldon, Miklau, 2019). In each of T rounds the candidate whose
counts are furthest from the model's, less the error that its noise would leave, is chosen by the
exponential mechanism and measured, and the model is estimated again.

Paper: Extensions (MWEM-PGM).

Departs: MWEM starts from the uniform distribution, this from the one-ways. Estimates on the way are
rough, and wait for a few cliques once there are many columns; the last one is not.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar

import numpy as np

from sdv_prefair.counts import Clique
from sdv_prefair.mechanisms.budget import Budget
from sdv_prefair.mechanisms.measured_in_turn import MeasuredInTurn, telling
from sdv_prefair.mechanisms.one_ways import measure_one_ways
from sdv_prefair.mechanisms.protocol import Progress, Release, Shape, quiet
from sdv_prefair.mechanisms.scores import model_gap
from sdv_prefair.mechanisms.tree_first import first_shares
from sdv_prefair.model import estimate
from sdv_prefair.privacy import PrivateTable, Score
from sdv_prefair.privacy.ledger_words import SELECT_CLIQUES
from sdv_prefair.roles import Roles
from sdv_prefair.structure import MwemStrategy

# How often the model is estimated on the way, at most.
_ESTIMATES = 10
# Iterations of these estimates, as in ``fair_aim.py``.
_ROUGHLY = 50


@dataclass(frozen=True)
class MwemPgm:
    """Measure the one-ways, then choose what the model explains worst and measure it, in turn.

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
        """Whether the strategy promises fairness."""
        return self.strategy.requires_roles

    def declare(self, domain: Mapping[str, int], roles: Roles) -> list[Clique]:
        """Return all single columns, and the strategy's pairs and triples."""
        return [*((column,) for column in domain), *self.strategy.histograms(domain, roles)]

    def run(
        self, table: PrivateTable, roles: Roles, budget: Budget, progress: Progress = quiet
    ) -> Release:
        """Measure one-ways, then in each round choose a clique and measure it.

        Privacy: spends all that is left in the table's ledger, through the table alone. Candidates
        and predictions of a round depend on released values and public facts, so rounds compose.
        """
        cliques = self.strategy.histograms(table.domain, roles)  # before codes are merged
        one_way_rho, selection_rho = first_shares(table, budget, cliques)
        progress('Measuring one-way marginals')
        one_ways = measure_one_ways(table, one_way_rho, budget)
        progress('Choosing cliques')
        rounds = self.strategy.rounds or len(table.domain)
        shares = table.ledger.shares(selection_rho, [1] * rounds)
        left = table.ledger.remaining - selection_rho
        measured = MeasuredInTurn(table, one_ways, budget, left)
        on_offer, at_once = telling(cliques, table), math.ceil(rounds / _ESTIMATES)
        for place, rho in enumerate(shares):
            open_now = self.strategy.additions(on_offer, measured.cliques, roles, table.domain)
            if not open_now:
                break
            if place % at_once == 0:
                typical = fmean(map(measured.weight, open_now))
                gap = _gap(table, measured, on_offer, typical, rounds - place - 1, budget)
            clique = table.choose(open_now, gap, rho, SELECT_CLIQUES)
            measured.measure(clique, typical, rounds - place - 1)
        return measured.finish()


def _gap(
    table: PrivateTable,
    measured: MeasuredInTurn,
    cliques: Sequence[Clique],
    typical: float,
    to_come: int,
    budget: Budget,
) -> Score:
    """Return the score: how far counts are from the model's, less the error of a measurement."""
    model = estimate(
        measured.measurements,
        table.domain,
        measured.cliques,
        shrink=budget.shrink,
        iterations=_ROUGHLY,
    )
    expected = {clique: model.total * model.marginal(clique) for clique in cliques}
    noise = {clique: measured.noise(clique, typical, to_come) for clique in cliques}
    errors = {c: float(np.minimum(rows, noise[c]).sum()) for c, rows in expected.items()}
    return model_gap(expected, errors)
