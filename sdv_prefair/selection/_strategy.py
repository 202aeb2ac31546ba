"""What a strategy is, and which pairs of columns may be read for it.

A strategy declares pairs and selects a tree among them. Of the pairs that it declares, a fit reads
those whose histogram can be measured: one of two columns with very many values has too many cells.
Domain sizes are public, or were paid for when they were learnt, so this reveals nothing about the
rows. Columns without any other pair stay independent, which is fair.

A thousand columns have half a million pairs. Counting them takes gigabytes, and noise grows with
the number of scores. So at most ``MOST_PAIRS`` are counted, and fewer are scored if the noise on
the scores requires it. They are chosen by public facts alone:

1. every pair with an outcome;
2. pairs with another column that has a role, up to half of what is left;
3. pairs of columns that are near each other in the metadata, the nearest first.

Other pairs are not measured: distant columns without a role depend on each other in the model
only through others. So keep related columns together.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol, runtime_checkable

import numpy as np

from sdv_prefair._arrays import Flags, Integers
from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness._statements import (
    APART,
    FREE,
    Independent,
    Statements,
    outcomes_beside_unlabelled,
)

Pair = tuple[str, str]


@dataclass(frozen=True)
class FairTree:
    """A spanning tree over the columns, as selected by a strategy.

    It is a forest if some columns could only be joined by pairs that are too large to measure or
    that a statement forbids; the columns of one component are then independent of those of another.

    Args:
        edges: The pairs of columns joined by the tree. Within a pair, the columns are in the order
            of the table.
        weight: Sum of the scores that were released for the edges; ``nan`` when the strategy
            chose edges without releasing any score.
        gap: No tree of the strategy's problem weighs more than ``weight + gap``: 0.0 when the tree
            is proven optimal for the released scores, ``nan`` if no bound is known.
    """

    edges: list[Pair]
    weight: float = math.nan
    gap: float = math.nan


class Scores(Protocol):
    """The scores of column pairs, seen only through a mechanism.

    Privacy: an implementation that reads private counts pays for both methods out of one
    selection budget. A strategy therefore uses one of the two: ``choose`` in each of ``rounds``
    rounds, or ``release`` once.

    Some pairs may have histograms too large to measure. Scores that can name such pairs are
    ``KnowsSizes`` too; see ``measurable_pairs``.
    """

    def choose(self, candidates: Sequence[Pair], rounds: int) -> Pair:
        """Return one candidate of high score, for one of ``rounds`` equal shares of the budget."""

    def release(self, pairs: Sequence[Pair]) -> dict[Pair, float]:
        """Return the noisy scores of all ``pairs``, for the whole budget."""


@runtime_checkable
class KnowsSizes(Protocol):
    """Scores that can name pairs too large to measure."""

    def measurable(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return the other pairs."""


@runtime_checkable
class Strategy(Protocol):
    """One way to select a spanning tree.

    A strategy that never calls ``scores.choose`` may declare so: if it has an attribute
    ``all_gaussian`` that is True, the fit has only Gaussian noise, and less of it for the same
    guarantee.
    """

    @property
    def name(self) -> str:
        """The name of the strategy in reports and in ``structure=``."""

    @property
    def requires_roles(self) -> bool:
        """Whether it guarantees fairness, for which it needs roles."""

    def declare(self, columns: Sequence[str], roles: Statements) -> list[Pair]:
        """Return the pairs whose counts may be read; no other pair is ever counted or scored."""

    def select(self, columns: Sequence[str], roles: Statements, scores: Scores) -> FairTree:
        """Return a spanning tree over ``columns`` made of declared pairs that are measurable.

        If there is none, it is a forest to which no such pair can be added.
        """


@runtime_checkable
class ExtendingStrategy(Strategy, Protocol):
    """A strategy whose tree may get more edges, see ``selection/_aim.py``."""

    def chords(
        self, edges: Sequence[Pair], roles: Statements, domain: Mapping[str, int]
    ) -> list[Pair]:
        """Return the declared pairs that may be added to ``edges`` and leave a chordal graph."""


def measurable_pairs(pairs: Sequence[Pair], scores: Scores) -> list[Pair]:
    """Return the pairs that have scores: all, unless the scores name them.

    Privacy: depends on domain sizes, which are public.
    """
    return scores.measurable(pairs) if isinstance(scores, KnowsSizes) else list(pairs)


def all_pairs(columns: Sequence[str]) -> list[Pair]:
    """Return every pair of columns, in the order of ``columns``."""
    return list(combinations(columns, 2))


def usable_pairs(columns: Sequence[str], roles: Statements, unlabelled: str = FREE) -> list[Pair]:
    """Return the pairs that can be an edge of some fair tree or forest.

    Departs: the paper scores all pairs. An edge between the two sides of a statement, such as a
    protected and an outcome column, is in no fair tree, so it is neither counted nor scored, which
    lowers the noise on the others.

    Args:
        columns: The nodes.
        roles: Statements, or the roles that are short for one.
        unlabelled: ``'apart'`` leaves out pairs of an outcome and a column without a role too.
    """
    statements = roles.statements  # computed anew by roles each time
    pairs = [
        pair
        for pair in all_pairs(columns)
        if not any(_opposes(statement, pair) for statement in statements)
    ]
    return towards_unlabelled(pairs, roles, unlabelled)


def towards_unlabelled(pairs: Sequence[Pair], roles: Statements, unlabelled: str) -> list[Pair]:
    """Return the pairs that ``'apart'`` or ``'free'`` allows."""
    if unlabelled == FREE:
        return list(pairs)
    beside = {frozenset(pair) for pair in outcomes_beside_unlabelled(pairs, roles)}
    return [pair for pair in pairs if frozenset(pair) not in beside]


def check_unlabelled(unlabelled: object) -> None:
    """Raise unless ``unlabelled`` is ``'apart'`` or ``'free'``."""
    if unlabelled not in (APART, FREE):
        raise StructureError(f"unlabelled ({shown(unlabelled)}) must be 'apart' or 'free'.")


def check_given(columns: Sequence[str], roles: Statements) -> None:
    """Raise if no column of a statement's conditioning set is among the columns."""
    for statement in roles.statements:
        groups = (statement.left, statement.right, statement.given)
        left, right, given = (set(group) & set(columns) for group in groups)
        if left and right and statement.given and not given:
            raise StructureError(
                'There is no fair spanning tree: protected and outcome columns are modelled, but '
                'no admissible one. Give a modelled column the role admissible.'
            )


def _opposes(statement: Independent, pair: Pair) -> bool:
    first, second = pair
    left, right = statement.left, statement.right
    return (first in left and second in right) or (first in right and second in left)


MOST_PAIRS = 50_000
"""Pairs that are looked at; all of a table of up to 316 columns."""


def looked_at(
    pairs: Sequence[Pair], columns: Sequence[str], roles: Statements, most: int | None = None
) -> list[Pair]:
    """Return the pairs to consider, in their order; all of them if they are not too many.

    Privacy: a function of public facts and of ``most``.

    Args:
        pairs: The pairs that a strategy allows.
        columns: All columns, in the order of the metadata.
        roles: The roles of the columns.
        most: The largest number of pairs; None for ``MOST_PAIRS``.
    """
    most = MOST_PAIRS if most is None else most
    if len(pairs) <= most:
        return list(pairs)
    place = {column: position for position, column in enumerate(columns)}
    ends = np.array([(place[first], place[second]) for first, second in pairs])
    distance = np.abs(ends[:, 0] - ends[:, 1])
    outcome, labelled = (_are_among(group, columns)[ends].any(axis=1) for group in _groups(roles))
    kept = np.zeros(len(pairs), dtype=bool)
    _keep_nearest(kept, outcome, distance, most)
    _keep_nearest(kept, labelled, distance, (most - int(kept.sum())) // 2)
    _keep_nearest(kept, np.ones(len(pairs), dtype=bool), distance, most - int(kept.sum()))
    return [pairs[position] for position in np.flatnonzero(kept).tolist()]


def _groups(roles: Statements) -> tuple[set[str], set[str]]:
    outcome = set(roles.outcome)
    return outcome, outcome | set(roles.protected) | set(roles.admissible)


def _are_among(group: set[str], columns: Sequence[str]) -> Flags:
    return np.array([column in group for column in columns], dtype=bool)


def _keep_nearest(kept: Flags, wanted: Flags, distance: Integers, most: int) -> None:
    """Mark so many more pairs of those that are wanted, those of the nearest columns."""
    open_places = np.flatnonzero(wanted & ~kept)
    nearest = np.argsort(distance[open_places], kind='stable')[:most]
    kept[open_places[nearest]] = True
