"""A mechanism in one file: a loop that chooses cliques, a triple among them, and measures each."""

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from sdv_prefair.model import estimate
from sdv_prefair.selection._measuring import measure, measure_one_ways, model_gap
from sdv_prefair.selection._mechanism import Release, quiet

CHOOSE, MEASURE = 'choose a clique', 'measure a clique'


@dataclass(frozen=True)
class TripleLoop:
    """Of three columns that hold no protected one, choose pairs; then measure all three at once.

    Protected columns stay apart from all others, so the model is fair whatever is chosen.
    """

    columns: tuple[str, str, str]
    name: ClassVar[str] = 'triple loop'
    requires_roles: ClassVar[bool] = True
    shape: ClassVar[str] = 'any'

    def declare(self, domain, roles):
        one_ways = [(column,) for column in domain]
        return [*one_ways, *combinations(self.columns, 2), self.columns]

    def run(self, table, roles, budget, progress=quiet):
        ledger = table.ledger
        one_way_rho, choice_rho, _ = ledger.shares(ledger.remaining, [4, 2, 4])
        progress('Measuring one-way marginals')
        one_ways = measure_one_ways(table, one_way_rho, budget)
        released, pairs = list(one_ways.measurements), []
        looks = ledger.shares(ledger.remaining - choice_rho, [1, 1, 3])
        for choice, look in zip(ledger.shares(choice_rho, [1, 1]), looks, strict=False):
            progress('Choosing a clique')
            left = [p for p in combinations(self.columns, 2) if p not in pairs]
            pair = table.choose(left, self._gap(table, released, left), choice, CHOOSE)
            pairs.append(pair)
            released += measure(table, [pair], look, budget, MEASURE)
        released += measure(table, [self.columns], ledger.remaining, budget, MEASURE)
        return Release(released, [self.columns], one_ways.compressions, one_ways.mostly_outside)

    def _gap(self, table, released, pairs):
        model = estimate(released, table.domain)
        expected = {pair: model.total * model.marginal(pair) for pair in pairs}
        return model_gap(expected, dict.fromkeys(pairs, 0.0))
