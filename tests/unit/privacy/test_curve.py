"""The curve against two other libraries, and against releases whose distributions are known.

Of ``_curve.py`` and ``_curve.py``.
"""

import math

import numpy as np
import pytest
import riskcal.analysis as riskcal
from dp_accounting import get_epsilon_gaussian
from dp_accounting.pld.privacy_loss_mechanism import GaussianPrivacyLoss
from dp_accounting.rdp.rdp_privacy_accountant import compute_delta, compute_epsilon
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from sdv_prefair.errors import BudgetError
from sdv_prefair.privacy import Ledger, PrivacyCurve
from sdv_prefair.privacy._curve import at_most, delta_in_words, guess_in_words, strength_of

MUS = [0.01, 0.0573, 0.182, 0.5145, 1.538, 4.0]
RHOS = [0.0005, 0.015, 0.12, 1.09, 6.0]
POWERS = st.floats(-4, 1.2).map(lambda power: 10**power)
SHARES = st.floats(1e-6, 1 - 1e-6)


def gaussian(mu):
    return PrivacyCurve(mu**2 / 2)


# -- Gaussian: equal to the oracles --------------------------------------------------------------


@pytest.mark.parametrize('mu', MUS)
def test_a_gaussian_curve_is_that_of_both_oracles(mu):
    curve, oracle = gaussian(mu), GaussianPrivacyLoss(1 / mu)
    for epsilon in (0.0, 0.1, 1.0, 3.0):
        exact = oracle.get_delta_for_epsilon(epsilon)
        assert curve.delta_at(epsilon) == pytest.approx(exact, abs=1e-9)
    for delta in (1e-12, 1e-9, 1e-5, 0.01):
        exact = get_epsilon_gaussian(1 / mu, delta)
        assert curve.epsilon_at(delta) == pytest.approx(exact, rel=1e-9, abs=1e-9)
    assert curve.advantage() == pytest.approx(riskcal.get_advantage_from_gdp(mu), abs=1e-9)
    for share in (1e-6, 0.001, 0.1, 0.5, 0.9):
        found = 1 - riskcal.get_beta_from_gdp(mu, share)
        assert curve.true_positives(share) == pytest.approx(found, abs=1e-9)
        right = 1 - riskcal.get_bayes_risk_from_gdp(mu, share)
        assert curve.guess(share) == pytest.approx(right, abs=1e-9)


@given(POWERS, st.floats(-3, 3))
def test_the_loss_of_the_noise_is_normal(mu, deviations):
    epsilon = mu**2 / 2 + deviations * mu
    assert gaussian(mu).exceeds(epsilon) == pytest.approx(norm.sf(deviations), abs=1e-9)
    assert gaussian(mu).exceeds(epsilon) > gaussian(mu).delta_at(epsilon)


def test_the_default_is_as_risky_as_its_noise_and_no_more():
    curve = PrivacyCurve.of(Ledger(1.0, 1e-9, all_gaussian=True))
    assert curve.mu == pytest.approx(0.1820, abs=1e-4)
    assert curve.guess() == pytest.approx(0.536, abs=5e-4)
    assert curve.true_positives(0.001) == pytest.approx(0.0018, abs=5e-5)
    assert curve.exceeds(1.0) == pytest.approx(3.3e-8, rel=0.02), 'not delta, which is 1e-9'


# -- zCDP and thresholds: bounds -----------------------------------------------------------------


@pytest.mark.parametrize('rho', RHOS)
def test_a_zcdp_curve_is_the_bound_of_the_oracle(rho):
    curve = PrivacyCurve(rho, all_gaussian=False)
    for delta in (1e-9, 1e-5):
        bound = at_the_best_order(compute_epsilon, rho, delta)
        assert curve.epsilon_at(delta) == pytest.approx(bound, rel=1e-8)
    for epsilon in (3.0, 10.0):
        bound = at_the_best_order(compute_delta, rho, epsilon)
        assert curve.delta_at(epsilon) == pytest.approx(bound, abs=1e-9)


def at_the_best_order(convert, rho, given):
    """Return what an oracle finds, on a grid of orders that is refined where it is best."""
    orders = 1 + np.logspace(-2, 5, 2000)
    for _ in range(3):
        _, best = convert(orders, rho * orders, given)
        orders = 1 + (best - 1) * np.linspace(0.99, 1.01, 1001)
    return convert(orders, rho * orders, given)[0]


@given(POWERS, SHARES)
def test_a_zcdp_curve_bounds_every_gaussian_of_its_rho(mu, share):
    exact, bound = gaussian(mu), PrivacyCurve(mu**2 / 2, all_gaussian=False)
    assert bound.guess(share) >= exact.guess(share) - 1e-12
    assert bound.true_positives(share) >= exact.true_positives(share) - 1e-12
    assert bound.exceeds(1.0) >= exact.exceeds(1.0)


@pytest.mark.parametrize('rho', [0.015, 0.5])
def test_a_zcdp_curve_is_not_below_what_another_library_shows_to_be_tight(rho):
    curve = PrivacyCurve(rho, all_gaussian=False)
    for share in (0.001, 0.1, 0.5):
        assert curve.true_positives(share) >= 1 - riskcal.get_beta_from_zcdp(rho, share) - 1e-6


@given(st.floats(0.01, 3), st.floats(1e-4, 0.2), SHARES)
def test_thresholds_make_everything_riskier_by_what_they_reserve(mu, reserved, share):
    curve, plain = PrivacyCurve(mu**2 / 2, True, reserved), gaussian(mu)
    assert curve.delta_at(0.3) == pytest.approx(min(1, plain.delta_at(0.3) + reserved))
    assert curve.true_positives(share) == min(1, plain.true_positives(share) + reserved)
    assert curve.epsilon_at(reserved / 2) == math.inf


# -- known releases ------------------------------------------------------------------------------


@st.composite
def processed(draw):
    """Return probabilities, in and out, of a Gaussian answer cut into a few cells at random."""
    mu = draw(st.floats(0.05, 3))
    cuts = sorted(draw(st.lists(st.floats(-4, 7), min_size=1, max_size=6, unique=True)))
    edges = [-math.inf, *cuts, math.inf]
    cells = [np.diff(norm.cdf(edges, loc=place)) for place in (mu, 0.0)]
    merged = draw(st.lists(st.integers(0, 2), min_size=len(cuts) + 1, max_size=len(cuts) + 1))
    inside, outside = (np.bincount(merged, cell, 3) for cell in cells)
    return mu, inside, outside


@given(processed(), SHARES, st.sampled_from([0.001, 0.05]))
def test_nothing_computed_from_a_release_beats_the_curve(release, prior, rarely):
    mu, inside, outside = release
    curve = gaussian(mu)
    guessed = np.maximum(prior * inside, (1 - prior) * outside).sum()
    assert guessed <= curve.guess(prior) + 1e-9
    for chosen in np.ndindex(2, 2, 2):
        found, wrong = inside @ chosen, outside @ chosen
        if 1e-6 < wrong < 1 - 1e-6:
            assert found <= curve.true_positives(wrong) + 1e-9
    shown = inside + outside > 0
    belief = prior * inside[shown] / (prior * inside + (1 - prior) * outside)[shown]
    sure = belief > curve.posterior(prior, rarely) + 1e-9
    assert inside[shown][sure].sum() <= rarely + 1e-9


# -- what is refused, and words ------------------------------------------------------------------


def test_known_noise_protects_nobody():
    curve = PrivacyCurve.of(Ledger(1.0, 1e-9, seeded=True))
    assert curve.guess() == curve.true_positives(0.1) == curve.exceeds(5) == 1.0
    assert curve.posterior(0.1) == 1.0
    assert curve.epsilon_at(1e-5) == math.inf
    assert 'nearly always' in guess_in_words(curve)
    assert strength_of(curve).kind == 'alarm'


@pytest.mark.parametrize('ask', [
    lambda curve: curve.guess(0.0), lambda curve: curve.true_positives(1.0),
    lambda curve: curve.epsilon_at(0), lambda curve: curve.delta_at(math.nan),
    lambda curve: curve.posterior(True), lambda curve: curve.exceeds('1'),
])  # fmt: skip
def test_questions_outside_their_range_are_refused(ask):
    with pytest.raises(BudgetError, match='must be'):
        ask(gaussian(1.0))


@given(st.floats(1e-9, 1))
def test_shares_are_rounded_up(share):
    told = float(at_most(share).removesuffix(' %')) / 100
    assert share - 1e-9 <= told <= share * 1.02 + 1e-12 or told == 1.0


def test_a_larger_delta_does_not_look_like_a_small_one():
    def kind(epsilon, delta):
        return strength_of(PrivacyCurve.of(Ledger(epsilon, delta, all_gaussian=True))).kind

    assert [kind(e, 1e-9) for e in (1, 3, 10, 20)] == ['good', 'plain', 'warning', 'alarm']
    assert [kind(1.0, delta) for delta in (1e-9, 1e-5, 0.09)] == ['good', 'plain', 'warning']


def test_delta_is_explained_as_what_it_is():
    curve = PrivacyCurve.of(Ledger(1.0, 1e-9, all_gaussian=True))
    told = delta_in_words(curve, 1.0, 1e-9)
    assert 'a factor of 2.72, and delta = 1e-9 in addition' in told
    assert 'loss of the noise exceeds epsilon is 3.3e-8' in told
