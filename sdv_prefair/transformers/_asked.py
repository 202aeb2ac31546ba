"""Checks, cell by cell, that a requested value appears unchanged in the sample.

A model conditions on codes, and a column shows values. If two requested values were written as one,
rows of two codes would be mixed under it. So a value is accepted only if the column can write it,
and what it writes determines the code.
"""

from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

import numpy as np
import pandas as pd

# From here on, floats are further apart than integers.
_EXACT_FLOAT = 2**53


def distinct(column: pd.Series) -> tuple[pd.Series, np.ndarray]:
    """Return the distinct values of a column without nulls, and which one each row holds.

    Objects are returned unchanged, because True would be merged with 1.
    """
    if column.dtype == object:
        return column, np.arange(len(column))
    position, _ = pd.factorize(column)
    return column.drop_duplicates(), position


def cells(values: Any) -> list[Any]:
    """Return the values of an array or a column as Python objects.

    numpy's scalars compare a float at their own precision: they equate 0.1 and its short float.
    """
    objects = pd.Series(values).astype(object).tolist()
    return [o.item() if isinstance(o, np.number | np.bool_) else o for o in objects]


def same_value(asked: Any, held: Any) -> bool:
    """Whether two cells are the same: equal, and both booleans, both strings, or neither."""
    try:
        for kind in (bool, str):
            if isinstance(asked, kind) != isinstance(held, kind):
                return False
        if (
            isinstance(asked, float)
            and isinstance(held, Integral)
            and abs(int(held)) >= _EXACT_FLOAT
        ):
            return False  # a float does not determine which integer is meant
        return bool(asked == held)
    except Exception:  # whatever an arbitrary object raises, it is not one of the values
        return False


def grid_point(asked: Any, places: int) -> int | None:
    """Return n if a number is n / 10**places, or the nearest float to it; otherwise None."""
    number = _as_fraction(asked)
    return None if number is None else round(number * 10**places)


def is_grid_point(asked: Any, held: Any, places: int, whole: bool) -> bool:
    """Whether a number has no more decimals than the grid, and the column holds exactly that point.

    Args:
        asked: The requested value.
        held: What the column writes for it.
        places: The number of decimals.
        whole: Whether the column has an integer dtype.
    """
    number, written = _as_fraction(asked), _as_fraction(held)
    if number is None or written is None:
        return False
    point = round(number * 10**places)
    if round(written * 10**places) != point or (places == 0 and written != point):
        return False
    if not isinstance(asked, float):
        return number * 10**places == point
    if whole and abs(asked) >= _EXACT_FLOAT:
        return False
    # As a short float, 0.1 is another number; that is fine if the column holds it as one too.
    return asked in (float(Fraction(point, 10**places)), float(written))


def same_number(asked: Any, held: Any) -> bool:
    """Whether a column of real numbers holds a number unchanged; a decimal judged by its digits."""
    number, written = _as_fraction(asked), _as_fraction(held)
    if number is None or written is None:
        return False
    by_digits = isinstance(asked, Decimal) and isinstance(held, float)
    return Fraction(str(held)) == number if by_digits else written == number


def same_moment(asked: Any, moment: pd.Timestamp | None, held: Any, instants: bool) -> bool:
    """Whether a column shows the requested timestamp.

    Args:
        asked: A string, a number such as 20240131, or a date or time.
        moment: The timestamp it denotes.
        held: What the column writes for it, equal to the microsecond.
        instants: Whether the column's bounds name offsets.
    """
    if moment is None or moment.nanosecond:
        return False
    has_offset, is_text = moment.tzinfo is not None, isinstance(held, str | Real)
    if is_text and isinstance(asked, str | Real):
        return same_value(asked, held)
    if is_text:
        return has_offset == instants
    held = pd.Timestamp(held)
    shows_offset = held.tzinfo is not None
    if has_offset and shows_offset:
        return moment == held
    # Without an offset, it is wall-clock time, or UTC if bounds are instants.
    return has_offset in (shows_offset, instants)


def as_float(asked: Any, otherwise: float) -> float:
    """Return a number as a float; ``otherwise`` if it is not a number or too large."""
    number = _as_fraction(asked)
    try:
        return otherwise if number is None else float(number)
    except OverflowError:
        return otherwise


def _as_fraction(cell: Any) -> Fraction | None:
    """Return a number without rounding; None for booleans, strings and anything not finite."""
    if isinstance(cell, bool) or not isinstance(cell, Real | Decimal):
        return None
    try:
        if isinstance(cell, Rational):
            return Fraction(int(cell)) if isinstance(cell, Integral) else Fraction(cell)
        return Fraction(cell) if isinstance(cell, Decimal) else Fraction(float(cell))
    except (ValueError, OverflowError):
        return None
