"""Why a string is not a number or date of its column, and what it probably is."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair._arrays import Flags
from sdv_prefair.columns._texts import MISSING_VALUES

_WITH_COMMA = re.compile(r'\s*[-+]?(\d{1,3}([. \u00a0\u202f]\d{3})+|\d*),\d+\s*')
# '60,670' is 60670 to some and 60.67 to others: to write the wrong one is wrong a thousandfold.
_THOUSANDS = re.compile(r'\s*[-+]?[1-9]\d{0,2},\d{3}\s*')
_WHOLE = re.compile(r'\s*[-+]?\d+\s*')
_MISSING = {
    'na',
    'n/a',
    '#n/a',
    'nan',
    'nat',
    'null',
    'none',
    'nil',
    'missing',
    '?',
    '-',
    '--',
    '.',
}
_WITH_UNIT = re.compile(r"\s*[^\w\s.,+-]*\s*[-+]?[\d.,'\s]*\d\s*[^\d\s.,+-]*\s*")
_FORMATS = (
    *('%Y-%m-%d', '%d.%m.%Y', '%d/%m/%Y', '%m/%d/%Y', '%Y/%m/%d', '%d-%m-%Y', '%Y%m%d'),
    *('%Y-%m-%d %H:%M:%S', '%Y-%m-%dT%H:%M:%S', '%d.%m.%Y %H:%M', '%d/%m/%Y %H:%M'),
    *('%d %b %Y', '%d %B %Y', '%b %d, %Y', '%Y-%m', '%Y'),
)

LIKE_MISSING = 'look like a word for a missing value'
OTHER_FORMAT = 'have a date in another format'

# More words than anybody has for one thing are something else.
_MOST_WORDS = 5

Reason = tuple[str, str, Flags]
"""What is wrong, what to do about it, and which cells are affected."""


def looks_missing(text: str) -> bool:
    """Whether a text is a word that tables have for a missing value."""
    return text.strip().lower() in _MISSING


def how_to_declare(cells: Iterable[Any]) -> str:
    """Return how to say of words that they stand for a missing value, or that they do not."""
    words = list(dict.fromkeys(map(str, cells)))[:_MOST_WORDS]
    return (
        f'If they are missing, add "{MISSING_VALUES}": {json.dumps(words, ensure_ascii=False)} to '
        'the column in the metadata; if they are values, list all values in range_values.'
    )


def why_no_number(cells: Sequence[Any]) -> list[Reason]:
    """Return why cells are not numbers, each cell under one reason."""
    missing = how_to_declare(c for c in cells if looks_missing(str(c)))
    return _sorted_out(
        cells,
        [
            (LIKE_MISSING, missing, looks_missing),
            (
                'have an integer of more than 64 bits',
                'Is it a key or a code? Then use the sdtype id or categorical.',
                lambda text: _WHOLE.fullmatch(text) is not None,
            ),
            (
                'have a comma before three digits',
                'It separates thousands, or decimals: only you know. Write 60670 or 60.67.',
                lambda text: _THOUSANDS.fullmatch(text) is not None,
            ),
            (
                'have a number with a decimal comma',
                'Write a point, as in 1.5, or read the file with decimal=",".',
                lambda text: _WITH_COMMA.fullmatch(text) is not None,
            ),
            (
                'have a number with a unit or a separator',
                'Keep only digits, a sign and a decimal point.',
                lambda text: _WITH_UNIT.fullmatch(text) is not None,
            ),
            ('are not numbers', 'Correct them, or the sdtype.', lambda text: True),
        ],
    )


def why_no_date(cells: Sequence[Any]) -> list[Reason]:
    """Return why cells are not dates of the declared format, each cell under one reason."""
    texts = pd.Series([str(cell) for cell in cells], dtype=object)
    missing = np.array([looks_missing(text) for text in texts], dtype=bool)
    reasons: list[Reason] = []
    if missing.any():
        reasons.append((LIKE_MISSING, how_to_declare(texts[missing]), missing))
    left = ~missing
    for written in _FORMATS:
        read = pd.to_datetime(texts.where(left), format=written, errors='coerce').notna()
        found = read.to_numpy(dtype=bool)
        if found.any():
            remedy = f"Declare datetime_format '{written}', or write all dates in one format."
            reasons.append((OTHER_FORMAT, remedy, found))
            left &= ~found
    if left.any():
        reasons.append(('are not dates', 'Correct them, or datetime_format and sdtype.', left))
    return reasons


def another_kind(texts: Sequence[str]) -> tuple[str, str] | None:
    """Return what the texts of a column of categories are, and what to do about it, if not texts.

    Years and dates without separators are left alone: they may well be categories.
    """
    if not texts:
        return None
    if all(_WITH_COMMA.fullmatch(text) for text in texts):
        return (
            'hold numbers with decimal commas',
            "Write points, as in 1.5, and set the sdtype to 'numerical'.",
        )
    for written in _FORMATS:
        separated = sum(not letter.isalnum() for letter in written.replace('%', '')) >= 2
        if (
            separated
            and pd.to_datetime(pd.Series(texts), format=written, errors='coerce').notna().all()
        ):
            return (
                'hold dates',
                f"Set the sdtype to 'datetime' and datetime_format to '{written}'.",
            )
    return None


def _sorted_out(
    cells: Sequence[Any], tests: Sequence[tuple[str, str, Callable[[str], bool]]]
) -> list[Reason]:
    left = np.ones(len(cells), dtype=bool)
    reasons: list[Reason] = []
    for what, remedy, is_true in tests:
        found = left & np.array([is_true(str(cell)) for cell in cells], dtype=bool)
        if found.any():
            reasons.append((what, remedy, found))
        left &= ~found
    return reasons
