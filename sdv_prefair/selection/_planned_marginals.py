"""Planned marginals: scores of all pairs at once, a plan made of them, one measurement of all.

1. One-way marginals are measured, and codes that noise would drown are merged.
2. All declared pairs are scored by their distance from independence, with Gaussian noise.
3. A forest is planned from the scores: pairs that take off more error than noise brings.
4. Each of its tables gets a first look, from which a first model is estimated.
5. Pairs are scored again, by their distance from that model, and chords are planned. Where many
   pairs are suspected and noise is small, in turns: a few chords, a look at them, a new model,
   scores, more chords. For a chord takes error off other pairs too, and opens places for others.
6. All that is left goes into one measurement of tables and one-way marginals, shared by their use.

If no pair beyond the forest is worth a look, or the forest promises less error than independent
columns only without them, steps 4 and 5 are left out: what would have been spent goes to the last
step. If the forest promises no less error even then, it is dropped: all that is left goes to the
one-ways. If scores of all pairs would be mostly noise, fewer are scored (``scored_pairs``), or
none, and then codes are merged by all that is measured. Every answer is a Gaussian one.
Which pairs there are, the strategy says: see ``selection/_planned.py``.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sdv_prefair.counts import Clique
from sdv_prefair.fairness._dependence import most_that_can_be_told
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.model import GraphicalModel, Measurement, estimate, one_way_model
from sdv_prefair.model._forest_pairs import distance_from_independence, forest_pairs
from sdv_prefair.model._measurement import by_columns
from sdv_prefair.model._totals import minimum_variance_total
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.privacy import _ledger_words as words
from sdv_prefair.selection._expected_error import ExpectedErrors
from sdv_prefair.selection._graphs import GrowingGraph
from sdv_prefair.selection._measuring import Budget, measure, measured_again, merge_codes, weight
from sdv_prefair.selection._mechanism import Release
from sdv_prefair.selection._plan_growth import Plan, planned_forest
from sdv_prefair.selection._scored_pairs import scored_pairs
from sdv_prefair.selection._scores import independence_gap, model_gap, noisy_scores
from sdv_prefair.selection._shares_by_use import Workload
from sdv_prefair.selection._spent_on_tables import SpentOnTables
from sdv_prefair.selection._strategy import Pair
from sdv_prefair.values._arrays import Floats

# Codes under so many standard deviations are merged; what is left of them is not lost, since the
# one-way marginals are measured once more.
_RARE = 2.0
# At most so many pairs a column are scored against the forest.
_SCORED_AGAIN = 5
# Where the noise of scores is under this share of all rows, and there are more pairs to score than
# so many times those that a turn plans, chords are planned in turns, of which each scores fewer
# pairs than that before. With more noise turns do not know better, and each look costs. All turns
# but the last plan so many pairs, or half as many as there are columns.
_SHARP = 0.001
_MANY = 5
_AT_ONCE = 20
_TURNS = (2, 1, 1, 1)
_NEVER_LOOKED_AT = 0.01  # of what is left, for pairs that get no look
# Iterations of the estimates between turns. They tell where a model is wrong by more than noise.
_ROUGHLY = 12


if TYPE_CHECKING:
    from sdv_prefair.selection._planned import PlannedStrategy


class PlannedFit:
    """One run: what was measured so far, and the plan.

    Privacy: holds released values; counts are asked of the table.
    """

    def __init__(
        self, table: PrivateTable, roles: Statements, planned: 'PlannedStrategy', budget: Budget
    ):
        self._table, self._ledger = table, table.ledger
        self._strategy, self._budget = planned, budget
        self._outcomes = roles.outcome
        self._roles = planned.kept_roles(roles)
        named = [planned.one_way, planned.scores, planned.residuals]
        self._one_way_rho, self._scores_rho, self._residuals_rho, _ = self._ledger.shares(
            self._ledger.remaining, [*named, 1 - sum(named)]
        )
        self._more_one_ways: list[Measurement] = []
        self._looks: list[Measurement] = []
        self._spent = SpentOnTables()

    def measure_one_ways(self) -> None:
        """Take a first look at all columns."""
        columns, lines_before = [(c,) for c in self._table.domain], len(self._ledger.debits)
        rho, step = self._one_way_rho, words.MEASURE_ONE_WAYS
        self._first_look = measure(self._table, columns, rho, self._budget, step)
        for line in self._ledger.debits[lines_before:]:
            self._spent.add(line.columns, line.rho)

    def scored_among(self, pairs: Sequence[Pair], roles: Statements) -> list[Pair]:
        """Return those of the pairs that are scored, of which there may be none."""
        total, sigma = minimum_variance_total(self._first_look), self._noise_of_scores(1)
        return scored_pairs(pairs, list(self._table.domain), roles, sigma, total)

    def without_pairs(self) -> Release:
        """Spend all that is left on the one-way marginals."""
        found = measured_again(self._table, self._first_look, self._budget)
        return Release(found.measurements, [], found.compressions, found.mostly_outside)

    def plan(self, declared: Sequence[Pair]) -> None:
        """Merge codes, score pairs, plan a forest; look at it, score again and plan chords.

        A column with one code tells nothing, so its pairs are left out.
        """
        codes = self._table.domain
        self._one_ways = merge_codes(self._table, self._first_look, _RARE)
        domain = self._table.domain
        self._workload = Workload(domain, codes, self._outcomes, self._strategy.outcome_weight)
        self._graph = GrowingGraph(domain, self._roles, self._strategy.max_cells)
        pairs = [pair for pair in declared if min(domain[column] for column in pair) > 1]
        total, expected = one_way_model(self._one_ways.measurements)
        if not pairs:
            return
        _, over_codes = one_way_model(self._one_ways.over_codes)
        places = self._workload.places(pairs)
        merged = self._one_ways.merged_codes(over_codes)
        errors = ExpectedErrors(expected, over_codes, places, merged)
        gap = independence_gap(expected)
        limits = {c: total * most_that_can_be_told(v / v.sum()) for c, v in expected.items()}
        most = np.array([min(limits[column] for column in pair) for pair in pairs])
        rho, step = self._scores_rho, words.SELECT_TREE
        pool, rows = float(self._pool()), self._ledger.max_rows_per_person
        scores = noisy_scores(self._table, pairs, gap, rho, step, most)

        def new_plan(rho: float) -> Plan:
            graph = GrowingGraph(domain, self._roles, self._strategy.max_cells)
            return Plan(self._workload, pairs, errors, graph, rho, rows)

        chords_rho = float(self._residuals_rho)
        plan, may_grow = planned_forest(new_plan, pool, chords_rho, scores, self._precision())
        self._graph = plan.graph
        if may_grow and plan.graph.edges and plan.worth_scoring(scores, 1).size:
            self._look_at(plan.graph.edges, self._residuals_rho)
            self._plan_chords(plan, pairs, scores)

    def finish(self) -> Release:
        """Spend all that is left on tables and one-ways, and return a measurement of each."""
        self._measure(self._last_shares(), self._ledger.remaining)
        hidden = self._table.hidden_codes
        one_ways = self._one_ways.with_more(self._more_one_ways, hidden)
        alone = [column for column in self._table.domain if not self._graph.is_joined(column)]
        one_ways, groups = one_ways.merged_further(alone, hidden)
        self._table.regroup(groups)
        two_ways = by_columns(self._looks)
        return Release(
            [*one_ways.measurements, *(two_ways[frozenset(edge)] for edge in self._graph.edges)],
            self._graph.cliques(),
            one_ways.compressions,
            one_ways.mostly_outside,
        )

    def _look_at(self, edges: Sequence[Pair], reserved: Fraction) -> None:
        """Spend a part of their shares on pairs just planned.

        Privacy: spends what the shares say, and nothing of what is reserved.
        """
        targets, free = self._targets(), self._ledger.remaining - reserved
        looks: dict[Clique, float] = {edge: self._strategy.look * targets[edge] for edge in edges}
        rest = max(_NEVER_LOOKED_AT * float(free), float(free) - sum(looks.values()))
        whole, _ = self._ledger.shares(free, [sum(looks.values()), rest])
        self._measure(looks, whole)

    def _plan_chords(self, plan: Plan, pairs: Sequence[Pair], scores: Floats) -> None:
        model = self._model_so_far()
        # A pair that the forest ties falsely is as wrong as one that it does not tie.
        tied = {
            pair: distance_from_independence(table) for pair, table in forest_pairs(model, pairs)
        }
        suspected = np.maximum(scores, [model.total * tied[pair] for pair in pairs])
        most = _SCORED_AGAIN * len(self._table.domain)
        again = plan.worth_scoring(suspected, most)
        at_once = max(_AT_ONCE, len(self._table.domain) // 2)
        is_sharp = self._noise_of_scores(len(pairs)) < _SHARP * model.total
        turns = _TURNS if is_sharp and again.size > _MANY * at_once else (1,)
        rhos = self._ledger.shares(self._residuals_rho, turns)
        tables = dict(forest_pairs(model, [pairs[place] for place in again]))
        while again.size:
            residuals = np.full(len(pairs), np.nan)
            chosen = {pairs[place]: model.total * tables[pairs[place]] for place in again}
            residuals[again] = self._residuals(chosen, 2 * model.total, rhos.pop(0))
            new = plan.grow_chords(residuals, self._precision(), at_once if rhos else None)
            if not new or not rhos:
                return
            self._look_at(new, sum(rhos, Fraction(0)))
            model = self._model_so_far()
            again = plan.open_to(np.argsort(-suspected, kind='stable'))[:most]
            tables = {pairs[place]: model.marginal(pairs[place]) for place in again}

    def _residuals(self, expected: Mapping[Pair, Floats], most: float, rho: Fraction) -> Floats:
        """Score pairs by their distance from what the model expects.

        Privacy: spends rho.
        """
        gap = model_gap(expected, {})
        limits, step = np.full(len(expected), most), words.SELECT_PAIRS
        return noisy_scores(self._table, list(expected), gap, rho, step, limits)

    def _noise_of_scores(self, number: int) -> float:
        """Return the standard deviation of the noise on so many scores."""
        rows, rho = self._ledger.max_rows_per_person, float(self._scores_rho)
        return rows * math.sqrt(number / (2 * rho)) if rho else math.inf

    def _model_so_far(self) -> GraphicalModel:
        return estimate(
            [*self._one_ways.measurements, *self._looks],
            self._table.domain,
            self._graph.cliques(),
            shrink=self._budget.shrink,
            iterations=_ROUGHLY,
        )

    def _pool(self) -> Fraction:
        """Return what is spent on tables in the end, if both kinds of scores are asked for."""
        left = self._ledger.remaining - self._scores_rho - self._residuals_rho
        return self._spent.total + left

    def _targets(self) -> dict[Clique, float]:
        pool = float(self._spent.total + self._ledger.remaining)
        return self._workload.targets(self._graph.edges, pool)

    def _last_shares(self) -> dict[Clique, float]:
        """Return what tables lack; of one-ways that stand alone, what they had at first."""
        if self._graph.edges:
            return self._spent.lacking(self._targets(), self._ledger.remaining)
        codes = self._workload.codes
        return {(c,): weight(codes, (c,), self._budget) for c in codes}

    def _measure(self, shares: Mapping[Clique, float], rho: Fraction) -> None:
        """Measure tables, with parts of rho in proportion to their shares.

        Privacy: spends rho.
        """
        parts = self._ledger.shares(rho, list(shares.values()))
        for clique, part in zip(shares, parts, strict=True):
            if len(clique) == 1:
                values, sigma = self._table.measure_codes(clique[0], part, words.MEASURE_ONE_WAYS)
                looks = self._more_one_ways
            else:
                values, sigma = self._table.measure(clique, part, words.MEASURE_TWO_WAYS)
                looks = self._looks
            looks.append(Measurement(clique, values.astype(np.float64), sigma))
            self._spent.add(clique, part)

    def _precision(self) -> Floats:
        return self._spent.precision(self._table.domain, self._ledger.max_rows_per_person)
