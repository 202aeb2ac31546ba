"""Settled factors make the same model; a fit that starts from an earlier one ends as a cold one.

About ``_max_entropy.py``.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.model import Measurement, estimate
from sdv_prefair.model._estimation import start_of
from sdv_prefair.model._max_entropy import ChordalProblem, Settling
from sdv_prefair.model._sampling import sum_to

SIZES = st.lists(st.integers(2, 4), min_size=3, max_size=5)
SEEDS = st.integers(0, 10**6)


def measure_all(problem, stddev):
    columns = [*((c,) for c in problem.names), *problem.pairs]
    return [problem.measure(pair, stddev) for pair in columns]


def fit_and_factors(problem, stddev, uneven):
    forest = estimate([problem.measure((c,), 3.0) for c in problem.names], problem.domain)
    tables = [
        Measurement(m.columns, m.values, stddev * problem.rng.uniform(0.3, 3, m.values.shape))
        if uneven
        else m
        for m in measure_all(problem, stddev)
    ]
    fit = ChordalProblem(forest.nodes, tables, problem.cliques, problem.total)
    return fit, [problem.rng.normal(size=table.values.shape) for table in fit.tables]


def again(model, stddev, seed):
    """Return noisy tables of a model that stands for the truth."""
    rng = np.random.default_rng(seed)
    return [
        Measurement(m.columns, model.total * true + rng.normal(0, stddev, true.shape), stddev)
        for m in model.measurements
        for true in [model.marginal(m.columns)]
    ]


def distance(first, second, pairs):
    return sum(np.abs(first.marginal(p) - second.marginal(p)).sum() for p in pairs)


@pytest.mark.parametrize('stddev', [2.0, 20.0])
def test_warm_and_cold_fits_agree(make_chordal, stddev):
    """Far closer to each other than either is to the model that both were measured from."""
    problem = make_chordal((4, 5, 3, 6, 4), 3, total=5000.0)
    first = estimate(measure_all(problem, stddev), problem.domain, problem.cliques)
    start, apart, moved = start_of(first), 0.0, 0.0
    assert start is not None
    for seed in range(5):
        tables = again(first, stddev, seed)
        cold = estimate(tables, problem.domain, problem.cliques)
        warm = estimate(tables, problem.domain, problem.cliques, start=start)
        apart += distance(cold, warm, problem.pairs)
        moved += distance(cold, first, problem.pairs)
    assert apart < 0.1 * moved


@given(SIZES, SEEDS, st.sampled_from([1.0, 20.0]), st.booleans())
def test_settling_leaves_the_model_as_it_is(make_chordal, sizes, seed, stddev, uneven):
    fit, factors = fit_and_factors(make_chordal(sizes, seed, total=500.0), stddev, uneven)
    settled = Settling(fit.tables, 500.0).apply(factors)
    assert max(np.abs(f - s).max() for f, s in zip(factors, settled, strict=True)) > 0.01
    for one, other in zip(fit.model(factors), fit.model(settled), strict=True):
        np.testing.assert_allclose(one.table, other.table, rtol=1e-6, atol=1e-12)


@given(SIZES, SEEDS, st.sampled_from([1.0, 20.0]))
def test_settled_tables_leave_the_same_rows_to_each_column(make_chordal, sizes, seed, stddev):
    problem = make_chordal(sizes, seed, total=500.0)
    fit, factors = fit_and_factors(problem, stddev, uneven=False)
    for column in problem.names:
        rows = []
        for table, factor in zip(
            fit.tables, Settling(fit.tables, 500.0).apply(factors), strict=True
        ):
            if column in table.columns:
                left = table.values - table.penalty * factor
                rows.append(sum_to(left, table.columns, (column,)))
        assert np.sum(rows[0]) == pytest.approx(500.0)
        np.testing.assert_allclose(rows, [rows[0]] * len(rows), atol=1e-8 * 500)


def test_a_forest_needs_no_start(make_chordal):
    problem = make_chordal((3, 4, 3), 1, join=(1, 1))
    model = estimate([problem.measure((c,), 3.0) for c in problem.names], problem.domain)
    assert start_of(model) is None
