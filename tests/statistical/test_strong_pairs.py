"""Estimates do not miss a strong dependence by more than its noise, however large tables are.

Of ``model/_max_entropy.py``: a triangle of pairs is measured again and again, and the log odds of
one of them, given the third column, are 1. So each of its four cells has a factor of e to the power
of 1/4 or -1/4, which a penalty of one standard deviation per factor of e moves by a quarter of one.
The difference of two shares sums four cells that move together, with noise of which the squares
add up: it may be drawn by half a standard deviation. The mean of 100 estimates has a standard error
of 0.1, so 0.9 is four of them further, and chance exceeds it once in 30,000 times. With a constant
weight of 0.1, as it once was, it is 3 to 15.
"""

import numpy as np
import pytest

from sdv_prefair.model import Measurement, estimate
from sdv_prefair.model import _max_entropy as max_entropy

SIZES = {'a': 2, 'b': 6, 'c': 2}
TABLES = [('a',), ('b',), ('c',), ('a', 'b'), ('b', 'c'), ('a', 'c')]
MEASURED = 100


def joint():
    """Return a distribution in which every pair is dependent, a and c by log odds of 1 given b."""
    along, side = np.linspace(-0.8, 0.8, 6), np.array([-0.5, 0.5])
    of_a = np.exp(np.outer(side, along))
    of_c = np.exp(np.add.outer(side, along)[..., None] * side)
    whole = (of_a / of_a.sum(0))[..., None] * of_c / of_c.sum(-1, keepdims=True)
    return whole * np.linspace(1, 2, 6)[:, None] / 9


def difference(table):
    """Return the difference in the share of c between the values of a."""
    shares = table[:, 1] / table.sum(axis=1)
    return shares[1] - shares[0]


def errors(rows, noise):
    """Return the errors of estimates and of measurements, in standard deviations of the latter."""
    rng, whole, found = np.random.default_rng(1), joint(), []
    for _ in range(MEASURED):
        measurements = []
        for columns in TABLES:
            true = rows * np.einsum(whole, range(3), ['abc'.index(c) for c in columns])
            values = true + rng.normal(0, noise, true.shape)
            measurements.append(Measurement(columns, values, float(noise)))
        model = estimate(measurements, SIZES, total=float(rows))
        found.append([difference(model.marginal(['a', 'c'])), difference(values)])
    apart = np.array(found) - difference(whole.sum(axis=1))
    return (apart / apart[:, 1].std()).T


SETTINGS = [(20_000, 80), (20_000, 300), (200_000, 80), (200_000, 800)]


@pytest.mark.parametrize(('rows', 'noise'), SETTINGS)
def test_a_strong_pair_is_not_drawn_further_than_its_noise(rows, noise):
    estimated, measured = errors(rows, noise)
    assert -0.9 < estimated.mean() < 0.4
    assert np.square(estimated).mean() < 1.2 * np.square(measured).mean()


@pytest.mark.parametrize(('rows', 'noise'), SETTINGS)
def test_a_constant_weight_is_found_out(monkeypatch, rows, noise):
    monkeypatch.setattr(max_entropy, 'divergence_weight', lambda *_: 0.1)
    estimated, measured = errors(rows, noise)
    assert estimated.mean() < -2
    assert np.square(estimated).mean() > 4 * np.square(measured).mean()
