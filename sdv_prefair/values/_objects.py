"""Parsing single objects: each on its own, and without errors.

The dtype of a column of objects says nothing about its cells, and rows may contain anything:
strings and numbers, lists, infinite numbers, objects whose every method raises. Whatever cannot be
parsed is null. So no row affects how another is parsed, and none can make a fit fail.
"""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

_NUMBERS = (int, float, Decimal, Fraction, np.bool_, np.integer, np.floating)


def is_null(cell: Any) -> bool:
    """Whether a cell is one of the nulls of Python, numpy or pandas."""
    try:
        if isinstance(cell, Decimal):  # pandas compares it, and a signalling NaN raises
            return cell.is_nan()
        return bool(pd.api.types.is_scalar(cell) and pd.isna(cell))
    except Exception:  # whatever an arbitrary object raises, it is not a null
        return False


def are_null(column: pd.Series) -> np.ndarray:
    """Return which cells of a column are null, each tested on its own."""
    if not pd.api.types.is_object_dtype(column.dtype):
        return column.isna().to_numpy(dtype=bool)
    return np.fromiter(map(is_null, column), bool, len(column))


def as_float(cell: Any) -> float:
    """Return the number in a cell, also from a string; NaN if there is none.

    Numbers too large for a float are infinite.
    """
    try:
        return _read_float(cell)
    except Exception:  # whatever an arbitrary object raises, it is not a number
        return math.nan


def _read_float(cell: Any) -> float:
    if isinstance(cell, str):
        return math.nan if '_' in cell else float(cell)  # Python's own 1_000
    if not isinstance(cell, _NUMBERS) or isinstance(cell, np.timedelta64):
        return math.nan
    try:
        return float(cell)
    except OverflowError:
        return math.inf if cell > 0 else -math.inf
