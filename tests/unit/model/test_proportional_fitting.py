"""Proportional fitting goes down the dual, to where its gradient is zero.

About ``_max_entropy.py``.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from sdv_prefair.model import estimate
from sdv_prefair.model._junction import logarithm_of
from sdv_prefair.model._max_entropy import ChordalProblem
from sdv_prefair.model._sampling import broadcast_to, soften

SIZES = st.lists(st.integers(1, 3), min_size=1, max_size=5)
SEEDS = st.integers(0, 10**6)


def forest_of(problem):
    """Return columns on their own, softened as those of a fit: no cell is zero."""
    alone = [problem.measure((c,), 3.0) for c in problem.names]
    return soften(estimate(alone, problem.domain).nodes)


def make_fit(problem, stddev, uneven=False):
    """Return a problem of all columns and pairs, and the logarithm of the forest's distribution."""
    measurements = []
    for columns in [*((c,) for c in problem.names), *problem.pairs]:
        shape = problem.marginal(columns).shape
        factor = problem.rng.uniform(0.3, 3, shape) if uneven else 1.0
        measurements.append(problem.measure(columns, stddev * factor))
    return with_prior(problem, measurements)


def with_prior(problem, measurements):
    forest = forest_of(problem)
    prior = sum(
        broadcast_to(logarithm_of(node.conditional()), node.columns, problem.names)
        for node in forest
    )
    return ChordalProblem(forest, measurements, problem.cliques, problem.total), prior


def value_and_slopes(fit, prior, factors, problem):
    """Return the dual and its gradient in units of the scaling, by brute force over all cells."""
    logarithm, value, slopes = prior, 0.0, []
    for table, factor in zip(fit.tables, factors, strict=True):
        logarithm = logarithm + broadcast_to(factor, table.columns, problem.names)
        value += np.sum(factor * (table.penalty * factor / 2 - table.values))
    mass = logsumexp(logarithm)
    joint, every = np.exp(logarithm - mass), range(logarithm.ndim)
    for table, factor in zip(fit.tables, factors, strict=True):
        axes = [problem.names.index(c) for c in table.columns]
        rows = problem.total * np.einsum(joint, every, axes)
        slopes.append((rows + table.penalty * factor - table.values) * table.scaling)
    return value + problem.total * mass, slopes


@given(SIZES, SEEDS, st.sampled_from([1.0, 20.0]), st.booleans())
def test_every_sweep_goes_down(make_chordal, sizes, seed, stddev, uneven):
    problem = make_chordal(sizes, seed, total=500.0)
    fit, prior = make_fit(problem, stddev, uneven)
    fitting = fit.fitting()
    values = [value_and_slopes(fit, prior, fitting.factors, problem)[0]]
    for _ in range(5):
        fitting.sweep()
        values.append(value_and_slopes(fit, prior, fitting.factors, problem)[0])

    assert np.diff(values).max() <= 1e-6 * max(1.0, abs(values[0]))


@given(SIZES, SEEDS, st.sampled_from([2.0, 20.0]), st.booleans())
def test_sweeps_end_where_the_gradient_is_zero(make_chordal, sizes, seed, stddev, uneven):
    problem = make_chordal(sizes, seed, total=500.0)
    fit, prior = make_fit(problem, stddev, uneven)
    fitting = fit.fitting()
    off = [fitting.sweep() for _ in range(300)]
    _, slopes = value_and_slopes(fit, prior, fitting.factors, problem)

    assert max(np.abs(slope).max() for slope in slopes) < 0.02
    assert off[-1] < 0.02


@pytest.mark.parametrize('stddev', [2.0, 20.0, 60.0])
def test_ten_sweeps_are_enough_where_tables_disagree(make_chordal, stddev):
    """With factors that settle only by drifting apart it takes hundreds."""
    problem = make_chordal((5, 4, 6, 5, 4), 3, total=50_000.0)
    fitting = make_fit(problem, stddev)[0].fitting()
    off = [fitting.sweep() for _ in range(10)]

    assert off[0] > 1
    assert off[-1] < 1e-5


def test_the_distance_of_the_first_sweep_is_that_of_the_start(make_chordal):
    """One table alone: what a sweep tells is the gradient before it."""
    problem = make_chordal((3, 4), 1, join=(2,))
    fit, prior = with_prior(problem, [problem.measure(problem.names[:2], 5.0)])
    fitting = fit.fitting()
    _, [slope] = value_and_slopes(fit, prior, fitting.factors, problem)

    assert fitting.sweep() == pytest.approx(np.sqrt(np.mean(slope**2)))
