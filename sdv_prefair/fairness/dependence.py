"""How much one column tells about another: a number from 0, nothing, to 1, everything.

It is the L1 distance of the two columns' table from what independence predicts, over the largest
one that the other column's shares q allow, 2 (1 - sum of q^2), which is reached if and only if
each value of the one goes with one value of the other. Of a column with two values it is the total
variation distance between the rows that hold the first and the rows that hold the second: 0.95
says that all but a twentieth of the two groups can be told apart. It is to Goodman and Kruskal's
tau what L1 is to L2. One row moves the distance by at most one row, so it can be asked for
privately, see ``privacy/proofs/scores.md``.
"""

import math

import numpy as np

from sdv_prefair.values.arrays import Floats

NEARLY_COPIES = 0.7
"""From here on a column is said to nearly copy another; of two equal groups it tells 85 % apart."""

NOTICEABLE = 0.1
"""From here on it is worth a word that a column tells about another."""

SURELY = 3.0
"""Standard deviations of noise that are taken off before anything is said to be so."""


def how_much_tells(table: Floats) -> float:
    """Return how much the first column of a table tells about the second.

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
    """Return the largest distance from independence, as a share of rows, of any column with this.

    Args:
        shares: The share of rows with each value of the column that is told about.
    """
    return max(0.0, 2 * (1 - float((shares**2).sum())))


def told_by_chance(first: Floats, second: Floats, total: float) -> float:
    """Return the distance from independence, in rows, that columns without any have by chance.

    Args:
        first: The shares of one column's values.
        second: Those of the other's.
        total: The number of rows.
    """
    expected = total * np.multiply.outer(first, second)
    variance = expected * np.multiply.outer(
        1 - first, 1 - second
    )  # with both columns' counts fixed
    # A count that is expected to be e is off by at most 2e in the mean.
    return float(np.minimum(2 * expected, np.sqrt(2 * variance / math.pi)).sum())


def beyond(told: float, by_chance: float) -> float:
    """Return what is told beyond what chance and noise explain; 1 stays 1.

    Args:
        told: How much is told, from 0 to 1.
        by_chance: How much would seem to be told if nothing was, from 0 on.
    """
    return max(0.0, (told - by_chance) / (1 - by_chance)) if by_chance < 1 else 0.0
