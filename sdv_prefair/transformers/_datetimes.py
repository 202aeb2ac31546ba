"""Timestamps as bins over public bounds."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.domain._columns import Datetimes
from sdv_prefair.errors import DomainError
from sdv_prefair.transformers._asked import cells, same_moment
from sdv_prefair.transformers._bins import GridBins, check_bins
from sdv_prefair.transformers._own_values import BinCodes
from sdv_prefair.values._dtypes import public_dtype
from sdv_prefair.values._timestamp_reading import micros_of_timestamp
from sdv_prefair.values._timestamps import (
    as_timestamp,
    grid_unit,
    is_temporal,
    read_micros,
    write_micros,
    writes_all,
)


class DatetimeBins(BinCodes):
    """A datetime column as bins, from bounds that are public.

    Timestamps lie on a grid: of years, months, days, hours, minutes, seconds or microseconds, as
    fine as the format writes them. At most 100 of them get a code each; otherwise the range is
    divided into bins. A code is decoded by sampling a timestamp from its bin, uniformly unless
    there are weights.

    Args:
        low: First timestamp, in ``datetime_format`` if it is a string; earlier ones are clipped to
            it.
        high: Last timestamp; later ones are clipped to it.
        datetime_format: How timestamps are written, in the column and in ``low`` and ``high``.
        bins: How many bins of equal width.
        edges: Timestamps between bins, for bins of unequal width. Bins contain their first
            timestamp.
        nullable: Whether null, or a value that cannot be parsed, gets a code of its own; otherwise
            it has the hidden code.
        dtype: The column's dtype, if known; otherwise that of the column it is fitted to.
        finer: Further cuts, inside bins; see `BinShape`.
        weights: How likely rows are between one cut and the next, for ``edges`` and ``finer``
            together; without weights, rows are uniform within bins.
    """

    INPUT_SDTYPE = 'datetime'
    SUPPORTED_SDTYPES = ['datetime']

    def __init__(
        self,
        low: Any,
        high: Any,
        datetime_format: str | None = None,
        bins: int = 32,
        edges: Sequence[Any] | None = None,
        nullable: bool = True,
        dtype: Any = None,
        finer: Sequence[Any] = (),
        weights: Sequence[float] = (),
    ):
        super().__init__()
        check_bins(bins)
        self._domain = Datetimes(low, high, datetime_format, nullable)
        self.low = low
        self.high = high
        self.datetime_format = datetime_format
        self.bins = bins
        self._use_shape(edges, finer, weights)
        self._moments = self._moments_of(self.edges or ()), self._moments_of(self.finer)
        self._check_cuts(*self._moments, self._domain.low, self._domain.high)
        self.nullable = nullable
        self.dtype = public_dtype(dtype)
        self._instants = self._domain.low.tzinfo is not None
        self._use_dtype(dtype)

    def _use_dtype(self, dtype: Any) -> None:
        self._dtype = public_dtype(dtype)
        low, high = self._domain.low, self._domain.high
        self._unit = grid_unit(self.datetime_format, low, high, self._dtype)
        last = self._step_at(high)
        first = min(self._first_step_from(low), last)
        edges, finer = ([self._first_step_from(cut) for cut in cuts] for cuts in self._moments)
        cuts = None if self.edges is None else edges
        self._use_bins(GridBins(first, last, self.bins, cuts, finer, self.weights))

    def _moments_of(self, cuts: Sequence[Any]) -> tuple[pd.Timestamp, ...]:
        return tuple(as_timestamp(cut, self.datetime_format, 'edges') for cut in cuts)

    def _step_at(self, moment: pd.Timestamp) -> int:
        return int(self._to_steps(np.array([micros_of_timestamp(moment)]))[0])

    def _first_step_from(self, moment: pd.Timestamp) -> int:
        step = self._step_at(moment)
        return step + bool(self._to_micros(np.array([step]))[0] < micros_of_timestamp(moment))

    def _to_steps(self, micros: np.ndarray) -> np.ndarray:
        moments = micros.astype('datetime64[us]').astype(f'datetime64[{self._unit}]')
        return moments.astype(np.int64)

    def _to_micros(self, steps: np.ndarray) -> np.ndarray:
        return steps.astype(f'datetime64[{self._unit}]').astype('datetime64[us]').astype(np.int64)

    @property
    def line(self) -> GridBins:
        """The line of steps that is divided into bins."""
        return self._bins

    @property
    def unit(self) -> str:
        """The numpy unit of the steps in which timestamps are spaced."""
        return self._unit

    @property
    def instants(self) -> bool:
        """Whether time zones are converted to UTC, or dropped."""
        return self._instants

    def _read(self, column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        micros, nulls = read_micros(column, self.datetime_format, self._instants)
        return self._bins.encode(self._to_steps(np.where(nulls, 0, micros))), nulls

    def _nearest(self, column: pd.Series) -> Any:
        micros, nulls = read_micros(column, self.datetime_format, self._instants)
        steps = self._to_steps(np.where(nulls, 0, micros))
        micros = self._to_micros(np.clip(steps, self._bins.first, self._bins.last))
        return write_micros(micros, self._dtype, self.datetime_format, self._unit, self._instants)

    def _is_held(self, column: pd.Series, held: Any) -> list[bool]:
        asked, unread = read_micros(column, self.datetime_format, self._instants)
        again, unwritten = read_micros(pd.Series(held), self.datetime_format, self._instants)
        same = (asked == again) & ~unread & ~unwritten
        return [
            bool(is_same) and same_moment(value, self._meant(value), shown, self._instants)
            for value, shown, is_same in zip(cells(column), cells(held), same, strict=True)
        ]

    def _meant(self, value: Any) -> pd.Timestamp | None:
        try:
            return as_timestamp(value, self.datetime_format, '')
        except DomainError:
            return None

    def _finish(self, drawn: np.ndarray) -> Any:
        micros = self._to_micros(drawn)
        return write_micros(micros, self._dtype, self.datetime_format, self._unit, self._instants)

    def _may_move(self) -> bool:
        low, high = self._domain.low, self._domain.high
        # Clocks and formats do not preserve the order of timestamps.
        return super()._may_move() or not writes_all(
            low, high, self._dtype, self.datetime_format, self._instants
        )

    def _refuse_bins(self) -> DomainError | None:
        if self._dtype is not None and is_temporal(self._dtype):
            return None  # clocks of the zone skip a bin's timestamps, or they are beyond the dtype
        if self._dtype is None and self.datetime_format is None:
            return None
        written = self.datetime_format or 'ISO 8601'
        return DomainError(
            'timestamps from range_min to range_max cannot be distinguished in the format '
            f"'{written}' and the dtype {str(self._dtype)!r}. Use a format that includes "
            'everything, such as the year and AM or PM, or narrow the range to what the format '
            'can express.'
        )

    def _value_labels(self) -> list[str]:
        first, last = (
            np.datetime_as_string(ends.astype(f'datetime64[{self._unit}]'))
            for ends in self._bins.ends()
        )
        return [a if a == b else f'{a} to {b}' for a, b in zip(first, last, strict=True)]
