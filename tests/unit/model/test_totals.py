"""About ``_measurement.py``."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from sdv_prefair.model import Measurement, minimum_variance_total, one_way_model
from sdv_prefair.model._measurement import project_on_simplex


def test_total_weighs_estimates_by_inverse_variance():
    precise = Measurement(('a',), [50.0, 60.0], 1.0)  # 110, variance 2
    vague = Measurement(('b',), [40.0, 40.0, 40.0, 20.0], 2.0)  # 140, variance 16

    expected = (110 / 2 + 140 / 16) / (1 / 2 + 1 / 16)
    assert minimum_variance_total([precise, vague]) == pytest.approx(expected)


def test_total_has_the_least_variance_of_weighted_means():
    rng = np.random.default_rng(1)
    shapes, stddevs = [(2,), (10,), (5, 4)], [3.0, 1.0, 2.0]
    columns = [('a',), ('b',), ('a', 'b')]
    draws = []
    for _ in range(4000):
        noisy = [
            Measurement(c, 1000 / np.prod(s) + d * rng.normal(size=s), d)
            for c, s, d in zip(columns, shapes, stddevs, strict=True)
        ]
        draws.append([minimum_variance_total(noisy), np.mean([m.values.sum() for m in noisy])])
    best, plain = np.var(draws, axis=0)

    variances = [np.prod(s) * d**2 for s, d in zip(shapes, stddevs, strict=True)]
    assert best == pytest.approx(1 / sum(1 / v for v in variances), rel=0.1)
    assert best < 0.7 * plain


def test_total_is_at_least_one():
    assert minimum_variance_total([Measurement(('a',), [-5.0, -7.0], 1.0)]) == 1.0
    assert minimum_variance_total([]) == 1.0


@given(
    st.integers(0, 10**6),
    st.integers(1, 40),
    st.floats(-6, 6),
    st.floats(0, 8),
    st.sampled_from([0.0, 1.0, 3.0]),
)
def test_projection_meets_its_optimality_conditions(seed, size, noise, log_total, spread):
    rng = np.random.default_rng(seed)
    total = 10**log_total
    stddev = 10 ** (noise + spread * rng.uniform(-1, 1, size))
    values = total * rng.dirichlet(np.full(size, 0.3)) + stddev * rng.normal(size=size)
    found = project_on_simplex(values, total, stddev**2)

    assert (found >= 0).all()
    assert found.sum() == pytest.approx(total)
    # One shift pulls every positive cell; a zero cell would need a larger pull to stay positive.
    pull = (values - found) / stddev**2
    shift = pull[np.argmax(np.where(found > 0, stddev, 0))]
    slack = 1e-6 * (np.abs(values).max() + total) / stddev**2
    assert (np.abs(pull - shift) <= slack)[found > 0].all()
    assert (pull <= shift + slack)[found == 0].all()


def test_projection_agrees_with_a_general_solver():
    rng = np.random.default_rng(3)
    for _ in range(5):
        values, stddev = rng.normal(2, 4, size=6), rng.uniform(0.5, 3, size=6)
        oracle = minimize(
            lambda x, y=values, s=stddev: np.sum(((x - y) / s) ** 2),
            np.full(6, 10 / 6),
            bounds=[(0, None)] * 6,
            constraints={'type': 'eq', 'fun': lambda x: x.sum() - 10},
            method='SLSQP',
            options={'ftol': 1e-14, 'maxiter': 1000},
        )
        np.testing.assert_allclose(project_on_simplex(values, 10.0, stddev**2), oracle.x, atol=1e-5)


def test_a_small_total_survives_noise_of_any_size():
    found = project_on_simplex(np.array([1e20, -1e20, 3e20]), 1.0)

    np.testing.assert_array_equal(found, [0.0, 0.0, 1.0])


def test_one_way_model_has_one_total_for_all_columns():
    measurements = [
        Measurement(('a',), [70.0, 40.0], 1.0),
        Measurement(('b',), [-20.0, 50.0, 50.0], 1.0),
        Measurement(('a',), [90.0, 20.0], 1.0),
    ]
    total, counts = one_way_model(measurements)

    assert list(counts) == ['a', 'b']
    assert total == pytest.approx(minimum_variance_total(measurements))
    for column in counts.values():
        assert column.sum() == pytest.approx(total)
    assert counts['a'][0] - counts['a'][1] == pytest.approx(50.0)
    assert counts['b'][0] == 0.0


def test_one_way_model_refuses_larger_marginals():
    with pytest.raises(ValueError, match='one column each'):
        one_way_model([Measurement(('a', 'b'), np.ones((2, 2)), 1.0)])
