"""Numbers as people pass them: numpy's and fractions are as good as Python's own."""

from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np


def plain_number(value: Any) -> Any:
    """Return a numpy number or a fraction as Python's int or float; anything else unchanged.

    Arguments are stored, compared and written to files, so they are converted on arrival.
    Later checks decide whether they are numbers at all, and in range: a boolean, also one of
    numpy's, is returned unchanged and refused there.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]  # an array of no dimension is a number
    if isinstance(value, bool) or not isinstance(value, np.number | Fraction | Integral):
        return value
    if isinstance(value, Integral):
        return int(value)
    is_complex = isinstance(value, np.complexfloating)
    return complex(value) if is_complex else float(value)
