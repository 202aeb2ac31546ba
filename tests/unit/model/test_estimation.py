import subprocess
import sys

import numpy as np
import pytest

from sdv_prefair.model import Measurement, compress_rare_codes, estimate, minimum_variance_total
from sdv_prefair.model._measurement import combine


def test_a_tree_is_solved_directly(make_forest):
    forest = make_forest([3, 4, 2], [0, 1], 500.0, 1)
    measurements = forest.measure_all(4.0, 4.0)
    model = estimate(measurements, forest.domain, forest.edges)

    assert model.estimator == 'direct'
    assert model.total == minimum_variance_total(measurements)
    assert model.gap <= 1e-3
    assert list(model.domain) == forest.names
    assert model.cliques == forest.edges


def test_a_chordal_graph_given_as_pairs_is_completed_and_solved_directly(make_chordal):
    problem = make_chordal([2, 3, 2, 2, 3], 5, join=(2,))
    assert {len(clique) for clique in problem.cliques} == {3}
    model = estimate(problem.measure_all(4.0, 4.0), problem.domain, problem.pairs)

    assert model.estimator == 'direct'
    assert model.gap is None
    assert sorted(model.cliques) == sorted(problem.cliques)
    assert sorted(node.columns for node in model.nodes) == sorted(problem.cliques)


def test_cliques_that_nobody_measured_are_kept_and_say_nothing(make_chordal):
    problem = make_chordal([2, 3, 2], 5, join=(2,))
    one_ways = [problem.measure((name,), 2.0) for name in problem.names]
    alone = estimate(one_ways, problem.domain, total=problem.total)
    together = estimate(one_ways, problem.domain, problem.cliques, total=problem.total)

    assert together.cliques == problem.cliques
    assert together.loss == pytest.approx(alone.loss, abs=1e-3)
    np.testing.assert_allclose(
        together.marginal(problem.names), alone.marginal(problem.names), atol=1e-4
    )


def test_without_measurements_a_clique_is_uniform():
    model = estimate([], {'a': 2, 'b': 3, 'c': 2}, [('a', 'b', 'c')])

    np.testing.assert_allclose(model.marginal(['a', 'b', 'c']), np.full((2, 3, 2), 1 / 12))


def test_a_pair_measured_again_stays_where_it_was_measured_first(make_chordal):
    """The forest to start from is that of the first pairs, and two looks are their mean."""
    problem = make_chordal([3, 2, 3], 5, join=(2,))
    first, *others = [problem.measure(pair, 60.0) for pair in problem.pairs]
    again = problem.measure(problem.pairs[0][::-1], 20.0)
    combined = combine([first, again])
    models = [
        estimate(measurements, problem.domain, total=problem.total)
        for measurements in ([first, *others, again], [combined, *others], [*others, combined])
    ]
    joints = [model.marginal(problem.names) for model in models]

    np.testing.assert_allclose(joints[0], joints[1], atol=1e-9)
    assert np.abs(joints[1] - joints[2]).max() > 1e-3


def test_cliques_come_from_the_measurements_in_the_order_of_the_columns():
    measurements = [
        Measurement(('b', 'a'), np.ones((2, 3)), 1.0),
        Measurement(('a',), np.ones(3), 1.0),
    ]
    model = estimate(measurements, {'a': 3, 'b': 2, 'c': 4})

    assert model.cliques == [('a', 'b'), ('c',)]
    assert model.marginal(['b', 'a']).shape == (2, 3)
    np.testing.assert_allclose(model.marginal('c'), np.full(4, 0.25))


def test_axes_follow_the_names_whatever_their_order(make_forest):
    forest = make_forest([3, 2], [0], 100.0, 3)
    forward = forest.measure_all(2.0, 2.0)
    backward = [m.transpose(m.columns[::-1]) for m in forward]
    first = estimate(forward, forest.domain, [('c0', 'c1')])
    second = estimate(backward, forest.domain, [('c1', 'c0')])

    np.testing.assert_allclose(first.marginal(['c0', 'c1']), second.marginal(['c0', 'c1']))


def test_a_given_total_is_kept(make_forest):
    forest = make_forest([3, 2], [0], 100.0, 3)
    model = estimate(forest.measure_all(2.0, 2.0), forest.domain, forest.edges, total=123.0)

    assert model.total == 123.0


def test_a_single_column_is_the_closed_form():
    model = estimate([Measurement(('a',), [5.0, -1.0, 7.0], 1.0)], {'a': 3})

    np.testing.assert_allclose(model.marginal('a') * model.total, [4.5, 0.0, 6.5])


def test_loss_is_that_of_the_measurements(make_forest):
    forest = make_forest([3, 4, 2], [0, 0], 200.0, 6)
    measurements = forest.measure_all(5.0, 3.0)
    model = estimate(measurements, forest.domain, forest.edges)

    expected = 0.0
    for m in measurements:
        expected += np.sum(((model.total * model.marginal(m.columns) - m.values) / m.stddev) ** 2)
    assert model.loss == pytest.approx(expected / 2)


def test_shrinking_moves_the_fit_and_keeps_the_measurements(make_forest):
    forest = make_forest([8, 9], [0], 200.0, 6)
    measurements = forest.measure_all(2.0, 10.0)
    plain = estimate(measurements, forest.domain, forest.edges)
    shrunk = estimate(measurements, forest.domain, forest.edges, shrink=True)

    assert shrunk.loss > plain.loss + 0.1
    assert shrunk.measurements[-1] is measurements[-1]


def test_groups_go_back_to_codes(make_forest):
    rare_and_not = Measurement(('a',), [90.0, 1.0, 2.0, 60.0], 1.0)
    compression = compress_rare_codes(rare_and_not)
    table = Measurement(('a', 'b'), [[80.0, 10.0], [20.0, 40.0], [1.0, 2.0]], 1.0)
    model = estimate(
        [compression.compress(rare_and_not), table],
        {'a': 3, 'b': 2},
        [('a', 'b')],
        compressions={'a': compression},
    )

    assert model.domain == {'a': 4, 'b': 2}
    joint = model.marginal(['a', 'b'])
    assert joint.shape == (4, 2)
    np.testing.assert_allclose(joint[2], 2 * joint[1])
    assert joint.sum() == pytest.approx(1.0)
    assert set(model.sample(20_000)['a']) == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        ({'estimator': 'pgm'}, 'estimator'),
        ({'cliques': [('a', 'z')]}, "'z'"),
        ({'cliques': [('a',), ('b',)]}, 'not covered by any clique'),
        ({'domain': {'a': 2, 'b': 2}}, 'shape'),
    ],
)
def test_what_does_not_fit_together_is_refused(arguments, message):
    given = {'domain': {'a': 2, 'b': 3}, 'cliques': [('a', 'b')]} | arguments
    with pytest.raises(ValueError, match=message):
        estimate([Measurement(('a', 'b'), np.ones((2, 3)), 1.0)], **given)


@pytest.mark.slow
@pytest.mark.parametrize('pairs', [('ab',), ('ab', 'bc', 'ac')])
def test_trees_and_chordal_graphs_are_fitted_and_sampled_without_jax(pairs):
    program = f"""
import sys
import numpy as np
from sdv_prefair.model import Measurement, estimate
tables = [Measurement(tuple(pair), np.eye(3) * 50, 2.0) for pair in {pairs}]
model = estimate(tables, {{'a': 3, 'b': 3, 'c': 3}}, shrink=True)
model.sample(10)
model.sample(10, {{'a': 1}})
sys.exit('jax' in sys.modules or 'mbi' in sys.modules)
"""
    assert subprocess.run([sys.executable, '-c', program], check=False).returncode == 0
