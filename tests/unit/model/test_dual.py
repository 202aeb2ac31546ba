"""About ``_forest_solver.py``."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from sdv_prefair.model._forest_solver import ColumnTerm, EdgeTerm, ForestDual


def chain(seed, unequal):
    """Two edges over three columns, with residuals of a few standard deviations."""
    rng = np.random.default_rng(seed)
    sizes, ends = [3, 2, 4], [[(0, 0)], [(0, 1), (1, 0)], [(1, 1)]]
    columns = [
        ColumnTerm(rng.normal(0.3, 0.3, n), rng.uniform(0.5, 2, n), e)
        for n, e in zip(sizes, ends, strict=True)
    ]
    edges = []
    for i in (0, 1):
        shape = (sizes[i], sizes[i + 1])
        stddev = rng.uniform(0.1, 1, shape if unequal else (1, 1))
        edges.append(EdgeTerm((i, i + 1), rng.normal(0.2, 0.5, shape), stddev))
    return columns, edges, rng


@given(st.integers(0, 10**6), st.booleans())
def test_gradient_is_the_derivative_of_the_value(seed, unequal):
    columns, edges, rng = chain(seed, unequal)
    dual = ForestDual(columns, edges)
    z = rng.normal(size=dual.size)
    value, gradient = dual(z)

    numerical = approx_fprime(z, lambda at: dual(at)[0], 1e-7)
    np.testing.assert_allclose(gradient, numerical, atol=2e-5 * (1 + np.abs(gradient).max()))
    assert np.isfinite(value)


@given(st.integers(0, 10**6), st.booleans())
def test_moving_the_point_keeps_the_dual_function(seed, unequal):
    columns, edges, rng = chain(seed, unequal)
    dual = ForestDual(columns, edges)
    z = rng.normal(size=dual.size)
    moved = ForestDual(columns, edges, dual.multipliers(z))

    np.testing.assert_allclose(moved.value(), dual.value() - dual(z)[0], rtol=1e-9, atol=1e-9)
    assert moved(np.zeros(moved.size))[0] == 0.0


@given(st.integers(0, 10**6), st.booleans())
def test_the_dual_is_below_the_loss_of_every_consistent_model(seed, unequal):
    columns, edges, rng = chain(seed, unequal)
    dual = ForestDual(columns, edges)
    dual = ForestDual(columns, edges, dual.multipliers(rng.normal(size=dual.size)))
    joint = rng.dirichlet(np.full(24, 0.5)).reshape(3, 2, 4)

    tables = [joint.sum(axis=2), joint.sum(axis=0)]
    marginals = [joint.sum(axis=(1, 2)), joint.sum(axis=(0, 2)), joint.sum(axis=(0, 1))]
    loss = sum(e.loss(t) for e, t in zip(edges, tables, strict=True))
    loss += sum(c.loss(x) for c, x in zip(columns, marginals, strict=True))
    assert dual.value() <= loss + 1e-9
