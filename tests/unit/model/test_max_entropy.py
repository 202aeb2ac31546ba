"""Chordal graphs solved directly, against brute force over the joint distribution and mbi."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp, rel_entr

from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.fitting._pipeline import NEAR_ENOUGH
from sdv_prefair.model import Measurement, estimate
from sdv_prefair.model._junction import arrange
from sdv_prefair.model._max_entropy import calibrate, divergence_weight, fit_chordal
from sdv_prefair.model._sampling import soften

SMALL_SIZES = st.lists(st.integers(1, 3), min_size=1, max_size=5)
SEEDS = st.integers(0, 10**6)


def tree_and_chords(problem):
    """Return the edges of a forest, and the pairs beyond it."""
    forest = set(nx.minimum_spanning_edges(nx.Graph(problem.pairs), data=False))
    inside = [pair for pair in problem.pairs if forest & {pair, pair[::-1]}]
    return inside, [pair for pair in problem.pairs if pair not in inside]


def start_and_measurements(problem, stddev):
    """Return the forest's model, and measurements of all columns and pairs."""
    edges, chords = tree_and_chords(problem)
    inside = [problem.measure((c,), stddev) for c in problem.names]
    inside += [problem.measure(edge, stddev) for edge in edges]
    forest = estimate(inside, problem.domain, edges, total=problem.total)
    return forest.nodes, inside + [problem.measure(pair, stddev) for pair in chords]


def conditionals(nodes):
    return [(node.columns, node.conditional()) for node in nodes]


def distance(first, second):
    return np.abs(first - second).sum() / 2


def assert_is_a_consistent_model(nodes):
    for node in nodes:
        assert np.isfinite(node.table).all()
        assert (node.table >= 0).all()
        assert node.table.sum() == pytest.approx(1.0, abs=1e-9)
        if node.parent is not None:
            above = nodes[node.parent].sum_to(node.separator)
            np.testing.assert_allclose(node.sum_to(node.separator), above, atol=1e-9)


@given(SMALL_SIZES, SEEDS, st.sampled_from([0.5, 30.0, 3000.0]), st.sampled_from([0.0, 0.2, 0.5]))
def test_messages_give_the_mass_and_the_tables_of_the_product(
    make_chordal, summed, sizes, seed, spread, zeros
):
    """With a spread of 3000 the factors differ by far more than the largest float."""
    problem = make_chordal(sizes, seed)
    places, names = arrange(problem.cliques), problem.names
    logarithms, product = [], np.zeros(sizes)
    for place in places:
        shape = tuple(problem.domain[c] for c in place.clique)
        table = problem.rng.normal(scale=spread, size=shape)
        table[problem.rng.random(shape) < zeros] = -np.inf
        logarithms.append(table)
        absent = [axis for axis, c in enumerate(names) if c not in place.clique]
        product = product + np.expand_dims(table, absent)
    expected = logsumexp(product)
    assume(np.isfinite(expected))
    log_mass, beliefs = calibrate(places, logarithms)

    assert log_mass == pytest.approx(expected, rel=1e-12, abs=1e-9)
    for place, belief in zip(places, beliefs, strict=True):
        share = summed(np.exp(product - expected), names, place.clique)
        np.testing.assert_allclose(belief, share, atol=1e-9)


def primal_optimum(measurements, start, names, total):
    """Minimise least squares and divergence over all joint distributions, as a softmax."""
    weight = divergence_weight(measurements, total)

    def objective(logits):
        joint = np.exp(logits - logsumexp(logits)).reshape(start.shape)
        value = weight * total * rel_entr(joint, start).sum()
        slope = weight * total * (np.log(joint / start) + 1)
        for m in measurements:
            axes = [names.index(c) for c in m.columns]
            residual = (total * np.einsum(joint, range(joint.ndim), axes) - m.values) / m.stddev
            value += np.sum(residual**2) / 2
            every = range(joint.ndim)
            spread = np.einsum(np.ones(start.shape), every, residual / m.stddev, axes, every)
            slope = slope + total * spread
        return value, (joint * (slope - np.sum(joint * slope))).ravel()

    found = minimize(objective, np.log(start).ravel(), jac=True, method='L-BFGS-B', tol=1e-14)
    return objective, found.fun, np.exp(found.x - logsumexp(found.x)).reshape(start.shape)


@pytest.mark.parametrize('stddev', [5.0, 15.0])
@pytest.mark.parametrize(('sizes', 'seed'), [((2, 3, 2), 2), ((2, 2, 3, 2), 5)])
def test_the_estimate_minimises_the_stated_objective(
    make_chordal, multiplied, summed, sizes, seed, stddev
):
    problem = make_chordal(sizes, seed, join=(2,))
    start, measurements = start_and_measurements(problem, stddev)
    prior = multiplied(conditionals(start), problem.names)
    assert prior.min() > 0
    nodes = fit_chordal(start, measurements, problem.cliques, problem.total)
    objective, lowest, joint = primal_optimum(measurements, prior, problem.names, problem.total)
    found = multiplied(conditionals(nodes), problem.names)

    assert objective(np.log(found).ravel())[0] == pytest.approx(lowest, abs=0.02)
    assert objective(np.log(prior).ravel())[0] > lowest + 1
    assert distance(found, joint) < 1e-3
    for m in measurements:
        fitted = summed(found, problem.names, m.columns)
        assert distance(fitted, summed(joint, problem.names, m.columns)) < 2e-4


@pytest.mark.parametrize(
    ('sizes', 'seed'), [((3, 2, 3), 1), ((2, 2, 2, 2, 2), 3), ((2, 2, 2, 2, 3), 4)]
)
def test_the_loss_is_near_that_of_least_squares(
    make_chordal, joint_least_squares, multiplied, sizes, seed
):
    """Above it by no more than the divergence of least squares' optimum from the forest."""
    problem = make_chordal(sizes, seed, join=(2, 3))
    measurements = problem.measure_all(1.0, 1.0)
    lowest, joint = joint_least_squares(measurements, problem.domain, problem.total)
    edges, _ = tree_and_chords(problem)
    forest = [m for m in measurements if len(m.columns) == 1 or m.columns in edges]
    without_chords = estimate(forest, problem.domain, edges, total=problem.total)
    model = estimate(measurements, problem.domain, total=problem.total)

    loss_without = sum(
        m.squared_error(problem.total * without_chords.marginal(m.columns)) for m in measurements
    )
    forest = multiplied(conditionals(soften(without_chords.nodes)), problem.names)
    weight = divergence_weight(measurements, problem.total)
    assert model.loss > lowest - 1e-5
    assert model.loss < lowest + weight * problem.total * rel_entr(joint, forest).sum()
    assert loss_without > lowest + 100


def test_the_weight_is_one_over_the_noise_and_over_the_rows_of_a_cell():
    """Of two cells with noise of 2 and of 8 rows, and four with noise of 4: by hand."""
    measurements = [
        Measurement(('a',), np.zeros(2), np.array([2.0, 8.0])),
        Measurement(('a', 'b'), np.zeros((2, 2)), 4.0),
        Measurement(('b',), np.zeros(1), 4.0),
    ]
    assert divergence_weight(measurements, 100.0) == pytest.approx(1 / 4 + 2 / 100)
    assert divergence_weight(measurements, 0.0) == pytest.approx(1 / 4 + 2)


@pytest.mark.slow
def test_agrees_with_mbi(make_chordal):
    problem = make_chordal((3, 4, 2, 3, 2), 8, total=5000.0, join=(2,))
    measurements = problem.measure_all(6.0, 4.0)
    direct = estimate(measurements, problem.domain, total=problem.total)
    by_mbi = estimate(measurements, problem.domain, total=problem.total, estimator='mbi')

    assert (direct.estimator, by_mbi.estimator) == ('direct', 'mbi')
    assert direct.cliques == by_mbi.cliques
    assert direct.loss < 1.05 * by_mbi.loss
    for pair in itertools.combinations(problem.names, 2):
        assert distance(direct.marginal(pair), by_mbi.marginal(pair)) < 0.005


@given(st.lists(st.integers(1, 3), min_size=3, max_size=5), SEEDS, st.sampled_from([1.0, 20.0]))
def test_columns_that_no_pair_joins_are_independent_given_the_rest(
    make_chordal, multiplied, summed, sizes, seed, stddev
):
    problem = make_chordal(sizes, seed)
    model = estimate(problem.measure_all(stddev, stddev), problem.domain, total=problem.total)
    joint, names = multiplied(conditionals(model.nodes), problem.names), problem.names

    assert_is_a_consistent_model(model.nodes)
    assert sorted(model.cliques) == sorted(problem.cliques)
    for node in model.nodes:
        np.testing.assert_allclose(node.table, summed(joint, names, node.columns), atol=1e-9)
    graph = markov_graph(problem.cliques)
    for first, second in nx.non_edges(graph):
        for given_set in (nx.minimum_node_cut(graph, first, second), set(names) - {first, second}):
            rest = [c for c in names if c in given_set]
            without = [summed(joint, names, [c, *rest]) for c in (first, second)]
            together = summed(joint, names, [first, second, *rest])
            np.testing.assert_allclose(
                together * summed(joint, names, rest),
                without[0][:, None] * without[1],
                atol=1e-9,
            )


def test_a_clique_has_no_dependence_but_that_of_its_pairs(make_chordal):
    """In a table of two codes a column, the one term of all three columns together is zero."""
    problem = make_chordal((2, 2, 2), 3, join=(2,))
    model = estimate(problem.measure_all(3.0, 3.0), problem.domain, total=problem.total)
    signs = np.array([1, -1])
    alternating = np.einsum('a,b,c->abc', signs, signs, signs)

    assert model.cliques == [('c0', 'c1', 'c2')]
    assert np.vdot(alternating, np.log(model.nodes[0].table)) == pytest.approx(0, abs=1e-8)
    assert abs(np.vdot(alternating, np.log(problem.joint))) > 1


def triangle(chord, stddev):
    """Tables of a - b and b - c in which a = 1 never stands with c = 1, and a table of a - c."""
    total = chord.sum()
    ends = np.array([[total / 2, 0.0], [0.0, total / 2]])
    return [
        Measurement(('a', 'b'), ends, 1.0),
        Measurement(('b', 'c'), ends, 1.0),
        Measurement(('a', 'c'), chord, stddev),
    ]


DOMAIN = {'a': 2, 'b': 2, 'c': 2}


def test_zeros_of_the_forest_stay_where_no_table_has_rows():
    model = estimate(triangle(np.array([[500.0, -3.0], [-4.0, 507.0]]), 5.0), DOMAIN)

    assert_is_a_consistent_model(model.nodes)
    assert model.marginal(['a', 'c'])[[0, 1], [1, 0]].max() < 1e-9
    assert model.marginal(['a', 'c'])[0, 0] == pytest.approx(0.5, abs=0.01)


def test_zeros_of_the_forest_give_way_to_a_table_that_has_rows():
    """Noise made them, so they must not outvote a table that is a hundred times as exact."""
    chord = np.array([[300.0, 200.0], [100.0, 400.0]])
    model = estimate(triangle(chord, 0.01), DOMAIN, total=1000.0)

    assert_is_a_consistent_model(model.nodes)
    assert distance(model.marginal(['a', 'c']), chord / 1000) < 1e-3


def test_zeros_of_a_start_that_is_not_softened_are_kept():
    start = estimate(triangle(np.eye(2) * 500, 1.0)[:2], DOMAIN, total=1000.0)
    tables = triangle(np.array([[300.0, 200.0], [100.0, 400.0]]), 1e-3)
    nodes = fit_chordal(start.nodes, tables, [('a', 'b', 'c')], 1000.0)

    assert_is_a_consistent_model(nodes)
    assert (nodes[0].table[start.marginal(['a', 'b', 'c']) == 0] == 0).all()


NOISE = st.floats(-6, 6).map(lambda power: 10**power)


@given(st.lists(st.integers(1, 4), min_size=3, max_size=5), SEEDS, st.floats(0, 9), st.data())
def test_no_noise_and_no_total_is_too_large_or_too_small(make_chordal, sizes, seed, power, data):
    problem = make_chordal(sizes, seed, total=10**power)
    columns = [(c,) for c in problem.names] + problem.pairs + problem.cliques
    measured = data.draw(st.lists(st.sampled_from(columns), max_size=8))
    measurements = []
    for each in measured:
        shape = problem.marginal(each).shape
        uneven = 10 ** problem.rng.uniform(-1, 1, shape) if data.draw(st.booleans()) else 1.0
        measurements.append(problem.measure(each, data.draw(NOISE) * uneven))
    with np.errstate(divide='raise', invalid='raise', over='raise'):
        model = estimate(measurements, problem.domain, problem.cliques, total=problem.total)

    assert model.estimator == 'direct'
    assert np.isfinite(model.loss)
    assert_is_a_consistent_model(model.nodes)


def test_noise_beside_which_the_chord_is_lost_leaves_the_forest(make_chordal, multiplied):
    problem = make_chordal((3, 2, 3), 4, join=(2,))
    start, [*_, chord] = start_and_measurements(problem, 1.0)
    lost, kept = (Measurement(chord.columns, chord.values, stddev) for stddev in (1e6, 1.0))
    expected = multiplied(conditionals(start), problem.names)
    tables = [
        fit_chordal(start, [m], problem.cliques, problem.total)[0].table for m in (lost, kept)
    ]

    assert distance(tables[0], expected) < 1e-6
    assert distance(tables[1], expected) > 0.04


@pytest.mark.parametrize('stddev', [4.0, 40.0])
def test_a_fit_stops_where_noise_hides_what_is_missing(make_chordal, summed, stddev):
    """Noise and the chance of rows, with columns that nearly tell each other: sweeps are slow."""
    problem = make_chordal((6, 6, 5, 4, 5), 3, total=50_000.0, join=(2,))
    copies = np.full((6, 6), 1e-3) + np.eye(6)
    problem.joint = problem.joint * copies[:, :, None, None, None]
    population = problem.joint / problem.joint.sum()
    rows = problem.rng.multinomial(50_000, population.ravel())
    problem.joint = rows.reshape(population.shape) / 50_000
    measurements = problem.measure_all(stddev, stddev)
    near, exact = (
        estimate(measurements, problem.domain, total=problem.total, stationarity=stationarity)
        for stationarity in (NEAR_ENOUGH, 1e-9)
    )
    apart = [distance(near.marginal(p), exact.marginal(p)) for p in problem.pairs]
    error = [
        distance(exact.marginal(p), summed(population, problem.names, p)) for p in problem.pairs
    ]

    assert 0 < np.mean(apart) < 0.05 * np.mean(error)
    assert near.loss < exact.loss + 0.05 * sum(m.values.size for m in measurements)


def test_progress_counts_up(make_chordal):
    problem, seen = make_chordal((3, 2, 3), 4, join=(2,)), []
    estimate(problem.measure_all(2.0, 2.0), problem.domain, progress=seen.append)

    assert seen == list(range(1, len(seen) + 1))
    assert len(seen) > 3
