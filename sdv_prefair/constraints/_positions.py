"""Numbers and timestamps as grid positions, so that their differences are exact.

A ruler has marks: integers, cents, days, months, at the resolution of its column. Columns
of real numbers have a ruler without marks, where a position is the number itself.
"""

import abc
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.columns._cells import boxed, micros_of_timestamp
from sdv_prefair.columns._dtypes import cast, decimal_scale, public_dtype, read_numbers
from sdv_prefair.columns._facts import ColumnDomain
from sdv_prefair.columns._moments import grid_unit, read_micros, write_micros

_EXACT_FLOAT = 2**52
# Positions this far apart can be added and subtracted without overflow.
_FARTHEST = 2**61
_LARGEST_REAL = 1e300
_DAY_WITHOUT_BOUNDS = pd.Timestamp('2000-01-01')
_CALENDAR = np.array(['1000-01-01', '9999-12-31'], dtype='datetime64[us]')

Bounds = tuple[float | None, float | None]


class Ruler(abc.ABC):
    """Where values lie.

    Attributes:
        marked: Whether positions are integers.
    """

    marked: bool

    @abc.abstractmethod
    def _read(self, column: pd.Series, domain: ColumnDomain) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and nulls; a value between marks has the position of the lower one."""

    @abc.abstractmethod
    def position(self, bound: Any) -> float:
        """Return the position of a public bound."""

    @abc.abstractmethod
    def write(self, positions: np.ndarray, nulls: np.ndarray) -> Any:
        """Return values at these positions, in the dtype of the ruler's own column."""

    def read(self, column: pd.Series, domain: ColumnDomain) -> tuple[np.ndarray, np.ndarray]:
        """Return the positions of a column's values, and which are null.

        Args:
            column: The ruler's own column or another one.
            domain: The public domain of that column; values are clipped to it.
        """
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = pd.Series(boxed(column), column.index, dtype=object)
        positions, nulls = self._read(column, domain)
        return self.clip(positions, domain), nulls

    def clip(self, positions: np.ndarray, domain: ColumnDomain) -> np.ndarray:
        """Return the positions, clipped to the domain."""
        low, high = self.bounds(domain)
        return np.clip(positions, low, high) if (low, high) != (None, None) else positions

    def bounds(self, domain: ColumnDomain) -> Bounds:
        """Return the positions of a domain's bounds; None for a bound that is not public."""
        return tuple(
            None if bound is None else self.position(bound) for bound in (domain.low, domain.high)
        )


class NumberRuler(Ruler):
    """The ruler of a numerical column.

    Args:
        domain: The public domain of the column.
        dtype: Its dtype, if known.
    """

    def __init__(self, domain: ColumnDomain, dtype: Any):
        self._dtype = public_dtype(dtype)
        places = [domain.decimal_places, decimal_scale(self._dtype)]
        self._places = min((place for place in places if place is not None), default=None)
        if self._places:
            ends = [abs(end) for end in (domain.low, domain.high) if end is not None]
            if max(ends, default=0) * 10**self._places >= _EXACT_FLOAT:
                self._places = None  # floats cannot distinguish the marks
        self.marked = self._places is not None

    def _read(self, column: pd.Series, domain: ColumnDomain) -> tuple[np.ndarray, np.ndarray]:
        numbers, nulls = read_numbers(column)
        return self._locate(np.where(nulls, 0, numbers)), nulls

    def _locate(self, numbers: np.ndarray) -> np.ndarray:
        if not self.marked:
            return np.clip(numbers.astype(np.float64), -_LARGEST_REAL, _LARGEST_REAL)
        scale = 10**self._places
        if numbers.dtype.kind == 'f':
            numbers = numbers.astype(np.float64)
            # Rounded first, because 0.29 * 100 is slightly less than 29.
            marks = np.floor(np.round(np.clip(numbers, -_LARGEST_REAL, _LARGEST_REAL) * scale, 6))
            return np.clip(marks, -_FARTHEST, _FARTHEST).astype(np.int64)
        if numbers.dtype.kind == 'u':
            numbers = np.minimum(numbers.astype(np.uint64), np.uint64(_FARTHEST))
        farthest = _FARTHEST // scale
        return np.clip(numbers.astype(np.int64), -farthest, farthest) * scale

    def position(self, bound: Any) -> float:
        """Return the position of a public bound."""
        return self._locate(np.array([bound]))[0].item()

    def write(self, positions: np.ndarray, nulls: np.ndarray) -> Any:
        """Return values at these positions, in the dtype of the ruler's own column."""
        numbers = positions / 10**self._places if self._places else positions
        return cast(numbers, nulls, self._dtype)


class MomentRuler(Ruler):
    """The ruler of a datetime column: years, months, days or finer, as its format shows.

    Args:
        domain: The public domain of the column.
        dtype: Its dtype, if known.
    """

    marked = True

    def __init__(self, domain: ColumnDomain, dtype: Any):
        self._dtype = public_dtype(dtype)
        self._format = domain.datetime_format
        ends = [_DAY_WITHOUT_BOUNDS if end is None else end for end in (domain.low, domain.high)]
        self._instants = ends[0].tzinfo is not None
        self._unit = grid_unit(self._format, *ends, self._dtype)

    def _read(self, column: pd.Series, domain: ColumnDomain) -> tuple[np.ndarray, np.ndarray]:
        micros, nulls = read_micros(column, domain.datetime_format, self._instants)
        return self._locate(np.where(nulls, 0, micros)), nulls

    def _locate(self, micros: np.ndarray) -> np.ndarray:
        return micros.astype('datetime64[us]').astype(f'datetime64[{self._unit}]').astype(np.int64)

    def position(self, bound: Any) -> float:
        """Return the position of a public bound."""
        return self._locate(np.array([micros_of_timestamp(bound)]))[0].item()

    def bounds(self, domain: ColumnDomain) -> Bounds:
        """Return the positions of a domain's bounds, or those of the calendar."""
        ends = self._locate(_CALENDAR.astype(np.int64)).tolist()
        known = super().bounds(domain)
        return tuple(
            end if bound is None else bound for bound, end in zip(known, ends, strict=True)
        )

    def write(self, positions: np.ndarray, nulls: np.ndarray) -> Any:
        """Return values at these positions, in the dtype of the ruler's own column."""
        micros = positions.astype(f'datetime64[{self._unit}]').astype('datetime64[us]')
        written = write_micros(
            micros.astype(np.int64), self._dtype, self._format, self._unit, self._instants
        )
        return cast(written, nulls, self._dtype)


def ruler_for(domain: ColumnDomain, dtype: Any) -> Ruler:
    """Return the ruler of a numerical or datetime column."""
    is_moment = hasattr(domain, 'datetime_format') and getattr(domain, 'kind', '') != 'numbers'
    return MomentRuler(domain, dtype) if is_moment else NumberRuler(domain, dtype)
