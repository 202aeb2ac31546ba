"""Numbers and timestamps as bins."""

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.columns._bins import BinCodes, GridBins, RealBins, check_bins
from sdv_prefair.columns._cells import micros_of_timestamp
from sdv_prefair.columns._column_codes import (
    as_float,
    cells,
    grid_point,
    is_grid_point,
    same_moment,
    same_number,
)
from sdv_prefair.columns._dtypes import decimal_scale, is_integer, public_dtype, read_numbers
from sdv_prefair.columns._facts import Datetimes, Numbers, as_number
from sdv_prefair.columns._moments import (
    as_timestamp,
    grid_unit,
    is_temporal,
    read_micros,
    write_micros,
    writes_all,
)
from sdv_prefair.errors import DomainError

# -- Numbers as bins over public bounds ------------------------------------------------------------

_EXACT_FLOAT = 2**52
_FLOAT64 = np.dtype('float64')


class NumberBins(BinCodes):
    """A numerical column as bins, from bounds that are public.

    Integers, or numbers with few decimals, get a code for each value if there are at most 100 of
    them between the bounds; otherwise the range is divided into bins. A code is decoded by sampling
    a value from its bin, uniformly unless there are weights, with the declared decimals and within
    the bounds.

    Args:
        low: Smallest value; smaller ones are clipped to it.
        high: Largest value; larger ones are clipped to it.
        bins: How many bins of equal width.
        decimal_places: How many decimals values have; 0 for integers, None for any.
        edges: Edges between bins, for bins of unequal width. Bins contain their lower edge.
        nullable: Whether null gets a code of its own; otherwise it has the hidden code.
        dtype: The column's dtype, if known; otherwise that of the column it is fitted to. An
            integer dtype implies ``decimal_places=0``.
        finer: Further cuts, inside bins; see `BinShape`.
        weights: How likely rows are between one cut and the next, for ``edges`` and ``finer``
            together; without weights, rows are uniform within bins.
    """

    INPUT_SDTYPE = 'numerical'
    SUPPORTED_SDTYPES = ['numerical']

    def __init__(
        self,
        low: float,
        high: float,
        bins: int = 32,
        decimal_places: int | None = None,
        edges: Sequence[float] | None = None,
        nullable: bool = True,
        dtype: Any = None,
        finer: Sequence[float] = (),
        weights: Sequence[float] = (),
    ):
        super().__init__()
        check_bins(bins)
        self._domain = Numbers(low, high, decimal_places, nullable)
        self.low = self._domain.low
        self.high = self._domain.high
        self.bins = bins
        self.decimal_places = decimal_places
        if edges is not None:
            edges = tuple(as_number(edge, 'edges') for edge in edges)
        finer = tuple(as_number(cut, 'finer') for cut in finer)
        self._use_shape(edges, finer, weights)
        self._check_cuts(self.edges, finer, self.low, self.high)
        self.nullable = nullable
        self.dtype = public_dtype(dtype)
        self._use_dtype(dtype)

    def _use_dtype(self, dtype: Any) -> None:
        self._dtype = public_dtype(dtype)
        places = [self.decimal_places, decimal_scale(self._dtype)]
        self._places = min((place for place in places if place is not None), default=None)
        grid = None if self._places is None else self._grid()
        self._on_grid = grid is not None and self._can_count(grid)
        if grid is not None and self._on_grid:
            cuts = None if self.edges is None else [self._first_above(edge) for edge in self.edges]
            finer = [self._first_above(cut) for cut in self.finer]
            bins: Any = GridBins(grid[0], grid[-1], self.bins, cuts, finer, self.weights)
        else:
            bins = RealBins(self.low, self.high, self.bins, self.edges, self.finer, self.weights)
        self._use_bins(bins)

    def _grid(self) -> range:
        grid = self._domain.grid(self._decimals)
        if not grid:
            raise DomainError('no integer lies between low and high. Widen the range.')
        if not is_integer(self._dtype):
            return grid
        limits = np.iinfo(getattr(self._dtype, 'numpy_dtype', self._dtype))
        held = range(max(grid[0], int(limits.min)), min(grid[-1], int(limits.max)) + 1)
        return held or grid

    def _can_count(self, grid: range) -> bool:
        """Whether the grid's numbers can be distinguished; if they have decimals, by floats."""
        if self._places == 0:
            return GridBins.can_hold(grid)
        return bool(max(abs(grid[0]), abs(grid[-1])) < 2 ** np.finfo(self._float_kind()).nmant)

    def _first_above(self, edge: float) -> int:
        scaled = Decimal(repr(edge)).scaleb(self._decimals)
        return int(scaled.to_integral_value(ROUND_CEILING))

    @property
    def _decimals(self) -> int:
        return self._places or 0

    @property
    def places(self) -> int | None:
        """How many decimals values have, as declared or due to the dtype; None for any number."""
        return self._places

    def _read(self, column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        numbers, nulls = read_numbers(column)
        if numbers.dtype.kind in 'iub' and self._on_grid and self._places == 0:
            whole = numbers.astype(np.int8) if numbers.dtype == bool else numbers
            return self._bins.encode(whole), nulls
        numbers = np.where(nulls, self.low, numbers.astype(np.float64, copy=False))
        if self._on_grid:
            numbers = self._to_grid(numbers)
        return self._bins.encode(numbers), nulls

    def _nearest(self, column: pd.Series) -> Any:
        asked = self._as_numbers(column)
        if not self._on_grid:
            numbers = [as_float(number, self.low) for number in asked]
            return self._finish(np.clip(numbers, self.low, self.high))
        first, last = self._bins.first, self._bins.last
        points = [grid_point(number, self._decimals) for number in asked]
        points = [first if point is None else min(max(point, first), last) for point in points]
        return self._finish(np.array(points, dtype=self._bins.dtype))

    def _is_held(self, column: pd.Series, held: Any) -> list[bool]:
        pairs = zip(self._as_numbers(column), self._as_numbers(pd.Series(held)), strict=True)
        if not self._on_grid:
            return [same_number(asked, shown) for asked, shown in pairs]
        whole = self._dtype is None or is_integer(self._dtype)
        return [is_grid_point(asked, shown, self._decimals, whole) for asked, shown in pairs]

    def _as_numbers(self, column: pd.Series) -> list[Any]:
        numbers = cells(column)
        if self._dtype is not None and pd.api.types.is_bool_dtype(self._dtype):
            return [int(n) if isinstance(n, bool) else n for n in numbers]
        return numbers

    def _to_grid(self, numbers: np.ndarray) -> np.ndarray:
        low, high = _inner_float(self.low, 1), _inner_float(self.high, -1)
        scale = 10.0**self._decimals
        found: np.ndarray = np.rint(np.clip(numbers, low, high) * scale).astype(self._bins.dtype)
        return found

    def _finish(self, drawn: np.ndarray) -> np.ndarray:
        if self._on_grid:
            return drawn / 10**self._places if self._places else drawn
        if self._places is not None:
            drawn = np.round(drawn, self._places)
        found: np.ndarray = np.clip(drawn, *self._float_limits())
        return found

    def _float_limits(self) -> tuple[float, float]:
        """Return the bounds, moved inwards where the column's floats cannot express them."""
        kind = self._float_kind()
        low, high = _inner_float(self.low, 1, kind), _inner_float(self.high, -1, kind)
        return (low, high) if low <= high else (self.low, self.high)

    def _float_kind(self) -> np.dtype:
        kind = getattr(self._dtype, 'numpy_dtype', self._dtype)
        is_float = isinstance(kind, np.dtype) and kind.kind == 'f'
        return kind if is_float else np.dtype('float64')

    def _dtype_beside_nulls(self) -> Any:
        # pandas would use floats, which change integers above 2^53.
        is_large = max(abs(self.low), abs(self.high)) >= _EXACT_FLOAT
        if not is_large or not self._on_grid or self._places or not _is_numpy_whole(self._dtype):
            return self._dtype
        # In the column's own kind, or pandas turns rows with nulls next to rows without into
        # floats.
        dtype = self._bins.dtype if self._dtype is None else self._dtype
        return pd.UInt64Dtype() if dtype.kind == 'u' else pd.Int64Dtype()

    def bin_sizes(self) -> np.ndarray:
        """Return the number of values in each bin, or its width if they cannot be counted.

        Among real numbers, a bin of a single number has width 0.
        """
        found: np.ndarray = self._bins.sizes()
        return found

    def bin_means(self) -> np.ndarray:
        """Return the mean of the values sampled from each bin."""
        scale = 10.0**self._decimals if self._on_grid else 1.0
        found: np.ndarray = self._bins.means() / scale
        return found

    def bin_ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and the upper end of each bin."""
        lower, upper = self._bins.ends()
        return self._finish(lower), self._finish(upper)

    def _value_labels(self) -> list[str]:
        if isinstance(self._bins, RealBins):
            return self._bins.labels()
        first, last = (self._finish(ends) for ends in self._bins.ends())
        return [f'{a}' if a == b else f'{a} to {b}' for a, b in zip(first, last, strict=True)]


def _is_numpy_whole(dtype: Any) -> bool:
    return dtype is None or (isinstance(dtype, np.dtype) and dtype.kind in 'iu')


def _inner_float(bound: float, direction: int, kind: np.dtype = _FLOAT64) -> float:
    """Return the float of that kind nearest to ``bound`` and not outside it."""
    number = kind.type(bound)
    exact = float(number)  # Python compares it with an integer exactly
    outside = exact < bound if direction > 0 else exact > bound
    return float(np.nextafter(number, kind.type(direction * np.inf)) if outside else number)


# -- Timestamps as bins over public bounds ---------------------------------------------------------


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
        found: GridBins = self._bins
        return found

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
