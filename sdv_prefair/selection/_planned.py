"""Planned marginals, the default: score all pairs, plan which to measure, measure them at once.

    measure all one-way marginals; merge the codes that noise would drown                        (1)
    if noise would drown the score of even one pair:
        measure the one-way marginals again with all that is left, and stop
    score the pairs: the distance of their counts from independence                              (2)
    forest = the pair of largest gain that joins two components, again and again while one gains (3)
             and, for each outcome still without a pair, its best one
    unless the forest promises less error than independent columns: plan one without (4)
        unless that one does: forest = nothing
    if there is budget for (4) and a pair beyond the forest seems worth a score:
        measure a part of each table of the forest; estimate a model                             (4)
        in each turn: score pairs by the distance of their counts from the model
                      add the pairs of largest gain that keep the graph chordal, while one gains
                      before the next turn, measure a part of each new table; estimate again
    measure tables and one-way marginals with all that is left, until each has its share         (5)

    gain  = weight * (error if not measured - error if measured) - _DILUTION * loss of all others
    share = in proportion to (weight * cells) ** (2/3)

Every pair must keep the graph fair and its cliques small. Every answer is a Gaussian one, and every
plan is made of released values, so only the measurements and scores cost budget.

=================  =======  ====================================================  ==============
constant           value    what it does                                          measured
=================  =======  ====================================================  ==============
one_way            .35      share of rho for (1)                                  A
scores             .05      share of rho for (2)                                  A
residuals          .05      share of rho for the scores of (4)                    not by itself
look               .4       part of its share that a table gets in (4)            not by itself
outcome_weight     4        weight of a pair with an outcome; all others have 1   A, weakly
max_cells          50,000   largest clique                                        not measured
_RARE              2        standard deviations below which codes are merged      A
_TELLING           .2       all pairs are scored if the noise of a score is less  C
                            than this share of all rows
_CLEAR             .05      otherwise as many as bring the noise to this share    C
_DILUTION          .4       how much of the loss of all others is charged; less   A, against 1
                            than 1, since later pairs gain from a pair too
_SCORED_AGAIN      5        most pairs, for each column, that are scored in (4)   B
_TURNS             2 1 1 1  turns of (4), and their parts of the budget           B
_A_TURN            20       pairs that a turn adds, or half as many as columns    B
_ITERATIONS        12       iterations of the estimates between turns             B
_SHARP             .001     several turns only if the noise of a score is less    not by itself
                            than this share of all rows: with more noise, turns
                            choose no better, and each first look costs
_MANY              5        and if this many times a turn's pairs are suspected   not by itself
_LEFT_OVER         .01      part of what is left that first looks never touch     not measured
=================  =======  ====================================================  ==============

A: about forty variants on Adult, COMPAS and a part of Census KDD. B: about 25 more on Adult and
Census KDD. C: fifteen more on small tables. See "How the constants were chosen" in
``docs/results.md``.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral, Real
from typing import ClassVar

import numpy as np

from sdv_prefair._arrays import Flags, Floats, Integers
from sdv_prefair.counting import Clique
from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness._dependence import most_that_can_be_told
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.model import GraphicalModel, Measurement, estimate, one_way_model
from sdv_prefair.model._graphical_model import distance_from_independence, forest_pairs
from sdv_prefair.model._measurement import by_columns, minimum_variance_total
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.privacy import _accounting as words
from sdv_prefair.selection._expected_error import ExpectedErrors, SharedErrors, Spent, Workload
from sdv_prefair.selection._graphs import GrowingGraph
from sdv_prefair.selection._measuring import (
    Budget,
    OneWays,
    measure,
    measured_again,
    merge_codes,
    weight,
)
from sdv_prefair.selection._mechanism import (
    PairMechanism,
    Progress,
    Release,
    Shape,
    check_rule,
    quiet,
)
from sdv_prefair.selection._scores import independence_gap, model_gap, noisy_scores
from sdv_prefair.selection._strategy import Pair, Strategy, looked_at
from sdv_prefair.selection._trees import GreedyStrategy

_RARE = 2.0
_TELLING, _CLEAR = 0.2, 0.05
_DILUTION = 0.4
_SCORED_AGAIN = 5
_TURNS, _A_TURN, _ITERATIONS = (2, 1, 1, 1), 20, 12
_SHARP, _MANY = 0.001, 5
_LEFT_OVER = 0.01


@dataclass(frozen=True)
class PlannedStrategy(PairMechanism):
    """As many pairs as the noise allows: none, a forest, or more than a tree has.

    Noisy scores of all allowed pairs are obtained at once. From them a graph is planned offline:
    whatever is expected to leave the least error in all two-way marginals. Pairs with an outcome
    have more weight. The graph stays fair and chordal with every pair, so it contains the planned
    pairs and nothing else. All noise is Gaussian.

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

        Privacy: spends all that is left in the table's ledger, through the table alone. Every
        question depends on released values and public facts, so the answers compose.
        """
        ledger, codes = table.ledger, table.domain
        pairs = self.pairs(codes, roles)  # before codes are merged
        shares = [self.one_way, self.scores, self.residuals]
        one_way_rho, *planning, _ = ledger.shares(ledger.remaining, [*shares, 1 - sum(shares)])
        progress('Measuring one-way marginals')
        lines = len(ledger.debits)
        first = measure(table, [(c,) for c in codes], one_way_rho, budget, words.MEASURE_ONE_WAYS)
        spent = Spent({line.columns: line.rho for line in ledger.debits[lines:]})
        noise = _noise_of_scores(1, planning[0], ledger.max_rows_per_person)
        scored = scored_pairs(pairs, list(codes), roles, noise, minimum_variance_total(first))
        if not scored:
            found = measured_again(table, first, budget)
            return Release(found.measurements, [], found.compressions, found.mostly_outside)
        progress('Planning the graph')
        one_ways = merge_codes(table, first, _RARE)
        workload = Workload(table.domain, codes, roles.outcome, self.outcome_weight)
        run = _Run(self, table, self.kept_roles(roles), budget, one_ways, workload, spent)
        graph = run.planned_graph(scored, *planning)
        progress('Measuring two-way marginals')
        return run.finish(graph)


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


def _noise_of_scores(number: int, rho: Fraction, rows: int) -> float:
    """Return the standard deviation of the noise on so many scores."""
    return rows * math.sqrt(number / (2 * float(rho))) if rho else math.inf


def scored_pairs(
    pairs: Sequence[Pair],
    columns: Sequence[str],
    roles: Statements,
    sigma: float,
    total: float,
) -> list[Pair]:
    """Return the pairs whose scores are worth their budget; none if noise would drown even one.

    The noise on each score grows with the square root of their number. If scoring all pairs would
    drown every score, scoring a few can still find the dependences that matter most: those of the
    outcomes come first, then those of other columns with a role, then those of neighbouring
    columns. They are chosen without looking at them, so hardly any of them depend on each other,
    and only a score far above the noise is evidence.

    Privacy: a function of public facts and of the released total; post-processing.

    Args:
        pairs: The pairs that were counted.
        columns: All columns, in the order of the metadata.
        roles: The roles of the columns.
        sigma: The standard deviation of the noise on a score if it is the only one.
        total: The estimated number of rows.
    """
    if sigma * math.sqrt(len(pairs)) <= _TELLING * total:
        return list(pairs)
    most = math.floor((_CLEAR * max(0.0, total) / sigma) ** 2)
    return looked_at(pairs, columns, roles, most)


class _Run:
    """Steps (2) to (5): everything that follows the first measurement of the one-way marginals.

    Privacy: holds released values; counts are queried from the table.
    """

    def __init__(
        self,
        planned: PlannedStrategy,
        table: PrivateTable,
        roles: Statements,
        budget: Budget,
        one_ways: OneWays,
        workload: Workload,
        spent: Spent,
    ):
        self._planned, self._table, self._roles, self._budget = planned, table, roles, budget
        self._one_ways, self._workload, self._spent = one_ways, workload, spent
        self._ledger = table.ledger
        self._more_one_ways: list[Measurement] = []
        self._looks: list[Measurement] = []

    def planned_graph(
        self, declared: Sequence[Pair], scores_rho: Fraction, residuals_rho: Fraction
    ) -> GrowingGraph:
        """Score pairs and plan a forest; measure a part of it, score again and plan chords.

        Privacy: spends ``scores_rho``, and ``residuals_rho`` if chords are planned.
        """
        domain = self._table.domain
        # A column with one code contains no information.
        pairs = [pair for pair in declared if min(domain[column] for column in pair) > 1]
        if not pairs:
            return self._empty_graph()
        left = self._ledger.remaining - scores_rho - residuals_rho
        pool, rows = float(self._spent.total + left), self._ledger.max_rows_per_person
        noise, places = self._expected_errors(pairs), self._workload.places(pairs)
        scores = self._scores(pairs, scores_rho)

        def new_plan(rho: float) -> Plan:
            errors = SharedErrors(self._workload, places, noise, rho, rows)
            return Plan(pairs, errors, self._empty_graph())

        chords_rho = float(residuals_rho)
        plan, may_grow = planned_forest(new_plan, pool, chords_rho, scores, self._precision())
        if may_grow and plan.graph.edges and plan.worth_scoring(scores, 1).size:
            self._look_at(plan.graph, plan.graph.edges, residuals_rho)
            sigma = _noise_of_scores(len(pairs), scores_rho, rows)
            self._plan_chords(plan, pairs, scores, sigma, residuals_rho)
        return plan.graph

    def finish(self, graph: GrowingGraph) -> Release:
        """Spend all that is left on tables and columns, and return a measurement of each.

        Privacy: spends all that is left in the table's ledger.
        """
        self._measure(self._last_shares(graph), self._ledger.remaining)
        hidden = self._table.hidden_codes
        one_ways = self._one_ways.with_more(self._more_one_ways, hidden)
        alone = [column for column in self._table.domain if not graph.is_joined(column)]
        one_ways, groups = one_ways.merged_further(alone, hidden)
        self._table.regroup(groups)
        two_ways = by_columns(self._looks)
        return Release(
            [*one_ways.measurements, *(two_ways[frozenset(edge)] for edge in graph.edges)],
            graph.cliques(),
            one_ways.compressions,
            one_ways.mostly_outside,
        )

    def _empty_graph(self) -> GrowingGraph:
        return GrowingGraph(self._table.domain, self._roles, self._planned.max_cells)

    def _expected_errors(self, pairs: Sequence[Pair]) -> ExpectedErrors:
        _, expected = one_way_model(self._one_ways.measurements)
        _, over_codes = one_way_model(self._one_ways.over_codes)
        merged = self._one_ways.merged_codes(over_codes)
        return ExpectedErrors(expected, over_codes, self._workload.places(pairs), merged)

    def _scores(self, pairs: Sequence[Pair], rho: Fraction) -> Floats:
        """Return noisy distances of the pairs from independence.

        Privacy: spends rho.
        """
        total, expected = one_way_model(self._one_ways.measurements)
        limits = {c: total * most_that_can_be_told(v / v.sum()) for c, v in expected.items()}
        most = np.array([min(limits[column] for column in pair) for pair in pairs])
        gap = independence_gap(expected)
        return noisy_scores(self._table, pairs, gap, rho, words.SELECT_TREE, most)

    def _residuals(self, expected: Mapping[Pair, Floats], most: float, rho: Fraction) -> Floats:
        """Return noisy distances of some pairs from what the model expects.

        Privacy: spends rho.
        """
        gap, limits = model_gap(expected, {}), np.full(len(expected), most)
        return noisy_scores(self._table, list(expected), gap, rho, words.SELECT_PAIRS, limits)

    def _plan_chords(
        self, plan: 'Plan', pairs: Sequence[Pair], scores: Floats, sigma: float, rho: Fraction
    ) -> None:
        """Score pairs by their distance from the model so far and plan chords, in turns.

        Privacy: spends rho at most, and what the first looks at new pairs cost.
        """
        model = self._model_so_far(plan.graph)
        # A false dependence that the forest implies is as wrong as one that it lacks.
        tied = {
            pair: distance_from_independence(table) for pair, table in forest_pairs(model, pairs)
        }
        suspected = np.maximum(scores, [model.total * tied[pair] for pair in pairs])
        most = _SCORED_AGAIN * len(self._table.domain)
        again = plan.worth_scoring(suspected, most)
        at_once = max(_A_TURN, len(self._table.domain) // 2)
        is_sharp = sigma < _SHARP * model.total
        turns = _TURNS if is_sharp and again.size > _MANY * at_once else (1,)
        rhos = self._ledger.shares(rho, turns)
        tables = dict(forest_pairs(model, [pairs[place] for place in again]))
        while again.size:
            residuals = np.full(len(pairs), np.nan)
            expected = {pairs[place]: model.total * tables[pairs[place]] for place in again}
            residuals[again] = self._residuals(expected, 2 * model.total, rhos.pop(0))
            new = plan.grow_chords(residuals, self._precision(), at_once if rhos else None)
            if not new or not rhos:
                return
            self._look_at(plan.graph, new, sum(rhos, Fraction(0)))
            model = self._model_so_far(plan.graph)
            again = plan.open_to(np.argsort(-suspected, kind='stable'))[:most]
            tables = {pairs[place]: model.marginal(pairs[place]) for place in again}

    def _look_at(self, graph: GrowingGraph, edges: Sequence[Pair], reserved: Fraction) -> None:
        """Measure each of the pairs with a part of its share.

        Privacy: spends what the shares say, and nothing of what is reserved.
        """
        targets, free = self._targets(graph), self._ledger.remaining - reserved
        looks: dict[Clique, float] = {edge: self._planned.look * targets[edge] for edge in edges}
        rest = max(_LEFT_OVER * float(free), float(free) - sum(looks.values()))
        whole, _ = self._ledger.shares(free, [sum(looks.values()), rest])
        self._measure(looks, whole)

    def _measure(self, shares: Mapping[Clique, float], rho: Fraction) -> None:
        """Measure tables and one-way marginals, with parts of rho in proportion to their shares.

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

    def _model_so_far(self, graph: GrowingGraph) -> GraphicalModel:
        return estimate(
            [*self._one_ways.measurements, *self._looks],
            self._table.domain,
            graph.cliques(),
            shrink=self._budget.shrink,
            iterations=_ITERATIONS,
        )

    def _targets(self, graph: GrowingGraph) -> dict[Clique, float]:
        pool = float(self._spent.total + self._ledger.remaining)
        return self._workload.targets(graph.edges, pool)

    def _last_shares(self, graph: GrowingGraph) -> dict[Clique, float]:
        """Return what each table lacks; without tables, the shares of the first measurement."""
        if graph.edges:
            return self._spent.lacking(self._targets(graph), self._ledger.remaining)
        codes = self._workload.codes
        return {(c,): weight(codes, (c,), self._budget) for c in codes}

    def _precision(self) -> Floats:
        return self._spent.precision(self._table.domain, self._ledger.max_rows_per_person)


class Plan:
    """The pairs planned so far, and what each further pair would gain.

    Privacy: made of released scores and one-way marginals; post-processing.

    Args:
        pairs: The pairs that may be planned.
        errors: The errors of all two-way marginals, as pairs are planned.
        graph: The graph that planned pairs are added to.
    """

    def __init__(self, pairs: Sequence[Pair], errors: SharedErrors, graph: GrowingGraph):
        self.errors, self.graph = errors, graph
        self._pairs, self._workload = list(pairs), errors.workload

    def grow_forest(self, scores: Floats, precision: Floats) -> None:
        """Plan pairs that join components, while they gain; and one for each outcome left alone.

        Args:
            scores: The distance of each pair from independence.
            precision: For each column, 1/sigma^2 of the one-way marginal behind the scores.
        """
        self._grow(scores, precision, self.graph.apart)
        for column in filter(self._workload.outcomes.__contains__, self._workload.columns):
            if not self.graph.is_joined(column):
                self._attach(column, scores, precision)

    def grow_chords(
        self, residuals: Floats, precision: Floats, most: int | None = None
    ) -> list[Pair]:
        """Plan any pairs that the graph takes, while they gain, and return them.

        Args:
            residuals: The distance of each pair from the model so far; nan for unknown.
            precision: As for ``grow_forest``.
            most: The largest number of pairs that are planned now; None for any number.
        """
        before = len(self.errors.measured)
        self._grow(residuals, precision, self.graph.maybe, most)
        return [self._pairs[place] for place in self.errors.measured[before:]]

    def is_better_than(self, other: 'Plan', scores: Floats, precision: Floats) -> bool:
        """Whether the expected error of the plan is below that of another.

        There is no margin for the noise in the scores: they are shrunk to the extent that they are
        noise, so they are too low as often as too high.

        Args:
            other: The plan it is compared with.
            scores: As for ``grow_forest``.
            precision: As for ``grow_forest``.
        """
        own = self.errors.total(scores, precision)
        return own < other.errors.total(scores, precision)

    def open_to(self, ranking: Integers) -> Integers:
        """Return those of the ranked pairs that the graph takes as it is now."""
        near = ranking[self.graph.maybe(self.errors.places[ranking])]
        taken = [place for place in near if self.graph.takes(self._pairs[place])]
        return np.array(taken, dtype=np.int64)

    def worth_scoring(self, scores: Floats, most: int) -> Integers:
        """Return the pairs, not yet planned, that a score seems to justify, best first."""
        gains = self.errors.weights * (scores - self.errors.if_measured())
        gains[self.errors.measured] = -np.inf
        best = np.argsort(-gains, kind='stable')[:most]
        return best[gains[best] > 0]

    def _grow(
        self,
        scores: Floats,
        precision: Floats,
        fits: Callable[[Integers], Flags],
        most: int | None = None,
    ) -> None:
        for _ in range(len(self._pairs) if most is None else most):
            loss = self.errors.loss_of_others()
            gains = self._own_gains(scores, precision) - _DILUTION * loss
            gains[~(np.isfinite(scores) & fits(self.errors.places))] = -np.inf
            gains[self.errors.measured] = -np.inf
            best = self._best_taken(gains)
            if best is None:
                return
            self._add(best)

    def _own_gains(self, scores: Floats, precision: Floats) -> Floats:
        unmeasured = self.errors.if_not_measured(scores, precision)
        gains: Floats = self.errors.weights * (unmeasured - self.errors.if_measured())
        return gains

    def _best_taken(self, gains: Floats) -> int | None:
        """Return the pair of largest gain among those that the graph takes."""
        for place in np.argsort(-gains, kind='stable'):
            if not gains[place] > 0:
                return None
            if self.graph.takes(self._pairs[place]):
                return int(place)
        return None

    def _attach(self, column: str, scores: Floats, precision: Floats) -> None:
        """Plan the best pair of a column, whether or not it gains."""
        for place in np.argsort(-self._own_gains(scores, precision), kind='stable'):
            if column in self._pairs[place] and self.graph.takes(self._pairs[place]):
                self._add(int(place))
                return

    def _add(self, place: int) -> None:
        self.graph.add(self._pairs[place])
        self.errors.measure(place)


def planned_forest(
    new_plan: Callable[[float], Plan],
    pool: float,
    chords_rho: float,
    scores: Floats,
    precision: Floats,
) -> tuple[Plan, bool]:
    """Return the plan of a forest, and whether there is budget to plan chords on top of it.

    A forest competes with independent columns, which need no budget for chords. If it loses, it
    competes once more without chords; if it loses again, nothing is planned.

    Args:
        new_plan: Returns an empty plan that spends so much of rho on tables.
        pool: What is spent on tables if chords are planned.
        chords_rho: What planning chords costs, or adds to the pool if none are planned.
        scores: As for ``Plan.grow_forest``.
        precision: As for ``Plan.grow_forest``.
    """
    nothing = new_plan(pool + chords_rho)
    for rho, may_grow in ((pool, True), (pool + chords_rho, False)):
        forest = new_plan(rho)
        forest.grow_forest(scores, precision)
        if forest.is_better_than(nothing, scores, precision):
            return forest, may_grow
    return nothing, False
