"""The account of a synthesizer: every attempt to fit it, finished or not, and their sum.

A ledger is the budget of one fit. An attempt that fails, or is abandoned, has still answered
queries on the rows, and so has the fit before the last one. The account only grows.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import pandas as pd

from sdv_prefair.privacy._accounting import GDP, ZCDP, Ledger, epsilon_of, gaussian_epsilon_of
from sdv_prefair.privacy._curve import PrivacyCurve

FINISHED, FAILED, UNFINISHED = 'finished', 'failed', 'unfinished'
OUTCOMES = (FINISHED, FAILED, UNFINISHED)
CALLS = ('fit', 'preprocess', 'fit_processed_data', 'fit_table', 'fit_counts')


@dataclass(frozen=True)
class Spending:
    """One line of the account.

    Attributes:
        call: The method that began the attempt.
        outcome: One of ``OUTCOMES``; an abandoned attempt is unfinished.
        seeded: Whether the noise can be reproduced.
        lines: How many answers it received.
        rho: What they cost in zCDP.
        delta: The part of delta that thresholds have used up.
        all_gaussian: Whether all its noise was a rounded Gaussian, so that rho is mu^2/2 in GDP.
    """

    call: str
    outcome: str
    seeded: bool
    lines: int
    rho: Fraction
    delta: float
    all_gaussian: bool = False

    @property
    def accounting(self) -> str:
        """The accounting of its lines."""
        return GDP if self.all_gaussian else ZCDP


class Attempt:
    """An attempt to fit, with its ledger. As a context manager, it fails if its body raises.

    Args:
        call: The method that began it.
        ledger: Where its answers are debited.
        paid_before: How many of the ledger's first lines belong to an earlier attempt.
    """

    def __init__(self, call: str, ledger: Ledger, paid_before: int = 0):
        self.call, self.ledger = call, ledger
        self.outcome = UNFINISHED
        self._paid_before = paid_before

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.outcome != UNFINISHED

    def finish(self) -> None:
        """Record that it produced a model."""
        self.outcome = FINISHED

    @property
    def spending(self) -> Spending:
        """What it has spent so far."""
        lines = self.ledger.debits[self._paid_before :]
        return Spending(
            self.call,
            self.outcome,
            self.ledger.seeded,
            len(lines),
            sum((line.rho for line in lines), Fraction(0)),
            math.fsum(line.delta for line in lines),
            self.ledger.all_gaussian,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type | None, *_: object) -> None:
        if error is not None:
            self.outcome = FAILED


class Account:
    """All attempts to fit one synthesizer, in order.

    Proof: proofs/composition.md, proofs/gaussian_composition.md

    Args:
        before: Attempts made elsewhere, as recorded in a release.
    """

    def __init__(self, before: Iterable[Spending] = ()):
        self._before = tuple(before)
        self._attempts: list[Attempt] = []
        self.told_of_refit = False

    def open(self, call: str, ledger: Ledger, paid_before: int = 0) -> Attempt:
        """Enter a new attempt; from here on, what its ledger is debited is in the account."""
        self._attempts.append(Attempt(call, ledger, paid_before))
        return self._attempts[-1]

    @property
    def spendings(self) -> tuple[Spending, ...]:
        """What each attempt has spent so far."""
        return (*self._before, *(attempt.spending for attempt in self._attempts))

    @property
    def spent(self) -> Fraction:
        """The sum of all debits of all attempts."""
        return sum((spending.rho for spending in self.spendings), Fraction(0))

    @property
    def spent_delta(self) -> float:
        """The part of delta that thresholds of all attempts have used up."""
        return math.fsum(spending.delta for spending in self.spendings)

    @property
    def seeded(self) -> bool:
        """Whether noise of any attempt can be reproduced."""
        return any(spending.seeded for spending in self.spendings if spending.lines)

    @property
    def all_gaussian(self) -> bool:
        """Whether all noise of all attempts was a rounded Gaussian."""
        return all(spending.all_gaussian for spending in self.spendings if spending.lines)

    def epsilon_with(self, rho: Fraction, all_gaussian: bool, delta: float) -> float:
        """Return the epsilon, at this delta, of all attempts and one more.

        Args:
            rho: The cost of the further one.
            all_gaussian: Whether all its noise is a rounded Gaussian.
            delta: The delta of the conversion, which counts only once.
        """
        convert = gaussian_epsilon_of if self.all_gaussian and all_gaussian else epsilon_of
        return convert(float(self.spent + rho), delta)

    def total(self, delta_for_noise: float) -> dict[str, Any]:
        """Return the total over all attempts, for people who are in every table.

        zCDP composes over attempts as over the lines of one, and so does GDP if it holds for all of
        them; a mu-GDP attempt is mu^2/2-zCDP when combined with others. Thresholds add their
        deltas, and the conversion of all noise together needs ``delta_for_noise`` once.
        """
        return {
            'attempts': len(self.spendings),
            'rho_all_attempts': float(self.spent),
            'epsilon_all_attempts': None
            if self.seeded
            else self.epsilon_with(Fraction(0), True, delta_for_noise),
            'delta_all_attempts': delta_for_noise + self.spent_delta,
            'private_all_attempts': not self.seeded,
        }

    def total_beside(self, ledger: Ledger) -> dict[str, Any]:
        """Return the total in terms of one fit's guarantee, which equals it if it is the only one.

        Args:
            ledger: The ledger of a finished fit.
        """
        total = self.total(ledger.delta - ledger.reserved_delta)
        if self.spent == ledger.spent and not self.seeded:
            total['epsilon_all_attempts'] = ledger.epsilon
        # The guarantee includes the reserved delta, used up or not.
        total['delta_all_attempts'] = max(total['delta_all_attempts'], ledger.delta)
        return total

    def curve_beside(self, curve: PrivacyCurve) -> PrivacyCurve:
        """Return the curve of all attempts, which is that of a finished fit if it is the only one.

        Args:
            curve: The curve of the fit, whose delta for thresholds counts whole.
        """
        rho = math.inf if self.seeded else max(float(self.spent), curve.rho)
        reserved = max(self.spent_delta, curve.reserved_delta)
        return PrivacyCurve(rho, self.all_gaussian and curve.all_gaussian, reserved)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each attempt: its number, call and outcome, and what it spent."""
        rows = [
            (s.call, s.outcome, not s.seeded, s.lines, float(s.rho), s.delta, s.accounting)
            for s in self.spendings
        ]
        columns = ['call', 'outcome', 'private', 'lines', 'rho', 'delta', 'accounting']
        frame = pd.DataFrame(rows, columns=columns)
        frame.insert(0, 'attempt', range(1, len(rows) + 1))
        return frame
