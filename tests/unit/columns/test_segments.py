"""Segments of bins, and bins that draw by them: ``segments``, ``bins``.

About ``_bins.py``.
"""

import time

import numpy as np
import pytest
from scipy.stats import chisquare

from sdv_prefair.columns._bins import GridBins, RealBins, Segments, merge_cuts

RNG = np.random.default_rng(0)


def test_cuts_are_merged_and_weights_stay_with_their_segments():
    cuts = merge_cuts(0, 9, [3, 6], [1, 4], [10, 11, 12, 13, 14])
    assert cuts.starts == [0, 1, 3, 4, 6]
    assert cuts.opens_bin == [True, False, True, False, True]
    assert cuts.weights == [10, 11, 12, 13, 14]
    assert cuts.bins == [0, 3, 6]


def test_segments_without_a_value_do_not_count():
    cuts = merge_cuts(0, 9, [3, 3, 12], [3, 5], [10, 11, 12, 13, 14, 15])
    assert (cuts.starts, cuts.opens_bin) == ([0, 3, 5], [True, True, False])
    assert cuts.weights == [10, 13, 14]
    below = merge_cuts(2, 9, [1, 4], [], [10, 11, 12])
    assert (below.starts, below.weights) == ([2, 4], [11, 12])


def test_without_weights_finer_cuts_do_not_count():
    assert merge_cuts(0, 9, [5], [2], []).starts == [0, 5]


def test_segments_are_drawn_by_weight_within_their_bin():
    segments = Segments(
        [True, False, False, True, False], [1, 0, 3, 0, 0], np.array([1, 1, 1, 2, 6])
    )
    drawn = segments.draw(np.zeros(40_000, dtype=int), RNG)
    assert set(drawn) == {0, 2}
    assert abs((drawn == 2).mean() - 0.75) < 0.012  # five standard deviations
    uniform = segments.draw(np.ones(40_000, dtype=int), RNG)
    assert set(uniform) == {3, 4}
    assert abs((uniform == 4).mean() - 0.75) < 0.012
    assert segments.medians().tolist() == [2, 4]


@pytest.mark.parametrize('weights', [[1e308, 1e308, 1e-300], [5e-324, 5e-324, 0]])
def test_extreme_weights(weights):
    drawn = Segments([True, False, False], weights, np.ones(3)).draw(np.zeros(10_000, int), RNG)
    assert abs((drawn == 0).mean() - 0.5) < 0.03
    assert 2 not in drawn


def test_a_grid_draws_by_weight_and_uniformly_within_segments():
    bins = GridBins(0, 9, 1, [4], [2, 7], [1, 3, 0, 2])
    drawn = bins.draw(np.repeat([0, 1], 30_000), RNG)
    found = np.bincount(drawn, minlength=10)
    expected = np.array([1 / 8, 1 / 8, 3 / 8, 3 / 8, 0, 0, 0, 1 / 3, 1 / 3, 1 / 3]) * 30_000
    assert found[4:7].sum() == 0
    # Fails by chance once in 10^6; twice the weight of a segment would give p = 0.
    assert chisquare(found[expected > 0], expected[expected > 0]).pvalue > 1e-6
    assert bins.middles().tolist() == [2, 8]


def test_real_numbers_are_drawn_by_weight():
    bins = RealBins(0, 10, 1, [4.0], [1.0], [9, 1, 1])
    drawn = bins.draw(np.zeros(30_000, dtype=int), RNG)
    assert abs((drawn < 1).mean() - 0.9) < 0.01
    assert drawn.max() < 4
    assert bins.middles()[0] < 1


@pytest.mark.parametrize('kept', [[True, False, True], [False, True, True], [False, False, True]])
@pytest.mark.parametrize('kind', [GridBins, RealBins])
def test_joined_bins_keep_their_segments(kind, kept):
    bins = kind(0, 30, 1, [10, 20], [5, 25], [1, 2, 0, 3, 4])
    joined = bins.joined(np.array(kept))
    assert len(joined) == sum(kept)
    drawn = joined.draw(np.zeros(20_000, dtype=int), RNG)
    reach = {(True, False, True): 20, (False, True, True): 20, (False, False, True): 31}
    assert drawn.min() < 5
    assert drawn.max() < reach[tuple(kept)]
    weights = [1, 2, 0, 3, 4] if reach[tuple(kept)] == 31 else [1, 2, 0]
    assert abs((drawn < 5).mean() - 1 / sum(weights)) < 0.02
    assert not ((drawn >= 10) & (drawn < 20)).any()


def test_a_million_draws_from_a_thousand_segments_take_little_longer_than_uniform_ones():
    cuts = sorted(RNG.choice(np.arange(1, 10**6), 999, replace=False).tolist())
    edges, finer = cuts[::32], [cut for place, cut in enumerate(cuts) if place % 32]
    codes = RNG.integers(0, 32, 10**6)
    seconds = []
    for weights in ((), RNG.random(1000).tolist()):
        bins = GridBins(0, 10**6, 32, edges, finer, weights)
        begun = time.process_time()
        bins.draw(codes, RNG)
        seconds.append(time.process_time() - begun)
    assert seconds[1] < 10 * seconds[0] + 1
