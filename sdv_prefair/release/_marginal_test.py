"""Goodness of fit: whether rows follow a model, judged by its one- and two-way marginals.

Pearson's chi-square of each marginal against the model's own, with cells in which few rows are
expected merged, and Bonferroni's correction for the number of marginals. Independent rows of
the model fail with about the probability of the level, systematic samples hardly ever. A row in a
cell of probability zero fails at once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
import pandas as pd
from scipy.stats import chi2

from sdv_prefair._arrays import Floats
from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.model import GraphicalModel

LEVEL = 0.001
"""How often rows of the model itself fail: about once in a thousand tables."""

# The chi-square distribution is accurate if at least this many rows are expected in a cell; with
# ten, tail probabilities at the level are off by at most a third.
_LEAST_EXPECTED = 10
_MOST_CELLS = 10_000_000


@dataclass(frozen=True)
class MarginalTest:
    """The result of the test.

    Attributes:
        tested: The number of marginals with enough rows.
        worst: The columns of the marginal with the worst fit.
        p_value: Its p-value, corrected for the number of marginals.
        impossible: Columns with a combination of values that the model never samples.
    """

    tested: int
    worst: tuple[str, ...]
    p_value: float
    impossible: tuple[tuple[str, ...], ...]

    def is_passed(self, level: float = LEVEL) -> bool:
        """Whether the test does not reject."""
        return not self.impossible and not self.p_value < level


def compare_marginals(model: GraphicalModel, codes: pd.DataFrame) -> MarginalTest:
    """Test rows against all columns and joined pairs of a model.

    Privacy: reads rows that are said to be synthetic, and the model; nothing else.

    Args:
        model: The model.
        codes: Codes of rows; columns that it lacks are left out.
    """
    found: dict[tuple[str, ...], float] = {}
    impossible = []
    for columns in _marginals(model, codes.columns.tolist()):
        shares = model.marginal(columns)
        counts = _count([codes[column].to_numpy() for column in columns], shares.shape)
        if counts[shares.ravel() <= 0].any():
            impossible.append(columns)
        elif (p_value := chi_square(counts, shares.ravel())) is not None:
            found[columns] = p_value
    worst = min(found, key=lambda columns: found[columns], default=())
    p_value = min(1.0, found[worst] * len(found)) if found else 1.0
    return MarginalTest(len(found), worst, p_value, tuple(impossible))


def _marginals(model: GraphicalModel, known: Sequence[str]) -> Iterable[tuple[str, ...]]:
    graph: nx.Graph[str] = markov_graph(model.cliques)
    for columns in [*((column,) for column in model.domain), *graph.edges]:
        cells = np.prod([float(model.domain[column]) for column in columns])
        if set(columns) <= set(known) and cells <= _MOST_CELLS:
            yield columns


def _count(codes: Sequence[np.ndarray], shape: tuple[int, ...]) -> Floats:
    cells = np.ravel_multi_index(tuple(codes), shape)
    counts: Floats = np.bincount(cells, minlength=int(np.prod(shape))).astype(np.float64)
    return counts


def chi_square(counts: Floats, shares: Floats) -> float | None:
    """Return the p-value of counts under these shares; None if there are too few rows.

    Args:
        counts: How many rows each cell has.
        shares: The probability of each cell.
    """
    expected = counts.sum() * shares / shares.sum()
    is_large = expected >= _LEAST_EXPECTED
    if not is_large.any():
        return None
    observed = np.append(counts[is_large], counts[~is_large].sum())
    wanted = np.append(expected[is_large], expected[~is_large].sum())
    if wanted[-1] < _LEAST_EXPECTED:  # the rest is merged with the smallest of the others
        smallest = int(np.argmin(wanted[:-1]))
        for values in (observed, wanted):
            values[smallest] += values[-1]
        observed, wanted = observed[:-1], wanted[:-1]
    if len(wanted) < 2:
        return None
    statistic = float(((observed - wanted) ** 2 / wanted).sum())
    return float(chi2.sf(statistic, len(wanted) - 1))
