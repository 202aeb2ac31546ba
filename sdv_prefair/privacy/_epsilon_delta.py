"""The valid values of epsilon and delta, and the amounts that they are converted to.

Every amount in a ledger is a whole multiple of one dyadic quantum, at least 2^-46 of the
budget. So amounts are exact fractions, and their floating-point images add up exactly too.
"""

import math
from fractions import Fraction

from sdv_prefair.errors import BudgetError, shown

# Between these the conversions are exact enough in floats; nobody needs to go beyond.
LEAST_EPSILON, MOST_EPSILON = 1e-30, 1e9
# A tenth of all people may then be published as they are; from here on nothing is promised.
MOST_DELTA = 0.1
# Noise has finite support, so there is no guarantee for every delta, see `samplers`.
LEAST_DELTA = 1e-30
# This part of delta covers the difference between noise as sampled and noise as analysed.
DELTA_FOR_ROUNDING = 1e-9

_QUANTA_BITS = 45


def check_epsilon_delta(epsilon: float, delta: float) -> None:
    """Raise unless epsilon is positive, delta is small, and both can be converted."""
    if not _is_number(epsilon) or not math.isfinite(epsilon) or epsilon <= 0:
        raise BudgetError(
            f'epsilon ({shown(epsilon)}) must be a finite number above 0, for example 1.0.'
        )
    if not _is_number(delta) or not 0 < delta < 1:
        raise BudgetError(
            f'delta ({shown(delta)}) must be between 0 and 1, both excluded; choose it well below '
            'one over the number of people, for example 1e-9.'
        )
    if not LEAST_EPSILON <= epsilon <= MOST_EPSILON:
        raise BudgetError(
            f'epsilon ({shown(epsilon)}) must be between {LEAST_EPSILON:g} and {MOST_EPSILON:g}.'
        )
    if not LEAST_DELTA <= delta < MOST_DELTA:
        raise BudgetError(
            f'delta ({shown(delta)}) must be at least {LEAST_DELTA:g} and below {MOST_DELTA:g}; '
            'choose it well below one over the number of people, for example 1e-9.'
        )


def check_delta_of_rows(delta: float, num_rows: int) -> None:
    """Raise if delta is so large that a row of so many may be published as it is.

    Privacy: the number of rows must be public.

    Proof: proofs/curve.md
    """
    if is_too_large(delta, num_rows):
        raise BudgetError(
            f'delta ({shown(delta)}) must be below one over the number of rows, {num_rows:,}: '
            'publishing a row at random would satisfy it. Choose a much smaller one, for example '
            '1e-9.'
        )


def is_too_large(delta: float, num_rows: float) -> bool:
    """Whether publishing one row at random would be private with this delta."""
    return delta * num_rows >= 1


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def quantum_of(rho: float) -> Fraction:
    """Return the quantum of a budget: amounts are whole multiples of it."""
    return Fraction(2) ** (math.floor(math.log2(rho)) - _QUANTA_BITS)


def rounded_down(rho: float) -> Fraction:
    """Return a budget in whole quanta."""
    quantum = quantum_of(rho)
    return Fraction(math.floor(Fraction(rho) / quantum)) * quantum
