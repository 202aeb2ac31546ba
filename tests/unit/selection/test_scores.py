"""Noisy scores drawn to what they share.

About ``_measuring.py``.
"""

import numpy as np
import pytest

from sdv_prefair.selection._measuring import drawn_to_share


def _mean_error(draw, num_runs=400):
    """Return the mean square error of drawn values beside that of the noisy ones."""
    rng, most = np.random.default_rng(0), np.geomspace(1, 1000, 60)
    errors = []
    for _ in range(num_runs):
        true = most * np.clip(rng.normal(0.3, 0.1, most.size), 0, 1)
        noisy = true + rng.normal(0, 80, most.size)
        errors.append((np.square(draw(noisy, 80.0, most) - true).mean(),
                       np.square(noisy - true).mean()))  # fmt: skip
    return np.mean(errors, axis=0)


def test_they_are_closer_to_the_truth_than_noisy_ones_and_than_the_mean():
    def to_mean(noisy, sigma, _):
        spread = max(0.0, noisy.var() - sigma**2)
        return noisy.mean() + (noisy - noisy.mean()) * spread / (spread + sigma**2)

    drawn, noisy = _mean_error(drawn_to_share)
    assert drawn < 0.25 * noisy
    assert drawn < 0.5 * _mean_error(to_mean)[0]


def test_without_noise_values_stay():
    most = np.array([10.0, 100.0, 400.0])
    values = np.array([9.0, 10.0, 50.0])
    assert drawn_to_share(values, 1e-9, most) == pytest.approx(values)


@pytest.mark.parametrize('sigma', [1e-6, 1.0, 1e6])
def test_no_value_is_beyond_its_limit(sigma):
    rng, most = np.random.default_rng(1), np.array([0.0, 1.0, 50.0, 1000.0])
    drawn = drawn_to_share(rng.normal(500, sigma, 4), sigma, most)
    assert (drawn <= most).all()


def test_few_large_values_among_many_are_not_erased():
    """Of 5,000 values five are at 12 sigma. By their common spread all would lose most of it."""
    rng, most = np.random.default_rng(2), np.full(5000, 1000.0)
    true = np.zeros(5000)
    true[:5] = 120.0
    drawn = np.array([
        drawn_to_share(true + rng.normal(0, 10, 5000), 10.0, most) for _ in range(20)
    ])
    assert drawn[:, :5].min() > 40
    assert np.square(drawn[:, 5:]).mean() < 0.1 * 10**2, 'the others are noise, and shrink'


@pytest.mark.parametrize('number', [1, 2, 50])
def test_no_value_is_lowered_by_more_than_the_largest_noise_expected(number):
    values = np.linspace(-500, 2000, number)
    drawn = drawn_to_share(values, 30.0, np.full(number, 5000.0))
    assert (drawn >= values - 30 * np.sqrt(2 * np.log(max(2, number))) - 1e-9).all()
