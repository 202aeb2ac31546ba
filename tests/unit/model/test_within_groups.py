"""About ``_compression.py``."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.model._compression import weights_within
from sdv_prefair.model._measurement import project_on_simplex


def distance(weights, counts):
    return np.abs(weights / weights.sum() - counts / counts.sum()).sum() / 2


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40),
    st.floats(1e-3, 1e4),
)
def test_weights_are_probabilities_whatever_was_measured(values, sigma):
    weights = weights_within(np.array(values), np.full(len(values), sigma**2))
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(), 1)


def test_counts_without_noise_to_speak_of_are_kept():
    counts = np.array([5.0, 1.0, 0.0, 3.0, 11.0])
    np.testing.assert_allclose(weights_within(counts, np.full(5, 1e-6)), counts / 20)


def test_what_noise_alone_tells_apart_gets_nearly_the_same():
    rng = np.random.default_rng(0)
    noisy = 2.0 + rng.normal(0.0, 5.0, 4_000)
    weights = weights_within(noisy, np.full(4_000, 25.0))
    assert distance(weights, np.ones(4_000)) < 0.15
    assert distance(np.maximum(noisy, 0), np.ones(4_000)) > 0.4


@pytest.mark.parametrize('sigma', [3.0, 10.0])
@pytest.mark.parametrize('power', [0.0, 0.5, 1.0])
def test_rare_codes_come_closer_than_by_a_projection(power, sigma):
    rng = np.random.default_rng(7)
    shares = np.arange(1, 2_001) ** -power
    counts = rng.multinomial(4_000, shares / shares.sum()).astype(float)
    noisy = counts + rng.normal(0.0, sigma, counts.size)
    rare = noisy < 3.5 * sigma
    weights = weights_within(noisy[rare], np.full(rare.sum(), sigma**2))
    projected = project_on_simplex(noisy[rare], max(noisy[rare].sum(), 1.0))
    assert distance(weights, counts[rare]) < distance(projected, counts[rare]) - 0.01
