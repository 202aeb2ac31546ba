"""Sampled rows against the model's own distribution, by chi-squared tests that can reject.

Seeds are fixed, so a test does not fail by chance: a p-value below 0.001 means a defect. Every
kind of test is also run on a distribution that is slightly wrong and must reject it.
"""

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency, chisquare, kstest

from sdv_prefair.model import Measurement, compress_rare_codes, estimate

ROWS = 200_000
DOMAIN = {'race': 3, 'job': 4, 'income': 2, 'age': 5, 'city': 3}
EDGES = [('race', 'job'), ('job', 'income'), ('job', 'age')]


def table_of(rows, columns):
    sizes = tuple(int(rows[column].max()) + 1 for column in columns)
    flat = np.ravel_multi_index([rows[column] for column in columns], sizes)
    return np.bincount(flat, minlength=np.prod(sizes)).reshape(sizes)


def p_value(counts, expected):
    """Test counts against probabilities, cells with few expected rows put together."""
    counts, expected = counts.ravel(), expected.ravel() / expected.sum() * counts.sum()
    few = expected < 10
    assert counts[expected == 0].sum() == 0
    if few.any():
        counts = np.append(counts[~few], counts[few].sum())
        expected = np.append(expected[~few], expected[few].sum())
    keep = expected > 0
    return chisquare(counts[keep], expected[keep]).pvalue


def conditional_independence_p_value(table):
    """Test that the first two axes are independent in every stratum of the third."""
    statistic, freedom = 0.0, 0
    for stratum in np.moveaxis(table, 2, 0):
        stratum = stratum[stratum.sum(axis=1) > 0][:, stratum.sum(axis=0) > 0]
        test = chi2_contingency(stratum, correction=False)
        statistic, freedom = statistic + test.statistic, freedom + test.dof
    return chi2.sf(statistic, freedom)


@pytest.fixture(scope='module')
def model():
    rng = np.random.default_rng(1)
    measurements = []
    for columns in EDGES + [('city',)]:
        shape = tuple(DOMAIN[column] for column in columns)
        values = 5000 * rng.dirichlet(np.full(np.prod(shape), 1.5)).reshape(shape)
        measurements.append(Measurement(columns, values + 20 * rng.normal(size=shape), 20.0))
    fitted = estimate(measurements, DOMAIN, EDGES)
    fitted.set_random_state(0)
    return fitted


@pytest.fixture(scope='module')
def rows(model):
    return model.sample(ROWS)


@pytest.fixture(scope='module')
def joint(model):
    """The joint distribution multiplied out from edges and columns, without the model's help."""
    edge = {e: model.marginal(e) for e in EDGES}
    job = model.marginal('job')
    conditionals = [edge['job', 'income'] / job[:, None], edge['job', 'age'] / job[:, None]]
    return np.einsum(
        'rj,ji,ja,c->rjiac', edge['race', 'job'], *conditionals, model.marginal('city')
    )


@pytest.mark.parametrize(
    'columns',
    [('race', 'job'), ('job', 'age'), ('race', 'income', 'age'), ('job', 'income', 'age')],
)
def test_rows_follow_the_models_marginals(model, rows, columns):
    assert p_value(table_of(rows, columns), model.marginal(columns)) > 1e-3


def test_rows_follow_the_joint_distribution(rows, joint):
    assert p_value(table_of(rows, list(DOMAIN)), joint) > 1e-3


def test_a_slightly_wrong_distribution_is_rejected(model, rows):
    wrong = model.marginal(['race', 'income', 'age']).copy()
    wrong[0] *= 1.03
    assert p_value(table_of(rows, ['race', 'income', 'age']), wrong) < 1e-3


@pytest.mark.parametrize(
    'evidence',
    [
        {'race': 1},
        {'income': 0},
        {'income': 1, 'age': 3},
        {'race': 2, 'income': 1, 'city': 0},
        {'job': 2, 'race': 0},
    ],
)
def test_rows_given_evidence_follow_the_conditional_distribution(model, joint, evidence):
    given = model.sample(60_000, evidence)
    free = [column for column in DOMAIN if column not in evidence]
    cells = tuple(evidence.get(column, slice(None)) for column in DOMAIN)

    assert p_value(table_of(given, free), joint[cells]) > 1e-3
    other = tuple(
        slice(None) if column not in evidence else (evidence[column] + 1) % size
        for column, size in DOMAIN.items()
    )
    assert p_value(table_of(given, free), joint[other] + 1e-6) < 1e-3


def test_rows_are_independent_of_each_other(rows):
    pairs = {'before': rows['job'][:-1], 'after': rows['job'][1:]}
    test = chi2_contingency(table_of(pairs, ['before', 'after']), correction=False)
    assert test.pvalue > 1e-3


REPEATS, SMALL = 400, 500
# How far a variance ratio of 400 tables strays: beyond these in one of a million runs at a side.
VARIANCE_RATIOS = chi2.ppf([1e-6, 1 - 1e-6], REPEATS - 1) / (REPEATS - 1)


def variance_ratio(draw, expected, column, code):
    """Return the variance of a rate over repeated tables, in units of that of independent rows."""
    rates = [np.mean(draw()[column] == code) for _ in range(REPEATS)]
    return np.var(rates, ddof=1) * SMALL / (expected * (1 - expected))


@pytest.mark.parametrize('column', ['race', 'income', 'age', 'city'])
def test_independent_rows_vary_as_binomial_counts_do(model, column):
    model.set_random_state(3)
    expected = model.marginal(column)[0]
    low, high = VARIANCE_RATIOS
    assert 0.6 < low < 1 < high < 1.5, 'rates that vary 0.6 or 1.5 times as much are found'
    independent = variance_ratio(
        lambda: model.sample(SMALL, independent_rows=True), expected, column, 0
    )
    assert low < independent < high
    dealt = variance_ratio(lambda: model.sample(SMALL), expected, column, 0)
    assert dealt < low, 'the same test rejects rows that are dealt out'


@pytest.mark.parametrize('given', [{'income': 0}, {'job': 2}])
def test_rows_that_are_asked_for_are_independent(model, joint, given):
    model.set_random_state(4)
    lines = {column: np.full(SMALL, code) for column, code in given.items()}
    cells = joint[tuple(given.get(column, slice(None)) for column in DOMAIN)]
    free = [column for column in DOMAIN if column not in given]
    age = cells.sum(axis=tuple(i for i, c in enumerate(free) if c != 'age'))
    ratio = variance_ratio(lambda: model.sample_given(lines), age[0] / age.sum(), 'age', 0)
    assert VARIANCE_RATIOS[0] < ratio < VARIANCE_RATIOS[1]


def test_rows_of_larger_cliques_that_are_asked_for_are_independent():
    rng = np.random.default_rng(5)
    shape = {'race': 3, 'job': 4, 'income': 2}
    values = 5000 * rng.dirichlet(np.full(24, 1.5)).reshape(3, 4, 2)
    wide = estimate([Measurement(tuple(shape), values, 20.0)], shape, [tuple(shape)])
    assert any(len(node.columns) > 2 for node in wide.nodes)
    wide.set_random_state(6)
    table = wide.marginal(['job', 'income'])[1]
    lines = {'job': np.ones(SMALL, dtype=int)}
    rate = table[0] / table.sum()
    ratio = variance_ratio(lambda: wide.sample_given(lines), rate, 'income', 0)
    assert VARIANCE_RATIOS[0] < ratio < VARIANCE_RATIOS[1]
    dealt = variance_ratio(lambda: wide.sample(SMALL, {'job': 1}), rate, 'income', 0)
    assert dealt < VARIANCE_RATIOS[0]


def test_independent_rows_follow_the_joint_distribution(model, joint):
    model.set_random_state(7)
    drawn = model.sample(ROWS, independent_rows=True)
    assert p_value(table_of(drawn, list(DOMAIN)), joint) > 1e-3


def test_outcome_is_independent_of_protected_given_admissible(rows):
    table = table_of(rows, ['race', 'income', 'job'])
    assert conditional_independence_p_value(table) > 1e-3
    # Not so without the admissible column: the test has something to find.
    marginal = chi2_contingency(table.sum(axis=2), correction=False)
    assert marginal.pvalue < 1e-6


def test_differences_given_the_admissible_column_are_as_large_as_chance_makes_them(model):
    """Rows of a table are dealt out, not drawn one by one; that must not show in a test."""
    model.set_random_state(1)
    tables = [table_of(model.sample(2000), ['race', 'income', 'job']) for _ in range(300)]
    p_values = [conditional_independence_p_value(table) for table in tables]
    assert kstest(p_values, 'uniform').pvalue > 1e-3
    # The test has power: tables that are too even, or too uneven, would be found.
    assert kstest(np.sqrt(p_values), 'uniform').pvalue < 1e-3
    assert kstest(np.square(p_values), 'uniform').pvalue < 1e-3


def test_an_edge_around_the_admissible_column_is_found():
    rng = np.random.default_rng(2)
    measurements = [
        Measurement(('race', 'job'), 1000 * rng.dirichlet(np.ones(12)).reshape(3, 4), 5.0),
        Measurement(('race', 'income'), [[300.0, 200.0], [100.0, 150.0], [150.0, 100.0]], 5.0),
    ]
    unfair = estimate(measurements, {'race': 3, 'job': 4, 'income': 2})
    unfair.set_random_state(0)
    table = table_of(unfair.sample(ROWS), ['race', 'income', 'job'])
    assert conditional_independence_p_value(table) < 1e-6


def test_codes_of_a_merged_group_are_independent_of_other_columns():
    one_way = Measurement(('job',), [3000.0, 9.0, 5.0, 2000.0, 12.0], 5.0)
    compression = compress_rare_codes(one_way)
    grouped = [[2500.0, 500.0], [500.0, 1500.0], [900.0, 100.0]]
    merged = estimate(
        [Measurement(('job', 'income'), grouped, 5.0)],
        {'job': 3, 'income': 2},
        compressions={'job': compression},
    )
    merged.set_random_state(0)
    rows = merged.sample(ROWS)

    assert p_value(table_of(rows, ['job', 'income']), merged.marginal(['job', 'income'])) > 1e-3
    rare = np.isin(rows['job'], np.flatnonzero(compression.group_of == 2))
    inside = table_of({column: codes[rare] for column, codes in rows.items()}, ['job', 'income'])
    inside = inside[inside.sum(axis=1) > 0]
    assert inside.shape == (3, 2)
    assert chi2_contingency(inside, correction=False).pvalue > 1e-3
