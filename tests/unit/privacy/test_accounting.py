import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import norm

from sdv_prefair.errors import BudgetError
from sdv_prefair.privacy._accounting import (
    Debit,
    Ledger,
    delta_of_gaussian,
    delta_of_rho,
    epsilon_of,
    gaussian_rho_of,
    rho_of,
)


@pytest.mark.parametrize(
    ('epsilon', 'published'), [(0.1, 1.771e-4), (1.0, 0.014973), (10.0, 1.0908)]
)
def test_rho_is_what_the_tight_conversion_gives(epsilon, published):
    assert float(rho_of(epsilon, 1e-9)) == pytest.approx(published, rel=1e-3)


@example(1e-4, 2.395383518850208e-36)
@example(1e-4, 5.091817855482364e-72)
@given(st.floats(1e-4, 200), st.floats(-100, -1.01).map(lambda power: 10**power))
def test_conversion_never_promises_more_than_it_may(epsilon, delta):
    rho = rho_of(epsilon, delta)
    assert delta_of_rho(float(rho), epsilon) <= delta
    # and not much less: one per cent more rho would break the promise
    assert delta_of_rho(float(rho) * 1.01, epsilon) > delta


@given(st.floats(1e-3, 50), st.floats(-20, -2).map(lambda power: 10**power))
def test_conversion_is_bounded_by_the_exact_gaussian_curve(epsilon, delta):
    """A Gaussian with sigma^2 = 1/(2 rho) is rho-zCDP, and its exact delta is known."""
    rho = float(rho_of(epsilon, delta))
    mu = math.sqrt(2 * rho)
    exact = norm.cdf(mu / 2 - epsilon / mu) - math.exp(
        min(700, epsilon + norm.logcdf(-mu / 2 - epsilon / mu))
    )
    assert exact <= delta


@given(st.floats(1e-3, 50), st.floats(-15, -2).map(lambda power: 10**power))
def test_epsilon_of_inverts_rho_of(epsilon, delta):
    assert epsilon_of(rho_of(epsilon, delta), delta) == pytest.approx(epsilon, rel=1e-5)


@pytest.mark.parametrize('epsilon', [0, -1.0, math.nan, math.inf, '1', None, True])
def test_bad_epsilon(epsilon):
    with pytest.raises(BudgetError, match='epsilon .* must be a finite number above 0'):
        Ledger(epsilon, 1e-9)


@pytest.mark.parametrize('delta', [0, 1, 1.5, -1e-9, math.nan, None])
def test_bad_delta(delta):
    with pytest.raises(BudgetError, match='delta .* must be between 0 and 1'):
        Ledger(1.0, delta)


@given(
    st.floats(1e-3, 20),
    st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=60),
    st.floats(0.01, 1.0),
)
def test_shares_add_up_exactly_in_fractions_and_in_floats(epsilon, weights, part):
    ledger = Ledger(epsilon, 1e-9)
    total = ledger.shares(ledger.budget, [part, 1.0])[0]
    shares = ledger.shares(total, weights)
    assert sum(shares) == total
    assert np.sum([float(share) for share in shares]) == float(total)
    assert all(Fraction(float(share)) == share for share in shares)
    for share, weight in zip(shares, weights, strict=True):
        assert float(share) == pytest.approx(
            float(total) * weight / sum(weights), abs=float(ledger.budget) * 2**-40
        )


def test_ledger_refuses_to_overspend():
    ledger = Ledger(1.0, 1e-9)
    ledger.debit(Debit('first', 'discrete Gaussian', ('a',), ledger.budget / 2))
    with pytest.raises(BudgetError, match='second asks for rho'):
        ledger.debit(Debit('second', 'discrete Gaussian', ('a',), ledger.budget * 2 / 3))
    assert ledger.spent == ledger.budget / 2
    ledger.debit(Debit('second', 'exponential', ('a',), ledger.remaining))
    assert ledger.remaining == 0
    with pytest.raises(BudgetError, match='none of the privacy budget'):
        ledger.debit(Debit('third', 'exponential', ('a',), Fraction(0)))


def test_ledger_refuses_delta_that_was_not_set_aside():
    ledger = Ledger(1.0, 1e-9, reserved_delta=5e-10)
    with pytest.raises(BudgetError, match='more of delta'):
        ledger.debit(Debit('learn', 'threshold', ('a',), ledger.budget / 2, delta=6e-10))


def test_thresholds_may_not_add_up_to_more_than_was_set_aside():
    ledger = Ledger(1.0, 1e-9, reserved_delta=5e-10)
    line = Debit('learn', 'threshold', ('a',), ledger.budget / 4, delta=3e-10)
    ledger.debit(line)
    with pytest.raises(BudgetError, match='more of delta'):
        ledger.debit(line)


def test_setting_delta_aside_costs_rho():
    assert Ledger(1.0, 1e-9, reserved_delta=5e-10).budget < Ledger(1.0, 1e-9).budget


def test_footer_says_what_other_units_would_cost():
    """Measured values for a third each: (1, 1e-9) is (1.67, 1e-9) under replace-one, 2.07 for 2."""
    ledger = Ledger(1.0, 1e-9)
    for share, mechanism in zip(
        ledger.shares(ledger.budget, [1, 1, 1]),
        ['discrete Gaussian', 'exponential', 'discrete Gaussian'],
        strict=True,
    ):
        ledger.debit(Debit('step', mechanism, ('a',), share))
    footer = ledger.to_frame().attrs
    assert footer['epsilon_if_replace_one'] == pytest.approx(1.67, abs=0.005)
    assert footer['epsilon_if_twice_the_rows'] == pytest.approx(2.07, abs=0.005)
    assert footer['neighbours'] == 'add or remove one row'
    assert footer['private'] is True


def test_footer_converts_at_the_delta_that_thresholds_leave():
    """A threshold for one row hides no value of two rows, so nothing is said of twice the rows."""
    ledger = Ledger(1.0, 1e-9, reserved_delta=5e-10)
    ledger.debit(Debit('step', 'discrete Gaussian', ('a',), ledger.budget))
    footer = ledger.footer()
    assert footer['epsilon_if_replace_one'] == epsilon_of(2 * ledger.budget, 5e-10)
    assert footer['epsilon_if_replace_one'] > epsilon_of(2 * ledger.budget, 1e-9)
    assert footer['epsilon_if_twice_the_rows'] is None


@pytest.mark.parametrize(
    'name',
    ['epsilon', 'delta', 'max_rows_per_person', 'reserved_delta', 'budget', 'all_gaussian'],
)
def test_whoever_spends_cannot_raise_the_promise(name):
    """A mechanism of one's own is given the ledger, and the more is left the less is the noise."""
    ledger = Ledger(1.0, 1e-6)
    with pytest.raises(AttributeError, match=f'{name} of a ledger cannot be changed'):
        setattr(ledger, name, 10**6)
    assert ledger.remaining == rho_of(1.0, 1e-6)


def test_a_seed_cannot_be_taken_back():
    ledger = Ledger(1.0, 1e-6)
    ledger.seeded = True
    with pytest.raises(AttributeError, match='seeded of a ledger'):
        ledger.seeded = False


# -- all noise Gaussian ------------------------------------------------------------------------


def test_a_ledger_of_gaussians_has_the_budget_of_one_gaussian_mechanism():
    ledger = Ledger(1.0, 1e-9, all_gaussian=True)
    assert ledger.budget == gaussian_rho_of(1.0, 1e-9) > Ledger(1.0, 1e-9).budget
    assert (ledger.accounting, Ledger(1.0, 1e-9).accounting) == ('GDP', 'zCDP')
    assert delta_of_gaussian(float(ledger.budget), 1.0) <= 1e-9
    assert sum(ledger.shares(ledger.budget, [1.0, 2.5, 0.1])) == ledger.budget


@pytest.mark.parametrize(
    'mechanism',
    [
        *('exponential', 'discrete Gaussian, threshold'),
        *('discrete Gaussian', 'discrete Gaussian on scores', 'anything else'),
    ],
)
def test_a_ledger_of_gaussians_refuses_all_other_noise(mechanism):
    ledger = Ledger(1.0, 1e-9, all_gaussian=True)
    line = Debit('a step', mechanism, ('a',), ledger.budget / 4)
    with pytest.raises(BudgetError, match='a step asks for .* declares all_gaussian'):
        ledger.debit(line)
    with pytest.raises(BudgetError, match='a step asks for .* declares all_gaussian'):
        ledger.carry_over([line])
    assert ledger.debits == ()
    Ledger(1.0, 1e-9).debit(line)
    for kind in ('rounded Gaussian', 'rounded Gaussian on scores'):
        ledger.debit(Debit('a step', kind, ('a',), ledger.budget / 4))


def test_footer_of_a_ledger_of_gaussians_scales_mu():
    """Replaced rows move a histogram by sqrt(2) and scores by 2; twice the rows all by 2."""
    ledger = Ledger(1.0, 1e-9, all_gaussian=True)
    histogram, scores = ledger.shares(ledger.budget, [3, 1])
    ledger.debit(Debit('step', 'rounded Gaussian', ('a',), histogram))
    ledger.debit(Debit('step', 'rounded Gaussian on scores', ('a', 'b'), scores))
    footer = ledger.footer()
    assert footer['accounting'] == 'GDP'
    for key, rho in [
        ('epsilon_if_replace_one', 2 * histogram + 4 * scores),
        ('epsilon_if_twice_the_rows', 4 * ledger.budget),
    ]:
        assert delta_of_gaussian(float(rho), footer[key]) <= 1e-9
        assert delta_of_gaussian(float(rho), footer[key] * 0.999) > 1e-9
    assert Ledger(1.0, 1e-9).footer()['accounting'] == 'zCDP'


def test_what_is_put_aside_cannot_be_spent_inside_and_is_left_afterwards():
    ledger = Ledger(1.0, 1e-9)
    part, rest = ledger.shares(ledger.budget, [1, 99])
    ledger.put_aside(part)
    assert ledger.remaining == rest
    with pytest.raises(BudgetError):
        ledger.debit(Debit('step', 'exponential', ('a',), rest + part))
    ledger.debit(Debit('step', 'exponential', ('a',), rest))
    assert not ledger.remaining
    ledger.take_back()
    assert ledger.remaining == part
    with pytest.raises(BudgetError):
        ledger.put_aside(2 * part)
    assert ledger.remaining == part


def test_a_saved_ledger_adds_up_its_lines_anew():
    """Of one that was saved before sums were kept, or with another sum, the lines count."""
    ledger = Ledger(1.0, 1e-9)
    parts = ledger.shares(ledger.budget, [1, 2, 3])
    for rho in parts[:2]:
        ledger.debit(Debit('step', 'discrete Gaussian', ('a',), rho))
    state = {name: value for name, value in vars(ledger).items() if name != '_spent'}
    for saved in (state, state | {'_spent': Fraction(0)}):
        again = Ledger.__new__(Ledger)
        again.__setstate__(dict(saved))
        assert again.spent == ledger.spent == parts[0] + parts[1]
        assert again.remaining == parts[2]
