"""Words that tables have in place of a value, such as NA: which of them count as null is public."""

from collections.abc import Sequence
from typing import Any

from sdv_prefair.errors import DomainError, shown

MISSING_VALUES = 'missing_values'
"""The key of the metadata that lists the words of a column."""

# All that pandas reads as null in a CSV file, so that a value like them would be lost there anyway;
# and two marks that official tables have.
USUAL_WORDS = (
    *('', '?', '-', '#N/A', '#N/A N/A', '#NA', '-1.#IND', '-1.#QNAN', '-NaN', '-nan'),
    *('1.#IND', '1.#QNAN', '<NA>', 'N/A', 'NA', 'NULL', 'NaN', 'None', 'n/a', 'nan', 'null'),
)


def as_words(given: Any) -> tuple[str, ...]:
    """Return the words that a column's metadata lists; raise ``DomainError`` for anything else."""
    is_list = isinstance(given, list | tuple)
    if not is_list or not all(isinstance(word, str) for word in given):
        raise DomainError(
            f"{MISSING_VALUES} ({shown(given)}) must be a list of texts, as in ['NA', '?']. "
            'Numbers such as -9 are values: make them null before a fit.'
        )
    return tuple(dict.fromkeys(given))


def check_no_value(words: Sequence[str], values: Sequence[Any]) -> None:
    """Raise if a word for a missing value is listed as a value too."""
    both = [value for value in values if isinstance(value, str) and value in words]
    if both:
        raise DomainError(
            f'{MISSING_VALUES} lists {shown(both[0])}, and so does range_values. Leave it out of '
            'one of them.'
        )
