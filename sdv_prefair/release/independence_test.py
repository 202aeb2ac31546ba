"""Whether rows keep statements of independence.

Of a column on either side of a statement, given the conditioning set: the rows of a stratum that
have one value of each are counted, and compared with what is expected if values of one column are
assigned to the stratum's rows at random (Mantel and Haenszel 1959). Sums over all strata find what
is small but goes one way, counts in the largest strata what goes both ways. Rows of the model fail
almost never, whether they were drawn independently or by systematic sampling, which samples the
two sides separately.
"""

from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.stats import norm

from sdv_prefair.fairness.statements import Independent
from sdv_prefair.values.arrays import Floats

# Tails of counts are heavier than the normal's, so the level is far out, more than 7 sigma. Poisson
# counts of the least variance then stray so far in fewer than one of 10,000 tables.
_LEVEL = 1e-9
_LEAST_VARIANCE = 10.0
_MOST_STRATA, _MOST_VALUES = 50, 20


def find_dependence(
    statements: Iterable[Independent], codes: pd.DataFrame
) -> tuple[str, str, tuple[str, ...]] | None:
    """Return two columns that depend on each other against a statement, and what it is given.

    Privacy: reads rows that are said to be synthetic; nothing else.

    Args:
        statements: What the rows should keep.
        codes: Codes of rows, with all columns that statements name.
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
    """Return values numbered, with neighbours merged where there are many: either side may be."""
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
    """Return by how many standard deviations counts of two values stray, over all strata."""
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
    """Return how many rows have each value, in rows, of each stratum, in columns."""
    kinds, number = np.unique(values, return_inverse=True)
    shape = kinds.size, int(stratum.max(initial=0)) + 1
    return sparse.csr_array((np.ones(values.size), (number, stratum)), shape=shape)


def _apart(counts: sparse.csr_array, rows_of: Floats) -> sparse.csr_array:
    """Return for each value and stratum the rows that have it times those that do not."""
    return sparse.csr_array(counts.multiply(rows_of) - counts.multiply(counts))
