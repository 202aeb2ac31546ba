"""The histograms that strategies that choose cliques one by one may read: pairs, small triples.

They are declared before anything is counted, so they depend on roles and domain sizes alone. With d
columns there are about d^3/6 triples, and the time of a fit grows with their number: those with few
cells are counted, up to a limit, those with an outcome first.
"""

import heapq
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import ClassVar

from sdv_prefair.counts import Clique, is_measurable
from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.selection._greedy import GreedyStrategy
from sdv_prefair.selection._tree import FairTree, Pair, Scores, Strategy
from sdv_prefair.selection._wide_tables import looked_at


@dataclass(frozen=True)
class CliqueStrategy:
    """Base of strategies that choose pairs and triples of columns.

    Args:
        rule: Which columns may be in one clique: those of which this strategy declares all pairs.
            With the default, the paper's strict rule, outcomes are adjacent to outcomes and
            admissible columns only; ``UnconstrainedStrategy()`` ignores fairness.
        max_cells: Largest number of cells of a triple, and of a clique of the model.
        max_triples: The maximum number of triples that are counted.

    Raises:
        StructureError: If ``rule`` is not a strategy, or another argument is not an integer above
            0.
    """

    rule: Strategy = field(default_factory=GreedyStrategy)
    max_cells: int = 20_000
    max_triples: int = 1_000
    name: ClassVar[str]

    def __post_init__(self) -> None:
        if not isinstance(self.rule, Strategy) or isinstance(self.rule, type):
            raise StructureError(
                f'rule ({shown(self.rule)}) must be a strategy object, for example '
                'GreedyStrategy().'
            )
        check_whole('max_cells', self.max_cells, 20_000)
        check_whole('max_triples', self.max_triples, 1_000)

    @property
    def requires_roles(self) -> bool:
        """Whether the rule, and so the model, is fair."""
        return self.rule.requires_roles

    def declare(self, columns: Sequence[str], roles: Statements) -> list[Pair]:
        """Return the pairs that the rule allows."""
        return self.rule.declare(columns, roles)

    def select(self, columns: Sequence[str], roles: Statements, scores: Scores) -> FairTree:
        """Select a tree by the rule, if one is needed; the mechanism needs none.

        Privacy: as in the rule.
        """
        return self.rule.select(columns, roles, scores)

    def histograms(self, domain: Mapping[str, int], roles: Statements) -> list[Clique]:
        """Return the pairs and triples that may be read.

        Privacy: a function of public facts.

        Args:
            domain: Number of codes of every column, before any are merged.
            roles: The roles of the columns.
        """
        allowed = looked_at(self.declare(list(domain), roles), list(domain), roles)
        pairs = [pair for pair in allowed if is_measurable(pair, domain)]
        outcomes = set(roles.outcome)
        small = (t for t in _triples(pairs, domain) if _cells(t, domain) <= self.max_cells)
        # A wide table has millions, so not all are kept.
        chosen = heapq.nsmallest(
            self.max_triples, small, lambda t: (outcomes.isdisjoint(t), _cells(t, domain))
        )
        return [*pairs, *chosen]

    def kept_roles(self, roles: Statements) -> Statements:
        """Return the roles that the model must satisfy: none, if it need not be fair."""
        return roles if self.requires_roles else Statements()


def _triples(pairs: Sequence[Pair], domain: Mapping[str, int]) -> Iterator[Clique]:
    """Yield the triples whose pairs are all given, with columns in order."""
    place = {column: position for position, column in enumerate(domain)}
    after: dict[str, set[str]] = {column: set() for column in domain}
    for pair in pairs:
        first, second = sorted(pair, key=place.__getitem__)
        after[first].add(second)
    for first in domain:
        for second in sorted(after[first], key=place.__getitem__):
            for third in sorted(after[first] & after[second], key=place.__getitem__):
                yield first, second, third


def _cells(clique: Clique, domain: Mapping[str, int]) -> int:
    return math.prod(domain[column] for column in clique)


def check_whole(name: str, value: object, example: int) -> None:
    """Raise unless an argument of a strategy is an integer above 0."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise StructureError(
            f'{name} ({shown(value)}) must be an integer above 0, for example {example:_}.'
        )
