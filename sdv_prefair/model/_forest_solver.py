"""Private-PGM's estimate for trees and forests, solved directly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from threadpoolctl import threadpool_limits

from sdv_prefair._arrays import Flags, Floats
from sdv_prefair.model._measurement import Domain, Measurement, by_columns, project_on_simplex

# -- The dual of least squares over the consistent marginals of a forest ---------------------------
#
# With noisy tables ``Y_e`` (edges) and ``y_v`` (columns) the problem is, in probabilities,
#
#     minimise  sum_e |X_e - Y_e|^2 / (2 s_e^2)  +  sum_v |x_v - y_v|^2 / (2 s_v^2)
#     over      X_e >= 0 with total 1, whose sums at either end are the x_v.
#
# For a forest these local conditions describe exactly the marginals of distributions, so this is
# Private-PGM's objective. Each end of each edge gets multipliers ``m`` for its condition, each edge
# a shift ``t`` for its total. Given them the minimisers are known in closed form, cell by cell:
#
#     X_e = max(0, Y_e + s_e^2 (m_i + m_j' + t_e)),   x_v = y_v - s_v^2 (sum of m at v + constant),
#
# and the gradient of the dual is how far the edges' sums are from ``x_v``. The dual is concave,
# smooth and has as many variables as there are conditions, not cells.
#
# This solver exists because scipy has none for quadratic programs of this size and shape (Adult:
# 10^4 to 10^5 non-negative cells), and mbi's mirror descent needs thousands of steps to come
# close.


@dataclass
class ColumnTerm:
    """A column: its noisy marginal and variances, and the edge ends that must agree with it.

    ``ends`` holds pairs of an edge's position and the axis of its table.
    """

    values: Floats
    variance: Floats
    ends: list[tuple[int, int]]

    def minimiser(self, multiplier: Floats) -> Floats:
        """Return ``x_v`` for the sum of the multipliers of the column's edge ends."""
        # A constant in the multipliers cancels out. Subtracted first, it causes no rounding error.
        share: Floats = self.variance / self.variance.sum()
        contrast: Floats = multiplier - share @ multiplier
        surplus = float(self.values.sum()) - 1.0
        return self.values - share * surplus - self.variance * contrast

    def loss(self, marginal: Floats) -> float:
        """Return half the squared distance of ``marginal`` in units of the noise."""
        change = marginal - self.values
        return 0.5 * float((change / self.variance) @ change)


@dataclass
class EdgeTerm:
    """An edge: the positions of its columns, the noisy table and its standard deviations.

    ``stddev`` broadcasts to ``values``; it stays of shape ``(1, 1)`` for equal noise, which
    saves passes over the table. ``whitened`` is the table in units of its noise.
    """

    columns: tuple[int, int]
    values: Floats
    stddev: Floats

    def __post_init__(self) -> None:
        self.whitened = self.values / self.stddev

    def minimiser(self, rows: Floats, columns: Floats) -> Floats:
        """Return ``X_e`` in units of the noise, for the multipliers of its two ends."""
        table = rows[:, None] + columns
        table *= self.stddev
        table += self.whitened
        return np.maximum(table, 0.0, out=table)

    def end_sums(self, whitened: Floats) -> tuple[Floats, Floats]:
        """Return the one-way sums of a table that is in units of the noise."""
        if self.stddev.size == 1:
            scale = self.stddev.item()
            return whitened.sum(axis=1) * scale, whitened.sum(axis=0) * scale
        table = whitened * self.stddev
        return table.sum(axis=1), table.sum(axis=0)

    def variance_of_end(self, axis: int, cells: Flags | bool = True) -> Floats:
        """Return the variances of the sums along ``axis`` over the chosen ``cells``."""
        variance = np.square(np.broadcast_to(self.stddev, self.values.shape))
        sums: Floats = np.where(cells, variance, 0.0).sum(axis=1 - axis)
        return sums

    def loss(self, table: Floats) -> float:
        """Return half the squared distance of ``table`` in units of the noise."""
        change = (table - self.values) / self.stddev
        return 0.5 * float(np.vdot(change, change))


@dataclass(frozen=True)
class Multipliers:
    """A point of the dual.

    Attributes:
        ends: For every column, a row of multipliers for each of its edge ends.
        sums: For every column, the sum of these rows. Kept apart: as a difference of large
            numbers it would be lost when the column's own noise is large.
        shifts: For every edge, the multiplier of its total.
    """

    ends: list[Floats]
    sums: list[Floats]
    shifts: Floats

    @classmethod
    def zeros(cls, columns: Sequence[ColumnTerm], edges: Sequence[EdgeTerm]) -> Multipliers:
        """Return the point at which every table is ``max(0, Y_e)``."""
        ends = [np.zeros((len(column.ends), column.values.size)) for column in columns]
        return cls(ends, [np.zeros(c.values.size) for c in columns], np.zeros(len(edges)))


class ForestDual:
    """The dual function around a point, in variables for which it is well conditioned.

    At one code of one column the Hessian over the column's edge ends is near
    ``diag(D) + s_v^2 11'``, with ``D`` the variances of the ends' sums over the positive cells. The
    variables ``z`` are the steps from the point, multiplied by a square root of that matrix: the
    curvature is about 1 in all of them, however unequal the noise is.

    Values are relative to the point too: squares of whole tables would swamp the differences that a
    line search compares.

    Args:
        columns: One term for every column.
        edges: One term for every edge of a forest over the columns.
        point: The reference point; its positive cells set the scale. Unless given, zeros with the
            scale of all cells.
    """

    def __init__(
        self,
        columns: Sequence[ColumnTerm],
        edges: Sequence[EdgeTerm],
        point: Multipliers | None = None,
    ):
        self.columns, self.edges = columns, edges
        self.point = point or Multipliers.zeros(columns, edges)
        self._marginals = self._marginals_at(self.point)
        self._tables = self._tables_at(self.point)
        cells = [point is None or table > 0 for table in self._tables]
        variances = [
            [_at_least_one_cell(edge, edge.variance_of_end(axis, positive)) for axis in (0, 1)]
            for edge, positive in zip(edges, cells, strict=True)
        ]
        self._scalings = [
            _EndScaling(column.variance, [variances[e][axis] for e, axis in column.ends])
            for column in columns
        ]
        self._shift_scaling = np.array([1 / np.sqrt(rows.sum()) for rows, _ in variances])
        blocks = np.cumsum([len(edges)] + [scaling.size for scaling in self._scalings])
        self._blocks = [slice(*bounds) for bounds in zip(blocks, blocks[1:], strict=False)]
        self.size = int(blocks[-1])
        self.disagreement = self.steepness = np.inf

    def __call__(self, z: Floats) -> tuple[float, Floats]:
        """Return how far minus the dual is above its value at the point, and its gradient.

        Also notes in ``disagreement`` the largest L1 distance of an edge's sums from its column,
        and in ``steepness`` the largest entry of the gradient: the same in units of the noise.
        """
        at = self.multipliers(z)
        value, end_sums = float((self.point.shifts - at.shifts).sum()), []
        for edge, new, old in zip(self.edges, self._tables_at(at), self._tables, strict=True):
            end_sums.append(edge.end_sums(new))
            value += 0.5 * float(np.vdot(new - old, new + old))
        gradient, self.disagreement = np.empty(self.size), 0.0
        surplus = np.array([rows.sum() - 1.0 for rows, _ in end_sums])
        gradient[: len(self.edges)] = self._shift_scaling * surplus
        for v, (column, new) in enumerate(zip(self.columns, self._marginals_at(at), strict=True)):
            # Exact, since the marginal is affine in the multipliers.
            value -= 0.5 * float((at.sums[v] - self.point.sums[v]) @ (new + self._marginals[v]))
            if column.ends:
                excess = np.stack([end_sums[e][axis] for e, axis in column.ends]) - new
                self.disagreement = max(self.disagreement, np.abs(excess).sum(axis=1).max())
                gradient[self._blocks[v]] = self._scalings[v].gradient(excess).ravel()
        self.steepness = np.abs(gradient).max(initial=0.0)
        return value, gradient

    def multipliers(self, z: Floats) -> Multipliers:
        """Return the multipliers that correspond to the variables ``z``."""
        ends, sums = [], []
        for v, scaling in enumerate(self._scalings):
            step, sum_step = scaling.steps(z[self._blocks[v]])
            ends.append(self.point.ends[v] + step)
            sums.append(self.point.sums[v] + sum_step)
        shifts = self.point.shifts + self._shift_scaling * z[: len(self.edges)]
        return Multipliers(ends, sums, shifts)

    def minimisers(self) -> tuple[list[Floats], list[Floats]]:
        """Return the column marginals and edge tables that belong to the point."""
        tables = [t * edge.stddev for t, edge in zip(self._tables, self.edges, strict=True)]
        return self._marginals, tables

    def value(self) -> float:
        """Return the dual at the point, over joined columns: no model has a lower loss there."""
        value = float(self.point.shifts.sum())
        for edge, table in zip(self.edges, self._tables, strict=True):
            value += 0.5 * float(np.vdot(edge.whitened - table, edge.whitened + table))
        for v, column in enumerate(self.columns):
            if column.ends:
                marginal = self._marginals[v]
                value += column.loss(marginal) + float(self.point.sums[v] @ marginal)
        return value

    def _marginals_at(self, at: Multipliers) -> list[Floats]:
        return [c.minimiser(total) for c, total in zip(self.columns, at.sums, strict=True)]

    def _tables_at(self, at: Multipliers) -> list[Floats]:
        of_end: dict[tuple[int, int], Floats] = {}
        for column, rows in zip(self.columns, at.ends, strict=True):
            of_end.update(zip(column.ends, rows, strict=True))
        return [
            edge.minimiser(of_end[e, 0] + at.shifts[e], of_end[e, 1])
            for e, edge in enumerate(self.edges)
        ]


class _EndScaling:
    """Maps the variables of one column to steps of the multipliers of its edge ends.

    With ``w = D^(-1/2)`` and ``u = s_v w``, ``(I + uu')^(-1/2)`` shortens the direction of ``u``
    by ``1 / sqrt(1 + |u|^2)`` and leaves the rest.
    """

    def __init__(self, variance: Floats, end_variances: Sequence[Floats]):
        self._shape = (len(end_variances), variance.size)
        self.size = len(end_variances) * variance.size
        self._weights = 1 / np.sqrt(np.reshape(end_variances, self._shape))
        self._length = np.sqrt(np.square(self._weights).sum(axis=0))
        self._direction = self._weights / np.where(self._length > 0, self._length, 1.0)
        self._shortening = 1 / np.sqrt(1 + variance * np.square(self._length))

    def steps(self, z: Floats) -> tuple[Floats, Floats]:
        """Return the steps of the multipliers, and of their sum."""
        z = z.reshape(self._shape)
        along = (self._direction * z).sum(axis=0)
        rows = self._weights * (z - self._direction * (along * (1 - self._shortening)))
        return rows, self._length * self._shortening * along

    def gradient(self, excess: Floats) -> Floats:
        """Return the derivative by ``z``, given the one by the multipliers."""
        scaled = self._weights * excess
        along = (self._direction * scaled).sum(axis=0)
        gradient: Floats = scaled - self._direction * (along * (1 - self._shortening))
        return gradient


def _at_least_one_cell(edge: EdgeTerm, variances: Floats) -> Floats:
    raised: Floats = np.maximum(variances, np.square(edge.stddev).min())
    return raised


# -- Private-PGM's estimate for trees and forests, solved directly ---------------------------------


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
        quadratic program over consistent tables, and its dual is solved to the optimum in a
        fraction of the time.
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
