"""Parsing the strings of options: names, statements, numbers.

Nothing heavy is imported here, as in ``parser``.
"""

import argparse
import csv
import math
import re
from collections.abc import Callable


def statement(text: str) -> tuple[list[str], list[str], list[str]]:
    """Return left, right and given of ``right ~ left | given``."""
    outside_quotes = r'([~|])(?=(?:[^"]*"[^"]*")*[^"]*$)'
    right, *rest = re.split(outside_quotes, text)
    signs, groups = rest[::2], [names(part) for part in (right, *rest[1::2])]
    if signs not in (['~'], ['~', '|']) or not all(groups):
        raise argparse.ArgumentTypeError(
            f'{text!r} must have the form "outcomes ~ protected | given", such as "income ~ sex, '
            'race | education"; leave out | and what follows if nothing is given.'
        )
    outcomes, protected, given = (*groups, [])[:3]
    return protected, outcomes, given


def names(text: str) -> list[str]:
    """Return the names in one line of CSV."""
    (cells,) = csv.reader([text.replace('\n', ' ')], skipinitialspace=True)
    return [name.strip() for name in cells if name.strip()]


def epsilons(text: str) -> list[float]:
    """Return the numbers of a list that is separated by commas."""
    return [float(positive(float)(part.strip())) for part in text.split(',')]


def share(text: str) -> float:
    """Return a share that is written as ``55%`` or as ``0.55``."""
    try:
        value = float(text.removesuffix('%')) / (100 if text.endswith('%') else 1)
    except ValueError:
        value = math.nan
    if not 0.5 < value < 1:
        raise argparse.ArgumentTypeError(f'{text!r} must be above 50% and below 100%, as in 55%.')
    return value


def positive(kind: type[int] | type[float], most: float = math.inf) -> Callable[[str], int | float]:
    """Return a parser for a number above 0 and at most ``most``."""

    def parse(text: str) -> int | float:
        try:
            value: int | float = kind(text)
        except ValueError:
            value = 0
        if not 0 < value <= most:
            number = 'an integer' if kind is int else 'a number'
            limit = '' if value <= most else f' and at most {most}'
            raise argparse.ArgumentTypeError(f'{text!r} must be {number} above 0{limit}.')
        return value

    return parse
