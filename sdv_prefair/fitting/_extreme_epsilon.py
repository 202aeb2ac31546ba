"""Warnings about an epsilon that is far too small or far too large."""

import warnings

from sdv_prefair._users_line import users_line
from sdv_prefair.errors import NoiseWarning, PrivacyWarning
from sdv_prefair.privacy import PrivacyCurve
from sdv_prefair.privacy._curve_words import guess_in_words

# Below the first, noise leaves almost nothing; above the second, hardly any guarantee is left.
SMALL_EPSILON, LARGE_EPSILON = 0.01, 20.0


def warn_of_epsilon(epsilon: float, curve: PrivacyCurve) -> None:
    """Warn of an epsilon that protects nobody, or that leaves nothing but noise."""
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
