"""About ``_measurement.py``."""

import numpy as np
import pytest

from sdv_prefair.model import Measurement
from sdv_prefair.model._measurement import shrink_tables


def measured(dependence, stddev, seed, size=12, total=5000.0):
    """A noisy table between independence (0) and equality (1), with precise one-ways."""
    rng = np.random.default_rng(seed)
    margin = rng.dirichlet(np.full(size, 2.0))
    table = (1 - dependence) * np.outer(margin, margin) + dependence * np.diag(margin)
    truth = total * table
    one_ways = [Measurement((name,), total * margin, 1.0) for name in 'ab']
    noisy = Measurement(('a', 'b'), truth + stddev * rng.normal(size=truth.shape), stddev)
    return [*one_ways, noisy], truth


@pytest.mark.parametrize('dependence', [0.0, 0.05, 0.1])
def test_a_table_that_is_mostly_noise_comes_nearer_to_the_truth(dependence):
    better = 0
    for seed in range(20):
        measurements, truth = measured(dependence, 60.0, seed)
        shrunk = shrink_tables(measurements)[-1]
        better += (
            np.abs(shrunk.values - truth).sum()
            < 0.8 * np.abs(measurements[-1].values - truth).sum()
        )
    assert better >= 18


def test_a_strong_dependence_is_left_alone():
    measurements, _ = measured(0.9, 10.0, 0)

    assert shrink_tables(measurements)[-1] is measurements[-1]


def test_small_tables_and_one_ways_are_left_alone():
    measurements, _ = measured(0.0, 60.0, 0, size=5)

    for before, after in zip(measurements, shrink_tables(measurements), strict=True):
        assert before is after


def test_a_table_without_its_one_ways_is_left_alone():
    measurements, _ = measured(0.0, 60.0, 0)

    assert shrink_tables(measurements[1:])[-1] is measurements[-1]


def test_noise_is_kept_and_values_lie_between_the_product_and_what_was_measured():
    measurements, _ = measured(0.05, 60.0, 1)
    shrunk = shrink_tables(measurements)[-1]
    margin = measurements[0].values
    product = np.outer(margin, margin) / 5000.0

    assert shrunk.stddev == 60.0
    kept = (shrunk.values - product) / (measurements[-1].values - product)
    assert (kept >= -1e-6).all()
    assert (kept <= 1 + 1e-6).all()
    # Cells that the product deems empty keep less of what was seen in them.
    assert np.corrcoef(np.argsort(np.argsort(product.ravel())), kept.ravel())[0, 1] > 0.5


def test_the_spread_of_the_noise_itself_is_taken_off():
    """Without any dependence there is no excess, so nearly nothing of the noise is kept."""
    kept = []
    for seed in range(20):
        measurements, truth = measured(0.0, 60.0, seed)
        shrunk = shrink_tables(measurements)[-1]
        before, after = (np.square(m.values - truth).sum() for m in (measurements[-1], shrunk))
        kept.append(after / before)
    assert np.mean(kept) < 0.05
