"""The privacy curve: everything that can be said about the risk of a person, from one ledger.

A fit is (epsilon, delta)-DP for a whole curve of pairs, not for one. What an attacker can do
follows from the curve: how often a guess is right, how many members a test finds, how far a belief
can move. Every number and sentence about privacy in this package is made here.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Self

from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr, ndtri

from sdv_prefair.errors import BudgetError, shown
from sdv_prefair.privacy._accounting import (
    Ledger,
    delta_of_gaussian,
    delta_of_rho,
    epsilon_of,
    gaussian_epsilon_of,
)

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


# -- Sentences about privacy, each made from a curve, so that none says more than the curve does.
#
# Shares that are bounds are rounded up.

# False positives of the test that tells members from others, in the words of the attack literature.
_FEW = 0.001
# Whoever was nearly sure before is right more often, with the release or without it.
_GUESS = 'a guess at even odds whether someone is in the table'


class Strength(NamedTuple):
    """How much a curve promises.

    Attributes:
        kind: How it looks: ``'good'``, ``'plain'``, ``'warning'`` or ``'alarm'``.
        words: What to call the promise.
        advice: What follows from it, if anything.
    """

    kind: str
    words: str
    advice: str


# A guess is right at most 53.6, 60.2 and 77.9 % of the time at epsilon 1, 3 and 10 if all noise is
# Gaussian and delta is 1e-9. Ponomareva et al., "How to DP-fy ML" (2023), call 1 strong, and
# anything above 10 not meaningful by itself; with a larger delta the same epsilon promises less.
_STRENGTHS = (
    (0.55, Strength('good', 'strong promise', '')),
    (0.65, Strength('plain', 'moderate promise', '')),
    (
        0.85,
        Strength(
            'warning',
            'weak promise',
            'What can be learnt about a person is bounded only loosely. Say so to whoever gets the '
            'release, or fit with a smaller epsilon.',
        ),
    ),
    (
        math.inf,
        Strength(
            'alarm',
            'hardly any promise',
            'The guarantee allows nearly everything about a person in the table to be learnt. It '
            'does not protect by itself: do not release it as private data.',
        ),
    ),
)

DELTA_TOO_LARGE = Strength(
    'alarm',
    'delta is too large',
    'It is not below one over the number of rows: publishing a row at random would satisfy it. Do '
    'not release this as private data; fit again with a much smaller delta.',
)


def strength_of(curve: PrivacyCurve) -> Strength:
    """Return how much a curve promises; epsilon and delta are judged together."""
    guess = curve.guess()
    return next(strength for limit, strength in _STRENGTHS if guess <= limit)


def at_most(share: float, digits: int = 3) -> str:
    """Return a share in per cent, rounded up."""
    if share >= 1:
        return '100 %'
    places = max(1, digits - 3 - math.floor(math.log10(share)))
    return f'{math.ceil(share * 10 ** (places + 2) - 1e-6) / 10**places:.{places}f} %'


def guess_in_words(curve: PrivacyCurve) -> str:
    """Return how often a guess about the membership of a person can be right."""
    guess = curve.guess()
    how_often = 'nearly always' if guess > 0.999 else f'at most {at_most(guess)} of the time'
    return f'{_GUESS.capitalize()} is right {how_often}; a coin toss, 50 %.'


def members_in_words(curve: PrivacyCurve) -> str:
    """Return how many members a test can find that takes few others for members."""
    found = at_most(curve.true_positives(_FEW))
    return f'A test that takes 1 in 1,000 others for members finds at most {found} of the members.'


def delta_in_words(curve: PrivacyCurve, epsilon: float, delta: float) -> str:
    """Return what epsilon and delta mean together, and what delta does not mean."""
    if math.isinf(curve.rho):
        return 'The noise is known, so no epsilon and no delta hold.'
    exceeds, of_delta = (
        f'{chance:.2g}'.replace('e-0', 'e-') for chance in (curve.exceeds(epsilon), delta)
    )
    of, about = ('loss of the noise', 'is') if curve.is_exact else ('privacy loss', 'may be up to')
    return (
        f'Nothing becomes more likely through one person than by a factor of '
        f'{_factor(epsilon)}, and delta = {of_delta} in addition. That is not the '
        f'probability of a failure: the probability that the {of} exceeds epsilon {about} '
        f'{exceeds}.'
    )


def _factor(epsilon: float) -> str:
    """Return e^epsilon, rounded up to three digits."""
    factor = math.exp(min(epsilon, 700.0))
    unit = 10.0 ** (math.floor(math.log10(factor)) - 2)
    return f'{math.ceil(factor / unit - 1e-9) * unit:.3g}'.replace('e+0', 'e+')


def loss_in_short(curve: PrivacyCurve) -> str:
    """Return the risk in a few words, for one line."""
    return f'{_GUESS} is right at most {at_most(curve.guess())}'


class Attack(NamedTuple):
    """A kind of attack, how often it succeeds anyway, and how often at most with the release."""

    name: str
    baseline: float
    success: float


# What a European regulator asks about: Article 29 Working Party, Opinion 05/2014.
_ATTACKS = (
    ('Singling out: a predicate that singles out a person', 1e-4),
    ('Linkability: the right one of a hundred records elsewhere', 0.01),
    ('Attribute inference: a value with two likely ones', 0.5),
    ('Attribute inference: a value with ten likely ones', 0.1),
    ('Reconstruction of a whole row', 1e-6),
)


def attacks(curve: PrivacyCurve) -> list[Attack]:
    """Return bounds for the attacks that regulators ask about, each at a stated baseline.

    The baseline is how often an attack succeeds with a release made without the person's rows.
    """
    return [Attack(name, baseline, curve.attack(baseline)) for name, baseline in _ATTACKS]


# -- A privacy budget as the risk that is acceptable, in place of an epsilon -----------------------

# From almost no information to all of it.
_LEAST_LOG_RHO, _MOST_LOG_RHO = math.log(1e-60), math.log(1e9)
# More than what is lost on the way from rho to epsilon and back.
_FOR_ROUNDING = 1e-7


@dataclass(frozen=True)
class Risk:
    """What an attacker may achieve at most; made by ``risk``.

    Attributes:
        true_positives: The share of members that a test may find; None if the other is given.
        false_positives: The share of others that this test takes for members.
        advantage: How far apart the two may be for any test.
    """

    true_positives: float | None = None
    false_positives: float | None = None
    advantage: float | None = None

    def __repr__(self) -> str:
        given = {name: value for name, value in vars(self).items() if value is not None}
        return f'risk({", ".join(f"{name}={value!r}" for name, value in given.items())})'

    def epsilon_at(self, delta: float, all_gaussian: bool, reserved_delta: float) -> float:
        """Return the epsilon of the largest budget that keeps to it.

        Proof: proofs/curve.md

        Args:
            delta: The delta of the budget.
            all_gaussian: Whether all noise will be Gaussian.
            reserved_delta: The part of delta that thresholds use up.
        """
        return _epsilon_at(self, delta, all_gaussian, reserved_delta)

    def _excess(self, curve: PrivacyCurve) -> float:
        if self.advantage is not None:
            return curve.advantage() - self.advantage
        return curve.true_positives(self.false_positives or 0.0) - (self.true_positives or 0.0)


def risk(
    *,
    guess: float | None = None,
    advantage: float | None = None,
    true_positives: float | None = None,
    false_positives: float | None = None,
) -> Risk:
    """Return a privacy budget given as a risk, for the argument ``epsilon``. Give one of these.

    Args:
        guess: How often a guess whether someone is in the table may be right, if both are equally
            likely before; above 0.5.
        advantage: How far apart the true and the false positive rate of a test may be.
        true_positives: The share of members that a test may find, together with
        false_positives: The share of others that it takes for members.
    """
    if sum(value is not None for value in (guess, advantage, true_positives)) != 1 or (
        (true_positives is None) != (false_positives is None)
    ):
        raise BudgetError(
            'risk needs one of guess, advantage, or true_positives together with false_positives. '
            'Pass one, for example risk(guess=0.55).'
        )
    if guess is not None:
        return Risk(advantage=2 * _between('guess', guess, 0.5) - 1)
    if advantage is not None:
        return Risk(advantage=_between('advantage', advantage, 0.0))
    false_positives = _between('false_positives', false_positives, 0.0)
    return Risk(_between('true_positives', true_positives, false_positives), false_positives)


def _between(name: str, value: object, least: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not isinstance(value, int | float) or not is_number or not least < value < 1:
        raise BudgetError(f'{name} ({shown(value)}) must be above {least:g} and below 1.')
    return float(value)


@lru_cache(maxsize=256)
def _epsilon_at(asked: Risk, delta: float, all_gaussian: bool, reserved_delta: float) -> float:
    def excess(log_rho: float) -> float:
        return asked._excess(PrivacyCurve(math.exp(log_rho), all_gaussian, reserved_delta))

    epsilon = 0.0
    if excess(_LEAST_LOG_RHO) < 0:
        rho = math.exp(brentq(excess, _LEAST_LOG_RHO, _MOST_LOG_RHO, xtol=1e-13))
        rho *= 1 - _FOR_ROUNDING
        epsilon = PrivacyCurve(rho, all_gaussian, reserved_delta).epsilon_at(delta)
    if not epsilon > 0:
        raise BudgetError(
            f'{asked!r} is so small that delta ({delta:g}) alone allows as much. Ask for a larger '
            'risk, or for a smaller delta.'
        )
    return epsilon
