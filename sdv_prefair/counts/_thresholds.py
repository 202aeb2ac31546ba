"""Where the bins of an encoder begin, found by calling the encoder itself.

A database has its own arithmetic: it rounds, casts and divides in its own way. So bins are not
computed there but looked up, by comparing with the smallest number of each. These are found by
binary search over all numbers of the column's type, however the encoder computes codes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.counts._readable import FIRST_SECOND, LAST_SECOND
from sdv_prefair.counts._source import Encoder

_SIGN = np.uint64(2**63)
# The timestamps that every database supports: the years 1 to 9999, in microseconds.
_FIRST_MICROS, _LAST_MICROS = FIRST_SECOND * 10**6, (LAST_SECOND + 1) * 10**6 - 1


@dataclass(frozen=True)
class Line:
    """All values of a type in increasing order, numbered from 0.

    Attributes:
        last: The number of the largest value.
        values: Returns the values with these numbers, in pandas.
    """

    last: int
    values: Callable[[np.ndarray], pd.Series]


def whole_numbers(dtype: np.dtype) -> Line:
    """Return all numbers of an integer dtype."""
    limits = np.iinfo(dtype)
    first = np.uint64(int(limits.min) % 2**64)
    return Line(
        int(limits.max) - int(limits.min),
        lambda position: pd.Series((position + first).view(np.int64).astype(dtype)),
    )


def real_numbers() -> Line:
    """Return all 64-bit floats, with the infinite ones at the ends.

    The bits of positive floats are in the order of the floats, those of negative ones in reverse.
    """
    first, last = (_rank(np.array([end])) for end in (-np.inf, np.inf))
    return Line(int(last[0] - first[0]), lambda position: pd.Series(_unrank(position + first)))


def moments(instants: bool) -> Line:
    """Return all timestamps whose year has four digits.

    Args:
        instants: Whether they have a time zone.
    """
    first = np.uint64(_FIRST_MICROS % 2**64)

    def values(position: np.ndarray) -> pd.Series:
        naive = pd.Series((position + first).view('datetime64[us]'))
        return naive.dt.tz_localize('UTC') if instants else naive

    return Line(_LAST_MICROS - _FIRST_MICROS, values)


def steps(encoder: Encoder, line: Line) -> tuple[int, list[tuple[Any, int]]]:
    """Return the code of the smallest value, and each value at which the code changes.

    The codes must increase with the values.
    """
    ends = np.array([0, line.last], dtype=np.uint64)
    lowest, highest = encoder.encode(line.values(ends)).tolist()
    wanted = np.arange(lowest + 1, highest + 1)
    if not len(wanted):
        return lowest, []
    below = np.zeros(len(wanted), dtype=np.uint64)  # where the code is still smaller
    reached = np.full(len(wanted), line.last, dtype=np.uint64)
    while (reached - below > 1).any():
        middle = below + (reached - below) // np.uint64(2)
        enough = encoder.encode(line.values(middle)) >= wanted
        below, reached = np.where(enough, below, middle), np.where(enough, middle, reached)
    starts = line.values(np.unique(reached))
    return lowest, list(zip(starts.tolist(), encoder.encode(starts).tolist(), strict=True))


def _rank(floats: np.ndarray) -> np.ndarray:
    bits = floats.view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _unrank(ranks: np.ndarray) -> np.ndarray:
    return np.where(ranks & _SIGN, ranks & ~_SIGN, ~ranks).view(np.float64)
