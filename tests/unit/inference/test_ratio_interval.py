"""About ``_replication.py``."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from sdv_prefair.inference._replication import (
    NO_VARIANCE,
    Interval,
    Quadratic,
    difference,
    quantile_of,
    ratio_interval,
    variance_of_share,
)

DRAWS = 4000
SHARES = (0.0, 1.0)


def coverage(numerator, denominator, sigma, told, limits=SHARES, level=0.95):
    """Return how often intervals hold the ratio, if noise is said to be ``told`` times as large."""
    rng = np.random.default_rng(7)
    noise = Quadratic((told * sigma) ** 2, 0.0, (told * sigma) ** 2)
    held = 0
    for above, below in rng.normal((numerator, denominator), sigma, (DRAWS, 2)):
        found = ratio_interval(above, below, noise, NO_VARIANCE, level, limits)
        held += found.lower <= numerator / denominator <= found.upper
    return held / DRAWS


# Four standard errors of 4000 draws are 0.014 at 95 %.
@pytest.mark.parametrize(('above', 'below', 'sigma'), [(300, 1000, 20), (0, 100, 20), (40, 50, 15)])
def test_intervals_hold_the_ratio_as_often_as_they_say(above, below, sigma):
    assert coverage(above, below, sigma, told=1) > 0.936
    assert coverage(above, below, sigma, told=1, level=0.8) > 0.77


def test_noise_that_is_understated_is_found_out():
    assert coverage(300, 1000, 20, told=0.7) < 0.85
    assert coverage(300, 1000, 20, told=1.3) > 0.98


def test_without_noise_the_interval_is_wilsons():
    found = ratio_interval(30, 200, NO_VARIANCE, variance_of_share(200), 0.95, SHARES)
    wilson = binomtest(30, 200).proportion_ci(method='wilson')
    assert (found.lower, found.upper) == pytest.approx((wilson.low, wilson.high))
    assert found.standard_error == pytest.approx(math.sqrt(0.15 * 0.85 / 200))


def test_a_denominator_that_may_be_zero_leaves_all_open():
    noise = Quadratic(100.0, 0.0, 100.0)
    for below in (-3.0, 12.0):
        found = ratio_interval(5.0, below, noise, NO_VARIANCE, 0.95, (2.0, 7.0))
        assert (found.lower, found.upper) == (2.0, 7.0)


def test_a_count_below_zero_has_an_interval_from_zero():
    noise = Quadratic(100.0, 0.0, 0.0)
    found = ratio_interval(-5.0, 1000.0, noise, variance_of_share(1000), 0.95, SHARES)
    assert found.estimate == found.lower == 0.0
    assert 0.01 < found.upper < 0.03


def test_the_difference_of_equal_widths_is_wider_by_the_root_of_two():
    one = Interval(0.5, 0.1, 0.3, 0.7)
    apart = difference(one, one)
    assert apart == pytest.approx((
        0.0,
        0.1 * math.sqrt(2),
        -0.2 * math.sqrt(2),
        0.2 * math.sqrt(2),
    ))


ANY_LEVEL = st.one_of(st.floats(0, 1), st.just(math.nextafter(1.0, 0.0)), st.just(5e-324))


@given(ANY_LEVEL.filter(lambda level: 0 < level < 1), st.floats(-1, 2))
def test_intervals_of_any_level_are_intervals_around_the_ratio(level, share):
    assert 0 <= quantile_of(level) < math.inf
    noise = Quadratic(400.0, 0.0, 400.0)
    found = ratio_interval(share * 1000, 1000.0, noise, NO_VARIANCE, level, SHARES)
    assert 0 <= found.lower <= found.upper <= 1
    assert found.lower - 1e-12 <= found.estimate <= found.upper + 1e-12
