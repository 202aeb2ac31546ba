"""Edges between bins, and how rows are distributed within these."""

import math
from dataclasses import dataclass

import numpy as np

from sdv_prefair._arrays import Flags, Floats

# -- Change-point detection: noisy counts along a line as few pieces of constant density -----------
#
# Least squares with a penalty per piece (the Potts functional), solved exactly by dynamic
# programming with the pruning of Killick, Fearnhead and Eckley (2012). The penalty is what noise
# alone would gain from a cut, so that a uniform column stays in one piece. Sampling error of the
# rows counts as noise too.

# A cut that noise alone suggests is accepted in less than one histogram of a hundred.
_PRICE, _PRICE_PER_LOG = 6.0, 1.2
# A single real number has no width; this fraction of the range is used instead.
_NARROWEST = 1e-6


@dataclass(frozen=True)
class Pieces:
    """Consecutive pieces of a line, with their noisy counts.

    Attributes:
        starts: Where each begins, as a fine cell, and where the last ends.
        rows: How many rows each has, with noise.
        variances: Variances of the noise.
    """

    starts: np.ndarray
    rows: Floats
    variances: Floats

    def __len__(self) -> int:
        return len(self.rows)


def merge_pieces(pieces: Pieces, widths: Floats, num_tried: int) -> Pieces:
    """Return the pieces, merging those that differ only by noise.

    Privacy: post-processing of released values.

    Args:
        pieces: Noisy counts, whose noise is independent.
        widths: How wide each of them is.
        num_tried: The number of candidate cuts, here and elsewhere.
    """
    # Only how they compare to each other counts. All have none if every piece is one value.
    widest = widths.max(initial=0.0)
    widths = widths / widest if widest > 0 else np.ones(len(pieces))
    widths = np.maximum(widths, _NARROWEST * widths.sum())
    chance = max(pieces.rows.sum(), 0.0) * widths / widths.sum()
    exactness = 1 / (pieces.variances + chance)
    sums = np.stack([
        _prefix(pieces.rows**2 * exactness),
        _prefix(widths * pieces.rows * exactness),
        _prefix(widths**2 * exactness),
    ])
    cuts = _best_cuts(sums, _PRICE + _PRICE_PER_LOG * math.log(num_tried))
    first = cuts[:-1]
    return Pieces(
        pieces.starts[cuts],
        np.add.reduceat(pieces.rows, first),
        np.add.reduceat(pieces.variances, first),
    )


def _best_cuts(sums: Floats, price: float) -> np.ndarray:
    size = sums.shape[1] - 1
    best, before = np.full(size + 1, -price), np.zeros(size + 1, dtype=np.int64)
    alive = np.array([0])
    for end in range(1, size + 1):
        total, cross, square = sums[:, end, None] - sums[:, alive]
        unpriced = best[alive] + np.maximum(total - cross**2 / square, 0.0)
        chosen = int(np.argmin(unpriced))
        best[end], before[end] = unpriced[chosen] + price, alive[chosen]
        alive = np.append(alive[unpriced <= best[end]], end)
    cuts = [size]
    while cuts[-1]:
        cuts.append(int(before[cuts[-1]]))
    return np.array(cuts[::-1])


def _prefix(values: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(values)])


# Share of the bins of equal width, for rows that the histograms could not detect.
_EVEN = 0.2
# A bin with less than this fraction of an average one is dropped.
_SLIVER = 0.25
# The least share of rows in a segment, so that every value can be sampled.
_EVERYWHERE = 1e-4


@dataclass(frozen=True)
class Cuts:
    """Where bins begin, and the distribution of rows within them.

    Attributes:
        edges: The fine cells at which bins begin, without the first.
        finer: Further fine cells, between which the density differs within a bin.
        weights: About how many rows there are between consecutive cuts of both.
    """

    edges: np.ndarray
    finer: np.ndarray
    weights: Floats


def cut(
    pieces: Pieces, widths: Floats, values: Floats, bins: int, forced: np.ndarray
) -> Cuts | None:
    """Return bins that are narrow where rows are; None if bins of equal width are as good.

    Privacy: post-processing of released values.

    Args:
        pieces: Pieces of constant density.
        widths: How wide each fine cell is.
        values: How many values each fine cell has; infinity if they cannot be counted.
        bins: About how many bins, not counting those of single values.
        forced: Fine cells with a single value that gets a bin of its own.
    """
    if len(pieces) == 1 and not len(forced):
        return None
    line = _Line(pieces.starts, _likely_rows(pieces, widths), widths).with_cuts(
        np.union1d(forced, forced + 1)
    )
    atoms = line.atoms(values, bins, forced)
    even = line.quantiles(~atoms, bins)
    own = np.union1d(line.starts[:-1][atoms], line.starts[1:][atoms])
    edges = line.without_slivers(np.union1d(own, even), own, bins)
    inner = np.union1d(edges, line.starts[1:-1])
    return Cuts(edges, np.setdiff1d(inner, edges), line.with_cuts(edges).rows)


def _likely_rows(pieces: Pieces, widths: Floats) -> Floats:
    """Return the plausible number of rows in each piece, including rows that noise may hide.

    The more noise there is, the closer bins and weights are to uniform ones.
    """
    to_left = np.concatenate([[0.0], np.cumsum(widths)])
    width = np.diff(to_left[pieces.starts])
    rows = np.maximum(pieces.rows, 0.0)
    everywhere = _EVERYWHERE * max(1.0, rows.sum()) * width / to_left[-1]
    likely: Floats = rows + np.sqrt(pieces.variances) + everywhere
    return likely


class _Line:
    """Segments whose rows and widths are known at every fine cell."""

    def __init__(self, starts: np.ndarray, rows: Floats, widths: Floats):
        self.starts, self.rows, self._widths = starts, rows, widths
        self._to_left = np.concatenate([[0.0], np.cumsum(widths)])
        self.width = np.diff(self._to_left[starts])

    def with_cuts(self, cuts: np.ndarray) -> '_Line':
        """Return the line with more segments."""
        starts = np.union1d(self.starts, cuts[(cuts > 0) & (cuts < self.starts[-1])])
        whole = np.searchsorted(self.starts, starts[:-1], side='right') - 1
        width = np.diff(self._to_left[starts])
        part = np.divide(
            width, self.width[whole], out=np.ones(len(width)), where=self.width[whole] > 0
        )
        return _Line(starts, self.rows[whole] * part, self._widths)

    def atoms(self, values: Floats, bins: int, forced: np.ndarray) -> Flags:
        """Return which segments are single values that get a bin of their own."""
        held = np.add.reduceat(values, self.starts[:-1])
        single = (held == 1) & (self.rows > self.rows.sum() / (4 * bins))
        if np.count_nonzero(single) > bins:
            single &= self.rows >= np.sort(self.rows[single])[-bins]
        apart: Flags = single | np.isin(self.starts[:-1], forced)
        return apart

    def quantiles(self, among: Flags, bins: int) -> np.ndarray:
        """Return the cells that cut some of the segments into equal shares of rows."""
        if not among.any():
            return np.zeros(0, dtype=np.int64)
        shares = self._shares(among)
        reached = np.concatenate([[0.0], np.cumsum(shares)])
        wanted = reached[-1] * np.arange(1, bins) / bins
        place = np.minimum(np.searchsorted(reached, wanted, side='right') - 1, len(shares) - 1)
        inside = (wanted - reached[place]) / np.maximum(shares[place], 1e-300)
        target = self._to_left[self.starts[place]] + inside * self.width[place]
        cells = np.clip(np.searchsorted(self._to_left, target), 1, self.starts[-1] - 1)
        # Where the density changes a bin begins, in place of the nearest cut.
        nearest = np.rint(reached[1:-1] / reached[-1] * bins).astype(np.int64) - 1
        moved = (nearest >= 0) & (nearest < bins - 1)
        cells[nearest[moved]] = self.starts[1:-1][moved]
        return np.unique(cells)

    def without_slivers(self, cuts: np.ndarray, own: np.ndarray, bins: int) -> np.ndarray:
        """Return the cuts without those that leave almost no rows beside a single value."""
        cuts = cuts[(cuts > 0) & (cuts < self.starts[-1])]
        whole = self.with_cuts(cuts)
        among = np.ones(len(whole.rows), dtype=bool)
        reached = np.concatenate([[0.0], np.cumsum(whole._shares(among))])
        at = reached[np.searchsorted(whole.starts, cuts)]
        least = _SLIVER / bins * (1 - self.rows.max() / self.rows.sum())
        kept: list[int] = []
        for place, cell in enumerate(cuts.tolist()):
            near = [a for a in (place - 1, place + 1) if 0 <= a < len(cuts) and cuts[a] in own]
            if cell in own or all(abs(at[place] - at[a]) >= least for a in near):
                kept.append(cell)
        return np.array(kept, dtype=np.int64)

    def _shares(self, among: Flags) -> Floats:
        rows = np.where(among, self.rows, 0.0)
        width = np.where(among, self.width, 0.0)
        by_rows, by_width = (part / max(part.sum(), 1e-300) for part in (rows, width))
        shares: Floats = (1 - _EVEN) * by_rows + _EVEN * by_width
        return shares
