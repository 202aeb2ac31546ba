"""How far noise as drawn is from noise as analysed, computed from the tables it is drawn from.

Of ``_samplers.py`` and ``_accounting.py``.
"""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from sdv_prefair.counting._kernel import MAX_CELLS
from sdv_prefair.privacy import _accounting as accounting
from sdv_prefair.privacy import _samplers as samplers
from sdv_prefair.privacy._accounting import (
    LEAST_DELTA,
    delta_of_gaussian,
    delta_of_rho,
    gaussian_rho_of,
    rho_of,
)
from sdv_prefair.privacy._samplers import (
    TOTAL_VARIATION,
    _cells_of_an_integer,
    _exp_fixed,
    _staircase,
)

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


def normal_mass(low, high, deviation):
    """Return how likely the magnitude of a Gaussian lies between two numbers."""
    # By tails, whose digits are not lost beside one.
    tails = [mpmath.erfc(edge / (deviation * mpmath.sqrt(2))) for edge in (low, high)]
    return tails[0] - tails[1]


def rounded_laws(sigma):
    """Return P(magnitude = k) as drawn from the table, and by the normal distribution.

    Of a cell that was proposed the part under the curve is kept, by the area and not by a rule.
    """
    variance = Fraction(sigma) ** 2
    cells = _cells_of_an_integer(variance)
    table = _staircase(variance * cells**2)
    assert table.width == 1
    deviation = mpmath.mpf(sigma) * cells
    bounds, kept = (0, *table.cumulative), {}
    for cell, (low, high) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
        area = deviation * mpmath.sqrt(mpmath.pi / 2) * normal_mass(cell, cell + 1, deviation)
        part = area / curve(variance * cells**2, cell)
        proposed = mpmath.mpf(high - low) / 2**samplers._TABLE_BITS
        magnitude = (cell + cells // 2) // cells
        kept[magnitude] = kept.get(magnitude, mpmath.mpf(0)) + proposed * part
    total = mpmath.fsum(kept.values())
    true = {k: normal_mass(max(0, k - 0.5), k + 0.5, mpmath.mpf(sigma)) for k in kept}
    return {k: mass / total for k, mass in kept.items()}, true


def rounded_total_variation(sigma):
    drawn, true = rounded_laws(sigma)
    beyond = 1 - mpmath.fsum(true.values())
    settled = mpmath.mpf(2) ** -(samplers._TABLE_BITS - 3) / 0.9  # what 384 bits do not tell
    return (mpmath.fsum(abs(drawn[k] - true[k]) for k in drawn) + beyond) / 2 + settled


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


@pytest.mark.slow
@pytest.mark.parametrize('sigma', [1e-3, 0.03, 0.3, 0.4, 1.0, 3.75, 4.1, 30.3])
def test_a_rounded_draw_is_as_close_to_the_normal_law_as_is_said(sigma):
    with mpmath.workdps(DIGITS):
        assert rounded_total_variation(sigma) < mpmath.mpf(TOTAL_VARIATION.numerator) / (
            TOTAL_VARIATION.denominator
        )


@pytest.mark.parametrize('sigma', [64.1, 1e3, 1e6, 2.0**57])
def test_a_rounded_draw_from_wide_blocks_is_too(sigma):
    """Of blocks it is the same bound: what is inside of them is kept by the area."""
    cells = _cells_of_an_integer(Fraction(sigma) ** 2)
    assert cells == 2 and _staircase(Fraction(cells * sigma) ** 2).width > 1
    with mpmath.workdps(DIGITS):
        assert bound_for_wide_blocks(cells * sigma) < mpmath.mpf(TOTAL_VARIATION.numerator) / (
            TOTAL_VARIATION.denominator
        )


@pytest.mark.parametrize('sigma', [1e-5, 0.02, 0.3, 0.999, 1.0, 4.0, 5.0, 1e9])
def test_cells_are_so_small_that_most_draws_are_kept(sigma):
    cells = _cells_of_an_integer(Fraction(sigma) ** 2)
    assert cells % 2 == 0 and cells * sigma >= 8 and (cells == 2 or cells * sigma < 16)


@pytest.mark.parametrize('sigma', [0.3, 7.3])
@pytest.mark.parametrize(('name', 'value'), [('_TAIL_IN_SIGMAS', 13.75), ('_TABLE_BITS', 128)])
def test_a_coarser_table_would_not_do_for_rounded_draws(monkeypatch, sigma, name, value):
    monkeypatch.setattr(samplers, name, value)
    with mpmath.workdps(DIGITS):
        assert rounded_total_variation(sigma) > 2**20 * mpmath.mpf(TOTAL_VARIATION.numerator) / (
            TOTAL_VARIATION.denominator
        )


def test_floats_decide_only_what_their_error_cannot_change_inside_cells_too():
    """The largest exponents, with places whose floats are rounded up as far as can be."""
    for deviation in [8.0, 15.9, 127.9, 200.0, 2.0**58]:
        table = _staircase(Fraction(deviation) ** 2)
        last = (len(table.cumulative) - 1) * table.width
        step = table.width - 1
        assert last + table.width < 2**63
        for place in (0, 1, 2**63 + 1, 2**64 - 1):
            inside = float(step) + np.uint64(place) * 2.0**-64
            exponent = (2.0 * last + inside) * inside / float(2 * table.variance)
            assert exponent < 4
            with mpmath.workdps(60):
                for more in (0, 1):  # the bits that are not drawn yet
                    exact_inside = step + mpmath.mpf(place + more) / 2**64
                    whole = (2 * last + exact_inside) * exact_inside
                    exact = mpmath.exp(-whole / (2 * mpmath.mpf(deviation) ** 2))
                    assert abs(exact - float(np.exp(-exponent))) < samplers._FLOAT_MARGIN / 50


@pytest.mark.pull_request
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


@pytest.mark.parametrize('delta', [LEAST_DELTA / 2, 1e-9, 0.09])
@pytest.mark.parametrize('epsilon', [0.01, 1.0, 100.0])
def test_the_conversion_keeps_it_back(epsilon, delta):
    least = delta * (1 - 0.9 * accounting.DELTA_FOR_ROUNDING)
    assert delta_of_rho(float(rho_of(epsilon, delta)), epsilon) <= least
    assert delta_of_gaussian(float(gaussian_rho_of(epsilon, delta)), epsilon) <= least


@pytest.mark.parametrize('delta', [1e-31, 1e-100])
def test_a_delta_that_noise_of_finite_support_cannot_keep_is_refused(delta):
    with pytest.raises(accounting.BudgetError, match='must be at least 1e-30'):
        accounting.check_epsilon_delta(1.0, delta)
