"""Sentences about privacy, each made from a curve, so that none says more than the curve does.

Shares that are bounds are rounded up.
"""

import math
from typing import NamedTuple

from sdv_prefair.privacy._curve import PrivacyCurve

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
