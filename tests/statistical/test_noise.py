"""The noise has the law the ledger claims; a scale off by 5 per cent is caught.

The tests are seeded, so they cannot fail by chance; their power was chosen so that a scale off
by 5 per cent is rejected at any seed that matters (chi-squared far beyond its 1e-6 quantile).
"""

import math
from fractions import Fraction

import numpy as np
import opendp.prelude as dp
import pytest
from scipy.stats import chi2, chisquare, ks_2samp, norm

from sdv_prefair.counting import count_codes
from sdv_prefair.privacy import Ledger, PrivateTable
from sdv_prefair.privacy._answers import exponential
from sdv_prefair.privacy._private_table import frequent_values
from sdv_prefair.privacy._samplers import SeededEntropy, discrete_gaussian, rounded_gaussian


def gaussian_p_value(draws: np.ndarray, sigma: float) -> float:
    """Chi-squared against P(k) proportional to exp(-k^2/(2 sigma^2)), in bins of about sigma/4."""
    reach = math.ceil(8 * sigma)
    support = np.arange(-reach, reach + 1)
    return _p_value(draws, sigma, support, np.exp(-((support / sigma) ** 2) / 2))


def rounded_p_value(draws: np.ndarray, sigma: float) -> float:
    """Chi-squared against Phi((k + 1/2)/sigma) - Phi((k - 1/2)/sigma), in the same bins."""
    reach = math.ceil(8 * sigma)
    support = np.arange(-reach, reach + 1)
    near, far = norm.sf((np.abs(support) + [[-0.5], [0.5]]) / sigma)
    return _p_value(draws, sigma, support, near - far)


def _p_value(draws: np.ndarray, sigma: float, support: np.ndarray, law: np.ndarray) -> float:
    width = max(1, round(sigma / 4))
    bins = np.floor_divide(support, width)
    expected = np.bincount(bins - bins.min(), weights=law / law.sum()) * draws.size
    observed = np.bincount(
        np.clip(np.floor_divide(draws, width) - bins.min(), 0, expected.size - 1),
        minlength=expected.size,
    )
    keep = expected >= 5
    observed = np.append(observed[keep], observed[~keep].sum())
    expected = np.append(expected[keep], expected[~keep].sum() + 1e-9)
    return chisquare(observed, expected * observed.sum() / expected.sum()).pvalue


@pytest.mark.parametrize('sigma', [0.6, 2.0, 38.76, 127.5, 356.4, 25_000.0])
def test_discrete_gaussian_has_its_law_and_no_other(sigma):
    draws = discrete_gaussian(Fraction(sigma) ** 2, 200_000, SeededEntropy(11))
    assert gaussian_p_value(draws, sigma) > 1e-4
    for wrong in (0.7, 0.95, 1.05, 1.3):
        assert gaussian_p_value(draws, sigma * wrong) < 1e-6


@pytest.mark.parametrize('sigma', [0.3, 0.6, 2.0, 38.76, 127.5, 356.4, 25_000.0, 1e5])
def test_rounded_gaussian_has_its_law_and_no_other(sigma):
    draws = rounded_gaussian(Fraction(sigma) ** 2, 200_000, SeededEntropy(21))
    assert rounded_p_value(draws, sigma) > 1e-4
    for wrong in (0.7, 0.95, 1.05, 1.3):
        assert rounded_p_value(draws, sigma * wrong) < 1e-6


@pytest.mark.parametrize('sigma', [0.3, 0.6, 1.0, 2.0])
def test_where_rounded_and_discrete_gaussians_differ_neither_passes_for_the_other(sigma):
    """Rounding adds a twelfth to the variance: two per cent at sigma = 2, the rest is more."""
    rounded, discrete = (
        draw(Fraction(sigma) ** 2, 400_000, SeededEntropy(22))
        for draw in (rounded_gaussian, discrete_gaussian)
    )
    assert rounded_p_value(rounded, sigma) > 1e-4 and gaussian_p_value(discrete, sigma) > 1e-4
    assert gaussian_p_value(rounded, sigma) < 1e-6
    assert rounded_p_value(discrete, sigma) < 1e-6


def test_single_integers_inside_wide_blocks_of_rounded_draws_have_their_law():
    """As below: a block has 31 cells of half an integer, rarer at the far end by 1 part in 64."""
    sigma, width = 1000, 2 * 1000 // 64
    draws = np.abs(rounded_gaussian(Fraction(sigma) ** 2, 9_000_000, SeededEntropy(23)))
    draws = draws[draws > width]
    support = np.arange(width + 1, 8 * sigma)
    law = norm.sf((support - 0.5) / sigma) - norm.sf((support + 0.5) / sigma)
    cells = (2 * support[:, None] + [-1, 0]) // width * width
    stairs = np.exp(-((cells / (2 * sigma)) ** 2) / 2).sum(axis=1)
    observed = np.bincount(draws % width, minlength=width)

    def p_value(weights):
        expected = np.bincount(support % width, weights=weights / weights.sum()) * draws.size
        return chisquare(observed, expected * observed.sum() / expected.sum()).pvalue

    assert p_value(law) > 1e-4
    assert p_value(stairs) < 1e-6


@pytest.mark.parametrize('sigma', [3.0, 200.0])
def test_discrete_gaussian_agrees_with_opendp(sigma):
    dp.enable_features('contrib')
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    oracle = np.array((space >> dp.m.then_gaussian(scale=sigma))([0] * 20_000))
    ours = discrete_gaussian(Fraction(sigma) ** 2, 20_000, SeededEntropy(12))
    assert ks_2samp(ours, oracle).pvalue > 1e-5
    assert ks_2samp(ours * 1.3, oracle).pvalue < 1e-9


def test_single_integers_inside_wide_blocks_have_their_law():
    """Where in its block an integer lies is not even: it is rarer at the far end, by 1 part in 64
    at one sigma. Four million draws tell that from blocks whose integers are all kept."""
    sigma, width = 1000, 1000 // 64
    draws = np.abs(discrete_gaussian(Fraction(sigma) ** 2, 4_000_000, SeededEntropy(18)))
    draws = draws[draws > width]  # zero is half of its neighbours, as it has one sign
    observed = np.bincount(draws % width, minlength=width)
    support = np.arange(width + 1, 14 * sigma)
    law = np.exp(-((support / sigma) ** 2) / 2)
    stairs = np.exp(-(((support // width * width) / sigma) ** 2) / 2)

    def p_value(weights):
        expected = np.bincount(support % width, weights=weights / weights.sum()) * draws.size
        return chisquare(observed, expected * observed.sum() / expected.sum()).pvalue

    assert p_value(law) > 1e-4
    assert p_value(stairs) < 1e-6


def choice_p_value(chosen: np.ndarray, scores: np.ndarray, epsilon: float) -> float:
    law = np.exp(epsilon * (scores - scores.max()) / 2)
    observed = np.bincount(chosen, minlength=scores.size)
    return chisquare(observed, law / law.sum() * chosen.size).pvalue


def test_exponential_mechanism_has_its_law_and_no_other():
    unit = 2**32
    scores = np.array([0.0, 1.5, 2.0, 4.25, 4.0])
    fixed = [int(score * unit) for score in scores]
    entropy = SeededEntropy(13)
    epsilon = Fraction(7, 10)
    chosen = np.array([exponential(fixed, epsilon, unit, entropy) for _ in range(40_000)])
    assert choice_p_value(chosen, scores, float(epsilon)) > 1e-4
    for wrong in (0.7, 1.3, 2.0):
        assert choice_p_value(chosen, scores, float(epsilon) * wrong) < 1e-6


def test_successive_draws_are_uncorrelated():
    draws = discrete_gaussian(Fraction(300) ** 2, 100_000, SeededEntropy(14)).astype(float)
    lags = [np.corrcoef(draws[:-lag], draws[lag:])[0, 1] for lag in range(1, 6)]
    assert draws.size * np.sum(np.square(lags)) < chi2.ppf(1 - 1e-6, df=5)


@pytest.mark.parametrize('rows', [1, 3])
def test_counts_of_unknown_values_carry_the_noise_that_is_paid_for(rows):
    """By the law of the ledger's rho and the rows of a person, worked out here once more."""
    ledger, rho = Ledger(1.0, 1e-9, rows, reserved_delta=5e-10), Fraction(1, 500)
    exact = {f'{number:05}': 10**6 + number for number in range(20_000)}
    noisy = frequent_values('x', exact, rho, 1e-10, 'learn', ledger, SeededEntropy(15))
    assert list(noisy) == list(exact), 'all are far above the threshold'
    draws = np.array([noisy[value] - exact[value] for value in exact])
    sigma = rows / math.sqrt(2 * rho)
    assert gaussian_p_value(draws, sigma) > 1e-4
    for wrong in (0.7, 1.3):
        assert gaussian_p_value(draws, sigma * wrong) < 1e-6


@pytest.mark.parametrize('rows', [1, 3])
def test_groups_of_codes_carry_the_noise_that_is_paid_for(rows):
    """Many groups at once: their noise has the variance of rows^2/(2 rho), and no other."""
    ledger = Ledger(1.0, 1e-9, rows)
    rho, num_groups = ledger.budget / 2, 4000
    counts = count_codes({'x': np.arange(2 * num_groups)}, {'x': 2 * num_groups}, [('x',)])
    table = PrivateTable(counts, ledger, SeededEntropy(17))
    noisy, sigma = table.measure_groups('x', np.arange(2 * num_groups) // 2, rho, 'discretize')
    assert sigma == pytest.approx(rows / math.sqrt(2 * rho))
    squares = ((noisy - 2) ** 2).sum()

    def p_value(times_sigma):
        tail = chi2.cdf(squares / (sigma * times_sigma) ** 2, num_groups)
        return 2 * min(tail, 1 - tail)

    assert p_value(1.0) > 1e-4
    for wrong in (0.7, 1.3):
        assert p_value(wrong) < 1e-6
