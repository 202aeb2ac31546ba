"""Fair AIM: a fair tree first, then pairs that are chosen, measured and estimated in turn.

Two fifths of the budget for two-way marginals pay for a first measurement of the tree. Then, in a
few stages, a model is estimated from all measurements so far, the pairs that it fits worst are
chosen, and each is measured once, for at most two fifths more. The rest goes to all chosen pairs
at the end, so that they are as precise as if they had been measured at once.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral
from typing import ClassVar

import networkx as nx
import numpy as np

from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness._predicate import fair_additions
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.model import GraphicalModel, Measurement, estimate
from sdv_prefair.model._measurement import by_columns
from sdv_prefair.privacy import PrivateTable, Score
from sdv_prefair.privacy._accounting import MEASURE_TWO_WAYS, SELECT_PAIRS
from sdv_prefair.selection._graphs import affordable_chords
from sdv_prefair.selection._measuring import (
    Budget,
    expected_noise,
    first_shares,
    measure,
    measure_one_ways,
    model_gap,
    weight,
)
from sdv_prefair.selection._mechanism import (
    PairMechanism,
    Progress,
    Release,
    Shape,
    check_rule,
    quiet,
    select_tree,
)
from sdv_prefair.selection._strategy import (
    ExtendingStrategy,
    FairTree,
    Pair,
    Scores,
    Strategy,
)
from sdv_prefair.selection._trees import GreedyStrategy, pairs_of_given_tree


@dataclass(frozen=True)
class AimStrategy:
    """A tree, then chords: further pairs that the tree's model fits badly.

    In a tree every column depends on one other; with chords, an outcome can depend on several
    admissible columns. A chord must keep the Markov graph fair and chordal. Then the graph contains
    the chosen pairs and nothing else, and the one predicate determines whether the model is fair.

    After AIM (McKenna et al., 2022), which chooses, measures and estimates in turn until the budget
    is spent. The differences: it starts from a tree and not from single columns; a few pairs are
    chosen at a time between estimates; and "nothing more" is one of the candidates, the best one
    once noise would cost more than any pair gains. The rest of the budget then makes the chosen
    pairs more precise. At a small epsilon the choice is noisy: "nothing more" is one candidate
    among many, so pairs are then added nearly at random.

    Args:
        tree: How the tree is selected. Chords are chosen among the pairs that it declares.
        max_cells: Largest number of cells of a clique's table.

    Raises:
        StructureError: If ``tree`` is not a strategy, or ``max_cells`` is not an integer above 0.
    """

    tree: Strategy = field(default_factory=GreedyStrategy)
    max_cells: int = 50_000
    name: ClassVar[str] = 'aim'

    def __post_init__(self) -> None:
        check_rule('tree', self.tree)
        cells = self.max_cells
        if not isinstance(cells, Integral) or isinstance(cells, bool) or cells < 1:
            raise StructureError(
                f'max_cells ({shown(cells)}) must be an integer above 0, for example 50_000.'
            )

    @property
    def requires_roles(self) -> bool:
        """Whether the tree, and so the model, is fair."""
        return self.tree.requires_roles

    def declare(self, columns: Sequence[str], roles: Statements) -> list[Pair]:
        """Return the pairs that the strategy of the tree declares."""
        return self.tree.declare(columns, roles)

    def select(self, columns: Sequence[str], roles: Statements, scores: Scores) -> FairTree:
        """Select the initial tree.

        Privacy: as in the tree's strategy.
        """
        return self.tree.select(columns, roles, scores)

    def chords(
        self, edges: Sequence[Pair], roles: Statements, domain: Mapping[str, int]
    ) -> list[Pair]:
        """Return the pairs that may be added to the edges next.

        Privacy: a function of released edges and public facts.
        """
        pairs = self.declare(list(domain), roles)
        if self.requires_roles:
            pairs = fair_additions(roles, pairs, edges)
        return affordable_chords(edges, pairs, domain, self.max_cells)


CHORDS_SHARE = Fraction(3, 10)
"""Share of the selection budget for pairs beyond the tree; the tree has the rest."""

# Weights of the first measurement and of the rest; chords get no more than the first measurement.
_FIRST_LOOK = (2, 3)
# Number of intermediate estimates. More would be closer to AIM, and slower.
_STAGES = 4
# Iterations of these estimates. They show where a model is wrong by more than noise, for which a
# sixth of the iterations of the last estimate is enough.
_ROUGHLY = 50
_STEP = MEASURE_TWO_WAYS


@dataclass(frozen=True)
class FairAim(PairMechanism):
    """A tree, then chords: further pairs that the model so far explains badly.

    Attributes:
        rule: How the tree is selected, and which pairs may be added to it.
    """

    rule: ExtendingStrategy
    shape: ClassVar[Shape] = 'connected'

    @property
    def name(self) -> str:
        """The name of the rule."""
        return self.rule.name

    @property
    def given(self) -> Sequence[Pair] | None:
        """The pairs of a given tree, if it begins with one."""
        return pairs_of_given_tree(self.rule.tree) if isinstance(self.rule, AimStrategy) else None

    def run(
        self, table: PrivateTable, roles: Statements, budget: Budget, progress: Progress = quiet
    ) -> Release:
        """Measure one-way marginals, select a tree, then measure pairs and choose more in turn.

        Privacy: spends all that is left in the table's ledger, through the table alone. Candidates
        and predictions of a round depend on released values and public facts, so rounds compose.
        """
        pairs = self.pairs(table.domain, roles)  # before codes are merged
        one_way_rho, selection_rho = first_shares(table, budget, pairs)
        progress('Measuring one-way marginals')
        one_ways = measure_one_ways(table, one_way_rho, budget)
        progress('Selecting the tree')
        shares = [1 - CHORDS_SHARE, CHORDS_SHARE]
        tree_rho, chords_rho = table.ledger.shares(selection_rho, shares)
        tree = select_tree(table, one_ways, roles, self.rule, budget, tree_rho, pairs)
        progress('Measuring two-way marginals')
        two_ways: list[Measurement] = []
        if tree.edges:
            graph = _GrowingGraph(
                table, one_ways.measurements, tree.edges, budget, chords_rho, pairs
            )
            two_ways = graph.grow(self.rule, roles, chords_rho)
        return Release(
            one_ways.measurements + two_ways,
            [measurement.columns for measurement in two_ways],
            one_ways.compressions,
            one_ways.mostly_outside,
        )


class _GrowingGraph:
    """The pairs chosen so far, with their measurements.

    Privacy: holds released values; counts are queried from the table.
    """

    def __init__(
        self,
        table: PrivateTable,
        one_ways: Sequence[Measurement],
        tree: Sequence[Pair],
        budget: Budget,
        selection_rho: Fraction,
        pairs: Sequence[Pair],
    ):
        self._counted = frozenset(pairs)
        self._table, self._ledger, self._budget = table, table.ledger, budget
        self._one_ways = list(one_ways)
        self._edges: list[Pair] = [(first, second) for first, second in tree]
        self._two_ways_rho = self._ledger.remaining - selection_rho
        self._first_look, _ = self._ledger.shares(self._two_ways_rho, _FIRST_LOOK)
        self._tree_weight = self._total_weight()
        self._measured = measure(table, self._edges, self._first_look, budget, _STEP)

    def grow(
        self, strategy: ExtendingStrategy, roles: Statements, rho: Fraction
    ) -> list[Measurement]:
        """Choose pairs in stages until no more are worth it; return a measurement of each pair."""
        shares = self._ledger.shares(rho, [1] * len(self._edges))
        at_once = math.ceil(len(shares) / _STAGES)
        for start in range(0, len(shares), at_once):
            stage = shares[start : start + at_once]
            if len(self._choose(strategy, roles, stage)) < len(stage):
                break
        return self._finish()

    def _choose(
        self, strategy: ExtendingStrategy, roles: Statements, shares: Sequence[Fraction]
    ) -> list[Pair]:
        """Choose and measure up to one pair per share; fewer if more are not worth it."""
        candidates = self._candidates(strategy, roles)
        if not candidates:
            return []
        gap = self._gap(candidates)
        chosen: list[Pair] = []
        for rho in shares:
            open_now = set(self._candidates(strategy, roles))
            allowed = [pair for pair in candidates if pair in open_now]
            # Without candidates, nothing is spent.
            on_offer: list[Pair | tuple[()]] = [*allowed, ()]
            pair = self._table.choose(on_offer, gap, rho, SELECT_PAIRS) if allowed else ()
            if not pair:
                break
            self._edges.append(pair)
            chosen.append(pair)
        for pair in chosen:
            self._measured += measure(self._table, [pair], self._look(pair), self._budget, _STEP)
        return chosen

    def _finish(self) -> list[Measurement]:
        """Spend the rest, by weight as before, and return the mean of each pair's measurements."""
        left = self._ledger.remaining
        last = measure(self._table, self._edges, left, self._budget, _STEP)
        return list(by_columns(self._measured + last).values())

    def _candidates(self, strategy: ExtendingStrategy, roles: Statements) -> list[Pair]:
        """Return pairs that can still be afforded: all chords together weigh no more than the tree.

        A column with one code contains no information, so measuring it would waste budget.
        """
        left, domain = 2 * self._tree_weight - self._total_weight(), self._table.domain
        chords = strategy.chords(self._edges, roles, domain)
        pairs = [pair for pair in chords if pair in self._counted]
        telling = [pair for pair in pairs if min(domain[column] for column in pair) > 1]
        return [pair for pair in telling if self._weight(pair) <= left]

    def _gap(self, pairs: Sequence[Pair]) -> Score:
        model = self._model()
        expected = {pair: model.total * model.marginal(pair) for pair in pairs}
        noise = {pair: self._noise(pair) for pair in pairs}
        errors = {p: float(np.minimum(table, noise[p]).sum()) for p, table in expected.items()}
        return model_gap(expected, errors)

    def _model(self) -> GraphicalModel:
        graph: nx.Graph[str] = nx.Graph(self._edges)
        return estimate(
            self._one_ways + self._measured,
            self._table.domain,
            [tuple(clique) for clique in nx.find_cliques(graph)],
            shrink=self._budget.shrink,
            iterations=_ROUGHLY,
        )

    def _noise(self, pair: Pair) -> float:
        """Return the noise to expect at the end if this pair is the last one chosen."""
        own = self._weight(pair)
        share = own / (self._total_weight() + own)
        return expected_noise(float(self._two_ways_rho) * share, self._ledger.max_rows_per_person)

    def _look(self, pair: Pair) -> Fraction:
        own = self._weight(pair)
        return self._ledger.shares(self._first_look, [own, self._tree_weight - own])[0]

    def _weight(self, pair: Pair) -> float:
        return weight(self._table.domain, pair, self._budget)

    def _total_weight(self) -> float:
        return math.fsum(self._weight(edge) for edge in self._edges)
