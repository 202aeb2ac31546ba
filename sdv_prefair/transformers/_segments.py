"""Parts of bins that are not equally likely."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


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
