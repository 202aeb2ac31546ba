"""Numbers as bins over public bounds."""

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.domain._columns import Numbers, as_number
from sdv_prefair.errors import DomainError
from sdv_prefair.transformers._asked import as_float, cells, grid_point, is_grid_point, same_number
from sdv_prefair.transformers._bins import GridBins, RealBins, check_bins
from sdv_prefair.transformers._own_values import BinCodes
from sdv_prefair.values._dtypes import decimal_scale, is_integer, public_dtype, read_numbers

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
        if self._on_grid:
            cuts = None if self.edges is None else [self._first_above(edge) for edge in self.edges]
            finer = [self._first_above(cut) for cut in self.finer]
            bins = GridBins(grid[0], grid[-1], self.bins, cuts, finer, self.weights)
        else:
            bins = RealBins(self.low, self.high, self.bins, self.edges, self.finer, self.weights)
        self._use_bins(bins)

    def _grid(self) -> range:
        grid = self._domain.grid(self._places)
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
        return max(abs(grid[0]), abs(grid[-1])) < 2 ** np.finfo(self._float_kind()).nmant

    def _first_above(self, edge: float) -> int:
        scaled = Decimal(repr(edge)).scaleb(self._places)
        return int(scaled.to_integral_value(ROUND_CEILING))

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
        points = [grid_point(number, self._places) for number in asked]
        points = [first if point is None else min(max(point, first), last) for point in points]
        return self._finish(np.array(points, dtype=self._bins.dtype))

    def _is_held(self, column: pd.Series, held: Any) -> list[bool]:
        pairs = zip(self._as_numbers(column), self._as_numbers(pd.Series(held)), strict=True)
        if not self._on_grid:
            return [same_number(asked, shown) for asked, shown in pairs]
        whole = self._dtype is None or is_integer(self._dtype)
        return [is_grid_point(asked, shown, self._places, whole) for asked, shown in pairs]

    def _as_numbers(self, column: pd.Series) -> list[Any]:
        numbers = cells(column)
        if self._dtype is not None and pd.api.types.is_bool_dtype(self._dtype):
            return [int(n) if isinstance(n, bool) else n for n in numbers]
        return numbers

    def _to_grid(self, numbers: np.ndarray) -> np.ndarray:
        low, high = _inner_float(self.low, 1), _inner_float(self.high, -1)
        scale = 10.0**self._places
        return np.rint(np.clip(numbers, low, high) * scale).astype(self._bins.dtype)

    def _finish(self, drawn: np.ndarray) -> np.ndarray:
        if self._on_grid:
            return drawn / 10**self._places if self._places else drawn
        if self._places is not None:
            drawn = np.round(drawn, self._places)
        return np.clip(drawn, *self._float_limits())

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
        return self._bins.sizes()

    def bin_means(self) -> np.ndarray:
        """Return the mean of the values sampled from each bin."""
        scale = 10.0**self._places if self._on_grid else 1.0
        return self._bins.means() / scale

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
