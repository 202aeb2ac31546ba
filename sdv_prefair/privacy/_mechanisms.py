"""The only noise in the package: two Gaussians on integers, and the exponential mechanism."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sdv_prefair._arrays import Integers
from sdv_prefair.errors import BudgetError
from sdv_prefair.privacy import _samplers as samplers
from sdv_prefair.privacy._entropy import Entropy, integer_below
from sdv_prefair.privacy._samplers import bernoulli_exp, discrete_gaussian

_ROOT_BITS = 40
_LARGEST_SIGMA = 2.0**57


def gaussian_variance(rho: Fraction, sensitivity_squared: Fraction | int) -> Fraction:
    """Return the variance at which integer noise on a query costs ``rho``.

    Privacy: adding a discrete Gaussian of variance s to an integer vector whose L2 sensitivity
    is D is D^2/(2 s)-zCDP (Canonne, Kamath, Steinke 2020, Theorem 14); a rounded Gaussian of
    variance s is D/sqrt(s)-GDP. The variance is rounded up to 40 significant bits, so the true
    cost never exceeds ``rho``.

    Proof: proofs/histogram.md, proofs/gaussian_composition.md
    """
    exact = Fraction(sensitivity_squared) / (2 * rho)
    step = Fraction(2) ** (math.floor(math.log2(exact)) - _ROOT_BITS)
    return math.ceil(exact / step) * step


def gaussian(values: NDArray[np.integer], variance: Fraction, entropy: Entropy) -> Integers:
    """Return ``values`` (integers) plus independent discrete Gaussian noise, as integers.

    Proof: proofs/histogram.md
    """
    return _add(discrete_gaussian, values, variance, entropy)


def rounded_gaussian(values: NDArray[np.integer], variance: Fraction, entropy: Entropy) -> Integers:
    """Return ``values`` (integers) plus independent Gaussian noise, rounded to integers.

    Rounding the sum or the noise is the same, because values are integers.

    Proof: proofs/gaussian_composition.md
    """
    return _add(samplers.rounded_gaussian, values, variance, entropy)


def _add(
    draw: Callable[[Fraction, int, Entropy], Integers],
    values: NDArray[np.integer],
    variance: Fraction,
    entropy: Entropy,
) -> Integers:
    if not np.issubdtype(values.dtype, np.integer):
        raise TypeError('Noise is added to integers only: floating-point sums leak.')
    if math.sqrt(variance) > _LARGEST_SIGMA:
        raise BudgetError('The privacy budget is too small to calibrate noise. Raise epsilon.')
    noise = draw(variance, values.size, entropy)
    return values.astype(np.int64) + noise.reshape(values.shape)


def exponential_epsilon(rho: Fraction) -> Fraction:
    """Return the epsilon at which one exponential mechanism costs ``rho``, rounded down.

    Privacy: probability proportional to exp(epsilon q / (2 D)) has bounded range epsilon, hence
    is epsilon^2/8-zCDP (Cesar and Rogers 2021).

    Proof: proofs/exponential.md

    Departs: the theorem in the paper's preliminaries prints (2 epsilon D)^2/8.
    """
    exact = 8 * rho
    shift = max(0, _ROOT_BITS - math.floor(math.log2(exact)) // 2)
    return Fraction(math.isqrt(math.floor(exact * 4**shift)), 2**shift)


def exponential(
    scores: Sequence[int], epsilon: Fraction, sensitivity: int, entropy: Entropy
) -> int:
    """Return an index i with probability proportional to exp(epsilon scores[i] / (2 sensitivity)).

    Scores are integers in a fixed-point unit and ``sensitivity`` is in the same unit, so the
    distribution is exact: propose uniformly, accept with exp(-epsilon (best - score) / (2
    sensitivity)).

    Proof: proofs/exponential.md
    """
    best = max(scores)
    numerator, denominator = epsilon.numerator, 2 * sensitivity * epsilon.denominator
    while True:
        proposal = integer_below(entropy, len(scores)) if len(scores) > 1 else 0
        if bernoulli_exp(numerator * (best - scores[proposal]), denominator, entropy):
            return proposal
