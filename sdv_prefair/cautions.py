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


def warn_of_readers(columns: Sequence[str]) -> None:
    """Warn of columns that pandas reads otherwise than they are written, if there are any.

    Not an error: the file tells the values apart, and a table may well say 'NA' for North America.
    """
    if columns:
        warnings.warn(
            f'Values of {list(columns)} differ as text, but pandas takes some of them for the same '
            "when it reads a CSV file, as 'NA' and null, or '01' and '1'. Read such files with "
            "dtype=str, keep_default_na=False and na_values=[''].",
            DomainWarning,
            stacklevel=5,
        )
