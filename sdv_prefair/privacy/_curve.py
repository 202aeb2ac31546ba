"""The privacy curve: everything that can be said about the risk of a person, from one ledger.

A fit is (epsilon, delta)-DP for a whole curve of pairs, not for one. What an attacker can do
follows from the curve: how often a guess is right, how many members a test finds, how far a belief
can move. Every number and sentence about privacy in this package is made here.
"""

import math
from dataclasses import dataclass
from typing import Self

from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr, ndtri

from sdv_prefair.errors import BudgetError, shown
from sdv_prefair.privacy._accounting import Ledger, delta_of_rho, epsilon_of
from sdv_prefair.privacy._gaussian_conversion import delta_of_gaussian, gaussian_epsilon_of

_LARGEST_LOSS = 700.0  # e^700 is close to the largest float


@dataclass(frozen=True)
class PrivacyCurve:
    """What can be learnt about a person at most, for every delta, test and prior.

    The attacker sees the release, knows all other rows and every detail of the method, and has
    unlimited time. "In" and "out" are two neighbouring tables, with the person's rows and without.

    Proof: proofs/curve.md

    Attributes:
        rho: The budget: half of mu squared if all noise is Gaussian, else rho of zCDP; infinite if
            the noise is not secret.
        all_gaussian: Whether all noise is Gaussian. Then noise alone gives the curve of one
            Gaussian mechanism, not a bound on it.
        reserved_delta: The part of delta that thresholds use up.
    """

    rho: float
    all_gaussian: bool = True
    reserved_delta: float = 0.0

    @classmethod
    def of(cls, ledger: Ledger) -> Self:
        """Return the curve of a ledger; one with seeded noise protects nobody."""
        rho = math.inf if ledger.seeded else float(ledger.budget)
        return cls(rho, ledger.all_gaussian, ledger.reserved_delta)

    @property
    def mu(self) -> float:
        """The mu of Gaussian differential privacy, in which rho is half its square."""
        return math.sqrt(2 * self.rho)

    @property
    def is_exact(self) -> bool:
        """Whether it is the curve of the noise itself; otherwise it is an upper bound on it."""
        return self.all_gaussian and not self.reserved_delta

    def epsilon_at(self, delta: float) -> float:
        """Return the least epsilon, rounded up, for which (epsilon, delta)-DP holds.

        Infinite if thresholds alone use up this delta.
        """
        _check_probability('delta', delta)
        left = delta - self.reserved_delta
        if left <= 0 or math.isinf(self.rho):
            return math.inf
        return (gaussian_epsilon_of if self.all_gaussian else epsilon_of)(self.rho, left)

    def delta_at(self, epsilon: float) -> float:
        """Return the least delta for which (epsilon, delta)-DP holds; epsilon may be negative.

        This is the largest value of P(in) - e^epsilon P(out) over all sets of releases.
        """
        _check_finite(epsilon)
        if epsilon < 0:  # the same for "out" and "in" exchanged, and the complements of the sets
            return 1 - math.exp(epsilon) * (1 - self.delta_at(-epsilon))
        return min(1.0, self._delta_of_noise(epsilon) + self.reserved_delta)

    def _delta_of_noise(self, epsilon: float) -> float:
        if math.isinf(self.rho):
            return 1.0
        if self.all_gaussian:
            return delta_of_gaussian(self.rho, epsilon)
        # At small epsilons the bounds of Pinsker, and of Bretagnolle and Huber, are smaller.
        apart = min(math.sqrt(self.rho / 2), math.sqrt(-math.expm1(-self.rho)))
        return min(delta_of_rho(self.rho, epsilon), apart)

    def advantage(self) -> float:
        """Return how far apart the true and the false positive rate of a test can be at most."""
        return self.delta_at(0.0)

    def guess(self, prior: float = 0.5) -> float:
        """Return how often a guess whether someone is in the table can be right at most.

        Args:
            prior: How likely it is before the release that they are in it.
        """
        _check_probability('prior', prior)
        return 1 - prior + prior * self.delta_at(math.log1p(-prior) - math.log(prior))

    def true_positives(self, false_positives: float) -> float:
        """Return the share of members that a test can find at most.

        Args:
            false_positives: The share of non-members that it takes for members.
        """
        _check_probability('false_positives', false_positives)
        if math.isinf(self.rho):
            return 1.0
        if self.all_gaussian:
            found = float(ndtr(ndtri(false_positives) + self.mu))
            return min(1.0, found + self.reserved_delta)
        best = minimize_scalar(
            lambda loss: math.exp(loss) * false_positives + self.delta_at(loss),
            bounds=(-50.0, 50.0 - math.log(false_positives)),
            method='bounded',
        )
        return min(1.0, float(best.fun))

    def attack(self, baseline: float) -> float:
        """Return how often an attack that would succeed anyway this often can succeed at most.

        For singling out, the baseline is the chance that a predicate chosen without the person's
        rows singles them out; for attribute inference, of inferring the value from a release made
        without their rows; for reconstruction, of the same for all of their values.
        """
        return self.true_positives(baseline)

    def exceeds(self, epsilon: float) -> float:
        """Return the probability that the privacy loss exceeds epsilon. It is more than delta.

        For Gaussian noise this is exact for the loss of the noise itself. Otherwise it is a bound,
        also for anything computed from the release.
        """
        _check_finite(epsilon)
        if math.isinf(self.rho):
            return 1.0
        if self.is_exact:
            return float(ndtr(self.mu / 2 - epsilon / self.mu))
        return self._exceeds_after_all(epsilon)

    def _exceeds_after_all(self, epsilon: float) -> float:
        """Return a bound on it for anything computed from the release.

        A set on which the loss is above epsilon has delta_at(e) >= P(set) (1 - e^(e - epsilon)).
        """
        if math.isinf(self.rho):
            return 1.0
        best = minimize_scalar(
            lambda below: (
                math.log(max(self.delta_at(epsilon - below), 1e-300))
                - math.log(-math.expm1(-below))
            ),
            bounds=(1e-6, 50.0 + abs(epsilon)),
            method='bounded',
            options={'xatol': 1e-9},
        )
        return min(1.0, math.exp(best.fun))

    def posterior(self, prior: float, except_for: float = 0.01) -> float:
        """Return how sure the release can make someone at most that a person is in the table.

        Args:
            prior: How sure they were before.
            except_for: The probability, with the person in the table, that they become surer. No
                bound holds for certain.
        """
        _check_probability('prior', prior)
        _check_probability('except_for', except_for)
        against = math.log1p(-prior) - math.log(prior) - self._loss_except_for(except_for)
        return 1 / (1 + math.exp(against))

    def _loss_except_for(self, probability: float) -> float:
        def excess(loss: float) -> float:
            return math.log(self._exceeds_after_all(loss)) - math.log(probability)

        if excess(_LARGEST_LOSS) > 0:
            return math.inf
        loss = brentq(excess, 0.0, _LARGEST_LOSS, xtol=1e-10) if excess(0.0) > 0 else 0.0
        return float(loss)


def _check_finite(epsilon: float) -> None:
    is_number = isinstance(epsilon, int | float) and not isinstance(epsilon, bool)
    if not is_number or not math.isfinite(epsilon):
        raise BudgetError(f'epsilon ({shown(epsilon)}) must be a finite number.')


def _check_probability(name: str, value: float) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value < 1:
        raise BudgetError(
            f'{name} ({shown(value)}) must be between 0 and 1, both excluded, for example 0.5.'
        )
