import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.errors import BudgetError
from sdv_prefair.privacy._answers import (
    exponential_epsilon,
    gaussian,
    gaussian_variance,
    rounded_gaussian,
)
from sdv_prefair.privacy._samplers import (
    _TABLE_BITS,
    SeededEntropy,
    SystemEntropy,
    _staircase,
    bernoulli_exp,
    integer_below,
    integers_below,
)


class Scripted:
    """Entropy that replays given bytes."""

    def __init__(self, script: bytes):
        self._script = script

    def read(self, num_bytes):
        taken, self._script = self._script[:num_bytes], self._script[num_bytes:]
        assert len(taken) == num_bytes
        return taken


@pytest.mark.parametrize('sigma', [0.4, 0.7, 3.75, 50.3, 127.9])
def test_block_table_is_the_cdf_to_its_last_bits(sigma):
    """Against 160-digit sums of the half-line weights, for widths of one."""
    variance = Fraction(sigma) ** 2
    table = _staircase(variance)
    assert table.width == 1
    with mpmath.workdps(160):
        rate = mpmath.mpf(variance.denominator) / (2 * mpmath.mpf(variance.numerator))
        weights = [mpmath.exp(-rate * k * k) for k in range(len(table.cumulative) + 200)]
        total = mpmath.fsum(weights)
        running = mpmath.mpf(0)
        for weight, cumulative in zip(weights, table.cumulative, strict=False):
            running += weight
            exact = mpmath.mpf(cumulative) / 2**_TABLE_BITS
            assert abs(running / total - exact) < mpmath.mpf(2) ** -329


@given(st.floats(200, 1e12))
def test_the_stairs_lie_above_the_curve(sigma):
    """Each block's weight is the curve at its lower end, so acceptance never exceeds one."""
    table = _staircase(Fraction(sigma) ** 2)
    assert 1 < table.width <= sigma / 64
    ends = np.array(table.cumulative, dtype=float)
    steps = np.diff(np.concatenate([[0.0], ends]))[: 8 * 64]
    curve = np.exp(-((np.arange(8 * 64) * table.width / sigma) ** 2) / 2)
    assert steps / steps[0] == pytest.approx(curve, rel=1e-9)


def test_a_tie_in_the_top_word_is_settled_by_the_next():
    table = _staircase(Fraction(4))
    whole = table.cumulative[1]
    top, low = divmod(whole, 2 ** (_TABLE_BITS - 64))
    for below, expected in [(low - 1, 1), (low, 2), (low + 1, 2)]:
        script = top.to_bytes(8, 'little') + below.to_bytes(_TABLE_BITS // 8 - 8, 'little')
        assert table._blocks(1, Scripted(script))[0] == expected


def test_a_close_acceptance_is_settled_exactly():
    table = _staircase(Fraction(1000**2))
    start, step = 70 * table.width, 3
    with mpmath.workdps(160):
        exact = mpmath.exp(-mpmath.mpf((2 * start + step) * step) / (2 * 1000**2))
        whole = int(mpmath.floor(exact * 2**_TABLE_BITS))
    top, low = divmod(whole, 2 ** (_TABLE_BITS - 64))
    for difference, accepted in [(-10, True), (10, False)]:
        below = (low + difference).to_bytes(_TABLE_BITS // 8 - 8, 'little')
        script = top.to_bytes(8, 'little') + below
        answer = table._is_under_curve(np.array([start]), np.array([step]), Scripted(script))
        assert answer[0] == accepted


@pytest.mark.parametrize('sigma', [200, 1000, 12_345])
def test_inside_a_block_each_integer_is_kept_as_often_as_the_curve_says(sigma):
    """A word just below the exact ratio of curve to stair accepts, one just above rejects."""
    table = _staircase(Fraction(sigma) ** 2)
    # At the lower end of a block curve and stair meet, so all is kept there.
    inside = np.arange(1, table.width, table.width // 16 + 1)
    start, step = (each.ravel() for each in np.meshgrid(np.arange(512) * table.width, inside))
    with mpmath.workdps(40):
        ratios = [
            mpmath.exp(-mpmath.mpf((2 * s + d) * d) / (2 * sigma**2))
            for s, d in zip(start.tolist(), step.tolist(), strict=True)
        ]
        for off, accepted in [(-1e-9, True), (1e-9, False)]:
            words = [int((ratio + off) * 2**64).to_bytes(8, 'little') for ratio in ratios]
            kept = table._is_under_curve(start, step, Scripted(b''.join(words)))
            assert (kept == accepted).all()


@pytest.mark.parametrize('deviation', [9, 1000])
def test_a_close_acceptance_inside_a_cell_is_settled_with_more_bits_of_the_place(deviation):
    """The same first words accept or reject, as the place inside the cell is nearer or further."""
    table = _staircase(Fraction(deviation**2))
    start, step, place = 7 * table.width, table.width - 1, 2**63 + 12345
    more = _TABLE_BITS - 64
    with mpmath.workdps(200):
        middle = step + (mpmath.mpf(place) + 0.5) / 2**64
        exact = mpmath.exp(-(2 * start + middle) * middle / (2 * deviation**2))
        top, low = divmod(int(mpmath.floor(exact * 2**_TABLE_BITS)), 2**more)
    for rest, accepted in [(1, True), (2**more - 1, False)]:
        below = rest.to_bytes(more // 8, 'little') + low.to_bytes(more // 8, 'little')
        script = Scripted(top.to_bytes(8, 'little') + below)
        places = np.array([place], dtype=np.uint64)
        answer = table._is_under_curve(np.array([start]), np.array([step]), script, places)
        assert answer[0] == accepted


@given(st.integers(1, 2**70), st.integers(0, 2**32))
def test_integer_below_stays_below(bound, seed):
    assert 0 <= integer_below(SeededEntropy(seed), bound) < bound


@pytest.mark.parametrize('bound', [1, 2, 3, 7, 2**62 - 1])
def test_integers_below_is_uniform_enough(bound):
    drawn = integers_below(SeededEntropy(3), bound, 30_000)
    assert drawn.min() >= 0
    assert drawn.max() < bound
    assert drawn.mean() / max(bound - 1, 1) == pytest.approx(0.5 if bound > 1 else 0, abs=0.02)


def test_words_of_the_last_incomplete_run_are_drawn_again():
    """Of a bound of three eighths of all words: without rejection, the lower third had 3/4."""
    bound, count = 3 * 2**61, 30_000
    drawn = integers_below(SeededEntropy(4), bound, count)
    lower = (drawn < 2**62).mean()
    assert lower == pytest.approx(2 / 3, abs=5 * math.sqrt(2 / 9 / count))


def test_noise_that_might_not_fit_into_64_bits_is_refused():
    """At the largest sigma the tail is below 2^62; nothing above it is drawn."""
    largest = Fraction(2**57) ** 2
    for noisy in (gaussian, rounded_gaussian):
        assert abs(noisy(np.array([2**40]), largest, SeededEntropy(1))[0]) < 2**62
        with pytest.raises(BudgetError, match='too small to calibrate noise'):
            noisy(np.array([0]), largest * 2, SeededEntropy(1))


@pytest.mark.parametrize(('numerator', 'denominator'), [(0, 1), (1, 3), (1, 1), (7, 3), (25, 10)])
def test_bernoulli_exp_frequency(numerator, denominator):
    entropy, trials = SeededEntropy(5), 20_000
    hits = sum(bernoulli_exp(numerator, denominator, entropy) for _ in range(trials))
    expected = math.exp(-numerator / denominator)
    assert hits / trials == pytest.approx(expected, abs=4.5 * math.sqrt(0.25 / trials))


@given(st.floats(1e-9, 10).map(Fraction), st.integers(1, 10**6))
def test_sigma_is_rounded_up(rho, sensitivity):
    variance = gaussian_variance(rho, sensitivity**2)
    spent = Fraction(sensitivity**2) / (2 * variance)
    assert spent <= rho
    assert float(spent) == pytest.approx(float(rho), rel=1e-10)


@given(st.floats(1e-12, 10).map(Fraction))
def test_epsilon_of_a_choice_is_rounded_down(rho):
    epsilon = exponential_epsilon(rho)
    assert epsilon * epsilon / 8 <= rho
    assert float(epsilon * epsilon / 8) == pytest.approx(float(rho), rel=1e-6)


@pytest.mark.parametrize('noise', [gaussian, rounded_gaussian])
def test_noise_is_refused_on_floats(noise):
    with pytest.raises(TypeError, match='integers only'):
        noise(np.zeros(3), Fraction(1), SystemEntropy())


@pytest.mark.system_noise
def test_noise_does_not_depend_on_the_global_seed():
    draws = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002
        draws.append(gaussian(np.zeros(50, dtype=np.int64), Fraction(10**6), SystemEntropy()))
    assert (draws[0] != draws[1]).any()


def test_a_seed_reproduces_the_noise():
    first, second = (
        gaussian(np.zeros(50, dtype=np.int64), Fraction(10**6), SeededEntropy(1)) for _ in range(2)
    )
    assert (first == second).all()
