"""From (epsilon, delta) to rho and back, where a whole fit is one Gaussian mechanism.

A fit all of whose noise is Gaussian is mu-GDP: distinguishing neighbouring tables is no easier than
distinguishing N(0, 1) from N(mu, 1). The unit of account is rho = mu^2/2, the cost of the same
noise in zCDP; but how well N(0, 1) and N(mu, 1) can be distinguished is known exactly, and need not
be bounded.
"""

import math
from fractions import Fraction

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx, ndtr

from sdv_prefair._arrays import Floats
from sdv_prefair.privacy._epsilon_delta import (
    DELTA_FOR_ROUNDING,
    LEAST_DELTA,
    check_epsilon_delta,
    rounded_down,
)

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
# From here on a few terms of the asymptotic series are closer than a difference of floats.
_FAR = 30.0
# At an a of minus this, delta is above any that may be requested.
_MOST = 6.0


def delta_of_gaussian(rho: float, epsilon: float) -> float:
    """Return the delta for which a Gaussian mechanism with mu^2/2 = rho is (epsilon, delta)-DP.

    Balle and Wang (2018), Theorem 8: Phi(-a) - e^epsilon Phi(-b), with a = epsilon/mu - mu/2 and b
    = a + mu. No smaller delta suffices.

    Proof: proofs/gaussian_composition.md
    """
    return math.exp(min(0.0, _log_delta(math.sqrt(2 * rho), epsilon))) if rho > 0 else 0.0


def gaussian_rho_of(epsilon: float, delta: float) -> Fraction:
    """Return the largest mu^2/2 (rounded down) for which mu-GDP implies (epsilon, delta)-DP.

    Proof: proofs/gaussian_composition.md
    """
    # As in ``rho_of``: half of a delta may be set aside, which is not for the user to correct.
    check_epsilon_delta(epsilon, max(delta, LEAST_DELTA) if delta > 0 else delta)
    # delta grows with mu, and is below mu; where a is -6, it is above all that may be requested.
    low, high = math.log(delta), math.log(_MOST + math.sqrt(_MOST**2 + 2 * epsilon))
    log_mu = brentq(
        lambda log_mu: _log_delta(math.exp(log_mu), epsilon) - math.log(delta),
        *(low, high),
        xtol=1e-14,
    )
    rho = math.exp(2 * log_mu) / 2
    while delta_of_gaussian(rho, epsilon) > delta * (1 - DELTA_FOR_ROUNDING):
        rho *= 1 - 1e-9
    return rounded_down(rho)


def gaussian_epsilon_of(rho: float, delta: float) -> float:
    """Return the epsilon (rounded up) that mu-GDP with mu^2/2 = rho implies at this delta.

    Proof: proofs/gaussian_composition.md
    """
    rho, most = float(rho), delta * (1 - DELTA_FOR_ROUNDING)
    if delta_of_gaussian(rho, 0.0) <= most:
        return 0.0
    mu = math.sqrt(2 * rho)
    upper = 1.01 * (rho + 2 * math.sqrt(rho * math.log(1 / most)))  # by zCDP
    epsilon = brentq(
        lambda e: _log_delta(mu, e) - math.log(most), 0.0, upper, xtol=1e-300, maxiter=2000
    )
    step = upper * 1e-15
    while delta_of_gaussian(rho, epsilon) > most:
        epsilon, step = epsilon + step, 2 * step
    return float(epsilon)


def _log_delta(mu: float, epsilon: float) -> float:
    """Return the logarithm of delta, without a difference of numbers that are nearly the same.

    With Mills' ratio R(t) = Phi(-t)/phi(t), and as e^epsilon phi(b) = phi(a), delta is
    phi(a) (R(a) - R(b)). The derivative of R is t R(t) - 1, so for a small mu the difference is
    the integral of 1 - t R(t) from a to b.
    """
    a = epsilon / mu - mu / 2
    log_density = -a * a / 2 - math.log(2 * math.pi) / 2
    if mu < 1:
        inside = a + mu * (1 + _NODES) / 2
        return log_density + math.log(mu / 2 * float(_WEIGHTS @ _less_than_one(inside)))
    if a < -_MOST:
        return math.log(ndtr(-a) - math.exp(log_density) * _mills(a + mu))
    return log_density + math.log(_mills(a) - _mills(a + mu))


def _mills(t: float) -> float:
    return math.sqrt(math.pi / 2) * float(erfcx(t / math.sqrt(2)))


def _less_than_one(t: Floats) -> Floats:
    """Return 1 - t R(t) for t above -1."""
    near = np.minimum(t, _FAR)
    exact = 1 - near * math.sqrt(math.pi / 2) * erfcx(near / math.sqrt(2))
    far = 1 / np.maximum(t, _FAR) ** 2
    series = far * (1 - far * (3 - far * (15 - far * (105 - far * 945))))
    return np.where(t < _FAR, exact, series)
