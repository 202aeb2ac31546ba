"""Bins of a line: where they start, what is drawn from them, and whether a value tells its bin."""

import abc
import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.columns._column_codes import ColumnCodes
from sdv_prefair.columns._dtypes import cast
from sdv_prefair.errors import DomainError

# -- Parts of bins that are not equally likely -----------------------------------------------------


@dataclass(frozen=True)
class Cuts:
    """Where segments start, in order: the first at the lower end of the range.

    Attributes:
        starts: The first value of each segment.
        opens_bin: Whether a bin starts with it.
        weights: How likely each segment is, relative to others of its bin; empty if bins are
            uniform.
    """

    starts: list[Any]
    opens_bin: list[bool]
    weights: list[float]

    @property
    def bins(self) -> list[Any]:
        """The first value of each bin."""
        return [start for start, opens in zip(self.starts, self.opens_bin, strict=True) if opens]

    def without(self, kept: np.ndarray) -> 'Cuts':
        """Return the cuts with only those bins; all others are merged into the one before."""
        still = iter(kept.tolist())
        opens = [opens_bin and next(still) for opens_bin in self.opens_bin]
        opens[0] = True
        if not kept[0]:  # the first bin kept begins at the lower end of the range
            opens[opens.index(True, 1)] = False
        if self.weights:
            return Cuts(self.starts, opens, self.weights)
        starts = [start for start, opens_bin in zip(self.starts, opens, strict=True) if opens_bin]
        return Cuts(starts, [True] * len(starts), [])


def merge_cuts(
    low: Any, high: Any, edges: Sequence[Any], finer: Sequence[Any], weights: Sequence[float]
) -> Cuts:
    """Return the segments between edges of bins and finer cuts.

    Args:
        low: The lower end of the range; cuts below it do not count.
        high: The upper end; cuts beyond it do not count.
        edges: First values of bins.
        finer: First values of further segments; without weights they do not count.
        weights: One for each segment, including those that contain no value.
    """
    cuts = [(edge, True) for edge in edges]
    cuts += [(cut, False) for cut in finer] if len(weights) else []
    cuts.sort(key=lambda cut: cut[0])
    cuts = cuts[: bisect_right(cuts, high, key=lambda cut: cut[0])]
    starts, opens_bin, kept = [low], [True], list(weights[:1])
    for place, (start, is_edge) in enumerate(cuts, start=1):
        if start > starts[-1]:
            starts.append(start)
            opens_bin.append(is_edge)
            kept += weights[place : place + 1]
            continue
        # The segment before contains no value.
        opens_bin[-1] |= is_edge
        kept[-1:] = weights[place : place + 1]
    return Cuts(starts, opens_bin, kept)


class Segments:
    """Samples a segment of each bin by weight, depending on nothing but the bin.

    Args:
        opens_bin: Whether a bin starts with each segment.
        weights: How likely each is, relative to others of its bin.
        sizes: The size of each, used in place of weights where all weights of a bin are 0.
    """

    def __init__(self, opens_bin: Sequence[bool], weights: Sequence[float], sizes: np.ndarray):
        bin_of = np.cumsum(opens_bin) - 1
        shares = np.array(weights, dtype=np.float64)
        for otherwise in (sizes, np.ones(len(bin_of))):
            nothing = np.maximum.reduceat(shares, np.flatnonzero(opens_bin)) == 0
            shares = np.where(nothing[bin_of], otherwise, shares)
        shares /= np.maximum.reduceat(shares, np.flatnonzero(opens_bin))[bin_of]
        shares /= np.bincount(bin_of, shares)[bin_of]
        self._bin_of, self._shares = bin_of, shares
        self._drawn = np.flatnonzero(shares)
        bin_of = bin_of[self._drawn]
        bins = np.arange(bin_of[-1] + 1)
        self._first = np.searchsorted(bin_of, bins)
        self._last = np.searchsorted(bin_of, bins, side='right') - 1
        # Bin b corresponds to [b, b + 1), divided among its segments by their shares.
        self._reached = np.clip(np.cumsum(shares[self._drawn]), bin_of, bin_of + 1)

    def draw(self, codes: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """Return a sampled segment for each bin."""
        return self._at(codes, generator.random(len(codes)))

    def average(self, values: np.ndarray) -> np.ndarray:
        """Return the mean of each bin, given one value for each of its segments."""
        return np.bincount(self._bin_of, self._shares * values)

    def medians(self) -> np.ndarray:
        """Return, for each bin, the segment that contains its median."""
        return self._at(np.arange(len(self._first)), 0.5)

    def _at(self, codes: np.ndarray, share: np.ndarray | float) -> np.ndarray:
        place = np.searchsorted(self._reached, codes + share, side='right')
        # In the last segment, codes + share may be rounded up to the next bin.
        return self._drawn[np.clip(place, self._first[codes], self._last[codes])]


# -- Dividing a range into bins: integers on a grid, or real numbers -------------------------------


SINGLE_VALUE_LIMIT = 100
_EXACT_FLOAT = 2**52


class GridBins:
    """Bins of consecutive integers from ``first`` to ``last``.

    Up to 100 numbers get a bin each, more are divided evenly. Positions are counted from ``first``
    in unsigned 64-bit integers, which wrap around, so any range works that fits either int64 or
    uint64.

    Args:
        first: Smallest number.
        last: Largest number.
        bins: How many bins, unless every number gets its own.
        cuts: First numbers of the bins after the first, instead of even bins.
        finer: First numbers of further segments, inside bins.
        weights: How likely each segment is within its bin; none if all numbers of a bin are equally
            likely.
    """

    def __init__(
        self,
        first: int,
        last: int,
        bins: int,
        cuts: Sequence[int] | None = None,
        finer: Sequence[int] = (),
        weights: Sequence[float] = (),
    ):
        self.first, self.last, self.size = first, last, last - first + 1
        self.dtype = np.dtype(np.int64 if last < 2**63 else np.uint64)
        self._even = cuts is None
        if cuts is None:
            count = self.size if self.size <= SINGLE_VALUE_LIMIT else min(bins, self.size)
            cuts = [first - (-position * self.size // count) for position in range(1, count)]
        self._use_cuts(merge_cuts(first, last, cuts, finer, weights))

    def _use_cuts(self, cuts: Cuts) -> None:
        self._cuts = cuts
        self._starts, self._ends = self._positions(cuts.bins)
        self._segments = None
        if cuts.weights:
            self._segment_starts, self._segment_ends = self._positions(cuts.starts)
            sizes = (self._segment_ends - self._segment_starts).astype(np.float64) + 1
            self._segments = Segments(cuts.opens_bin, cuts.weights, sizes)

    def _positions(self, starts: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return where parts of the range begin and end."""
        counted = [start - self.first for start in starts]
        ends = [start - 1 for start in counted[1:]] + [self.size - 1]
        return np.array(counted, dtype=np.uint64), np.array(ends, dtype=np.uint64)

    def joined(self, kept: np.ndarray) -> 'GridBins':
        """Return the bins with the others merged into the one before, or into the first."""
        bins = GridBins(self.first, self.last, 1, ())
        bins._use_cuts(self._cuts.without(kept))
        return bins

    @staticmethod
    def can_hold(numbers: range) -> bool:
        """Whether a range is within int64 or within uint64."""
        first, last = numbers[0], numbers[-1]
        return (first >= -(2**63) and last < 2**63) or (first >= 0 and last < 2**64)

    def __len__(self) -> int:
        return len(self._starts)

    def encode(self, numbers: np.ndarray) -> np.ndarray:
        """Return the bin of each integer; those outside are clipped."""
        position = self._position(numbers)
        if len(self) == self.size:
            return position
        if self._even and self.size * len(self) < _EXACT_FLOAT:
            # Both factors are exact, so the rounded quotient never reaches the next bin.
            return np.floor(position * float(len(self)) / self.size).astype(np.int64)
        return np.searchsorted(self._starts, position, side='right') - 1

    def draw(self, codes: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """Return for each bin one of its numbers, all equally likely unless segments differ."""
        starts, ends, part = self._starts, self._ends, codes
        if self._segments is not None:
            part = self._segments.draw(codes, generator)
            starts, ends = self._segment_starts, self._segment_ends
        position = starts[part]
        if len(starts) < self.size:
            span = ends[part] - position
            position = position + generator.integers(0, span, endpoint=True, dtype=np.uint64)
        return self._number(position)

    def middles(self) -> np.ndarray:
        """Return the number in each bin with about half of the bin's weight on either side."""
        starts, ends = self._starts, self._ends
        if self._segments is not None:
            part = self._segments.medians()
            starts, ends = self._segment_starts[part], self._segment_ends[part]
        return self._number(starts + (ends - starts) // 2)

    def means(self) -> np.ndarray:
        """Return the mean of the values sampled from each bin."""
        if self._segments is None:
            found: np.ndarray = self.first + (self._starts.astype(np.float64) + self._ends) / 2
            return found
        middles = (self._segment_starts.astype(np.float64) + self._segment_ends) / 2
        return self.first + self._segments.average(middles)

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the first and the last number of each bin."""
        return self._number(self._starts), self._number(self._ends)

    def sizes(self) -> np.ndarray:
        """Return how many numbers each bin holds."""
        found: np.ndarray = (self._ends - self._starts).astype(np.float64) + 1
        return found

    def _position(self, numbers: np.ndarray) -> np.ndarray:
        limits = np.iinfo(numbers.dtype)
        lowest, highest = max(self.first, limits.min), min(self.last, limits.max)
        if lowest > highest:  # numbers of this width are all on one side
            side = 0 if self.first > limits.max else self.size - 1
            return np.full(len(numbers), side, dtype=np.uint64)
        found: np.ndarray = np.clip(numbers, lowest, highest).astype(np.uint64) - np.uint64(
            self.first % 2**64
        )
        return found

    def _number(self, position: np.ndarray) -> np.ndarray:
        return (position + np.uint64(self.first % 2**64)).view(self.dtype)


class RealBins:
    """Bins of real numbers from ``low`` to ``high``: each contains its lower edge, the last both.

    Args:
        low: Smallest number.
        high: Largest number.
        bins: How many bins of equal width.
        cuts: Edges between the bins, instead of equal widths. With weights, ``high`` may be one of
            them and has a bin of its own.
        finer: Edges of further segments, inside bins.
        weights: How likely each segment is within its bin; none if bins are uniform.
    """

    def __init__(
        self,
        low: float,
        high: float,
        bins: int,
        cuts: Sequence[float] | None = None,
        finer: Sequence[float] = (),
        weights: Sequence[float] = (),
    ):
        self.low, self.high = float(low), float(high)
        self._even = cuts is None
        if cuts is None:
            cuts = np.linspace(self.low, self.high, self._count(bins) + 1)[1:-1].tolist()
        edges = [float(cut) for cut in cuts if weights or cut < self.high]
        floats = edges, [float(cut) for cut in finer]
        self._use_cuts(merge_cuts(self.low, self.high, *floats, weights))

    def _use_cuts(self, cuts: Cuts) -> None:
        self._cuts = cuts
        self.edges = np.array([*cuts.bins, self.high])
        self._segment_edges, self._segments = self.edges, None
        if cuts.weights:
            self._segment_edges = np.array([*cuts.starts, self.high])
            sizes = np.diff(self._segment_edges / 2)
            self._segments = Segments(cuts.opens_bin, cuts.weights, sizes)
        # A value sampled from a segment is below the next one; only the last reaches its end.
        self._highest = np.nextafter(self._segment_edges[1:], -np.inf)
        self._highest[-1] = self.high

    def joined(self, kept: np.ndarray) -> 'RealBins':
        """Return the bins with the others merged into the one before, or into the first."""
        bins = RealBins(self.low, self.high, 1, ())
        bins._use_cuts(self._cuts.without(kept))
        return bins

    def _count(self, bins: int) -> int:
        """Return the number of bins: fewer than requested if floats cannot distinguish them."""
        smallest = 4 * np.spacing(max(abs(self.low), abs(self.high)))
        return int(max(1, min(bins, (self.high - self.low) // smallest)))

    def __len__(self) -> int:
        return len(self.edges) - 1

    def encode(self, numbers: np.ndarray) -> np.ndarray:
        """Return the bin of each number; those outside are clipped."""
        numbers = np.clip(numbers.astype(np.float64, copy=False), self.low, self.high)
        if len(self) == 1:
            return np.zeros(len(numbers), dtype=np.int64)
        if self._even:
            scale = len(self) / (self.high - self.low)
            if np.isfinite(scale):
                codes = ((numbers - self.low) * scale).astype(np.int64)
                return np.minimum(codes, len(self) - 1)
        codes = np.searchsorted(self.edges, numbers, side='right') - 1
        return np.minimum(codes, len(self) - 1)

    def draw(self, codes: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """Return a number sampled uniformly from each bin, or from one of its segments."""
        part = codes if self._segments is None else self._segments.draw(codes, generator)
        share = generator.random(len(codes))
        lower, upper = self._segment_edges[part], self._segment_edges[part + 1]
        found: np.ndarray = np.clip(lower + share * (upper - lower), lower, self._highest[part])
        return found

    def middles(self) -> np.ndarray:
        """Return a middle of each bin by weight, or a lower edge if floats have none between."""
        lower, upper = self.ends()
        if self._segments is not None:
            part = self._segments.medians()
            lower, upper = self._segment_edges[part], self._segment_edges[part + 1]
        middle = lower + (upper - lower) / 2
        return np.where(middle < upper, middle, lower)

    def means(self) -> np.ndarray:
        """Return the mean of the values sampled from each bin."""
        lower, upper = self._segment_edges[:-1], self._segment_edges[1:]
        middles = lower + (upper - lower) / 2
        return middles if self._segments is None else self._segments.average(middles)

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and the upper edge of each bin."""
        return self.edges[:-1], self.edges[1:]

    def sizes(self) -> np.ndarray:
        """Return the width of each bin; 0 if it holds one number."""
        lower, upper = self.ends()
        return np.where(self.single(), 0.0, upper - lower)

    def single(self) -> np.ndarray:
        """Return which bins hold one number."""
        lower, upper = self.ends()
        highest = np.append(np.nextafter(upper[:-1], -np.inf), upper[-1])
        return highest <= lower

    def labels(self) -> list[str]:
        """Return each bin as an interval, or as its number if it holds one."""
        single = self.single()
        lower, upper = self.ends()
        texts = []
        for code, (low, high) in enumerate(zip(lower, upper, strict=True)):
            if single[code]:
                texts.append(f'{low:.15g}')
                continue
            after_single = code > 0 and single[code - 1]
            opening = f'({lower[code - 1]:.15g}' if after_single else f'[{low:.6g}'
            texts.append(f'{opening}, {high:.6g}{")" if code < len(self) - 1 else "]"}')
        return texts


def check_bins(bins: int) -> None:
    """Raise ``DomainError`` unless ``bins`` is an integer, 1 or more."""
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 1:
        raise DomainError('bins must be an integer, 1 or more.')


# -- Bins of unequal width, and the distribution of rows within them -------------------------------


@dataclass(frozen=True)
class BinShape:
    """Bins of unequal width, and the distribution of rows within them: released or public facts.

    To give a bin of its own to a value that many rows share, use two edges: the value and its
    successor, for numbers the one from ``numpy.nextafter``. The upper bound of the range needs only
    one edge, and weights.

    Attributes:
        edges: Cuts between bins, which contain their lower edge.
        finer: Further cuts, inside bins.
        weights: How likely rows are between one cut and the next, for ``edges`` and ``finer``
            together, from one end of the range to the other: one weight more than there are cuts.
            Only weights within a bin are compared. Without weights, rows are uniform within bins;
            so they are in a bin whose weights are all 0.
    """

    edges: tuple[Any, ...]
    finer: tuple[Any, ...] = ()
    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, 'edges', tuple(self.edges))
        object.__setattr__(self, 'finer', tuple(self.finer))
        if not all(map(_is_weight, self.weights)):
            raise DomainError('weights must be finite numbers, 0 or more.')
        object.__setattr__(self, 'weights', tuple(map(float, self.weights)))
        if len(self.weights) not in (0, len(self.edges) + len(self.finer) + 1):
            raise DomainError('weights must be one more than there are edges and finer cuts.')

    def check_cuts(self, low: Any, high: Any) -> None:
        """Raise ``DomainError`` unless cuts strictly increase, above ``low`` and up to ``high``."""
        for name, cuts in (('edges', self.edges), ('finer', self.finer)):
            if not all(low < cut <= high for cut in cuts):
                raise DomainError(f'{name} must be above the lower end of the range and within it.')
            if not all(one < next_one for one, next_one in pairwise(cuts)):
                raise DomainError(f'{name} must be increasing.')
        if not set(self.edges).isdisjoint(self.finer):
            raise DomainError('finer must not repeat edges.')


def _is_weight(weight: Any) -> bool:
    is_number = isinstance(weight, Real) and not isinstance(weight, bool)
    return is_number and 0 <= weight < math.inf


def as_shape(edges: 'Sequence[Any] | BinShape | None') -> BinShape | None:
    """Return edges as a shape with uniform bins; None for bins of equal width."""
    return edges if edges is None or isinstance(edges, BinShape) else BinShape(tuple(edges))


# -- Bins with values of their own: every value sampled for a code determines that code ------------
#
# Between a sampled value and what a user sees lie rounding, the column's dtype, a format and the
# clock of a time zone, and each of them can move a value into another bin. Rows of both bins would
# then be mixed under one value, and given that value, columns that the model separates would depend
# on each other. So a value that fails the round trip is sampled again, and a bin without any value
# that passes it is merged with its neighbour, or the column is refused.

# How often a value is sampled again before the bin's fallback is used.
_TRIES = 4


class BinCodes(ColumnCodes, abc.ABC):
    """A column as bins of a line.

    Subclasses pass their bins to ``_use_bins``, and define in ``_finish`` how a number sampled from
    a bin becomes a value.
    """

    _bins: Any  # GridBins or RealBins
    edges: tuple[Any, ...] | None

    @property
    def shape(self) -> BinShape | None:
        """Bins of unequal width, and the distribution of rows within them; None for equal bins."""
        if self.edges is None:
            return None
        return BinShape(self.edges, self.finer, self.weights)

    def _use_shape(
        self, edges: Sequence[Any] | None, finer: Sequence[Any], weights: Sequence[float]
    ) -> None:
        if edges is None and (len(finer) or len(weights)):
            raise DomainError('finer and weights need edges. Pass edges too.')
        shape = BinShape(tuple(edges or ()), tuple(finer), tuple(weights))
        self.edges = None if edges is None else shape.edges
        self.finer, self.weights = shape.finer, shape.weights

    def _check_cuts(self, edges: Any, finer: Any, low: Any, high: Any) -> None:
        """Raise unless cuts with weights are in order; edges alone may have any order."""
        if self.finer or self.weights:
            BinShape(edges, finer).check_cuts(low, high)

    @abc.abstractmethod
    def _finish(self, drawn: np.ndarray) -> Any:
        """Return numbers sampled from bins as values, before they are cast to the dtype."""

    def _may_move(self) -> bool:
        """Whether a value may be encoded as another bin than the one it was sampled from.

        If the conversion preserves order, a bin is preserved if both its ends are.
        """
        return self._ends_move

    def _refuse_bins(self) -> DomainError | None:
        """Return why bins must not be merged, or None."""
        return None

    @property
    def line(self) -> GridBins | RealBins:
        """The line that is divided into bins."""
        found: GridBins | RealBins = self._bins
        return found

    @property
    def is_coarse(self) -> bool:
        """Whether bins hold more than one value."""
        return isinstance(self._bins, RealBins) or len(self._bins) < self._bins.size

    @property
    def _num_values(self) -> int:
        return len(self._bins)

    def _use_bins(self, bins: GridBins | RealBins) -> None:
        """Use the bins, but merge those without a value of their own with their neighbours."""
        self._bins = bins
        while not (own := self._find_stand_ins()).all():
            refusal = self._refuse_bins()
            if refusal is not None or not own.any():
                raise refusal or DomainError(
                    f'a column of dtype {str(self._dtype)!r} cannot hold any value of the range. '
                    'Convert the column, or correct the range.'
                )
            self._bins = self._bins.joined(own)

    def _find_stand_ins(self) -> np.ndarray:
        """Keep a fallback for each bin that determines its code; return which bins have one."""
        candidates = [self._bins.middles(), *self._bins.ends()]
        codes = np.arange(len(self._bins))
        self._stand_ins = candidates[0].copy()
        found = np.zeros(len(self._bins), dtype=bool)
        self._ends_move = False
        for candidate in candidates:
            own = self._is_own(candidate, codes)
            self._stand_ins[own & ~found] = candidate[own & ~found]
            found |= own
            self._ends_move |= not own.all()
        return found

    def _is_own(self, drawn: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return which samples, converted to values, have the codes they were sampled for."""
        try:
            return self._is_read_back(self._finish(drawn), codes)
        except (TypeError, ValueError, OverflowError, pa.ArrowException):
            return np.zeros(len(codes), dtype=bool)

    def _is_read_back(self, values: Any, codes: np.ndarray) -> np.ndarray:
        column = pd.Series(cast(values, np.zeros(len(codes), dtype=bool), self._dtype))
        read, nulls = self._read(column)
        found: np.ndarray = ~nulls & (read == codes)
        return found

    def _write(self, codes: np.ndarray, generator: np.random.Generator) -> tuple[Any, np.ndarray]:
        drawn = self._bins.draw(codes, generator)
        values = self._finish(drawn)
        if self._may_move():
            moved = np.flatnonzero(~self._is_read_back(values, codes))
            if moved.size:
                drawn[moved] = self._draw_own(codes[moved], generator)
                values = self._finish(drawn)
        return values, np.zeros(len(codes), dtype=bool)

    def _draw_own(self, codes: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """Sample again whatever has moved into another bin."""
        drawn = self._stand_ins[codes]
        left = np.arange(len(codes))
        for _ in range(_TRIES):
            if not left.size:
                break
            again = self._bins.draw(codes[left], generator)
            own = self._is_own(again, codes[left])
            drawn[left[own]] = again[own]
            left = left[~own]
        found: np.ndarray = drawn
        return found
