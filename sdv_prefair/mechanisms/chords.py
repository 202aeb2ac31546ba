"""Beyond the tree: pairs that are chosen, measured and estimated in turn.

Two fifths of what the two-way marginals may spend give a first look at the tree. Then, in a few
stages, the model of all that was measured so far is estimated, the pairs that it explains worst
are chosen, and each gets the same look, which takes two fifths more at most. What is left at the
end goes to all chosen pairs, so that they are as exact as if they had been measured at once.

Which pairs may be chosen is the strategy's to say, see ``structure/aim.py``.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import networkx as nx
import numpy as np

from sdv_prefair.mechanisms.budget import Budget, expected_noise, measure, weight
from sdv_prefair.mechanisms.scores import model_gap
from sdv_prefair.model import GraphicalModel, Measurement, estimate
from sdv_prefair.model.measurement import by_columns
from sdv_prefair.privacy import PrivateTable, Score
from sdv_prefair.roles import Roles
from sdv_prefair.structure import ExtendingStrategy, Pair

CHORDS_SHARE = Fraction(3, 10)
"""Share of the selection budget for pairs beyond the tree; the tree has the rest."""

# Weights of the first look and of the rest, of which the chords take no more than the first look.
_FIRST_LOOK = (2, 3)
# How often the model is estimated on the way. More would be closer to AIM, and slower.
_STAGES = 4
# Iterations of these estimates. They tell where a model is wrong by more than noise, for which
# a sixth of what the last estimate may take is enough.
_ROUGHLY = 50
_CHOOSE, _MEASURE = 'select more pairs', 'measure two-ways'


def measure_with_chords(
    table: PrivateTable,
    one_ways: Sequence[Measurement],
    tree: Sequence[Pair],
    roles: Roles,
    strategy: ExtendingStrategy,
    budget: Budget,
    selection_rho: Fraction,
    pairs: Sequence[Pair],
) -> list[Measurement]:
    """Measure the two-way marginals of a tree and of pairs chosen beside it.

    Privacy: spends all that is left in the table's ledger, through the table alone. Candidates
    and predictions of a round depend on released values and public facts, so the rounds compose.

    Args:
        table: Answers and debits.
        one_ways: The one-way marginals.
        tree: The edges of a spanning tree or forest.
        roles: The roles of the table's columns.
        strategy: Says which pairs may be added.
        budget: How shares are weighted.
        selection_rho: What choosing may spend, of what is left in the ledger.
        pairs: The pairs that were counted; no others can be chosen.

    Returns:
        One measurement of each pair, those of the tree first.
    """
    if not tree:
        return []
    growing = _GrowingGraph(table, one_ways, tree, budget, selection_rho, pairs)
    shares = table.ledger.shares(selection_rho, [1] * len(tree))
    at_once = math.ceil(len(tree) / _STAGES)
    for start in range(0, len(shares), at_once):
        stage = shares[start : start + at_once]
        if len(growing.choose(strategy, roles, stage)) < len(stage):
            break
    return growing.finish()


class _GrowingGraph:
    """The pairs chosen so far, with their measurements.

    Privacy: holds released values; counts are asked of the table.
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
        self._edges = [tuple(edge) for edge in tree]
        self._two_ways_rho = self._ledger.remaining - selection_rho
        self._first_look, _ = self._ledger.shares(self._two_ways_rho, _FIRST_LOOK)
        self._tree_weight = self._total_weight()
        self._measured = measure(table, self._edges, self._first_look, budget, _MEASURE)

    def choose(
        self, strategy: ExtendingStrategy, roles: Roles, shares: Sequence[Fraction]
    ) -> list[Pair]:
        """Choose up to one pair a share and measure them; fewer if more would not pay."""
        candidates = self._candidates(strategy, roles)
        if not candidates:
            return []
        gap, chosen = self._gap(candidates), []
        for rho in shares:
            open_now = set(self._candidates(strategy, roles))
            allowed = [pair for pair in candidates if pair in open_now]
            # Without a pair to choose there is nothing to pay for.
            pair = self._table.choose([*allowed, ()], gap, rho, _CHOOSE) if allowed else ()
            if not pair:
                break
            self._edges.append(pair)
            chosen.append(pair)
        for pair in chosen:
            self._measured += measure(self._table, [pair], self._look(pair), self._budget, _MEASURE)
        return chosen

    def finish(self) -> list[Measurement]:
        """Spend what is left, by weight as before, and return the mean of each pair's looks."""
        left = self._ledger.remaining
        last = measure(self._table, self._edges, left, self._budget, _MEASURE)
        return list(by_columns(self._measured + last).values())

    def _candidates(self, strategy: ExtendingStrategy, roles: Roles) -> list[Pair]:
        """Return pairs for which a look is left: all chords weigh no more than the tree.

        A column with one code tells nothing, so a look at it would be paid for in vain.
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
        return estimate(
            self._one_ways + self._measured,
            self._table.domain,
            list(nx.find_cliques(nx.Graph(self._edges))),
            shrink=self._budget.shrink,
            iterations=_ROUGHLY,
        )

    def _noise(self, pair: Pair) -> float:
        """Return the noise to expect in the end, if this pair is the last one chosen."""
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
