"""Pieces of constant density, as few as noise allows.

About ``_bins.py``.
"""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.learning._bin_cuts import Pieces, _best_cuts, _prefix, merge_pieces


def pieces_of(rows, sigma):
    rows = np.asarray(rows, dtype=float)
    return Pieces(np.arange(len(rows) + 1), rows, np.full(len(rows), sigma**2))


def merged(rows, sigma, widths=None):
    widths = np.ones(len(rows)) if widths is None else np.asarray(widths, dtype=float)
    return merge_pieces(pieces_of(rows, sigma), widths, len(rows))


def cost(sums, cuts, price):
    parts = sums[:, cuts[1:]] - sums[:, cuts[:-1]]
    return (parts[0] - parts[1] ** 2 / parts[2]).sum() + price * (len(cuts) - 1)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=7), st.floats(0.1, 50))
def test_no_other_cuts_are_cheaper(rows, price):
    """Against every way to cut, tried one by one: pruning loses none."""
    rows = np.array(rows, dtype=float)
    sums = np.stack([_prefix(rows**2), _prefix(rows), _prefix(np.ones(len(rows)))])
    found = cost(sums, _best_cuts(sums, price), price)
    for count in range(len(rows)):
        for inner in combinations(range(1, len(rows)), count):
            assert found <= cost(sums, np.array([0, *inner, len(rows)]), price) + 1e-9


@pytest.mark.pull_request
def test_noise_alone_is_one_piece_but_in_a_few_of_a_thousand():
    rng = np.random.default_rng(1)
    cut = sum(len(merged(rng.normal(200, 50, 256), 50)) > 1 for _ in range(400))
    assert cut <= 4


def test_rows_that_fall_evenly_are_one_piece_without_any_noise():
    """Chance makes cells differ although the density does not."""
    rng = np.random.default_rng(2)
    cut = 0
    for _ in range(100):
        rows = np.bincount(rng.integers(0, 200, 50_000), minlength=200)
        cut += len(merged(rows, 0.5)) > 1
    assert cut <= 3


@pytest.mark.parametrize('place', [0, 100, 255])
def test_a_value_that_stands_out_is_a_piece_of_its_own(place):
    rng = np.random.default_rng(3)
    for _ in range(50):
        rows = rng.normal(20, 50, 256)
        rows[place] += 600
        found = merged(rows, 50)
        assert {place, place + 1} <= set(found.starts.tolist())
        assert found.rows.sum() == pytest.approx(rows.sum())


def test_widths_are_taken_into_account():
    widths = np.array([1.0, 1.0, 10.0, 1.0, 50.0])
    even = merged(1000 * widths, 1.0, widths)
    assert len(even) == 1
    assert len(merged(1000 * np.ones(5), 1.0, widths)) > 1


def test_a_value_without_width_stands_out_of_none():
    rows = np.zeros(9)
    rows[4] = 500
    widths = np.ones(9)
    widths[4] = 0.0
    assert merged(rows, 20.0, widths).starts.tolist() == [0, 4, 5, 9]


@pytest.mark.parametrize('width', [0.0, 5e-324, 1e-200, 1e200, 1.7e308])
@pytest.mark.filterwarnings('error')
def test_pieces_of_any_width_are_merged_as_those_of_width_one(width):
    """None at all if each is one value; widths whose sum or square no float holds."""
    rows = [300.0] * 6 + [0.0] * 6
    found = merged(rows, 5, [width] * 12)
    assert found.starts.tolist() == merged(rows, 5).starts.tolist() == [0, 6, 12]
