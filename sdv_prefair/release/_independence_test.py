"""A test of whether rows satisfy statements of independence.

It takes a column from each side of a statement, and strata by the conditioning set. In each
stratum, the rows with one value of each column are counted, and compared with the expectation if
the values of one column were assigned to the stratum's rows at random (Mantel and Haenszel 1959).
Sums over all strata detect small dependences in the same direction, counts in the largest strata
those in different directions. Rows of the model almost never fail, whether they were sampled
independently or systematically, since systematic sampling samples the two sides separately.
"""

from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.stats import norm

from sdv_prefair.fairness._statements import Independent
from sdv_prefair.values._arrays import Floats

# Tails of counts are heavier than the normal's, so the threshold is high, more than 7 sigma. Even
# Poisson counts of the smallest variance then exceed it in fewer than one of 10,000 tables.
_LEVEL = 1e-9
_LEAST_VARIANCE = 10.0
_MOST_STRATA, _MOST_VALUES = 50, 20


def find_dependence(
    statements: Iterable[Independent], codes: pd.DataFrame
) -> tuple[str, str, tuple[str, ...]] | None:
    """Return two columns that are dependent in violation of a statement, and its conditioning set.

    Privacy: reads rows that are said to be synthetic; nothing else.

    Args:
        statements: The statements that the rows should satisfy.
        codes: The codes of the rows, with all columns that statements name.
    """
    for statement in statements:
        stratum = _numbered(codes, list(statement.given))
        for left, right in product(statement.left, statement.right):
            pair = _few(codes[left].to_numpy()), _few(codes[right].to_numpy())
            scores = np.concatenate([_scores(*pair, stratum), *_within(*pair, stratum)])
            if scores.size and 2 * norm.sf(scores.max()) * scores.size < _LEVEL:
                return left, right, statement.given
    return None


def _numbered(codes: pd.DataFrame, columns: list[str]) -> np.ndarray:
    if not columns:
        return np.zeros(len(codes), dtype=np.int64)
    return codes.groupby(columns, sort=False).ngroup().to_numpy()


def _few(values: np.ndarray) -> np.ndarray:
    """Return values as numbers; many are merged with neighbours, which keeps independence."""
    kinds, number = np.unique(values, return_inverse=True)
    few: np.ndarray = number * min(kinds.size, _MOST_VALUES) // max(kinds.size, 1)
    return few


def _within(left: np.ndarray, right: np.ndarray, stratum: np.ndarray) -> Iterator[Floats]:
    """Yield the scores of each of the largest strata."""
    sizes = np.bincount(stratum)
    for one in np.argsort(-sizes)[:_MOST_STRATA]:
        rows = stratum == one
        yield _scores(left[rows], right[rows], np.zeros(sizes[one], dtype=np.int64))


def _scores(left: np.ndarray, right: np.ndarray, stratum: np.ndarray) -> Floats:
    """Return how far counts of pairs of values deviate over all strata, in standard deviations."""
    rows_of = np.maximum(np.bincount(stratum).astype(np.float64), 1.0)
    one, other = _counts(left, stratum), _counts(right, stratum)
    together = _counts(left, np.unique(right, return_inverse=True)[1]).toarray()
    expected = (one.multiply(1 / rows_of) @ other.T).toarray()
    scale = 1 / (rows_of**2 * np.maximum(rows_of - 1, 1.0))
    variance = (_apart(one, rows_of).multiply(scale) @ _apart(other, rows_of).T).toarray()
    enough = variance >= _LEAST_VARIANCE
    scores: Floats = np.abs(together - expected)[enough] / np.sqrt(variance[enough])
    return scores


def _counts(values: np.ndarray, stratum: np.ndarray) -> sparse.csr_array:
    """Return how many rows have each value (rows) in each stratum (columns)."""
    kinds, number = np.unique(values, return_inverse=True)
    shape = kinds.size, int(stratum.max(initial=0)) + 1
    return sparse.csr_array((np.ones(values.size), (number, stratum)), shape=shape)


def _apart(counts: sparse.csr_array, rows_of: Floats) -> sparse.csr_array:
    """Return, for each value and stratum, the number of rows with it times that without it."""
    return sparse.csr_array(counts.multiply(rows_of) - counts.multiply(counts))
