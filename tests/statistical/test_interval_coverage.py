"""Intervals from measured counts hold the truth as often as they say, where noise is largest.

A table of two columns is measured again and again with noise of 5 or 40 rows a cell, most of
whose counts are smaller: the model then sets most cells to zero, and intervals around its own
cells would miss. 100 tables of 30 cells each have a standard error of 0.004 if each cell and its
share of a column are taken for one. Noise that is told to be 0.7 times what it is has to be found
out.
"""

import numpy as np
import pytest

from sdv_prefair.inference._estimates import MEASURED, MeasuredAnswers, MeasuredCounts
from sdv_prefair.inference._questions import Ratio
from sdv_prefair.inference._replication import tables_of_model
from sdv_prefair.model import Measurement, estimate

SIZES = {'a': 5, 'b': 6}
SHOWN = {column: np.ones(size, bool) for column, size in SIZES.items()}
SHARES = np.random.default_rng(0).dirichlet(np.full(30, 0.3)).reshape(5, 6)
ROWS, TABLES = 500, 100


def ratios():
    for i in range(5):
        yield Ratio({'a': np.eye(5)[i]}, {}), SHARES[i].sum()
        for j in range(6):
            cell = {'a': np.eye(5)[i], 'b': np.eye(6)[j]}
            yield Ratio(cell, {}), SHARES[i, j]
            yield Ratio(cell, {'b': np.eye(6)[j]}), SHARES[i, j] / SHARES[:, j].sum()


def held(sigma, told, sampling):
    rng, hits = np.random.default_rng(1), []
    for _ in range(TABLES):
        rows = rng.multinomial(ROWS, SHARES.ravel()).reshape(5, 6) if sampling else ROWS * SHARES
        measurements = [
            Measurement(columns, true + rng.normal(0, sigma, true.shape), told * sigma)
            for columns, true in ((('a',), rows.sum(1)), (('b',), rows.sum(0)), (('a', 'b'), rows))
        ]
        model = estimate(measurements, SIZES)
        tables = tables_of_model(model, [(), ('a',), ('b',), ('a', 'b')])
        counts = MeasuredCounts(model, SHOWN)
        answers = MeasuredAnswers(counts, tables, model.total, 0.95, sampling)
        for ratio, truth in ratios():
            found, basis = answers.find(ratio)
            assert basis == MEASURED
            hits.append(found.lower - 1e-12 <= truth <= found.upper + 1e-12)
    return np.mean(hits)


@pytest.mark.parametrize('sampling', [True, False])
@pytest.mark.parametrize('sigma', [5.0, 40.0])
def test_measured_shares_are_held_as_often_as_intervals_say(sigma, sampling):
    assert held(sigma, 1.0, sampling) > 0.935


def test_noise_that_is_understated_is_found_out():
    assert held(5.0, 0.7, sampling=False) < 0.9
