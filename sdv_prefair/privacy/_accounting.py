"""From (epsilon, delta) to rho and back, and the ledger in which every access to rows is debited.

The unit of account is rho of zero-concentrated differential privacy (zCDP), which adds up
under adaptive composition. If all noise of a fit is Gaussian, the fit is one Gaussian mechanism
and rho is mu^2/2 of Gaussian differential privacy (GDP), which adds up too and needs less noise
for the same guarantee, see ``_gaussian_conversion.py``. Neighbouring tables differ by adding or
removing one row (or all rows of one person, see ``max_rows_per_person``).
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pandas as pd
from scipy.optimize import brentq, minimize_scalar

from sdv_prefair.errors import BudgetError
from sdv_prefair.privacy._debit import Debit
from sdv_prefair.privacy._epsilon_delta import (
    DELTA_FOR_ROUNDING,
    LEAST_DELTA,
    check_epsilon_delta,
    quantum_of,
    rounded_down,
)
from sdv_prefair.privacy._gaussian_conversion import gaussian_epsilon_of, gaussian_rho_of
from sdv_prefair.privacy._ledger_words import GDP, HISTOGRAM_NOISES, ROUNDED_NOISES, ZCDP

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
