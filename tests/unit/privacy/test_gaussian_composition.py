"""Adaptive lines with rounded Gaussian noise are one Gaussian mechanism, by exact divergences.

Of ``_accounting.py``, ``_accounting.py`` and ``_answers.py``. No draw is made: all
outcomes of up to three rounds are listed, on two neighbours, with their probabilities.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import log_ndtr

from sdv_prefair.privacy._accounting import delta_of_gaussian
from sdv_prefair.privacy._private_table import threshold

EPSILONS = [0.0, 0.05, 0.3, 1.0, 2.5, 6.0]
ROUNDS = {
    'two, the second by the sign of the first': lambda y: (0.3, 0.7 if y[0] > 0 else 0.1),
    'two, the more the likelier the neighbour': lambda y: (
        *(0.5,),
        0.1 + 0.4 / (1 + math.exp(3 - 2 * max(y[0], -9))),
    ),
    'three, all that is left in the end': lambda y: (
        *(0.2, 0.6 if y[0] >= 1 else 0.1),
        0.2 if y[0] >= 1 else (0.7 if len(y) > 1 and y[1] < 0 else 0.2),
    ),
}


def rounded_law(shift, sigma, reach):
    """Return P(k) = Phi((k + 1/2 - shift)/sigma) - Phi((k - 1/2 - shift)/sigma), in logarithms."""
    k = np.arange(-reach, reach + 1.0) - shift
    # By the tail on the nearer side, so that small probabilities keep their digits.
    outer, inner = np.abs(k) + 0.5, np.abs(k) - 0.5
    far = log_ndtr(-outer / sigma)
    return log_ndtr(-inner / sigma) + np.log1p(-np.exp(far - log_ndtr(-inner / sigma)))


def discrete_law(shift, sigma, reach):
    k = np.arange(-reach, reach + 1.0)
    logs = -((k - shift) ** 2) / (2 * sigma**2)
    return logs - np.logaddexp.reduce(logs)


def outcomes(shares, mu, shift_of, law=rounded_law, before=()):
    """Return the log-probabilities of all outcomes, on both neighbours.

    Args:
        shares: The parts of mu^2 of the lines so far and of the next, given the answers.
        mu: The whole.
        shift_of: How far the neighbour moves the next count, given the answers: 1 at most.
        law: That of noisy counts.
        before: The answers so far.
    """
    parts = shares(before or (0,))
    if len(before) == len(parts):
        return np.zeros(1), np.zeros(1)
    sigma = 1 / (mu * math.sqrt(parts[len(before)]))
    reach = math.ceil(9 * sigma) + 2
    one, two = law(0, sigma, reach), law(shift_of(before), sigma, reach)
    lists = [], []
    for place, answer in enumerate(range(-reach, reach + 1)):
        rest = outcomes(shares, mu, shift_of, law, (*before, answer))
        lists[0].append(one[place] + rest[0])
        lists[1].append(two[place] + rest[1])
    return np.concatenate(lists[0]), np.concatenate(lists[1])


def hockey_stick(one, two, epsilon):
    above = one > two + epsilon
    return math.fsum(np.exp(one[above]) - np.exp(two[above] + epsilon))


def worst_ratio(one, two, mu):
    """Return the largest delta that is needed over the one that GDP gives, in both directions."""
    return max(
        hockey_stick(p, q, epsilon) / delta_of_gaussian(mu**2 / 2, epsilon)
        for p, q in ((one, two), (two, one))
        for epsilon in EPSILONS
        if delta_of_gaussian(mu**2 / 2, epsilon) > 1e-12
    )


@pytest.mark.parametrize('mu', [1.2, 3.0])
@pytest.mark.parametrize('rounds', ROUNDS)
def test_amounts_that_depend_on_answers_cost_no_more_than_their_largest_sum(rounds, mu):
    one, two = outcomes(ROUNDS[rounds], mu, lambda before: 1)
    assert math.fsum(np.exp(one)) == pytest.approx(1, abs=1e-12)
    assert 0.3 < worst_ratio(one, two, mu) <= 1 + 1e-9


@pytest.mark.parametrize('rounds', ROUNDS)
def test_a_neighbour_may_move_counts_by_less(rounds):
    one, two = outcomes(ROUNDS[rounds], 2.0, lambda before: 1 - len(before) % 2)
    assert worst_ratio(one, two, 2.0) <= 1 + 1e-9
    one, two = outcomes(ROUNDS[rounds], 2.0, lambda before: -1 if sum(before) > 0 else 1)
    assert worst_ratio(one, two, 2.0) <= 1 + 1e-9


def test_the_bound_is_attained_where_rounding_does_not_matter():
    one, two = outcomes(lambda y: (0.5, 0.5), 0.25, lambda before: 1)
    assert worst_ratio(one, two, 0.25) > 0.97


def test_lines_that_add_up_to_more_are_seen():
    """If each of two lines spends all that there is, for one answer to the first only."""
    one, two = outcomes(lambda y: (0.5, 1.0 if y[0] >= 1 else 0.5), 1.0, lambda before: 1)
    assert worst_ratio(one, two, 1.0) > 1.02


def test_a_discrete_gaussian_is_not_gdp():
    """It is rho-zCDP, but tells neighbours apart better than a Gaussian of its sigma does."""
    for mu, law, least, most in [
        (2.0, discrete_law, 1.01, 10),
        (3.0, discrete_law, 1.01, 10),
        (2.0, rounded_law, 0.3, 1 + 1e-9),
        (3.0, rounded_law, 0.3, 1 + 1e-9),
    ]:
        one, two = outcomes(lambda y: (1.0,), mu, lambda before: 1, law)
        assert least < worst_ratio(one, two, mu) <= most


@pytest.mark.parametrize('order', [1.5, 2.0, 8.0])
@pytest.mark.parametrize('rounds', ROUNDS)
def test_the_same_lines_are_zcdp_with_the_same_rho(rounds, order):
    mu = 1.4
    one, two = outcomes(ROUNDS[rounds], mu, lambda before: 1)
    for p, q in ((one, two), (two, one)):
        divergence = np.logaddexp.reduce(order * p + (1 - order) * q) / (order - 1)
        assert divergence <= order * mu**2 / 2 + 1e-9


@pytest.mark.parametrize(('part', 'whole'), [(0, 2), (1, 3), (Fraction(7, 5), 2), (2, 2)])
def test_a_gaussian_is_split_into_two_that_are_independent(part, whole):
    """Of a = (s/m) w + sqrt(s (m - s)/m) G: its moments with w, in exact fractions."""
    s, m = Fraction(part), Fraction(whole)
    mean, variance_w, own = s / m, m, s * (m - s) / m
    variance = mean**2 * variance_w + own
    covariance = mean * variance_w
    assert (mean * m, variance) == (s, s)  # of N(c m, m) for c = 1, as for any other c
    assert covariance - variance == 0
    assert variance_w - 2 * covariance + variance == m - s


# -- thresholds ----------------------------------------------------------------------------------


def with_threshold(mu, delta, moves, part_of):
    """Return the log-probabilities of all outcomes of a threshold and one more line.

    Args:
        mu: The whole.
        delta: Of the threshold.
        moves: What the person does on the second table: ``'a'``, a row more of the value that the
            first table has, or ``'b'``, a row of a value that nobody else has.
        part_of: The part of mu^2 that the second line takes, given whether the value was released.
    """
    sigma = 1 / (mu * math.sqrt(0.4))
    reach = math.ceil(9 * sigma) + 2
    least = threshold(sigma, delta, 1)
    first_count = round(least)  # so that it is released about half of the time
    one, two = [], []
    for law_of_a, lists, is_second in (
        (rounded_law(0, sigma, reach), one, False),
        (rounded_law(int(moves == 'a'), sigma, reach), two, True),
    ):
        counts = first_count + np.arange(-reach, reach + 1)
        hidden = np.logaddexp.reduce(law_of_a[counts <= least])
        answers = [(False, hidden), *((True, law_of_a[i]) for i in np.flatnonzero(counts > least))]
        b = 1 + np.arange(-reach, reach + 1)
        passes = [rounded_law(0, sigma, reach)[i] for i in np.flatnonzero(b > least)]
        none = math.log1p(-math.fsum(np.exp(passes)))
        of_b = [none, *passes] if is_second and moves == 'b' else [0.0, *[-math.inf] * len(passes)]
        for is_released, chance in answers:
            left = 1 / (mu * math.sqrt(part_of(is_released)))
            law = rounded_law(int(is_second), left, math.ceil(9 * left) + 2)
            lists += [chance + other + law for other in of_b]
    return np.concatenate(one), np.concatenate(two)


PARTS = {
    'the rest': lambda is_released: 0.6,
    'less if rare': lambda is_released: 0.6 if is_released else 0.2,
}


@pytest.mark.parametrize('part_of', PARTS.values(), ids=PARTS)
@pytest.mark.parametrize('moves', ['a', 'b'])
@pytest.mark.parametrize('delta', [0.05, 1e-4])
@pytest.mark.parametrize('mu', [0.8, 2.0])
def test_a_threshold_costs_its_delta_and_no_more_beside_the_gaussian(mu, delta, moves, part_of):
    one, two = with_threshold(mu, delta, moves, part_of)
    for p in (one, two):
        assert math.fsum(np.exp(p)) == pytest.approx(1, abs=1e-10)
    needed = [
        (hockey_stick(p, q, epsilon), delta_of_gaussian(mu**2 / 2, epsilon))
        for p, q in ((one, two), (two, one))
        for epsilon in EPSILONS
    ]
    assert all(found <= gaussian + delta + 1e-12 for found, gaussian in needed)
    if moves == 'b':  # whoever sees it knows for certain
        assert 0 < hockey_stick(two, one, 30.0) <= delta
