"""Types of arrays, for type checkers."""

from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Objects = NDArray[np.object_]


class HiddenCode(TypedDict, total=False):
    """The code of values outside a column's domain, and the code that replaces it."""

    other: int | None
    stand_in: int | None
