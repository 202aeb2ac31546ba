"""What options may be: names of columns, statements, numbers above 0."""

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
    (found,) = csv.reader([text.replace('\n', ' ')], skipinitialspace=True)
    return [name.strip() for name in found if name.strip()]


def epsilons(text: str) -> list[float]:
    """Return the numbers of a list that is separated by commas."""
    return [float(positive(float)(part.strip())) for part in text.split(',')]


def positive(kind: type[int] | type[float], most: float = math.inf) -> Callable[[str], int | float]:
    """Return what reads a number above 0, and at most so large."""

    def parse(text: str) -> int | float:
        try:
            value: int | float = kind(text)
        except ValueError:
            value = 0
        if not 0 < value <= most:
            whole = 'whole ' if kind is int else ''
            limit = '' if value <= most else f' and at most {most}'
            raise argparse.ArgumentTypeError(f'{text!r} must be a {whole}number above 0{limit}.')
        return value

    return parse
