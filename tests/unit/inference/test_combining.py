"""About ``_estimates.py``."""

import numpy as np
import pytest

from sdv_prefair.inference import combine


def test_the_rules_of_raghunathan_reiter_and_rubin():
    found = combine([1.0, 2.0, 3.0, 6.0], [0.5, 0.5, 1.0, 2.0])
    between, within = np.var([1, 2, 3, 6], ddof=1), 1.0
    assert found.estimate == 3.0
    assert found.standard_error == pytest.approx(np.sqrt(1.25 * between - within))
    assert found.degrees_of_freedom == pytest.approx(3 * (1 - within / (1.25 * between)) ** 2)
    assert found.upper - 3.0 == pytest.approx(3.0 - found.lower)


def test_a_variance_that_would_be_negative_is_that_of_one_table():
    found = combine([1.0, 1.0, 1.0], [0.04, 0.04, 0.04])
    assert found.standard_error == pytest.approx(0.2)


def test_intervals_hold_the_truth_when_tables_come_from_models_around_it():
    """40 tables of 5000 rows, of models that stray by 0.02: three standard errors are 0.03."""
    rng, held, fits = np.random.default_rng(3), 0, 500
    for _ in range(fits):
        estimate = rng.normal(0.4, 0.02)
        models = rng.normal(estimate, 0.02, 40)
        shares = rng.binomial(5000, models) / 5000
        found = combine(shares, shares * (1 - shares) / 5000)
        held += found.lower <= 0.4 <= found.upper
    assert 0.92 < held / fits < 0.98
