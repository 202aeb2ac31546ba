"""How well one column predicts another: from 0, independent, to 1, fully determined.

It is the L1 distance of the two columns' contingency table from independence, divided by the
largest that the other column's shares q allow, 2 (1 - sum of q^2), which is reached if and only if
each value of the one determines the value of the other. For a column with two values it is the
total variation distance between the rows with the first and the rows with the second value: 0.95
says that all but a twentieth of the two groups can be distinguished. It relates to Goodman and
Kruskal's tau as L1 to L2. One row changes the distance by at most one row, so it can be queried
privately, see ``privacy/proofs/scores.md``.
"""

import math

import numpy as np

from sdv_prefair._arrays import Floats

NEARLY_COPIES = 0.7
"""From here on a column nearly copies another: it classifies 85 % of two equal groups correctly."""

NOTICEABLE = 0.1
"""From here on a dependence is worth mentioning."""

SURELY = 3.0
"""Standard deviations of noise that are subtracted for a lower bound."""


def how_much_tells(table: Floats) -> float:
    """Return how well the first column of a table predicts the second.

    Args:
        table: Counts or shares of the two columns, not negative; the first by rows.
    """
    total = float(table.sum())
    if total <= 0:
        return 0.0
    shares = table / total
    product = np.multiply.outer(shares.sum(axis=1), shares.sum(axis=0))
    most = most_that_can_be_told(shares.sum(axis=0))
    return min(1.0, float(np.abs(shares - product).sum()) / most) if most > 0 else 0.0


def most_that_can_be_told(shares: Floats) -> float:
    """Return the largest possible distance from independence, as a share of rows.

    Args:
        shares: The share of rows with each value of the predicted column.
    """
    return max(0.0, 2 * (1 - float((shares**2).sum())))


def told_by_chance(first: Floats, second: Floats, total: float) -> float:
    """Return the distance from independence, in rows, that independent columns have by chance.

    Args:
        first: The shares of one column's values.
        second: Those of the other's.
        total: The number of rows.
    """
    expected = total * np.multiply.outer(first, second)
    variance = expected * np.multiply.outer(
        1 - first, 1 - second
    )  # with both columns' counts fixed
    # The mean absolute error of a count with expectation e is at most 2e.
    return float(np.minimum(2 * expected, np.sqrt(2 * variance / math.pi)).sum())


def beyond(told: float, by_chance: float) -> float:
    """Return the dependence beyond what chance and noise explain; 1 stays 1.

    Args:
        told: The measured dependence, from 0 to 1.
        by_chance: What it would be under independence, from 0 on.
    """
    return max(0.0, (told - by_chance) / (1 - by_chance)) if by_chance < 1 else 0.0
