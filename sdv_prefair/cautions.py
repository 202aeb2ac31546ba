"""What a user is warned of while a synthesizer is made and fitted."""

import warnings
from collections.abc import Sequence

from sdv_prefair.errors import DomainWarning, PrivacyWarning


def warn_of_ranges() -> None:
    """Warn that nobody has said whether the metadata's ranges are public."""
    warnings.warn(
        'The ranges in the metadata are taken as public knowledge. If SDV detected them '
        'from the data they are not: pass public_ranges=False to learn domains within '
        'the budget, or public_ranges=True once they are written by hand.',
        PrivacyWarning,
        stacklevel=3,
    )


def warn_of_seed(seed: int | None) -> None:
    """Warn that the noise can be undone, if there is a seed."""
    if seed is not None:
        warnings.warn(
            'seed is given: whoever knows it can undo the noise. This fit is not private: '
            'leave seed out before you release anything.',
            PrivacyWarning,
            stacklevel=4,
        )


def warn_of_large_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    """Warn of pairs that have too many cells to be measured, if there are any.

    Privacy: which pairs these are must come from sizes of domains alone.
    """
    if pairs:
        named = ', '.join(f'{first} and {second}' for first, second in pairs)
        warnings.warn(
            f'Some pairs of columns have too many combinations of values to be measured: {named}. '
            'The model relates such columns through others, or takes them as independent. To have '
            'these pairs measured, coarsen the columns: fewer range_values, or a smaller '
            'numeric_bins.',
            DomainWarning,
            stacklevel=5,
        )


def warn_of_values(columns: Sequence[str]) -> None:
    """Warn of columns whose rows mostly hold values that were not declared, if there are any.

    Privacy: which columns these are must come from released values.
    """
    if columns:
        warnings.warn(
            f'Most rows of {list(columns)} hold values that range_values does not list, judging '
            'by the noisy marginals; they will come back as missing or as listed values. Correct '
            'the metadata, spelling and upper case too, and fit again, which costs again.',
            DomainWarning,
            stacklevel=5,
        )
