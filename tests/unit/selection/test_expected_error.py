"""The expected error of tables against the sum over their cells, worked out cell by cell."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.selection._expected_error import ExpectedErrors

NOISE = 0.75 * math.sqrt(2 / math.pi)


@given(st.integers(0, 10**6), st.floats(0.01, 1e5))
def test_it_is_near_the_sum_over_all_cells(seed, sigma):
    rng = np.random.default_rng(seed)
    total = 10 ** rng.uniform(0, 6)
    shares = [rng.dirichlet(np.full(rng.integers(1, 40), 0.5)) for _ in 'ab']
    expected = {c: total * share for c, share in zip('ab', shares, strict=True)}
    errors = ExpectedErrors(expected, expected, np.array([[0, 1]]))
    table = np.outer(expected['a'], expected['b']) / total
    exact = np.minimum(NOISE * sigma, 2 * table).sum()
    (found,) = errors.of_pairs(slice(None), np.array([sigma]))
    assert found == pytest.approx(exact, rel=0.25, abs=1e-6 * total)
    of_columns = errors.of_columns(np.array([sigma, sigma]))
    for column, error in zip('ab', of_columns, strict=True):
        exact = np.minimum(NOISE * sigma, 2 * expected[column]).sum()
        assert error == pytest.approx(exact, rel=0.25, abs=1e-6 * total)


def test_it_rises_with_noise_and_never_above_twice_the_rows():
    expected = {'a': np.array([50.0, 30.0, 20.0]), 'b': np.array([99.0, 1.0])}
    errors = ExpectedErrors(expected, expected, np.array([[0, 1], [1, 0]]))
    sigmas = np.geomspace(1e-6, 1e9, 60)
    found = np.array([errors.of_pairs(np.array([0]), np.array([s]))[0] for s in sigmas])
    assert (np.diff(found) >= -1e-9).all()
    assert found[-1] == pytest.approx(200.0)
    assert found[0] == pytest.approx(6 * NOISE * 1e-6, rel=0.05)
