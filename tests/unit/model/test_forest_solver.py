import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.model import Measurement
from sdv_prefair.model._forest_solver import solve_forest

SHAPES = {
    'chain': lambda i: i - 1,
    'star': lambda i: 0,
    'binary': lambda i: (i - 1) // 2,
    'two pieces': lambda i: None if i == 2 else i - 1,
}


@st.composite
def forests(draw, make_forest, max_columns=6, sizes=(1, 2, 3, 5, 9)):
    count = draw(st.integers(1, max_columns))
    parent = SHAPES[draw(st.sampled_from(sorted(SHAPES)))]
    return make_forest(
        [draw(st.sampled_from(sizes)) for _ in range(count)],
        [parent(i) for i in range(1, count)],
        10 ** draw(st.floats(0, 6)),
        draw(st.integers(0, 10**6)),
    )


def loss_of(solution, measurements, total):
    expected = {**solution.edges, **{(c,): x for c, x in solution.columns.items()}}
    return sum(m.squared_error(total * expected[m.columns]) for m in measurements)


def assert_is_a_distribution(solution):
    for marginal in solution.columns.values():
        assert np.isfinite(marginal).all()
        assert (marginal >= 0).all()
        assert marginal.sum() == pytest.approx(1.0, abs=1e-12)
    for (first, second), table in solution.edges.items():
        assert (table >= 0).all()
        np.testing.assert_allclose(table.sum(axis=1), solution.columns[first], atol=1e-13)
        np.testing.assert_allclose(table.sum(axis=0), solution.columns[second], atol=1e-13)


@pytest.mark.parametrize('shape', ['chain', 'star', 'two pieces'])
@pytest.mark.parametrize('stddev', [0.5, 8.0, 60.0])
def test_agrees_with_least_squares_over_joint_distributions(
    make_forest, joint_least_squares, shape, stddev
):
    forest = make_forest([2, 3, 2, 2], [SHAPES[shape](i) for i in (1, 2, 3)], 100.0, 11)
    measurements = forest.measure_all(stddev, 0.7 * stddev)
    oracle_loss, joint = joint_least_squares(measurements, forest.domain, forest.total)
    solution = solve_forest(measurements, forest.domain, forest.edges, forest.total)
    loss = loss_of(solution, measurements, forest.total)

    assert loss <= oracle_loss + 1e-5
    assert loss - solution.gap <= oracle_loss + 1e-5
    for axis, column in enumerate(forest.names):
        others = tuple(a for a in range(4) if a != axis)
        np.testing.assert_allclose(solution.columns[column], joint.sum(axis=others), atol=1e-4)


def test_agrees_with_the_oracle_for_unequal_noise_and_repeated_measurements(
    make_forest, joint_least_squares
):
    forest = make_forest([3, 2, 3], [0, 1], 50.0, 4)
    measurements = [
        forest.measure(('c0',), np.array([1.0, 5.0, 2.0])),
        forest.measure(('c0',), 3.0),
        forest.measure(('c0', 'c1'), np.array([[1.0, 4.0], [6.0, 1.0], [2.0, 9.0]])),
        forest.measure(('c1', 'c2'), 4.0),
        forest.measure(('c1', 'c2'), np.array([[2.0], [7.0]])),
    ]
    oracle_loss, joint = joint_least_squares(measurements, forest.domain, forest.total)
    solution = solve_forest(measurements, forest.domain, forest.edges, forest.total)

    assert loss_of(solution, measurements, forest.total) == pytest.approx(oracle_loss, abs=1e-4)
    np.testing.assert_allclose(solution.edges['c0', 'c1'], joint.sum(axis=2), atol=1e-4)
    np.testing.assert_allclose(solution.edges['c1', 'c2'], joint.sum(axis=0), atol=1e-4)


def test_without_noise_the_truth_comes_back(make_forest):
    forest = make_forest([4, 3, 5, 2, 6], [0, 0, 1, 2], 1000.0, 2)
    measurements = [
        Measurement(columns, forest.total * table, 1.0) for columns, table in forest.truth.items()
    ]
    solution = solve_forest(measurements, forest.domain, forest.edges, forest.total)

    for edge, table in solution.edges.items():
        np.testing.assert_allclose(table, forest.truth[edge], atol=1e-8)


@given(st.data())
def test_the_duality_gap_closes(make_forest, data):
    forest = data.draw(forests(make_forest))
    level = forest.total * 10 ** data.draw(st.floats(-4, 1))
    measurements = forest.measure_all(level, level * data.draw(st.sampled_from([0.1, 1.0, 10.0])))
    solution = solve_forest(measurements, forest.domain, forest.edges, forest.total)

    assert_is_a_distribution(solution)
    loss = loss_of(solution, measurements, forest.total)
    assert solution.gap <= 1e-4 * (1 + loss)


@given(st.data())
def test_any_noise_gives_a_distribution(make_forest, data):
    forest = data.draw(forests(make_forest))
    scope = st.sampled_from([(name,) for name in forest.names] + forest.edges)
    measurements = [
        forest.measure(columns, 10 ** data.draw(st.floats(-6, 8)))
        for columns in data.draw(st.lists(scope, max_size=8))
    ]
    solution = solve_forest(measurements, forest.domain, forest.edges, forest.total)

    assert_is_a_distribution(solution)
    assert np.isfinite(solution.gap)


def test_what_nothing_was_measured_of_is_uniform_and_independent():
    solution = solve_forest([], {'a': 2, 'b': 4, 'c': 3}, [('a', 'b')], 10.0)

    np.testing.assert_allclose(solution.columns['c'], np.full(3, 1 / 3))
    np.testing.assert_allclose(solution.edges['a', 'b'], np.full((2, 4), 1 / 8))


def test_an_unmeasured_edge_is_left_independent(make_forest):
    forest = make_forest([3, 4], [0], 500.0, 9)
    measurements = [forest.measure((name,), 2.0) for name in forest.names]
    solution = solve_forest(measurements, forest.domain, forest.edges, forest.total)

    product = np.multiply.outer(solution.columns['c0'], solution.columns['c1'])
    np.testing.assert_allclose(solution.edges['c0', 'c1'], product)


def test_columns_measured_only_through_their_edges(make_forest, joint_least_squares):
    forest = make_forest([3, 3, 2], [0, 1], 80.0, 21)
    measurements = [forest.measure(edge, 5.0) for edge in forest.edges]
    oracle_loss, _ = joint_least_squares(measurements, forest.domain, forest.total)
    solution = solve_forest(measurements, forest.domain, forest.edges, forest.total)

    assert loss_of(solution, measurements, forest.total) == pytest.approx(oracle_loss, abs=1e-3)


def test_a_wide_tree_of_many_codes_is_solved(make_forest):
    forest = make_forest([40] * 41, [(i - 1) // 3 for i in range(1, 41)], 2e5, 8)
    measurements = forest.measure_all(80.0, 80.0)
    solution = solve_forest(measurements, forest.domain, forest.edges, forest.total)

    assert_is_a_distribution(solution)
    loss = loss_of(solution, measurements, forest.total)
    assert solution.gap <= 1e-4 * loss


def test_progress_counts_iterations(make_forest):
    forest = make_forest([3, 4, 2], [0, 1], 300.0, 5)
    seen = []
    solution = solve_forest(
        forest.measure_all(5.0, 5.0), forest.domain, forest.edges, forest.total, seen.append
    )

    assert seen == list(range(1, solution.iterations + 1))
    assert seen
