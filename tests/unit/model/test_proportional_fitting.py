"""Proportional fitting goes down the dual that L-BFGS minimises, to the same place."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdv_prefair.model import estimate
from sdv_prefair.model.junction import arrange
from sdv_prefair.model.max_entropy import MaxEntropyDual

SIZES = st.lists(st.integers(1, 3), min_size=1, max_size=5)
SEEDS = st.integers(0, 10**6)


def make_dual(problem, stddev):
    forest = estimate([problem.measure((c,), 3.0) for c in problem.names], problem.domain)
    measurements = [problem.measure((c,), stddev) for c in problem.names]
    measurements += [problem.measure(pair, stddev) for pair in problem.pairs]
    return MaxEntropyDual(forest.nodes, measurements, arrange(problem.cliques), problem.total)


@settings(deadline=None, max_examples=40)
@given(SIZES, SEEDS, st.sampled_from([1.0, 20.0]))
def test_every_sweep_goes_down(make_chordal, sizes, seed, stddev):
    dual = make_dual(make_chordal(sizes, seed, total=500.0), stddev)
    fitting = dual.proportional_fitting()
    values = [dual(dual.at(fitting.factors))[0]]
    for _ in range(5):
        fitting.sweep()
        values.append(dual(dual.at(fitting.factors))[0])

    assert np.diff(values).max() <= 1e-6 * max(1.0, abs(values[0]))


@settings(deadline=None, max_examples=25)
@given(SIZES, SEEDS)
def test_many_sweeps_end_where_the_gradient_is_zero(make_chordal, sizes, seed):
    dual = make_dual(make_chordal(sizes, seed, total=500.0), 20.0)
    fitting = dual.proportional_fitting()
    off = [fitting.sweep() for _ in range(600)]
    _, gradient = dual(dual.at(fitting.factors))

    assert np.abs(gradient).max() < 0.05
    assert off[-1] < 0.05


def test_the_distance_of_the_first_sweep_is_that_of_the_start(make_chordal):
    """One table alone: what a sweep tells is the largest part of the gradient before it."""
    problem = make_chordal((3, 4), 1, join=(2,))
    forest = estimate([problem.measure((c,), 3.0) for c in problem.names], problem.domain)
    pair = problem.measure(problem.names[:2], 5.0)
    places = arrange([tuple(problem.names[:2])])
    dual = MaxEntropyDual(forest.nodes, [pair], places, problem.total)
    _, gradient = dual(np.zeros(dual.size))

    assert dual.proportional_fitting().sweep() == pytest.approx(np.abs(gradient).max())
