"""From (epsilon, delta) to rho and back, and the ledger in which every access to rows is debited.

The unit of account is rho of zero-concentrated differential privacy (zCDP), which adds up
under adaptive composition. If all noise of a fit is Gaussian, the fit is one Gaussian mechanism
and rho is mu^2/2 of Gaussian differential privacy (GDP), which adds up too and needs less noise
for the same guarantee, see ``_accounting.py``. Neighbouring tables differ by adding or
removing one row (or all rows of one person, see ``max_rows_per_person``).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq, minimize_scalar
from scipy.special import erfcx, ndtr

from sdv_prefair._arrays import Floats
from sdv_prefair.errors import BudgetError, shown

# -- The words of a ledger: the steps of a fit, and the kinds of noise each of them may use --------
#
# Ledger, release files, report and figures all read them here.

GAUSSIAN = 'discrete Gaussian'
THRESHOLD = 'discrete Gaussian, threshold'
GAUSSIAN_ON_SCORES = 'discrete Gaussian on scores'
ROUNDED = 'rounded Gaussian'
ROUNDED_ON_SCORES = 'rounded Gaussian on scores'
ROUNDED_THRESHOLD = 'rounded Gaussian, threshold'
EXPONENTIAL = 'exponential'

THRESHOLDS = (THRESHOLD, ROUNDED_THRESHOLD)
"""Noise on the counts of unknown values, of which only the frequent ones are released."""

ROUNDED_NOISES = (ROUNDED, ROUNDED_ON_SCORES, ROUNDED_THRESHOLD)
"""The only noise of a fit that is one Gaussian mechanism as a whole, beside its thresholds."""

NOISES = (GAUSSIAN, THRESHOLD, GAUSSIAN_ON_SCORES, *ROUNDED_NOISES, EXPONENTIAL)
"""Every kind of noise there is."""

MEASURING_NOISES = (GAUSSIAN, ROUNDED)
"""Noise on a histogram that is released whole."""

SCORING_NOISES = (GAUSSIAN_ON_SCORES, ROUNDED_ON_SCORES)
"""Noise on many scores at once."""

HISTOGRAM_NOISES = (*MEASURING_NOISES, *THRESHOLDS)
"""Noise on a histogram, in which one row changes one cell."""

ZCDP = 'zCDP'
GDP = 'GDP'
RHO_OF = {ZCDP: 'rho of zCDP', GDP: 'rho = mu^2/2 of GDP'}
"""The accounting of a ledger: for any noise, or for rounded Gaussians only."""

LEARN_DOMAINS = 'learn domains'
DISCRETIZE = 'discretize'
MEASURE_ONE_WAYS = 'measure one-ways'
SELECT_TREE = 'select the tree'
SELECT_PAIRS = 'select more pairs'
MEASURE_TWO_WAYS = 'measure two-ways'
SELECT_CLIQUES = 'select cliques'
MEASURE_CLIQUES = 'measure cliques'
LOOK_FOR_COPIES = 'look for copies of outcomes'

STEPS = {
    LEARN_DOMAINS: (*MEASURING_NOISES, *THRESHOLDS),
    DISCRETIZE: MEASURING_NOISES,
    MEASURE_ONE_WAYS: MEASURING_NOISES,
    SELECT_TREE: (EXPONENTIAL, *SCORING_NOISES),
    SELECT_PAIRS: (EXPONENTIAL, *SCORING_NOISES),
    MEASURE_TWO_WAYS: MEASURING_NOISES,
    SELECT_CLIQUES: (EXPONENTIAL,),
    MEASURE_CLIQUES: MEASURING_NOISES,
    LOOK_FOR_COPIES: SCORING_NOISES,
}
"""The steps of this package's mechanisms; a third-party one may name its own."""

BEFORE_MEASURING = (LEARN_DOMAINS, DISCRETIZE)
"""The steps that encoders depend on: what they measure is not a marginal of the model."""

# -- The valid values of epsilon and delta, and the amounts that they are converted to -------------
#
# Every amount in a ledger is a whole multiple of one dyadic quantum, at least 2^-46 of the
# budget. So amounts are exact fractions, and their floating-point images add up exactly too.

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


# -- From (epsilon, delta) to rho and back, where a whole fit is one Gaussian mechanism ------------
#
# A fit all of whose noise is Gaussian is mu-GDP: distinguishing neighbouring tables is no easier
# than distinguishing N(0, 1) from N(mu, 1). The unit of account is rho = mu^2/2, the cost of the
# same noise in zCDP; but how well N(0, 1) and N(mu, 1) can be distinguished is known exactly, and
# need not be bounded.


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


# -- A line of the ledger --------------------------------------------------------------------------


@dataclass(frozen=True)
class Debit:
    """One line of the ledger: the query, the mechanism, the cost.

    Attributes:
        step: Step of the fit, in the words of the documentation.
        mechanism: Name of the mechanism that added the noise.
        columns: The columns whose counts were read.
        rho: The cost in zCDP; of a Gaussian that is also mu^2/2 in GDP.
        delta: The part of delta this line uses up (thresholded categories only).
        scale: sigma of a Gaussian, epsilon of the exponential mechanism.
    """

    step: str
    mechanism: str
    columns: tuple[str, ...]
    rho: Fraction
    delta: float = 0.0
    scale: float = math.nan


# -- From (epsilon ---------------------------------------------------------------------------------

# The guarantee of a ledger: code that spends from it must not be able to raise it.
_PROMISED = (
    *('epsilon', 'delta', 'max_rows_per_person', 'reserved_delta', 'all_gaussian', 'budget'),
)


def delta_of_rho(rho: float, epsilon: float) -> float:
    """Return a delta for which every rho-zCDP mechanism is (epsilon, delta)-DP.

    Canonne, Kamath and Steinke (2020), Corollary 13: the infimum over alpha > 1 of
    exp((alpha - 1)(alpha rho - epsilon)) / (alpha - 1) * (1 - 1/alpha)^alpha. Any alpha gives a
    valid bound, so an optimiser that stops early is loose, never wrong.

    Proof: proofs/composition.md
    """
    if rho <= 0:
        return 0.0

    def log_delta(log_order: float) -> float:
        above_one = math.exp(log_order)
        alpha = 1 + above_one
        return (
            above_one * (alpha * rho - epsilon)
            - log_order
            # log(1 - 1/alpha), without the cancellation that large orders would bring.
            - alpha * math.log1p(1 / above_one)
        )

    best = minimize_scalar(
        log_delta, bounds=(-20.0, 40.0), method='bounded', options={'xatol': 1e-10}
    )
    return math.exp(min(0.0, best.fun))


def rho_of(epsilon: float, delta: float) -> Fraction:
    """Return the largest rho (rounded down) for which rho-zCDP implies (epsilon, delta)-DP.

    Proof: proofs/composition.md

    Departs: the paper converts by rho + 2 sqrt(rho log(1/delta)); this bound needs 5 to 18 per
    cent less noise for the same guarantee.
    """
    # Half of a delta may be set aside for thresholds, which is not for the user to correct.
    check_epsilon_delta(epsilon, max(delta, LEAST_DELTA) if delta > 0 else delta)

    def excess(log_rho: float) -> float:
        return math.log(max(delta_of_rho(math.exp(log_rho), epsilon), 1e-300)) - math.log(delta)

    # rho = epsilon is too much for every delta below 1/2; pure epsilon-DP costs epsilon^2/2.
    low, high = 2 * math.log(epsilon) - 100, math.log(epsilon + 10 * math.sqrt(epsilon) + 10)
    if excess(low) > 0:
        raise BudgetError(
            f'epsilon ({epsilon}) and delta ({delta}) are too small to calibrate noise. Raise one '
            'of them.'
        )
    rho = math.exp(brentq(excess, low, high, xtol=1e-13))
    while delta_of_rho(rho, epsilon) > delta * (1 - DELTA_FOR_ROUNDING):
        rho *= 1 - 1e-9
    return rounded_down(rho)


def epsilon_of(rho: float, delta: float) -> float:
    """Return the epsilon (rounded up) that rho-zCDP implies at this delta.

    Proof: proofs/composition.md
    """
    rho = float(rho)
    if rho <= 0:
        return 0.0
    upper = rho + 2 * math.sqrt(rho * math.log(1 / delta)) + 1e-12
    if delta_of_rho(rho, 0.0) <= delta:
        return 0.0
    epsilon = brentq(lambda e: delta_of_rho(rho, e) - delta, 0.0, upper, xtol=1e-15)
    return epsilon * (1 + 1e-9)


class Ledger:
    """The budget of one fit and everything spent from it.

    Proof: proofs/composition.md, proofs/gaussian_composition.md

    Args:
        epsilon: Total epsilon.
        delta: Total delta.
        max_rows_per_person: Rows one person may have; the unit of privacy is all of them.
        reserved_delta: The part of delta set aside for thresholds, not for the conversion.
        seeded: Whether the noise can be reproduced, which voids the guarantee.
        all_gaussian: Whether all noise will be Gaussian, as public facts say beforehand. Then rho
            is mu^2/2 of GDP, and noise of any other kind is refused.
    """

    all_gaussian: bool = False  # also the value for ledgers saved before there was a choice
    _aside: Fraction = Fraction(0)

    def __init__(
        self,
        epsilon: float,
        delta: float,
        max_rows_per_person: int = 1,
        reserved_delta: float = 0.0,
        seeded: bool = False,
        all_gaussian: bool = False,
    ):
        check_epsilon_delta(epsilon, delta)
        self.epsilon, self.delta = epsilon, delta
        self.max_rows_per_person, self.reserved_delta = max_rows_per_person, reserved_delta
        self.seeded, self.all_gaussian = seeded, all_gaussian
        convert = gaussian_rho_of if all_gaussian else rho_of
        self.budget = convert(epsilon, delta - reserved_delta)
        self._quantum = quantum_of(float(self.budget))
        self._debits: list[Debit] = []
        self._spent = Fraction(0)

    def __setstate__(self, state: dict[str, object]) -> None:
        """Add up the lines of a saved ledger, because a sum saved separately might disagree."""
        vars(self).update(state)
        self._spent = sum((line.rho for line in self._debits), Fraction(0))

    def __setattr__(self, name: str, value: object) -> None:
        is_kept = name in _PROMISED or (name == 'seeded' and not value)
        if is_kept and vars(self).get(name, value) != value:
            raise AttributeError(
                f'{name} of a ledger cannot be changed once it is open. Open another one.'
            )
        super().__setattr__(name, value)

    @property
    def accounting(self) -> str:
        """The accounting of the lines: ``'zCDP'``, or ``'GDP'`` if all noise is Gaussian."""
        return GDP if self.all_gaussian else ZCDP

    @property
    def debits(self) -> tuple[Debit, ...]:
        """Everything spent so far, in order."""
        return tuple(self._debits)

    @property
    def spent(self) -> Fraction:
        """The sum of all debits."""
        return self._spent

    @property
    def remaining(self) -> Fraction:
        """What remains of the budget, except for what is reserved."""
        return self.budget - self.spent - self._aside

    def put_aside(self, rho: Fraction) -> None:
        """Reserve an amount that is left, until it is taken back."""
        if not 0 <= rho <= self.remaining:
            raise BudgetError('What is put aside must be left.')
        self._aside += rho

    def take_back(self) -> None:
        """Release the amount that was put aside."""
        self._aside = Fraction(0)

    def shares(self, total: Fraction, weights: Sequence[float | Fraction]) -> list[Fraction]:
        """Split ``total`` in proportion to ``weights``, exactly: the shares add up to it."""
        if not weights:
            return []
        units = int(total / self._quantum)
        weight_sum = math.fsum(weights)
        cumulative = [
            math.floor(units * Fraction(math.fsum(weights[: end + 1]) / weight_sum))
            for end in range(len(weights) - 1)
        ] + [units]
        starts = [0, *cumulative[:-1]]
        return [
            (end - start) * self._quantum for start, end in zip(starts, cumulative, strict=True)
        ]

    def check(self, step: str, rho: Fraction) -> None:
        """Raise unless ``rho`` is an amount that can still be spent."""
        if rho <= 0:
            raise BudgetError(
                f'{step} was given none of the privacy budget. Raise epsilon or delta, or model '
                'fewer columns.'
            )
        if rho > self.remaining:
            raise BudgetError(
                f'{step} asks for rho = {float(rho):.3g} but only {float(self.remaining):.3g} of '
                f'{float(self.budget):.3g} is left. Ask for less, or raise epsilon.'
            )

    def debit(self, debit: Debit) -> None:
        """Enter a line, or refuse it: nothing is answered that is not paid for."""
        self._check_noise(debit)
        self.check(debit.step, debit.rho)
        spent_delta = math.fsum(line.delta for line in self._debits) + debit.delta
        if spent_delta > self.reserved_delta * (1 + 1e-12):
            raise BudgetError(
                f'{debit.step} asks for more of delta than was set aside. Set more aside when the '
                'ledger is opened.'
            )
        self._enter([debit])

    def carry_over(self, lines: Sequence[Debit]) -> None:
        """Enter lines whose answers were given before; nothing is answered for them again."""
        for line in lines:
            self._check_noise(line)
        self._enter(lines)

    def _enter(self, lines: Sequence[Debit]) -> None:
        # The sum first: an interrupt between the two must not leave budget to spend twice.
        self._spent += sum((line.rho for line in lines), Fraction(0))
        self._debits.extend(lines)

    def _check_noise(self, debit: Debit) -> None:
        if self.all_gaussian and debit.mechanism not in ROUNDED_NOISES:
            raise BudgetError(
                f'{debit.step} asks for {debit.mechanism} noise, but the mechanism declares '
                'all_gaussian, a promise that all noise is Gaussian. Remove the declaration, or '
                'use only measure and score.'
            )

    def to_frame(self) -> pd.DataFrame:
        """Return the ledger as a table: step, mechanism, columns, rho, delta, scale.

        ``frame['rho'].sum()`` is exactly the budget of a finished fit. ``frame.attrs`` is the
        footer: the promise, the unit of privacy, and what other units would cost.
        """
        frame = pd.DataFrame(
            [
                (line.step, line.mechanism, line.columns, float(line.rho), line.delta, line.scale)
                for line in self._debits
            ],
            columns=['step', 'mechanism', 'columns', 'rho', 'delta', 'scale'],
        )
        frame.attrs.update(self.footer())
        return frame

    def footer(self) -> dict[str, Any]:
        """Return the promise in numbers: who is protected, and what other units would cost.

        What twice the rows would cost is None if categories were learnt by threshold.
        """
        histograms = math.fsum(
            float(line.rho) for line in self._debits if line.mechanism in HISTOGRAM_NOISES
        )
        others = float(self.spent) - histograms
        for_noise = self.delta - self.reserved_delta
        convert = gaussian_epsilon_of if self.all_gaussian else epsilon_of
        return {
            'epsilon': self.epsilon,
            'delta': self.delta,
            'rho': float(self.budget),
            'accounting': self.accounting,
            'private': not self.seeded,
            'neighbours': 'add or remove one row'
            if self.max_rows_per_person == 1
            else f'add or remove up to {self.max_rows_per_person} rows of one person',
            'max_rows_per_person': self.max_rows_per_person,
            # Replacing a row moves a histogram by sqrt(2), a score or a tree by 2, in rows.
            'epsilon_if_replace_one': convert(2 * histograms + 4 * others, for_noise),
            # A threshold hides the values of this many rows and no more.
            'epsilon_if_twice_the_rows': None
            if self.reserved_delta
            else convert(4 * float(self.spent), for_noise),
        }
