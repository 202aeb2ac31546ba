"""Which pairs of columns are considered if all would be too many.

A thousand columns have half a million pairs. Counting them takes gigabytes, and noise grows with
the number of scores. So at most ``MOST_PAIRS`` are counted, and fewer are scored if the noise on
the scores requires it. They are chosen by public facts alone:

1. every pair with an outcome;
2. pairs with another column that has a role, up to half of what is left;
3. pairs of columns that are near each other in the metadata, the nearest first.

Other pairs are not measured: distant columns without a role depend on each other in the model
only through others. So keep related columns together.
"""

from collections.abc import Sequence

import numpy as np

from sdv_prefair.fairness._statements import Statements
from sdv_prefair.selection._tree import Pair
from sdv_prefair.values._arrays import Flags, Integers

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
