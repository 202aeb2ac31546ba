"""Fair MWEM+PGM: in each round the clique that the model fits worst is chosen and measured.

After Hardt, Ligett, McSherry: *MWEM* (2012), with Private-PGM's estimate in place of its
multiplicative weights (McKenna, Sheldon, Miklau, 2019). In each of T rounds, the exponential
mechanism chooses the candidate whose counts are furthest from the model's, minus the error that its
noise would leave; the candidate is measured, and the model is estimated again.

Paper: Extensions (MWEM-PGM).

Departs: MWEM starts from the uniform distribution, this from the one-way marginals. Intermediate
estimates are rough, and with many columns are made only after every few cliques; the last one is a
full estimate.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, count
from statistics import fmean
from typing import ClassVar

import numpy as np

from sdv_prefair.counting import Clique
from sdv_prefair.fairness._predicate import fair_additions, markov_graph
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.model import estimate
from sdv_prefair.privacy import PrivateTable, Score
from sdv_prefair.privacy._accounting import SELECT_CLIQUES
from sdv_prefair.selection._cliques import (
    CliqueMechanism,
    MeasuredInTurn,
    check_whole,
    telling,
)
from sdv_prefair.selection._graphs import affordable_cliques
from sdv_prefair.selection._measuring import Budget, first_shares, measure_one_ways
from sdv_prefair.selection._mechanism import Progress, Release, quiet
from sdv_prefair.selection._scores import model_gap

# The maximum number of intermediate estimates.
_ESTIMATES = 10
# Iterations of these estimates, as in ``_aim.py``.
_ROUGHLY = 50


@dataclass(frozen=True)
class MwemStrategy(CliqueMechanism):
    """In each round the pair or triple that the current model fits worst.

    Paper: Extensions (MWEM-PGM), after McKenna et al., 2019.

    Departs: Private-PGM triangulates whatever graph results. Here the graph stays chordal with
    every clique, so no fill-in is needed, and the fairness predicate tests the whole graph. A
    triple is a candidate only once two of its columns are adjacent: three columns are always
    further from independence than two, so otherwise triples would be chosen where pairs suffice.

    Args:
        rule: Which columns may be in one clique, see ``CliqueMechanism``.
        max_cells: Largest number of cells of a triple, and of a clique of the model.
        max_triples: The maximum number of triples that are counted.
        rounds: How many cliques are chosen; by default, twice as many as there are columns.

    Raises:
        StructureError: If an argument is invalid.
    """

    rounds: int | None = None
    name: ClassVar[str] = 'mwem'

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rounds is not None:
            check_whole('rounds', self.rounds, 20)

    def run(
        self, table: PrivateTable, roles: Statements, budget: Budget, progress: Progress = quiet
    ) -> Release:
        """Measure one-way marginals, then in each round choose a clique and measure it.

        Privacy: spends all that is left in the table's ledger, through the table alone. Candidates
        and predictions of a round depend on released values and public facts, so rounds compose.
        """
        cliques = self.histograms(table.domain, roles)  # before codes are merged
        one_way_rho, selection_rho = first_shares(table, budget, cliques)
        progress('Measuring one-way marginals')
        one_ways = measure_one_ways(table, one_way_rho, budget)
        progress('Choosing cliques')
        left = table.ledger.remaining - selection_rho
        measured = MeasuredInTurn(table, one_ways, budget, left)
        loop = _Loop(table, measured, budget, self, roles, telling(cliques, table))
        rounds = self.rounds or 2 * len(table.domain)
        shares = table.ledger.shares(selection_rho, [1] * rounds)
        at_once = math.ceil(rounds / _ESTIMATES)
        for start in range(0, rounds, at_once):
            loop.choose(shares[start : start + at_once], max(0, rounds - start - at_once))
        return measured.finish()

    def additions(
        self,
        on_offer: Sequence[Clique],
        chosen: Sequence[Clique],
        roles: Statements,
        domain: Mapping[str, int],
    ) -> list[Clique]:
        """Return the cliques that may be chosen next, without those already measured.

        Privacy: a function of released cliques and public facts.

        Args:
            on_offer: The cliques that may be measured.
            chosen: The cliques so far.
            roles: The roles of the columns.
            domain: Number of codes of every column.
        """
        measured, graph = [set(clique) for clique in chosen], markov_graph(chosen)
        new = [
            c for c in on_offer if not any(measured_one.issuperset(c) for measured_one in measured)
        ]
        near = [
            c for c in new if len(c) == 2 or any(graph.has_edge(*p) for p in combinations(c, 2))
        ]
        fair = fair_additions(self.kept_roles(roles), near, chosen)
        return affordable_cliques(chosen, fair, domain, self.max_cells)


class _Loop:
    """Rounds of choosing and measuring.

    Privacy: holds released values; counts are queried from the table.
    """

    def __init__(
        self,
        table: PrivateTable,
        measured: MeasuredInTurn,
        budget: Budget,
        mwem: MwemStrategy,
        roles: Statements,
        on_offer: Sequence[Clique],
    ):
        self._table, self._measured, self._budget = table, measured, budget
        self._mwem, self._roles, self._on_offer = mwem, roles, on_offer

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
        return self._mwem.additions(cliques, chosen, self._roles, domain)

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
