"""Noisy scores drawn to what they share."""

import numpy as np
import pytest

from sdv_prefair.mechanisms.scores import drawn_to_share


def _mean_error(draw, num_runs=400):
    """Return the mean square error of drawn values beside that of the noisy ones."""
    rng, most = np.random.default_rng(0), np.geomspace(1, 1000, 60)
    errors = []
    for _ in range(num_runs):
        true = most * np.clip(rng.normal(0.3, 0.1, most.size), 0, 1)
        noisy = true + rng.normal(0, 80, most.size)
        errors.append((np.square(draw(noisy, 80.0, most)[0] - true).mean(),
                       np.square(noisy - true).mean()))  # fmt: skip
    return np.mean(errors, axis=0)


def test_they_are_closer_to_the_truth_than_noisy_ones_and_than_the_mean():
    def to_mean(noisy, sigma, _):
        spread = max(0.0, noisy.var() - sigma**2)
        return noisy.mean() + (noisy - noisy.mean()) * spread / (spread + sigma**2), None

    drawn, noisy = _mean_error(drawn_to_share)
    assert drawn < 0.25 * noisy
    assert drawn < 0.5 * _mean_error(to_mean)[0]


def test_without_noise_values_stay():
    most = np.array([10.0, 100.0, 400.0])
    values = np.array([9.0, 10.0, 50.0])
    assert drawn_to_share(values, 1e-9, most)[0] == pytest.approx(values)


@pytest.mark.parametrize('sigma', [1e-6, 1.0, 1e6])
def test_no_value_is_beyond_its_limit(sigma):
    rng, most = np.random.default_rng(1), np.array([0.0, 1.0, 50.0, 1000.0])
    drawn, _ = drawn_to_share(rng.normal(500, sigma, 4), sigma, most)
    assert (drawn <= most).all()


@pytest.mark.parametrize(('spread', 'sigma'), [(0.3, 80.0), (0.0, 300.0)])
def test_the_noise_that_is_left_is_how_much_drawn_sums_stray(spread, sigma):
    """Of 4000 draws a standard deviation is known to a few per cent."""
    rng, most = np.random.default_rng(2), np.full(30, 1000.0)
    true, which, weights = most * rng.normal(0.4, spread, 30), [1, 2, 5], np.full(30, 2.0)
    drawn = [drawn_to_share(true + rng.normal(0, sigma, 30), sigma, most) for _ in range(4000)]
    sums = [2 * values[which].sum() for values, _ in drawn]
    said = np.sqrt(np.mean([noise.of_sum(weights, which) ** 2 for _, noise in drawn]))
    assert said == pytest.approx(np.std(sums), rel=0.25)
