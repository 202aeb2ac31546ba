"""Bins of equal shares, and single values apart.

About ``_bins.py``.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.learning._bin_cuts import Pieces, cut

NOTHING = np.zeros(0, dtype=int)


def pieces_of(starts, rows, sigma=1e-3):
    return Pieces(np.array(starts), np.array(rows, dtype=float), np.full(len(rows), sigma**2))


def test_one_piece_means_even_bins():
    assert cut(pieces_of([0, 1000], [5e4]), np.ones(1000), np.ones(1000), 32, NOTHING) is None


def test_a_single_value_has_a_bin_and_the_rest_as_many_as_before():
    found = cut(pieces_of([0, 1, 1000], [9000, 1000]), np.ones(1000), np.ones(1000), 32, NOTHING)
    assert found.edges[0] == 1
    assert 30 <= len(found.edges) + 1 <= 34
    assert np.diff(found.edges).max() < 60


def test_bins_are_narrow_where_rows_are():
    pieces = pieces_of([0, 100, 1000], [9000, 1000])
    found = cut(pieces, np.ones(1000), np.ones(1000), 20, NOTHING)
    dense = np.diff(np.append(0, found.edges[found.edges <= 100]))
    assert dense.max() <= 9
    assert 100 in found.edges


def test_with_more_noise_bins_are_more_even():
    widest = []
    for sigma in (1.0, 3000.0, 100_000.0):
        pieces = pieces_of([0, 100, 1000], [9000, 0], sigma)
        found = cut(pieces, np.ones(1000), np.ones(1000), 20, NOTHING)
        widest.append(np.diff(np.concatenate([[0], found.edges, [1000]])).max())
    assert widest == sorted(widest, reverse=True)
    assert widest[-1] < 120


def test_values_that_the_user_names_have_bins_whatever_they_hold():
    pieces = pieces_of([0, 1000], [1e4])
    found = cut(pieces, np.ones(1000), np.ones(1000), 8, np.array([0, 500, 999]))
    assert {1, 500, 501, 999} <= set(found.edges.tolist())


@given(st.data())
def test_cuts_rise_and_weights_belong_to_them(data):
    size = data.draw(st.integers(2, 300))
    inner = data.draw(st.sets(st.integers(1, size - 1), max_size=20))
    starts = [0, *sorted(inner), size]
    rows = data.draw(
        st.lists(st.floats(-100, 1e5), min_size=len(starts) - 1, max_size=len(starts) - 1)
    )
    forced = np.array(sorted(data.draw(st.sets(st.integers(0, size - 1), max_size=4))), dtype=int)
    bins, sigma = data.draw(st.integers(2, 40)), data.draw(st.floats(1e-3, 1e4))
    widths = np.ones(size) if data.draw(st.booleans()) else np.linspace(0, 5, size)
    found = cut(pieces_of(starts, rows, sigma), widths, np.ones(size), bins, forced)
    if found is None:
        assert len(starts) == 2
        return
    cuts = np.union1d(found.edges, found.finer)
    assert not np.isin(found.finer, found.edges).any()
    assert (np.diff(found.edges) > 0).all()
    assert cuts.size == 0 or (cuts.min() >= 1 and cuts.max() <= size - 1)
    assert len(found.weights) == len(cuts) + 1
    assert np.isfinite(found.weights).all()
    assert (found.weights >= 0).all()
    for cell in forced:
        assert {c for c in (cell, cell + 1) if 0 < c < size} <= set(found.edges.tolist())
    # As many bins as asked for, and up to three beside each value that is apart.
    assert len(found.edges) + 1 <= 2 * bins + bins + 2 * len(forced) + 2


def test_weights_are_the_rows_between_cuts():
    pieces = pieces_of([0, 50, 60, 1000], [4000, 3000, 3000])
    found = cut(pieces, np.ones(1000), np.ones(1000), 3, NOTHING)
    cuts = np.concatenate([[0], np.union1d(found.edges, found.finer), [1000]])
    density = np.repeat([80, 300, 3000 / 940], [50, 10, 940])
    true = np.add.reduceat(density, cuts[:-1])
    assert found.weights == pytest.approx(true, rel=0.01)
