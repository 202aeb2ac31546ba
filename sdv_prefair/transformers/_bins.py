"""Dividing a range into bins: integers on a grid, or real numbers."""

from collections.abc import Sequence

import numpy as np

from sdv_prefair.errors import DomainError
from sdv_prefair.transformers._segments import Cuts, Segments, merge_cuts

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
            return self.first + (self._starts.astype(np.float64) + self._ends) / 2
        middles = (self._segment_starts.astype(np.float64) + self._segment_ends) / 2
        return self.first + self._segments.average(middles)

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the first and the last number of each bin."""
        return self._number(self._starts), self._number(self._ends)

    def sizes(self) -> np.ndarray:
        """Return how many numbers each bin holds."""
        return (self._ends - self._starts).astype(np.float64) + 1

    def _position(self, numbers: np.ndarray) -> np.ndarray:
        limits = np.iinfo(numbers.dtype)
        lowest, highest = max(self.first, limits.min), min(self.last, limits.max)
        if lowest > highest:  # numbers of this width are all on one side
            side = 0 if self.first > limits.max else self.size - 1
            return np.full(len(numbers), side, dtype=np.uint64)
        return np.clip(numbers, lowest, highest).astype(np.uint64) - np.uint64(self.first % 2**64)

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
        return np.clip(lower + share * (upper - lower), lower, self._highest[part])

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
