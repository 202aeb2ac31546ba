"""Days of the week: dates that fall on working days come back on working days.

Bins are usually wider than a week, so the hierarchical histogram cannot show its days. One more
noisy histogram of seven groups of cells does. If it differs from the pieces by more than noise and
sampling error, each day within a bin gets the share of its weekday.
"""

import numpy as np

from sdv_prefair.discretization._bin_cuts import Cuts
from sdv_prefair.values._arrays import Floats, Integers

IN_A_WEEK = 7
# Every day within a bin has a weight of its own, so longer ranges are left without.
MOST_DAYS = 20_000
_LEAST_DAYS = 2 * IN_A_WEEK
# Chi-square of six degrees of freedom exceeds this by chance once in a thousand columns.
_MORE_THAN_CHANCE = 22.5
# Every day has a positive weight, so that every value can be sampled.
_LEAST_FACTOR = 1e-3
_MONDAY = 3  # days are counted from a Thursday


def has_weeks(days: Integers) -> bool:
    """Whether measuring weekdays makes sense, by the days of the cells: a public fact."""
    return bool(_LEAST_DAYS <= days[-1] - days[0] + 1 <= MOST_DAYS)


def weekdays_of(days: Integers) -> Integers:
    """Return the weekday of each cell; 0 is Monday.

    Args:
        days: The day of each cell, as a number.
    """
    weekdays: Integers = (days + _MONDAY) % IN_A_WEEK
    return weekdays


def with_weekdays(
    cuts: Cuts | None, days: Integers, widths: Floats, noisy: Floats, sigma: float, bins: int
) -> Cuts | None:
    """Return the cuts with a weight for each day, if weekdays stand out; else as they are.

    Privacy: post-processing of released values.

    Args:
        cuts: Bins and pieces, or None for bins of equal width.
        days: The day of each fine cell, as a number.
        widths: The width of each fine cell.
        noisy: Noisy numbers of rows on each weekday.
        sigma: Standard deviation of their noise.
        bins: The number of bins, if they have equal width.
    """
    whole = _even(len(days), bins) if cuts is None else cuts
    rows = _rows_of_cells(whole, widths)
    weekdays = weekdays_of(days)
    expected = np.bincount(weekdays, rows, IN_A_WEEK) / rows.sum()
    shares = _shares_that_stand_out(expected, noisy, sigma)
    if shares is None:
        return cuts
    factors = np.maximum(shares / np.maximum(expected, 1e-300), _LEAST_FACTOR)
    rows *= factors[weekdays]
    midnights = np.flatnonzero(np.diff(days)) + 1
    inner = np.union1d(np.union1d(whole.edges, whole.finer), midnights)
    weights: Floats = np.add.reduceat(rows, np.concatenate([[0], inner]))
    return Cuts(whole.edges, np.setdiff1d(inner, whole.edges), weights)


def _even(num_cells: int, bins: int) -> Cuts:
    edges = np.unique(np.round(np.linspace(0, num_cells, bins + 1)[1:-1]).astype(np.int64))
    edges = edges[(edges > 0) & (edges < num_cells)]
    return Cuts(edges, np.zeros(0, dtype=np.int64), np.ones(len(edges) + 1))


def _rows_of_cells(cuts: Cuts, widths: Floats) -> Floats:
    """Return about how many rows each cell has, in proportion to widths within a piece."""
    starts = np.concatenate([[0], np.union1d(cuts.edges, cuts.finer)])
    piece = np.searchsorted(starts, np.arange(len(widths)), side='right') - 1
    of_piece = np.bincount(piece, widths, len(starts))
    rows: Floats = cuts.weights[piece] * widths / np.maximum(of_piece[piece], 1e-300)
    return rows


def _shares_that_stand_out(expected: Floats, noisy: Floats, sigma: float) -> Floats | None:
    positive = np.maximum(noisy, 0.0)
    total = float(positive.sum())
    if not total > 0:
        return None
    differences = noisy - total * expected
    chance = float(np.sum(differences**2 / (sigma**2 + total * expected)))
    shares: Floats = positive / total
    return shares if chance > _MORE_THAN_CHANCE else None
