"""Private-PGM's estimate for trees and forests, solved directly."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from threadpoolctl import threadpool_limits

from sdv_prefair._arrays import Floats
from sdv_prefair.model._dual import ColumnTerm, EdgeTerm, ForestDual
from sdv_prefair.model._measurement import Domain, Measurement, by_columns
from sdv_prefair.model._totals import project_on_simplex

Pair = tuple[str, str]
Progress = Callable[[int], None]

# The solver stops when no edge differs from its columns by more than this: in probability (L1), and
# in units of the noise. Both are far below what a measurement of any size can detect.
_CONSISTENCY = 1e-7
_STATIONARITY = 1e-3
# Iterations of each round. The first are short, to find out early which cells are positive.
_ROUNDS = (12, 12, 12, 50, 100, 400)
# An unmeasured column is treated as one measured to be uniform, with noise this many times that of
# its edges: its information is 10^-6 of theirs, and whatever is not determined becomes uniform.
_VAGUENESS = 1e3


@dataclass(frozen=True)
class ForestSolution:
    """Consistent marginals of a forest, and how close they are to the optimum.

    Attributes:
        columns: The distribution of every column.
        edges: The distribution of every edge; its one-way sums equal those in ``columns``.
        gap: Upper bound on how much lower the loss of any other model can be.
        iterations: Iterations used.
    """

    columns: dict[str, Floats]
    edges: dict[Pair, Floats]
    gap: float
    iterations: int


def solve_forest(
    measurements: Sequence[Measurement],
    domain: Domain,
    edges: Sequence[Pair],
    total: float,
    progress: Progress | None = None,
) -> ForestSolution:
    """Fit the marginals of a forest to noisy one-way and two-way tables.

    Minimises the sum of squared residuals in units of each cell's noise over all distributions
    that are Markov on the forest and have the given total. An edge that was not measured is left
    independent.

    Paper: last step of Greedy-PreFair and Exponential-PreFair, Private-PGM's estimate.
    Departs: the paper runs mirror descent on potentials. On a forest the same least squares is a
        quadratic program over consistent tables, and its dual (``_dual.py``) is solved to the
        optimum in a fraction of the time.
    Privacy: post-processing of released values.

    Args:
        measurements: Measurements of single columns and of edges, any number of each.
        domain: Number of codes of every column.
        edges: Pairs of columns without a cycle.
        total: Number of rows.
        progress: Called with the number of iterations done.
    """
    column_terms, edge_terms = _terms(by_columns(measurements), domain, edges, total)
    dual, iterations = _maximise(ForestDual(column_terms, edge_terms), progress)
    marginals, tables = _make_consistent(dual)
    gap = max(0.0, _loss(dual, marginals, tables) - dual.value())
    names = list(domain)
    columns = dict(zip(names, marginals, strict=True))
    fitted = {
        (names[term.columns[0]], names[term.columns[1]]): table
        for term, table in zip(edge_terms, tables, strict=True)
    }
    for first, second in edges:
        if (first, second) not in fitted:
            fitted[first, second] = np.multiply.outer(columns[first], columns[second])
    return ForestSolution(columns, fitted, gap, iterations)


def _terms(
    measured: Mapping[frozenset[str], Measurement],
    domain: Domain,
    edges: Sequence[Pair],
    total: float,
) -> tuple[list[ColumnTerm], list[EdgeTerm]]:
    """Return the problem in probabilities, its columns in the order of ``domain``."""
    position = {name: v for v, name in enumerate(domain)}
    edge_terms: list[EdgeTerm] = []
    ends: list[list[tuple[int, int]]] = [[] for _ in domain]
    for edge in edges:
        if frozenset(edge) in measured:
            for axis, name in enumerate(edge):
                ends[position[name]].append((len(edge_terms), axis))
            at = (position[edge[0]], position[edge[1]])
            edge_terms.append(_edge_term(measured[frozenset(edge)].transpose(edge), at, total))
    column_terms = [
        _column_term(measured.get(frozenset([name])), domain[name], of_column, edge_terms, total)
        for name, of_column in zip(domain, ends, strict=True)
    ]
    return column_terms, edge_terms


def _edge_term(measurement: Measurement, at: tuple[int, int], total: float) -> EdgeTerm:
    shape = (1, 1) if measurement.is_uniform else measurement.values.shape
    stddev = np.broadcast_to(measurement.stddev, shape)
    return EdgeTerm(at, measurement.values / total, stddev / total)


def _column_term(
    measurement: Measurement | None,
    size: int,
    ends: list[tuple[int, int]],
    edges: Sequence[EdgeTerm],
    total: float,
) -> ColumnTerm:
    if measurement is not None:
        return ColumnTerm(measurement.values / total, measurement.variance / total**2, ends)
    variances = [edges[e].variance_of_end(axis) for e, axis in ends] or [np.ones(size)]
    return ColumnTerm(np.full(size, 1 / size), np.max(variances, axis=0) * _VAGUENESS**2, ends)


def _maximise(dual: ForestDual, progress: Progress | None) -> tuple[ForestDual, int]:
    """Run L-BFGS in rounds, until the tables agree on their columns.

    Every round starts where the last one ended, with the scale of the cells that are positive
    there. If rounding errors end a round early, the next one continues it.
    """
    iterations = 0
    for length in _ROUNDS if dual.edges else ():
        z, used, solved = _round(dual, length, iterations, progress)
        iterations += used
        dual = ForestDual(dual.columns, dual.edges, dual.multipliers(z))
        if solved:
            break
    return dual, iterations


def _round(
    dual: ForestDual, length: int, before: int, progress: Progress | None
) -> tuple[Floats, int, bool]:
    """Return the end of one round, its iterations, and whether it is the optimum."""
    used = 0

    def after_iteration(intermediate_result: OptimizeResult) -> None:
        nonlocal used
        used += 1
        if progress is not None:
            progress(before + used)
        if dual.disagreement <= _CONSISTENCY and dual.steepness <= _STATIONARITY:
            raise StopIteration

    # BLAS threads would spin over matrices of 20 rows, at three times the processor time.
    with threadpool_limits(1, user_api='blas'):
        found = minimize(
            dual,
            np.zeros(dual.size),
            jac=True,
            method='L-BFGS-B',
            callback=after_iteration,
            options={'maxiter': length, 'ftol': 0.0, 'gtol': 0.0},
        )
    # A line search that fails because of rounding may return a point above the start.
    z = found.x if found.fun <= 0 else np.zeros(dual.size)
    dual(z)
    return z, used, dual.disagreement <= _CONSISTENCY and dual.steepness <= _STATIONARITY


def _make_consistent(dual: ForestDual) -> tuple[list[Floats], list[Floats]]:
    """Return exactly consistent distributions next to the dual's nearly consistent ones."""
    marginals, tables = dual.minimisers()
    agreed = [_agreed_marginal(dual, v, marginal, tables) for v, marginal in enumerate(marginals)]
    rounded = [
        _round_to_marginals(table, *(agreed[column] for column in edge.columns))
        for edge, table in zip(dual.edges, tables, strict=True)
    ]
    return agreed, rounded


def _agreed_marginal(
    dual: ForestDual, position: int, marginal: Floats, tables: Sequence[Floats]
) -> Floats:
    """Average a column's own term and its edges' sums, by inverse variance."""
    weight = 1 / dual.columns[position].variance
    weighted = marginal * weight
    for e, axis in dual.columns[position].ends:
        precision = 1 / dual.edges[e].variance_of_end(axis)
        weighted = weighted + tables[e].sum(axis=1 - axis) * precision
        weight = weight + precision
    return project_on_simplex(weighted / weight, 1.0, 1 / weight)


def _round_to_marginals(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """Return a table near ``table`` with exactly these sums.

    Scale down the rows, then the columns, that are too heavy; fill in what is missing as a
    product of the deficits. (Altschuler, Weed and Rigollet 2017, Algorithm 2: moves at most twice
    the disagreement and stays among non-negative tables.)
    """
    table = table * _shrink(rows, table.sum(axis=1))[:, None]
    table = table * _shrink(columns, table.sum(axis=0))
    missing_rows = np.maximum(rows - table.sum(axis=1), 0.0)
    missing_columns = np.maximum(columns - table.sum(axis=0), 0.0)
    missing = missing_columns.sum()
    if missing > 0:
        table = table + np.multiply.outer(missing_rows, missing_columns / missing)
    return table


def _shrink(wanted: Floats, found: Floats) -> Floats:
    return np.minimum(1.0, wanted / np.where(found > 0, found, 1.0))


def _loss(dual: ForestDual, marginals: Sequence[Floats], tables: Sequence[Floats]) -> float:
    """Return the loss over joined columns; the others are at their optimum by construction."""
    loss = sum(edge.loss(table) for edge, table in zip(dual.edges, tables, strict=True))
    joined = zip(dual.columns, marginals, strict=True)
    return loss + sum(column.loss(marginal) for column, marginal in joined if column.ends)
