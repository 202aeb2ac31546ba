"""What the size of epsilon means, in words: a large one must not look like a small one."""

import math
from typing import NamedTuple

from sdv_prefair.report._words import percent, short


class Strength(NamedTuple):
    """How much an epsilon promises.

    Attributes:
        kind: How it looks: ``'good'``, ``'plain'``, ``'warning'`` or ``'alarm'``.
        words: What to call the promise.
        advice: What follows from it, if anything.
    """

    kind: str
    words: str
    advice: str


# The limits 1 and 10 are those of Ponomareva et al., "How to DP-fy ML" (2023), who call anything
# above 10 not meaningful by itself; at 3 a guess is right 95 % of the time.
_STRENGTHS = (
    (1.0, Strength('good', 'strong promise', '')),
    (3.0, Strength('plain', 'moderate promise', '')),
    (
        10.0,
        Strength(
            'warning',
            'weak promise',
            'This epsilon bounds what can be learnt about a person only loosely. Say so to '
            'whoever gets the release, or fit with a smaller one.',
        ),
    ),
    (
        math.inf,
        Strength(
            'alarm',
            'hardly any promise',
            'With this epsilon the guarantee allows nearly everything about a person in the table '
            'to be learnt. It does not protect by itself: do not release it as private data.',
        ),
    ),
)


def strength_of(epsilon: float) -> Strength:
    """Return how much an epsilon promises."""
    return next(strength for limit, strength in _STRENGTHS if epsilon <= limit)


def best_guess(epsilon: float, delta: float) -> float:
    """Return how often the best test between two neighbours is right, if both are as likely.

    (epsilon, delta)-DP bounds the true minus the false positive rate of any test by
    (e^epsilon - 1 + 2 delta) / (e^epsilon + 1).
    """
    ratio = math.exp(-epsilon)
    return min(1.0, (1 + delta * ratio) / (1 + ratio))


def guess_in_words(epsilon: float, delta: float) -> str:
    """Return how often a guess about the membership of a person can be right."""
    share = best_guess(epsilon, delta)
    how_often = 'nearly always' if share > 0.999 else f'{percent(share)} of the time'
    return f'A guess whether someone is in the table can be right {how_often}; a coin toss, 50 %.'


def named(epsilon: float) -> str:
    """Return an epsilon with the strength of its guarantee."""
    return f'epsilon = {short(epsilon)}: {strength_of(epsilon).words}'
