"""Private scores of how well unlabelled columns predict outcomes.

A column without a role that copies an outcome is not separated from protected columns. It carries
the whole difference between groups into the synthetic table, next to an outcome that is fair, and
every check passes: for example ``is_recid`` and ``two_year_recid`` in COMPAS. The model cannot show
it, because the two are never joined. So a small part of the budget is spent on scores of these
pairs: the distance of each pair from the product of its released one-way marginals.

A part of the budget is set aside for the scores; the mechanism, whichever it is, runs first and
spends the rest. Its one-way marginals then predict what independent columns would show.
"""

import math
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sdv_prefair._arrays import Floats
from sdv_prefair.counting import Clique, is_measurable
from sdv_prefair.fairness import Statements
from sdv_prefair.fairness._dependence import (
    NEARLY_COPIES,
    SURELY,
    beyond,
    most_that_can_be_told,
    told_by_chance,
)
from sdv_prefair.model import Measurement, one_way_model
from sdv_prefair.model._measurement import by_columns
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.privacy._accounting import LOOK_FOR_COPIES
from sdv_prefair.selection._scores import independence_gap
from sdv_prefair.selection._strategy import Pair

LOOK_SHARE = Fraction(1, 100)
"""The share of the scores in the budget that is left after learning domains and bins."""

# E|X| of a standard normal X.
_MEAN_SIZE = math.sqrt(2 / math.pi)


@dataclass(frozen=True)
class OutcomeLook:
    """How well an unlabelled column predicts an outcome, according to a noisy score.

    Attributes:
        column: The column.
        outcome: The outcome.
        tells: How well it predicts the outcome, from 0 to 1.
        surely: How much of that exceeds chance and noise.
    """

    column: str
    outcome: str
    tells: float
    surely: float

    @property
    def nearly_copies(self) -> bool:
        """Whether the column certainly nearly determines the outcome."""
        return self.surely >= NEARLY_COPIES


def pairs_to_look_at(domain: Mapping[str, int], roles: Statements) -> list[Pair]:
    """Return all pairs of an unlabelled column and an outcome that are small enough to count.

    Args:
        domain: Number of codes of every column.
        roles: The statements.
    """
    place = {column: number for number, column in enumerate(domain)}
    pairs = [(u, o) for u in roles.unlabelled(domain) for o in roles.outcome]
    ordered = [(a, b) if place[a] < place[b] else (b, a) for a, b in pairs]
    return [pair for pair in ordered if is_measurable(pair, domain)]


@contextmanager
def look_put_aside(
    table: PrivateTable, pairs: Collection[Clique]
) -> Generator[Fraction, None, None]:
    """Set the scores' part of the budget aside while a mechanism spends all that is left.

    Privacy: nothing is answered, and the amount that can be spent does not grow.
    """
    ledger = table.ledger
    share = LOOK_SHARE if pairs else Fraction(0)
    rho, _ = ledger.shares(ledger.remaining, [share, 1 - share])
    ledger.put_aside(rho)
    try:
        yield rho
    finally:
        ledger.take_back()


def look_for_copies(
    table: PrivateTable,
    pairs: Sequence[Clique],
    roles: Statements,
    released: Sequence[Measurement],
    rho: Fraction,
) -> tuple[OutcomeLook, ...]:
    """Score pairs of unlabelled and outcome columns by their distance from independence.

    Privacy: spends rho on all scores together, see ``PrivateTable.score``; the predictions come
    from released values, and the rest is post-processing.

    Args:
        table: Answers queries and debits the ledger; its codes may have been merged.
        pairs: The pairs to score.
        roles: The statements, which say which of their columns are outcomes.
        released: What the mechanism has measured.
        rho: The cost of the scores.
    """
    if not pairs:
        return ()
    one_ways = _OneWays(table.domain, sorted({c for pair in pairs for c in pair}), released)
    score = independence_gap(one_ways.expected)
    answers, sigma = table.score(pairs, score, rho, LOOK_FOR_COPIES)
    return tuple(
        _judged(pair, answer / score.unit, sigma, roles, one_ways)
        for pair, answer in zip(pairs, answers, strict=True)
    )


class _OneWays:
    """The one-way distributions and their noise, as far as a mechanism has measured them.

    A user's own mechanism may have measured codes other than the table's present ones, or no single
    columns. Such columns are taken as uniform with unbounded noise, so that nothing counts as
    certain.

    Privacy: post-processing of released values.
    """

    def __init__(
        self, domain: Mapping[str, int], columns: Sequence[str], released: Sequence[Measurement]
    ):
        single = [
            m
            for m in by_columns([m for m in released if len(m.columns) == 1]).values()
            if m.columns[0] in columns and m.values.size == domain[m.columns[0]]
        ]
        self.total, known = one_way_model(single)
        even = {c: np.full(domain[c], self.total / domain[c]) for c in columns}
        self.expected: dict[str, Floats] = even | known
        self.noise = dict.fromkeys(columns, math.inf) | {
            m.columns[0]: _MEAN_SIZE * float(np.sqrt(m.variance).sum()) for m in single
        }


def _judged(
    pair: Clique, distance: float, sigma: float, roles: Statements, one_ways: _OneWays
) -> OutcomeLook:
    """Return how well one pair's column predicts its outcome; distance and sigma are in rows."""
    column, outcome = sorted(pair, key=lambda name: name in roles.outcome)
    total, (first, second) = one_ways.total, (one_ways.expected[c] for c in (column, outcome))
    shares = first / first.sum(), second / second.sum()
    most = total * most_that_can_be_told(shares[1])
    if most <= 0:
        return OutcomeLook(column, outcome, 0.0, 0.0)
    tells = min(1.0, max(0.0, distance / most))
    noise = one_ways.noise[column] + one_ways.noise[outcome]
    by_chance = (noise + told_by_chance(*shares, total)) / most
    surely = beyond(min(1.0, distance / most - SURELY * sigma / most), by_chance)
    return OutcomeLook(column, outcome, tells, min(tells, surely))
