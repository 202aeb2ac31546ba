"""Planned marginals: a forest and chords, as many as the noise allows."""

import math
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import ClassVar

from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.selection._measuring import Budget
from sdv_prefair.selection._mechanism import (
    PairMechanism,
    Progress,
    Release,
    Shape,
    check_rule,
    quiet,
)
from sdv_prefair.selection._planned_marginals import PlannedFit
from sdv_prefair.selection._strategy import Strategy
from sdv_prefair.selection._trees import GreedyStrategy


@dataclass(frozen=True)
class PlannedStrategy(PairMechanism):
    """Pairs planned from noisy scores of all of them, weighed against the noise they add.

    Columns may stay independent, form a forest, or be joined by more pairs than a forest has:
    whatever is expected to leave the least error in all two-way marginals. Pairs with an outcome
    have more weight. The graph stays fair and chordal with every pair, so it contains the planned
    pairs and nothing else. All noise is Gaussian: ``selection/_planned_marginals.py``.

    Args:
        rule: Which pairs may be joined: those that this strategy declares. With the default, the
            paper's strict rule, outcomes are adjacent to outcomes and admissible columns only.
        outcome_weight: The weight of the error of a pair with an outcome, relative to other pairs.
        one_way: Share of rho for the first measurement of the one-way marginals.
        scores: Share of rho for the scores of pairs.
        residuals: Share of rho for scores of what the forest leaves unexplained.
        look: Part of its own share that a pair gets for its first measurement, before more pairs
            are planned.
        max_cells: Largest number of cells of a clique's table.

    Raises:
        StructureError: If ``rule`` is not a strategy, a weight or share is out of range, or
            ``max_cells`` is not an integer above 0.
    """

    rule: Strategy = field(default_factory=GreedyStrategy)
    outcome_weight: float = 4.0
    one_way: float = 0.35
    scores: float = 0.05
    residuals: float = 0.05
    look: float = 0.4
    max_cells: int = 50_000
    name: ClassVar[str] = 'planned'
    shape: ClassVar[Shape] = 'any'
    all_gaussian: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_rule('rule', self.rule)
        _check_weight(self.outcome_weight)
        for name in ('one_way', 'scores', 'residuals', 'look'):
            _check_share(name, getattr(self, name))
        if self.one_way + self.scores + self.residuals >= 1:
            raise StructureError(
                'one_way, scores and residuals must be less than 1 together: the rest is for the '
                'tables. Lower one of them.'
            )
        if not _is_number(self.max_cells, Integral) or self.max_cells < 1:
            raise StructureError(
                f'max_cells ({shown(self.max_cells)}) must be an integer above 0, for example '
                '50_000.'
            )

    def run(
        self, table: PrivateTable, roles: Statements, budget: Budget, progress: Progress = quiet
    ) -> Release:
        """Measure one-way marginals, plan pairs from noisy scores, measure what was planned.

        Privacy: spends all that is left in the table's ledger, through the table alone. What is
        asked depends on released values and public facts, so the answers compose.
        """
        pairs = self.pairs(table.domain, roles)  # before codes are merged
        fit = PlannedFit(table, roles, self, budget)
        progress('Measuring one-way marginals')
        fit.measure_one_ways()
        scored = fit.scored_among(pairs, roles)
        if not scored:
            return fit.without_pairs()
        progress('Planning the graph')
        fit.plan(scored)
        progress('Measuring two-way marginals')
        return fit.finish()


def _check_weight(weight: object) -> None:
    if not _is_number(weight, Real) or not 0 < weight < math.inf:  # type: ignore[operator]
        raise StructureError(
            f'outcome_weight ({shown(weight)}) must be a number above 0, for example 4.'
        )


def _check_share(name: str, share: object) -> None:
    if not _is_number(share, Real) or not 0 < share < 1:  # type: ignore[operator]
        raise StructureError(f'{name} ({shown(share)}) must be a number between 0 and 1.')


def _is_number(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
