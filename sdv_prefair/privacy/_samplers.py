"""Exact sampling of Gaussians on integers and of Bernoulli(exp(-x)) from bits.

Floating-point numbers only decide comparisons that their error cannot change; every
closer one is decided in integers. A draw of the discrete or the rounded Gaussian is within
``TOTAL_VARIATION`` of the true distribution, see ``proofs/samplers.md``.
"""

import bisect
import math
import os
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sdv_prefair._arrays import Flags, Integers

# -- Where random bits for noise come from: the operating system, or a seed for experiments --------


class Entropy(Protocol):
    """A source of independent uniform bits."""

    def read(self, num_bytes: int) -> bytes:
        """Return this many fresh random bytes."""


class SystemEntropy:
    """The operating system's cryptographic generator.

    Bytes are never kept for later: a buffer would be shared by forked processes, and two fits
    with the same noise cancel it.
    """

    is_private = True

    def read(self, num_bytes: int) -> bytes:
        """Return this many fresh random bytes."""
        return os.urandom(num_bytes)


class SeededEntropy:
    """Reproducible bits, for experiments and tests. Anyone with the seed can undo the noise."""

    is_private = False

    def __init__(self, seed: int | tuple[int, ...]):
        self._generator = np.random.Generator(np.random.PCG64DXSM(seed))

    def read(self, num_bytes: int) -> bytes:
        """Return the next bytes of the seed's stream."""
        return self._generator.bytes(num_bytes)


def words(entropy: Entropy, count: int) -> NDArray[np.uint64]:
    """Return ``count`` uniform 64-bit words."""
    return np.frombuffer(entropy.read(8 * count), dtype=np.uint64)


def integer_below(entropy: Entropy, bound: int) -> int:
    """Return an exactly uniform integer in [0, bound)."""
    bits = (bound - 1).bit_length()
    num_bytes = (bits + 7) // 8
    while True:
        value = int.from_bytes(entropy.read(num_bytes), 'little') >> (8 * num_bytes - bits)
        if value < bound:
            return value


def integers_below(entropy: Entropy, bound: int, count: int) -> Integers:
    """Return ``count`` exactly uniform integers in [0, bound), for bound up to 2^63."""
    # Words in the last, incomplete run of `bound` values would favour the small remainders.
    accepted_below = (1 << 64) - (1 << 64) % bound
    drawn = words(entropy, count).copy()
    while accepted_below < 1 << 64 and (again := np.flatnonzero(drawn >= accepted_below)).size:
        drawn[again] = words(entropy, again.size)
    return (drawn % np.uint64(bound)).astype(np.int64)


# -- Exact sampling of Gaussians on integers and of Bernoulli(exp(-x)) from bits -------------------


TOTAL_VARIATION = Fraction(1, 2**328)

_DIGITS = 60
_BLOCKS_PER_SIGMA = 64
# A Gaussian to be rounded has at least this many blocks per sigma, so that few draws are rejected.
_LEAST_BLOCKS_PER_SIGMA = 8
# The truncated tail has a probability below exp(-t^2/2) / (t sqrt(pi/2)) < 2^-330; rounding errors
# of the table and its weights are far smaller.
_TAIL_IN_SIGMAS = 21.25
_TABLE_BITS = 384
_FIXED_BITS = 448
_FLOAT_MARGIN = 1e-12


def discrete_gaussian(variance: Fraction, count: int, entropy: Entropy) -> Integers:
    """Sample ``count`` integers with P(k) proportional to exp(-k^2 / (2 variance)).

    Rejection sampling: a magnitude is proposed from blocks of equal width under a staircase above
    the curve, accepted with the ratio of curve to stair, and given a random sign; negative zero is
    rejected, because zero would otherwise count twice. With blocks of width one (sigma below 128)
    stair and curve agree and only negative zeros are rejected.

    Proof: proofs/samplers.md
    """
    magnitudes = np.empty(count, dtype=np.int64)
    signs = np.empty(count, dtype=np.int64)
    staircase = _staircase(variance)
    missing = np.arange(count)
    while missing.size:
        drawn, accepted = staircase.draw(missing.size, entropy)
        sign = _signs(missing.size, entropy)
        magnitudes[missing], signs[missing] = drawn, sign
        missing = missing[~accepted | ((drawn == 0) & (sign < 0))]
    return magnitudes * signs


def rounded_gaussian(variance: Fraction, count: int, entropy: Entropy) -> Integers:
    """Sample ``count`` Gaussians of mean zero and this variance, each rounded to an integer.

    The same staircase, on a grid with ``cells`` per integer, an even number. A cell is proposed
    with a uniform real position inside it, of which only as many bits are sampled as the
    comparison with the curve needs. So an accepted cell contains the magnitude of a Gaussian, and
    determines the integer to which it is rounded.

    Proof: proofs/samplers.md
    """
    cells = _cells_of_an_integer(variance)
    staircase = _staircase(variance * cells**2)
    drawn = np.empty(count, dtype=np.int64)
    missing = np.arange(count)
    while missing.size:
        drawn[missing], accepted = staircase.draw_inside(missing.size, entropy)
        missing = missing[~accepted]
    return (drawn + cells // 2) // cells * _signs(count, entropy)


def _cells_of_an_integer(variance: Fraction) -> int:
    halvings = math.ceil(math.log2(_LEAST_BLOCKS_PER_SIGMA / math.sqrt(variance)))
    return 1 << max(1, halvings)


def _signs(count: int, entropy: Entropy) -> Integers:
    return 1 - 2 * (np.frombuffer(entropy.read(count), np.uint8) & 1).astype(np.int64)


@dataclass(frozen=True)
class _Staircase:
    """The envelope: cumulative block weights, and their top 64 bits for searching."""

    variance: Fraction
    width: int
    cumulative: tuple[int, ...]
    top_words: NDArray[np.uint64]

    def draw(self, count: int, entropy: Entropy) -> tuple[Integers, Flags]:
        """Return proposed integers, and whether each lies under the curve."""
        start, step = self._proposals(count, entropy)
        if self.width == 1:
            return start, np.ones(count, dtype=bool)
        return start + step, self._is_under_curve(start, step, entropy)

    def draw_inside(self, count: int, entropy: Entropy) -> tuple[Integers, Flags]:
        """Return proposed cells, and whether a point drawn inside each lies under the curve."""
        start, step = self._proposals(count, entropy)
        return start + step, self._is_under_curve(start, step, entropy, words(entropy, count))

    def _proposals(self, count: int, entropy: Entropy) -> tuple[Integers, Integers]:
        """Return the starts of blocks, and uniform steps inside them."""
        start = self._blocks(count, entropy) * self.width
        if self.width == 1:
            return start, np.zeros(count, dtype=np.int64)
        return start, integers_below(entropy, self.width, count)

    def _blocks(self, count: int, entropy: Entropy) -> Integers:
        top = words(entropy, count)
        block = np.searchsorted(self.top_words, top, side='left')
        for tie in np.flatnonzero(
            self.top_words[np.minimum(block, len(self.top_words) - 1)] == top
        ):
            whole = _with_more_bits(int(top[tie]), entropy)
            block[tie] = bisect.bisect_right(self.cumulative, whole)
        return np.minimum(block, len(self.cumulative) - 1).astype(np.int64)

    def _is_under_curve(
        self,
        start: Integers,
        step: Integers,
        entropy: Entropy,
        places: NDArray[np.uint64] | None = None,
    ) -> Flags:
        """Accept with probability exp(-((start + step)^2 - start^2) / (2 variance)).

        Args:
            start: Where blocks start.
            step: How far inside.
            entropy: Where the comparison's bits come from.
            places: The first 64 bits of what is added to a step that is not an integer.
        """
        step_as_float = step.astype(np.float64)
        if places is not None:
            step_as_float += places * 2.0**-64
        exponent = (2.0 * start + step_as_float) * step_as_float / float(2 * self.variance)
        threshold = np.exp(-exponent)
        top = words(entropy, start.size)
        uniform = top * 2.0**-64
        accepted = uniform < threshold
        for close in np.flatnonzero(np.abs(uniform - threshold) < _FLOAT_MARGIN):
            inside = Fraction(int(step[close]))
            if places is not None:
                inside += Fraction(_with_more_bits(int(places[close]), entropy), 1 << _TABLE_BITS)
            accepted[close] = self._settle(int(start[close]), inside, int(top[close]), entropy)
        return accepted

    def _settle(self, start: int, step: Fraction, top: int, entropy: Entropy) -> bool:
        exponent = (2 * start + step) * step / (2 * self.variance)
        return _with_more_bits(top, entropy) < _exp_fixed(exponent, _TABLE_BITS)


def _with_more_bits(top: int, entropy: Entropy) -> int:
    """Return a uniform number of as many bits as the table has, of which the first are known."""
    more = _TABLE_BITS - 64
    return (top << more) | integer_below(entropy, 1 << more)


@lru_cache(maxsize=512)
def _staircase(variance: Fraction) -> _Staircase:
    sigma = math.sqrt(variance)
    width = max(1, math.floor(sigma / _BLOCKS_PER_SIGMA))
    blocks = math.ceil(_TAIL_IN_SIGMAS * sigma / width) + 2
    weights = _gaussian_weights(Fraction(width * width) / (2 * variance), blocks)
    total = sum(weights)
    cumulative, running = [], 0
    for weight in weights:
        running += weight
        cumulative.append((running << _TABLE_BITS) // total)
    top = [min(c >> (_TABLE_BITS - 64), (1 << 64) - 1) for c in cumulative]
    top_words = np.array(top, dtype=np.uint64)
    return _Staircase(variance, width, tuple(cumulative), top_words)


def _gaussian_weights(rate: Fraction, count: int) -> list[int]:
    """Return exp(-rate k^2) for k = 0, 1, ... in fixed point, by two running products."""
    one = 1 << _FIXED_BITS
    ratio = _exp_fixed(rate, _FIXED_BITS)
    ratio_step = _exp_fixed(2 * rate, _FIXED_BITS)
    weights, weight = [], one
    for _ in range(count):
        weights.append(weight)
        weight = (weight * ratio) >> _FIXED_BITS
        ratio = (ratio * ratio_step) >> _FIXED_BITS
    return weights


def _exp_fixed(exponent: Fraction, bits: int) -> int:
    """Return exp(-exponent) times 2^bits, rounded, from a correctly rounded decimal exp."""
    with localcontext() as context:
        context.prec = _DIGITS + bits // 3
        value = (-Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
        return int((value * (1 << bits)).to_integral_value())


def bernoulli_exp(numerator: int, denominator: int, entropy: Entropy) -> bool:
    """Return True with probability exactly exp(-numerator / denominator), in integers.

    Canonne, Kamath and Steinke (2020), Algorithm 1.

    Proof: proofs/samplers.md
    """
    while numerator > denominator:
        if not _bernoulli_exp_below_one(1, 1, entropy):
            return False
        numerator -= denominator
    return _bernoulli_exp_below_one(numerator, denominator, entropy)


def _bernoulli_exp_below_one(numerator: int, denominator: int, entropy: Entropy) -> bool:
    successes = 1
    while integer_below(entropy, denominator * successes) < numerator:
        successes += 1
    return successes % 2 == 1
