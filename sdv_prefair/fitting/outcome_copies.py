"""A private look at what unlabelled columns tell about outcomes.

A copy of an outcome that nobody gave a role is not kept apart from protected columns. It carries
the whole difference between groups into the synthetic table, beside an outcome that is fair, and
every check passes: ``is_recid`` beside ``two_year_recid`` in COMPAS. The model cannot tell, for it
is kept from joining the two. So a small part of the budget goes into scores of these pairs: the
distance of each from independence of the released one-way marginals.

The mechanism runs first, with what is left once the look's part is put aside; whatever it is, its
one-way marginals then predict what independent columns would show.
"""

import math
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sdv_prefair.counts import Clique, is_measurable
from sdv_prefair.fairness import Statements
from sdv_prefair.fairness.dependence import (
    NEARLY_COPIES,
    SURELY,
    beyond,
    most_that_can_be_told,
    told_by_chance,
)
from sdv_prefair.mechanisms.scores import independence_gap
from sdv_prefair.model import Measurement, one_way_model
from sdv_prefair.model.measurement import by_columns
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.privacy.ledger_words import LOOK_FOR_COPIES
from sdv_prefair.structure.tree import Pair
from sdv_prefair.values.arrays import Floats

LOOK_SHARE = Fraction(1, 100)
"""What the look costs, of what learning domains and bins has left."""

# E|X| of a standard normal X.
_MEAN_SIZE = math.sqrt(2 / math.pi)


@dataclass(frozen=True)
class OutcomeLook:
    """What an unlabelled column tells about an outcome in the table, judging by a noisy score.

    Attributes:
        column: The column.
        outcome: The outcome.
        tells: How much it tells, from 0 to 1.
        surely: How much of that is more than chance and noise.
    """

    column: str
    outcome: str
    tells: float
    surely: float

    @property
    def nearly_copies(self) -> bool:
        """Whether the column surely tells nearly all of the outcome."""
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
    """Put the look's part of the budget aside while a mechanism spends all that is left.

    Privacy: nothing is answered, and nobody can spend more than before.
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

    Privacy: spends rho on all scores at once, see ``PrivateTable.score``; predictions are made of
    released values, and the rest is post-processing.

    Args:
        table: Answers and debits; its codes may have been merged.
        pairs: The pairs.
        roles: Which of their columns are outcomes.
        released: What the mechanism has measured.
        rho: What the scores cost.
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
    """What is known of single columns once a mechanism has run.

    A mechanism of somebody else may have measured other codes than the table now has, or no single
    columns. Then values are taken as even, and noise as without bound, so that nothing is surely
    told.

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
    """Return a look at one pair; a score of so many rows, with noise of so many."""
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
