"""Warnings about an epsilon that is far too small, or a budget that is far too large."""

import warnings

from sdv_prefair._users_line import users_line
from sdv_prefair.errors import NoiseWarning, PrivacyWarning
from sdv_prefair.privacy import PrivacyCurve
from sdv_prefair.privacy._curve import guess_in_words

# Below the first, noise leaves almost nothing; above the second, hardly any guarantee is left.
SMALL_EPSILON, LARGE_EPSILON = 0.01, 20.0
# A table of a hundred thousand rows may publish one of them from here on.
LARGE_DELTA = 1e-5


def warn_of_budget(epsilon: float, delta: float, curve: PrivacyCurve) -> None:
    """Warn of a budget that protects nobody, or that leaves nothing but noise."""
    if delta > LARGE_DELTA:
        warnings.warn(
            f'delta ({delta:g}) is above {LARGE_DELTA:g}: from one over the number of rows on, '
            'publishing a row at random would satisfy it. Choose it well below that, for example '
            '1e-9, which costs little.',
            PrivacyWarning,
            stacklevel=users_line(),
        )
    if epsilon > LARGE_EPSILON:
        warnings.warn(
            f'epsilon ({epsilon:g}) is above {LARGE_EPSILON:g}. {guess_in_words(curve)} Use '
            '10 at most for what is handed out, or keep the result with the rows.',
            PrivacyWarning,
            stacklevel=users_line(),
        )
    elif epsilon < SMALL_EPSILON:
        warnings.warn(
            f'epsilon ({epsilon:g}) is below {SMALL_EPSILON:g}: noise swamps everything unless '
            'there are millions of rows. See sdv-prefair plan for what is left of each column, '
            'and use a larger epsilon if that is too little.',
            NoiseWarning,
            stacklevel=users_line(),
        )
