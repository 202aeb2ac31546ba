"""Estimates for chordal graphs: the model nearest to a forest's that fits all measurements.

A forest's model ``q`` is solved directly (``_forest_solver.py``). With more measured pairs than a
forest has, the model ``p`` is the distribution of ``n`` rows that minimises

    sum_m |n p_m - Y_m|^2 / (2 s_m^2)  +  w n KL(p | q)

over the noisy tables ``Y_m``. The divergence does two things. It selects one of the many
distributions with the same two-way marginals, and one of the right form: ``q`` times a factor
``exp(f_m)`` for every table, so it has no dependence except along measured pairs. And it makes
the dual smooth: divided by ``w`` it is, in the factors,

    n log Z(f)  -  sum_m f_m . Y_m  +  w / 2 sum_m s_m^2 |f_m|^2,

whose gradient is how far the model's tables, ``n p_m + w s_m^2 f_m``, are from the measured ones.

So a factor of e keeps a cell ``w s^2`` rows away from what was measured, which is ``w s`` standard
deviations of its noise. ``w`` is ``1 / s`` plus one over the rows of a cell: the model follows the
tables to within about one standard deviation per factor of e, however much noise there is, unless
noise exceeds the rows of a cell. ``s`` and the rows of a cell are geometric means over all tables.
A constant ``w`` cannot do so. With 0.1, strong dependences were drawn towards the forest by two
standard deviations of noise where ``s`` was 80.

It is minimised along one table after the other, in sweeps of ``_proportional_fitting.py``. This
solver exists because mbi's mirror descent for the same least squares starts from the uniform
distribution, compiles a program for every graph and needs thousands of steps; a test compares the
two.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sdv_prefair._arrays import Floats
from sdv_prefair.model._calibration import calibrate, logarithm_of
from sdv_prefair.model._forest_solver import Progress
from sdv_prefair.model._junction import Clique, Place, arrange, marginal
from sdv_prefair.model._measurement import Measurement, by_columns
from sdv_prefair.model._proportional_fitting import ProportionalFitting
from sdv_prefair.model._sampling import CliqueTable, broadcast_to
from sdv_prefair.model._settling import FittedTable

# For each table, the logarithms of its factor.
Factors = Mapping[Clique, Floats]

ITERATIONS = 300
# Stops when cells are no further off than this, in units of noise and sampling error: the root mean
# square over all cells of all tables.
STATIONARITY = 0.001
# A sweep passes over all cells of all cliques, so there are fewer sweeps if there are many cells.
# The limit of cells passed over, and the least number of sweeps allowed.
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
    start: Factors | None = None,
) -> list[CliqueTable]:
    """Estimate the distributions of the cliques of a chordal graph.

    Privacy: post-processing of released values.

    Args:
        forest: The model of some of the measurements, as a junction tree.
        measurements: The columns of each are contained in some clique.
        cliques: The maximal cliques of a chordal graph that contains the forest.
        total: Number of rows.
        iterations: The maximum number of sweeps.
        progress: Called with the number of sweeps done.
        stationarity: How far off cells may be at the end, as a root mean square.
        start: The result of ``fitted_factors`` for an earlier measurement of the same tables.
    """
    if not measurements:
        places = arrange(cliques)
        return [CliqueTable(*place, marginal(forest, place.clique)) for place in places]
    problem = ChordalProblem(forest, measurements, cliques, total)
    fitting = problem.fitting(start)
    _sweep(fitting, min(iterations, problem.most_sweeps), progress, stationarity)
    return problem.model(fitting.factors)


def fitted_factors(
    forest: Sequence[CliqueTable],
    measurements: Sequence[Measurement],
    cliques: Sequence[Clique],
    total: float,
    stationarity: float = STATIONARITY,
) -> Factors:
    """Return the factors at the end of ``fit_chordal`` for the same arguments.

    Privacy: post-processing of released values.
    """
    problem = ChordalProblem(forest, measurements, cliques, total)
    fitting = problem.fitting()
    _sweep(fitting, problem.most_sweeps, None, stationarity)
    return {t.columns: f for t, f in zip(problem.tables, fitting.factors, strict=True)}


def _sweep(
    fitting: ProportionalFitting, most: int, progress: Progress | None, stationarity: float
) -> None:
    for done in range(1, most + 1):
        off = fitting.sweep()
        if progress is not None:
            progress(done)
        if off <= stationarity:
            return


class ChordalProblem:
    """The tables to fit, their places in the junction tree, and the model of their factors.

    Args:
        forest: The model from which the divergence is measured.
        measurements: At least one.
        cliques: The maximal cliques of a chordal graph that contains the forest.
        total: Number of rows.
    """

    def __init__(
        self,
        forest: Sequence[CliqueTable],
        measurements: Sequence[Measurement],
        cliques: Sequence[Clique],
        total: float,
    ):
        self._places, self._total = arrange(cliques), total
        self._prior = [
            logarithm_of(CliqueTable(*place, marginal(forest, place.clique)).conditional())
            for place in self._places
        ]
        measured = list(by_columns(measurements).values())
        self._weight = divergence_weight(measured, total)
        self.tables = [self._fitted_table(m, measured, forest) for m in measured]
        cells = sum(table.size for table in self._prior)
        self.most_sweeps = max(_LEAST_ITERATIONS, int(_CELLS_PASSED / cells))

    def fitting(self, start: Factors | None = None) -> ProportionalFitting:
        """Return the problem for proportional fitting, with factors of 1 or the given ones."""
        factors: list[Floats] = [
            np.zeros(table.values.shape) if start is None else start[table.columns]
            for table in self.tables
        ]
        _, beliefs = calibrate(self._places, self._logarithms(factors))
        return ProportionalFitting(self._places, self.tables, beliefs, self._total, factors)

    def model(self, factors: Sequence[Floats]) -> list[CliqueTable]:
        """Return the junction tree's distributions for the logarithms of factors."""
        _, beliefs = calibrate(self._places, self._logarithms(factors))
        return [
            CliqueTable(*place, belief / belief.sum())
            for place, belief in zip(self._places, beliefs, strict=True)
        ]

    def _fitted_table(
        self, own: Measurement, measured: Sequence[Measurement], forest: Sequence[CliqueTable]
    ) -> FittedTable:
        penalty = self._weight * own.variance
        expected = self._total * marginal(forest, own.columns)
        return FittedTable(
            own.columns,
            own.values,
            penalty,
            1 / np.sqrt(np.maximum(expected, 1.0) + penalty),
            _smallest_holder(self._places, own.columns),
            # Passes over the table of a clique take the time, so one-ways are computed from pairs.
            _smallest_larger(measured, own.columns),
        )

    def _logarithms(self, factors: Sequence[Floats]) -> list[Floats]:
        """Return the logarithm of each clique's part of the product."""
        logarithms = list(self._prior)
        for table, factor in zip(self.tables, factors, strict=True):
            spread = broadcast_to(factor, table.columns, self._places[table.home].clique)
            logarithms[table.home] = logarithms[table.home] + spread
        return logarithms


def divergence_weight(measurements: Sequence[Measurement], total: float) -> float:
    """Return ``w``: one over the standard deviation of a cell, plus one over its rows.

    Args:
        measurements: At least one.
        total: Number of rows.
    """
    deviations = [np.log(m.variance).mean() / 2 for m in measurements]
    cells = [math.log(m.values.size) for m in measurements]
    return math.exp(-np.mean(deviations)) + math.exp(np.mean(cells)) / max(total, 1.0)


def _smallest_holder(places: Sequence[Place], columns: Sequence[str]) -> int:
    holders = [i for i, place in enumerate(places) if set(columns) <= set(place.clique)]
    return min(holders, key=lambda i: len(places[i].clique))


def _smallest_larger(measurements: Sequence[Measurement], columns: Sequence[str]) -> int | None:
    larger = [i for i, m in enumerate(measurements) if set(columns) < set(m.columns)]
    return min(larger, key=lambda i: measurements[i].values.size, default=None)
