"""How far noise as drawn is from noise as analysed, computed from the tables it is drawn from.

Of ``samplers.py`` and ``accounting.py``.
"""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from sdv_prefair.counts.kernel import MAX_CELLS
from sdv_prefair.privacy import accounting, samplers
from sdv_prefair.privacy.accounting import LEAST_DELTA, delta_of_rho, rho_of
from sdv_prefair.privacy.samplers import TOTAL_VARIATION, _exp_fixed, _staircase

DIGITS = 200
# What the page on privacy names: more draws than a fit can make, and the largest epsilon for which
# the bound says anything.
MOST_DRAWS, MOST_EPSILON = 2**48, 100

SMALL = [0.05, 0.4, 1.0, 3.75, 50.3, 63.9, 127.9, 128.1, 200.0]
LARGE = [1e3, 12345.6, 1e9, 2.0**57]


def curve(variance, magnitude):
    exponent = mpmath.mpf(magnitude) ** 2 * variance.denominator / (2 * variance.numerator)
    return mpmath.exp(-exponent)


def drawn_law(table):
    """Return the probability of every magnitude and sign, as the sampler's integers make it."""
    cumulative, law = (0, *table.cumulative), {}
    for block, (low, high) in enumerate(zip(cumulative[:-1], cumulative[1:], strict=True)):
        for step in range(table.width):
            start = block * table.width
            exponent = Fraction((2 * start + step) * step) / (2 * table.variance)
            kept = _exp_fixed(exponent, samplers._TABLE_BITS) if table.width > 1 else None
            kept = Fraction(1) if kept is None else Fraction(kept, 2**samplers._TABLE_BITS)
            law[start + step] = Fraction(high - low, 2**samplers._TABLE_BITS * table.width) * kept
    return law


def signed(weights, zero):
    """Return the law of magnitudes after signs are drawn and negative zeros rejected."""
    total = 2 * mpmath.fsum(weights) - zero
    return [(zero if not k else 2 * weight) / total for k, weight in enumerate(weights)]


def total_variation(sigma):
    variance = Fraction(sigma) ** 2
    table = _staircase(variance)
    drawn = [mpmath.mpf(p.numerator) / p.denominator for p in drawn_law(table).values()]
    beyond = len(drawn) + math.ceil(30 * sigma) + 30
    true = [curve(variance, k) for k in range(beyond)]
    drawn += [mpmath.mpf(0)] * (beyond - len(drawn))
    pairs = zip(signed(drawn, drawn[0]), signed(true, true[0]), strict=True)
    return mpmath.fsum(abs(one - two) for one, two in pairs) / 2


def bound_for_wide_blocks(sigma):
    """Bound the total variation block by block, where there are too many integers to list.

    Blocks are drawn from the table instead of the stairs, and kept with a rounded probability; a
    draw is kept with probability above 0.9, by which the distance of what is kept is divided.
    """
    variance = Fraction(sigma) ** 2
    table = _staircase(variance)
    cumulative = (0, *table.cumulative)
    drawn = [
        mpmath.mpf(high - low) / 2**samplers._TABLE_BITS
        for low, high in zip(cumulative[:-1], cumulative[1:], strict=True)
    ]
    stairs = [curve(variance, b * table.width) for b in range(2 * len(drawn))]
    total = mpmath.fsum(stairs)
    drawn += [mpmath.mpf(0)] * len(drawn)
    apart = mpmath.fsum(abs(p - s / total) for p, s in zip(drawn, stairs, strict=True)) / 2
    return (apart + mpmath.mpf(2) ** -(samplers._TABLE_BITS + 1)) / 0.9


@pytest.fixture(autouse=True)
def fresh_tables():
    _staircase.cache_clear()
    yield
    _staircase.cache_clear()


@pytest.mark.parametrize('sigma', SMALL)
def test_a_draw_is_as_close_to_the_true_law_as_is_said(sigma):
    with mpmath.workdps(DIGITS):
        assert total_variation(sigma) < mpmath.mpf(TOTAL_VARIATION.numerator) / (
            TOTAL_VARIATION.denominator
        )


@pytest.mark.parametrize('sigma', LARGE)
def test_a_draw_from_wide_blocks_is_too(sigma):
    with mpmath.workdps(DIGITS):
        assert bound_for_wide_blocks(sigma) < mpmath.mpf(TOTAL_VARIATION.numerator) / (
            TOTAL_VARIATION.denominator
        )


@pytest.mark.parametrize('sigma', [50.3, 200.0, 1e9])
@pytest.mark.parametrize(
    ('name', 'value'), [('_TAIL_IN_SIGMAS', 13.75), ('_TABLE_BITS', 64), ('_TABLE_BITS', 128)]
)
def test_a_coarser_table_would_not_be(monkeypatch, sigma, name, value):
    monkeypatch.setattr(samplers, name, value)
    distance = bound_for_wide_blocks if sigma > 1e3 else total_variation
    with mpmath.workdps(DIGITS):
        assert distance(sigma) > 2**20 * mpmath.mpf(TOTAL_VARIATION.numerator) / (
            TOTAL_VARIATION.denominator
        )


def test_floats_decide_only_what_their_error_cannot_change():
    """The exponent of an acceptance is below one, so its exponential is off by a few 2^-53."""
    for sigma in [128.0, 1e3, 1e9, 2.0**57]:
        table = _staircase(Fraction(sigma) ** 2)
        last = (len(table.cumulative) - 1) * table.width
        largest = (2 * last + table.width) * table.width / (2 * sigma**2)
        assert largest < 1 and last < 2**62
        start = np.array([last, 0, last // 2]) // table.width * table.width
        exponent = (2.0 * start + table.width) * table.width / float(2 * table.variance)
        with mpmath.workdps(60):
            for place, floating in zip(start.tolist(), np.exp(-exponent), strict=True):
                whole = (2 * place + table.width) * table.width
                exact = mpmath.exp(-mpmath.mpf(whole) / (2 * mpmath.mpf(sigma) ** 2))
                assert abs(exact - float(floating)) < samplers._FLOAT_MARGIN / 100


def test_all_draws_of_a_fit_are_below_what_is_kept_back_of_delta():
    """Noise that is t away in total variation costs (1 + e^epsilon) t more of delta."""
    kept_back = accounting.DELTA_FOR_ROUNDING * LEAST_DELTA / 2  # the other half may be reserved
    assert (1 + math.exp(MOST_EPSILON)) * MOST_DRAWS * float(TOTAL_VARIATION) < kept_back / 10
    assert MAX_CELLS * 2**20 <= MOST_DRAWS


@pytest.mark.parametrize('delta', [LEAST_DELTA / 2, 1e-9, 0.1])
@pytest.mark.parametrize('epsilon', [0.01, 1.0, 100.0])
def test_the_conversion_keeps_it_back(epsilon, delta):
    rho = float(rho_of(epsilon, delta))
    assert delta_of_rho(rho, epsilon) <= delta * (1 - 0.9 * accounting.DELTA_FOR_ROUNDING)


@pytest.mark.parametrize('delta', [1e-31, 1e-100])
def test_a_delta_that_noise_of_finite_support_cannot_keep_is_refused(delta):
    with pytest.raises(accounting.BudgetError, match='must be between 1e-30'):
        accounting.check_epsilon_delta(1.0, delta)
