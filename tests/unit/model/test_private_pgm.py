"""The direct solver and mbi on the same measurements; cliques that only mbi can take."""

import numpy as np
import pytest

from sdv_prefair.model import GraphicalModel, Measurement, estimate
from sdv_prefair.model._private_pgm import fit_with_mbi


@pytest.fixture(scope='module')
def tree(make_forest):
    forest = make_forest([3, 4, 2, 3], [0, 1, 1], 1000.0, 12)
    stddev = np.array([[4.0], [9.0], [5.0], [6.0]])
    measurements = [
        *forest.measure_all(8.0, 6.0),
        forest.measure(('c1', 'c3'), np.broadcast_to(stddev, (4, 3))),
    ]
    return forest, measurements


@pytest.fixture(scope='module')
def by_mbi(tree):
    forest, measurements = tree
    nodes = fit_with_mbi(measurements, forest.domain, forest.edges, forest.total, iterations=20_000)
    return GraphicalModel(forest.domain, forest.edges, nodes, forest.total, measurements)


@pytest.fixture(scope='module')
def direct(tree):
    forest, measurements = tree
    return estimate(measurements, forest.domain, forest.edges, total=forest.total)


@pytest.mark.pull_request
def test_both_estimators_find_the_same_marginals(tree, by_mbi, direct):
    forest, _ = tree
    for columns in [*forest.edges, ('c0', 'c3'), ('c3', 'c0', 'c2')]:
        distance = np.abs(by_mbi.marginal(columns) - direct.marginal(columns)).sum() / 2
        assert distance < 1e-3


def test_the_direct_loss_is_not_above_mbis(by_mbi, direct):
    assert direct.loss <= by_mbi.loss + direct.gap
    assert by_mbi.loss <= direct.loss * 1.001


@pytest.mark.pull_request
def test_mbis_loss_is_ours(tree, direct):
    """A weighting query must leave mbi's objective as it is here."""
    forest, measurements = tree
    from mbi.marginal_loss import from_linear_measurements

    exported = direct.to_mbi()
    loss = from_linear_measurements([m.to_mbi() for m in measurements], exported.domain)
    assert float(loss(exported.marginals)) == pytest.approx(direct.loss, rel=1e-4)


@pytest.mark.pull_request
def test_export_to_mbi_keeps_the_distribution(direct):
    exported = direct.to_mbi()

    assert exported.domain.attributes == tuple(direct.domain)
    for columns in [('c0', 'c1'), ('c0', 'c3'), ('c2',)]:
        counts = np.asarray(exported.project(columns).values)
        np.testing.assert_allclose(counts, direct.total * direct.marginal(columns), atol=0.05)
    rows = exported.synthetic_data(200)
    assert rows.domain.attributes == exported.domain.attributes


@pytest.mark.pull_request
def test_a_ring_goes_to_mbi_and_leaves_jax_as_it_was(joint_least_squares):
    import jax

    rng = np.random.default_rng(3)
    domain, total = {'a': 2, 'b': 2, 'c': 2, 'd': 2, 'e': 3}, 400.0
    joint = rng.dirichlet(np.ones(16)).reshape(2, 2, 2, 2)
    # Four columns in a ring: no junction tree without a clique that nobody measured.
    pairs = {('a', 'b'): (2, 3), ('b', 'c'): (0, 3), ('c', 'd'): (0, 1), ('a', 'd'): (1, 2)}
    measurements = [
        Measurement(pair, total * joint.sum(others) + 4.0 * rng.normal(size=(2, 2)), 4.0)
        for pair, others in pairs.items()
    ]
    before = jax.config.jax_enable_x64
    seen = []
    model = estimate(measurements, domain, total=total, progress=seen.append)

    assert model.estimator == 'mbi'
    assert model.gap is None
    assert jax.config.jax_enable_x64 == before
    assert model.cliques == [('a', 'b'), ('a', 'd'), ('b', 'c'), ('c', 'd'), ('e',)]
    assert seen == sorted(seen)
    assert seen[-1] == 5000
    oracle_loss, _ = joint_least_squares(measurements, domain, total)
    assert model.loss == pytest.approx(oracle_loss, abs=1e-3)
    np.testing.assert_allclose(model.marginal('e'), np.full(3, 1 / 3))
    rows = model.sample(1000, {'a': 1})
    assert (rows['a'] == 1).all()
    assert list(rows) == ['a', 'b', 'c', 'd', 'e']


# Chordal, but mbi would take x out first, with x's few codes, and join y and z for it.
PAIRS = [('y', 'x'), ('x', 'z'), ('y', 'a'), ('y', 'b'), ('a', 'b'), ('z', 'c'), ('z', 'd')]
CHORDAL = [*PAIRS, ('c', 'd')]
CODES = {'x': 2, 'y': 2, 'z': 2} | dict.fromkeys('abcd', 6)


@pytest.mark.pull_request
def test_rows_are_drawn_from_the_chosen_cliques_and_nothing_else():
    rng = np.random.default_rng(4)
    shapes = {pair: [CODES[column] for column in pair] for pair in CHORDAL}
    measurements = [
        Measurement(pair, 50 * rng.random(shape), 5.0) for pair, shape in shapes.items()
    ]
    model = estimate(measurements, CODES, total=1000.0, estimator='mbi')
    assert {node.columns for node in model.nodes} == set(model.cliques)
    assert set(model.cliques) == {('x', 'y'), ('x', 'z'), ('y', 'a', 'b'), ('z', 'c', 'd')}
    joint = model.marginal(['x', 'y', 'z'])
    apart = joint.sum(2)[:, :, None] * joint.sum(1)[:, None, :] / joint.sum((1, 2))[:, None, None]
    np.testing.assert_allclose(joint, apart, atol=1e-12)
