"""Histograms that become finer where rows are.

About ``_bins.py``.
"""

import numpy as np
import pytest

from sdv_prefair.learning._bin_cuts import Pieces
from sdv_prefair.learning._bin_grids import even_levels
from sdv_prefair.learning._bins import _agree, found_pieces, look


def asking(exact, sigma, seed=0):
    """Return what answers for groups of cells, and a list of what it was asked."""
    rng, asked = np.random.default_rng(seed), []

    def measure(group_of):
        asked.append(group_of)
        counts = np.bincount(group_of, np.append(exact, 7.0))
        return np.rint(counts + rng.normal(0, sigma, len(counts))).astype(int), sigma

    return measure, asked


def spike(size=100_000, at=0):
    exact = np.zeros(size)
    exact[at] = 40_000
    exact[: size // 2] += 0.1
    return exact


def test_every_level_has_each_cell_in_one_group():
    """So a row changes one cell of each histogram, whatever it holds."""
    exact = spike()
    levels = even_levels(len(exact))
    measure, asked = asking(exact, 100.0)
    look(levels, len(exact), measure)
    assert len(asked) == len(levels)
    for group_of in asked:
        assert group_of.shape == (len(exact) + 1,)
        assert set(np.unique(group_of)) == set(range(group_of.max() + 1))
    assert asked[0].max() > 200 > asked[2].max()


def test_what_does_not_stand_out_is_not_looked_into_and_costs_nothing():
    exact = np.full(100_000, 0.01)
    measure, asked = asking(exact, 5000.0)
    levels = look(even_levels(len(exact)), len(exact), measure)
    assert len(asked) == 1
    found = found_pieces(levels, np.ones(len(exact)))
    assert found.starts.tolist() == [0, len(exact)]


@pytest.mark.parametrize('at', [0, 40_001, 99_999])
def test_one_value_of_a_hundred_thousand_is_found(at):
    exact = spike(at=at)
    measure, _ = asking(exact, 200.0)
    levels = look(even_levels(len(exact)), len(exact), measure)
    found = found_pieces(levels, np.ones(len(exact)))
    place = found.starts.tolist().index(at)
    assert found.starts[place + 1] == at + 1
    assert found.rows[place] == pytest.approx(40_000, abs=1000)
    assert found.rows.sum() == pytest.approx(exact.sum(), abs=10_000)


def test_without_noise_pieces_add_up_to_what_they_hold():
    rng = np.random.default_rng(5)
    exact = np.bincount(
        np.minimum(rng.lognormal(8, 1, 30_000), 49_999).astype(int), minlength=50_000
    )
    measure, _ = asking(exact.astype(float), 1e-6)
    found = found_pieces(look(even_levels(50_000), 50_000, measure), np.ones(50_000))
    assert len(found) > 10
    true = np.add.reduceat(exact, found.starts[:-1])
    assert found.rows == pytest.approx(true, abs=1e-3)


def test_what_two_levels_say_agrees_and_is_more_exact_than_either():
    rng, errors = np.random.default_rng(6), []
    true = np.array([100.0, 900.0, 0.0, 50.0])
    variances = np.array([400.0, 900.0, 100.0, 400.0])
    for _ in range(4000):
        noisy = Pieces(np.arange(5), true + rng.normal(0, np.sqrt(variances)), variances)
        agreed = _agree(noisy, true.sum() + rng.normal(0, 30), 900.0)
        errors.append(np.append(agreed.rows - true, agreed.rows.sum() - true.sum()))
    spread = np.mean(np.square(errors), axis=0)
    assert spread[:-1] == pytest.approx(agreed.variances, rel=0.1)
    assert (spread[:-1] < variances).all()
    assert spread[-1] == pytest.approx(1 / (1 / 900 + 1 / variances.sum()), rel=0.1)
