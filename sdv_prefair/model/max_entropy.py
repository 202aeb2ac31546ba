"""Estimates for chordal graphs: the nearest model to a forest's that fits all measurements.

A forest's model ``q`` is solved directly (``forest_solver.py``). With more pairs measured than a
forest holds, the model ``p`` is the distribution of ``n`` rows that minimises

    sum_m |n p_m - Y_m|^2 / (2 s_m^2)  +  w n KL(p | q)

over the noisy tables ``Y_m``. The divergence does two things. It picks one of the many
distributions that have the same pairs, and one of the right kind: ``q`` times a factor
``exp(f_m)`` for every table, so it has no dependence but along measured pairs. And it makes
the dual smooth: divided by ``w`` it is, in the factors,

    n log Z(f)  -  sum_m f_m . Y_m  +  w / 2 sum_m s_m^2 |f_m|^2,

whose gradient is how far the model's tables, ``n p_m + w s_m^2 f_m``, are from the measured ones.
``Z`` and ``p_m`` come from one pass of messages up and one down the junction tree.

The first steps are sweeps of ``proportional_fitting.py``, the last those of L-BFGS. Written by hand
because mbi's mirror descent for the same least squares starts from uniform, compiles a program for
every graph and needs thousands of steps; a test holds the two together.
"""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from sdv_prefair.model.calibration import calibrate, logarithm_of
from sdv_prefair.model.forest_solver import Progress
from sdv_prefair.model.junction import Clique, Place, arrange, marginal
from sdv_prefair.model.measurement import Measurement, by_columns
from sdv_prefair.model.proportional_fitting import FittedTable, ProportionalFitting
from sdv_prefair.model.sampling import CliqueTable, broadcast_to, sum_to
from sdv_prefair.model.warm_start import WarmStart
from sdv_prefair.values.arrays import Floats

# w: a tenth of what a row's own chance is worth. Less fits closer and takes longer. On Adult the
# loss is 60 % above mbi's at epsilon 1 and 24 % below it at epsilon 10, where mbi is not done after
# 5000 steps; what counts, how far pairs are from the real table, is within 2 % of mbi at both.
_DIVERGENCE_WEIGHT = 0.1
ITERATIONS = 300
# Stops when no cell of a table is further off than this, in units of its noise and own chance.
STATIONARITY = 0.01
# Sweeps of proportional fitting before that, each about as long as an iteration.
_SWEEPS = 20
# An iteration passes over all cells of all cliques. There are fewer where cells are many: so many
# cells are passed over, but in at least so many iterations.
_CELLS_PASSED = 4e7
_LEAST_ITERATIONS = 20


def fit_chordal(
    forest: Sequence[CliqueTable],
    measurements: Sequence[Measurement],
    cliques: Sequence[Clique],
    total: float,
    iterations: int = ITERATIONS,
    progress: Progress | None = None,
    stationarity: float = STATIONARITY,
) -> list[CliqueTable]:
    """Estimate the distributions of the cliques of a chordal graph.

    Privacy: post-processing of released values.

    Args:
        forest: The model of some of the measurements, as a junction tree.
        measurements: Each of columns that some clique contains.
        cliques: The maximal cliques of a chordal graph that contains the forest.
        total: Number of rows.
        iterations: The most that may be done.
        progress: Called with the number of iterations done.
        stationarity: How far off a cell may be at the end.
    """
    if not measurements:
        places = arrange(cliques)
        return [CliqueTable(*place, marginal(forest, place.clique)) for place in places]
    dual = _dual(forest, measurements, cliques, total)
    return dual.model(_solve(dual, iterations, progress, stationarity))


def fit_chordal_again(
    forest: Sequence[CliqueTable],
    measurements: Sequence[Measurement],
    cliques: Sequence[Clique],
    total: float,
    start: WarmStart,
    stationarity: float = STATIONARITY,
) -> list[CliqueTable]:
    """Estimate the same as ``fit_chordal``, by sweeps from where an earlier fit of it ended.

    Args:
        forest: As for ``fit_chordal``.
        measurements: Of the same tables as those of the earlier fit.
        cliques: As for ``fit_chordal``.
        total: Number of rows.
        start: What the earlier fit handed on.
        stationarity: How far off a cell may be at the end, if that takes no more sweeps.
    """
    dual = _dual(forest, measurements, cliques, total)
    return dual.model(_swept(dual, stationarity, _SWEEPS, start))


def warm_start(
    forest: Sequence[CliqueTable],
    measurements: Sequence[Measurement],
    cliques: Sequence[Clique],
    total: float,
    stationarity: float = STATIONARITY,
) -> WarmStart:
    """Return what ``fit_chordal`` of the same hands on to another fit."""
    dual = _dual(forest, measurements, cliques, total)
    return dual.handed_on(_solve(dual, ITERATIONS, None, stationarity))


def _dual(
    forest: Sequence[CliqueTable],
    measurements: Sequence[Measurement],
    cliques: Sequence[Clique],
    total: float,
) -> 'MaxEntropyDual':
    tables = list(by_columns(measurements).values())
    return MaxEntropyDual(forest, tables, arrange(cliques), total)


def _solve(
    dual: 'MaxEntropyDual', iterations: int, progress: Progress | None, stationarity: float
) -> Floats:
    done = 0

    def count(xk: Floats) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done)

    # BLAS threads would spin over vectors of some thousand cells, at many times the time.
    with threadpool_limits(1, user_api='blas'):
        found = minimize(
            dual,
            _swept(dual, stationarity, min(_SWEEPS, iterations)),
            jac=True,
            method='L-BFGS-B',
            callback=count,
            options={
                'maxiter': min(iterations, max(_LEAST_ITERATIONS, int(_CELLS_PASSED / dual.cells))),
                'maxcor': 10,
                'gtol': stationarity,
                'ftol': 1e-12,
            },
        )
    ended: Floats = found.x
    return ended


def _swept(
    dual: 'MaxEntropyDual', stationarity: float, most: int, start: WarmStart | None = None
) -> Floats:
    """Return where proportional fitting has come to in a few sweeps."""
    fitting = dual.proportional_fitting(start)
    for _ in range(most):
        if fitting.sweep() <= stationarity:
            break
    return dual.at(fitting.factors)


class MaxEntropyDual:
    """The dual in variables ``z`` for which its curvature is about 1 in every cell.

    Args:
        forest: The model to stay near to.
        measurements: One for every set of columns that was measured.
        places: The junction tree.
        total: Number of rows.
    """

    def __init__(
        self,
        forest: Sequence[CliqueTable],
        measurements: Sequence[Measurement],
        places: Sequence[Place],
        total: float,
    ):
        self._places, self._total = places, total
        self._measurements = measurements
        # Of each table, the smallest other one that holds its columns: passes over the table of a
        # clique are what takes time, so one-ways are read off pairs and not off cliques.
        self._inside = [_smallest_larger(measurements, m.columns) for m in measurements]
        self._home = [_smallest_holder(places, m.columns) for m in measurements]
        self._largest_first = sorted(
            range(len(measurements)), key=lambda m: -len(measurements[m].columns)
        )
        self._prior = [
            logarithm_of(CliqueTable(*place, marginal(forest, place.clique)).conditional())
            for place in places
        ]
        self._penalty = [_DIVERGENCE_WEIGHT * m.variance for m in measurements]
        expected = [total * marginal(forest, m.columns) for m in measurements]
        self._scaling = [
            1 / np.sqrt(np.maximum(rows, 1.0) + penalty)
            for rows, penalty in zip(expected, self._penalty, strict=True)
        ]
        self._ends = np.cumsum([m.values.size for m in measurements])
        self.size = int(self._ends[-1])
        self.cells = sum(table.size for table in self._prior)

    def proportional_fitting(self, start: WarmStart | None = None) -> ProportionalFitting:
        """Return the same problem for proportional fitting, at its start or at a given one."""
        tables, factors, logarithms = self._fitted_tables(), None, self._prior
        if start is not None:
            factors = start.for_tables(tables)
            logarithms = self._logarithms(factors)
        _, beliefs = calibrate(self._places, logarithms)
        return ProportionalFitting(self._places, tables, beliefs, self._total, factors)

    def handed_on(self, z: Floats) -> WarmStart:
        """Return what the fit that ended at ``z`` hands on to another."""
        return WarmStart.of(self._fitted_tables(), self._factors(z))

    def _fitted_tables(self) -> list[FittedTable]:
        return [
            FittedTable(
                measurement.columns,
                measurement.values,
                self._penalty[m],
                self._scaling[m],
                self._home[m],
                self._inside[m],
            )
            for m, measurement in enumerate(self._measurements)
        ]

    def at(self, factors: Sequence[Floats]) -> Floats:
        """Return ``z`` for the logarithms of factors."""
        parts = zip(factors, self._scaling, strict=True)
        return np.concatenate([(factor / scaling).ravel() for factor, scaling in parts])

    def __call__(self, z: Floats) -> tuple[float, Floats]:
        """Return the dual, to be minimised, and its gradient."""
        factors = self._factors(z)
        log_mass, beliefs = calibrate(self._places, self._logarithms(factors))
        value, gradient = self._total * log_mass, []
        tables = self._tables(beliefs)
        for m, measurement in enumerate(self._measurements):
            pull = self._penalty[m] * factors[m]
            value += float(np.vdot(factors[m], pull / 2 - measurement.values))
            excess = self._total * tables[m] + pull - measurement.values
            gradient.append((excess * self._scaling[m]).ravel())
        return value, np.concatenate(gradient)

    def model(self, z: Floats) -> list[CliqueTable]:
        """Return the junction tree's distributions at ``z``."""
        _, beliefs = calibrate(self._places, self._logarithms(self._factors(z)))
        return [
            CliqueTable(*place, belief / belief.sum())
            for place, belief in zip(self._places, beliefs, strict=True)
        ]

    def _factors(self, z: Floats) -> list[Floats]:
        """Return the logarithms of the factors, a table for each measurement."""
        return [
            part.reshape(scaling.shape) * scaling
            for part, scaling in zip(np.split(z, self._ends[:-1]), self._scaling, strict=True)
        ]

    def _logarithms(self, factors: Sequence[Floats]) -> list[Floats]:
        """Return the logarithm of each clique's part of the product."""
        logarithms, factors = list(self._prior), list(factors)
        for m in reversed(self._largest_first):
            columns, inside, home = self._measurements[m].columns, self._inside[m], self._home[m]
            if inside is None:
                spread = broadcast_to(factors[m], columns, self._places[home].clique)
                logarithms[home] = logarithms[home] + spread
            else:
                spread = broadcast_to(factors[m], columns, self._measurements[inside].columns)
                factors[inside] = factors[inside] + spread
        return logarithms

    def _tables(self, beliefs: Sequence[Floats]) -> list[Floats]:
        """Return the model's distribution over the columns of each measurement."""
        tables: dict[int, Floats] = {}
        for m in self._largest_first:
            columns, inside, home = self._measurements[m].columns, self._inside[m], self._home[m]
            if inside is None:
                tables[m] = sum_to(beliefs[home], self._places[home].clique, columns)
            else:
                tables[m] = sum_to(tables[inside], self._measurements[inside].columns, columns)
        return [tables[m] for m in range(len(self._measurements))]


def _smallest_holder(places: Sequence[Place], columns: Sequence[str]) -> int:
    holders = [i for i, place in enumerate(places) if set(columns) <= set(place.clique)]
    return min(holders, key=lambda i: len(places[i].clique))


def _smallest_larger(measurements: Sequence[Measurement], columns: Sequence[str]) -> int | None:
    larger = [i for i, m in enumerate(measurements) if set(columns) < set(m.columns)]
    return min(larger, key=lambda i: measurements[i].values.size, default=None)
