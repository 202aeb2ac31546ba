"""About ``_accounting.py``."""

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from sdv_prefair.errors import BudgetError
from sdv_prefair.privacy._accounting import (
    DELTA_FOR_ROUNDING,
    delta_of_gaussian,
    epsilon_of,
    gaussian_epsilon_of,
    gaussian_rho_of,
    rho_of,
)

DIGITS = 120
EPSILONS = [1e-30, 1e-20, 1e-9, 1e-3, 0.1, 1.0, 10.0, 100.0, 1e4, 1e6, 1e9]
DELTAS = [5e-31, 1e-20, 1e-9, 1e-5, 0.01, 0.0999]


def exact_delta(rho, epsilon):
    """The formula as it is printed, in so many digits that nothing is lost in the difference."""
    mu, root = mpmath.sqrt(2 * rho), mpmath.sqrt(2)
    above = mpmath.erfc((epsilon / mu - mu / 2) / root) / 2
    return above - mpmath.exp(epsilon) * mpmath.erfc((epsilon / mu + mu / 2) / root) / 2


def in_digits(fraction):
    return mpmath.mpf(fraction.numerator) / fraction.denominator


@pytest.mark.parametrize('delta', DELTAS)
@pytest.mark.parametrize('epsilon', EPSILONS)
def test_the_budget_keeps_the_promise_to_the_last_digit_and_hardly_more(epsilon, delta):
    rho = gaussian_rho_of(epsilon, delta)
    with mpmath.workdps(DIGITS):
        exact = exact_delta(in_digits(rho), mpmath.mpf(epsilon))
        assert exact <= mpmath.mpf(delta) * (1 - 0.9 * DELTA_FOR_ROUNDING)
        assert abs(delta_of_gaussian(float(rho), epsilon) / exact - 1) < 1e-10
        # A millionth more would not keep it.
        assert exact_delta(in_digits(rho) * (1 + mpmath.mpf(10) ** -6), mpmath.mpf(epsilon)) > (
            mpmath.mpf(delta)
        )


@pytest.mark.parametrize('epsilon', [0.0, 0.3, 1.0, 4.0])
@pytest.mark.parametrize('mu', [0.05, 0.7, 0.999, 1.001, 3.0, 20.0])
def test_delta_is_what_neighbours_differ_by_beyond_epsilon(mu, epsilon):
    """By integration of what two normal densities differ by, without a formula for the tails."""
    edge = epsilon / mu + mu / 2
    integral, _ = quad(
        lambda z: norm.pdf(z - mu) - math.exp(epsilon) * norm.pdf(z),
        *(edge, edge + mu + 40),
        epsabs=0,
        epsrel=1e-12,
        points=sorted({max(edge, mu), edge + 5}),
        limit=500,
    )
    assert delta_of_gaussian(mu**2 / 2, epsilon) == pytest.approx(integral, rel=1e-8)


@given(st.floats(-30, 9).map(lambda power: 10**power), st.floats(-30, -1.01).map(lambda p: 10**p))
def test_there_and_back_never_promises_more_than_it_may(epsilon, delta):
    rho = float(gaussian_rho_of(epsilon, delta))
    back = gaussian_epsilon_of(rho, delta)
    assert delta_of_gaussian(rho, epsilon) <= delta * (1 - 0.9 * DELTA_FOR_ROUNDING)
    assert delta_of_gaussian(rho, back) <= delta * (1 - 0.9 * DELTA_FOR_ROUNDING)
    assert back <= epsilon * (1 + 1e-9) + math.sqrt(rho) * 1e-9
    if delta < epsilon / 10 and delta < 0.1:
        assert back == pytest.approx(epsilon, rel=1e-3)


@given(st.floats(-6, 9).map(lambda p: 10**p), st.floats(-30, -1.01).map(lambda p: 10**p))
def test_epsilon_of_any_sum_is_rounded_up(rho, delta):
    epsilon = gaussian_epsilon_of(rho, delta)
    with mpmath.workdps(DIGITS):
        exact = exact_delta(mpmath.mpf(rho), mpmath.mpf(epsilon))
        assert exact <= mpmath.mpf(delta) * (1 - 0.8 * DELTA_FOR_ROUNDING)
    assert epsilon <= epsilon_of(rho, delta) * (1 + 1e-8)


def test_nothing_costs_nothing():
    assert delta_of_gaussian(0.0, 1.0) == 0.0
    assert gaussian_epsilon_of(0.0, 1e-9) == 0.0


@pytest.mark.parametrize(
    ('delta', 'least', 'most'), [(1e-9, 0.039, 0.056), (1e-5, 0.055, 0.096), (1e-12, 0.03, 0.045)]
)
@pytest.mark.parametrize('epsilon', [0.1, 0.3, 1.0, 3.0, 10.0])
def test_noise_is_smaller_than_by_the_bound_of_zcdp(epsilon, delta, least, most):
    saved = 1 - math.sqrt(rho_of(epsilon, delta) / gaussian_rho_of(epsilon, delta))
    assert least < saved < most


def test_delta_grows_with_rho_and_falls_with_epsilon():
    rhos = np.geomspace(1e-6, 1e3, 400)  # across both ways to compute it, which meet at 1/2
    for epsilon in (0.0, 0.1, 2.0, 30.0):
        deltas = np.array([delta_of_gaussian(rho, epsilon) for rho in rhos])
        assert (np.diff(deltas) >= 0).all() and (np.diff(deltas)[deltas[1:] < 0.99] > 0).sum() > 50
    for rho in (1e-3, 0.4999999, 0.5, 20.0):
        deltas = [delta_of_gaussian(rho, epsilon) for epsilon in np.linspace(0, 5, 60)]
        assert all(two < one or one < 1e-300 for one, two in pairwise(deltas))
    below, above = (delta_of_gaussian(rho, 1.0) for rho in (0.5 - 1e-13, 0.5 + 1e-13))
    assert below == pytest.approx(above, rel=1e-11)


@pytest.mark.parametrize(('epsilon', 'delta'), [(0, 1e-9), (1.0, 0), (1.0, 1), (1e10, 1e-9)])
def test_what_cannot_be_promised_is_refused(epsilon, delta):
    with pytest.raises(BudgetError, match='must be'):
        gaussian_rho_of(epsilon, delta)
