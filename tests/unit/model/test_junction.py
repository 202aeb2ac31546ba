import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdv_prefair.model.junction import arrange, marginal
from sdv_prefair.sampling import CliqueTable


def assert_running_intersection(places):
    seen = set()
    for place in places:
        assert set(place.separator) == seen & set(place.clique)
        if place.parent is None:
            assert not place.separator
        else:
            assert set(place.separator) <= set(places[place.parent].clique)
        seen |= set(place.clique)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 12), st.integers(0, 10**6))
def test_a_forest_is_arranged_with_separators_already_visited(count, seed):
    rng = np.random.default_rng(seed)
    cliques = [(f'c{rng.integers(i)}', f'c{i}') for i in range(1, count) if rng.random() < 0.8]
    joined = {column for clique in cliques for column in clique}
    cliques += [(f'c{i}',) for i in range(count) if f'c{i}' not in joined]
    places = arrange([cliques[i] for i in rng.permutation(len(cliques))])

    assert sorted(place.clique for place in places) == sorted(cliques)
    assert_running_intersection(places)


def test_larger_cliques_keep_their_whole_separator():
    places = arrange([('a', 'b', 'c'), ('d', 'e'), ('b', 'c', 'd'), ('f',)])

    assert_running_intersection(places)
    separators = {place.clique: place.separator for place in places}
    assert separators['b', 'c', 'd'] == ('b', 'c')
    assert separators['d', 'e'] == ('d',)
    assert separators['f',] == ()


@pytest.fixture(scope='module')
def junction():
    """A chordal model with a three-column clique, a branch and a separate column."""
    rng = np.random.default_rng(0)
    size = {'a': 2, 'b': 3, 'c': 2, 'd': 3, 'e': 2, 'f': 2}
    joint, nodes = None, []
    for clique, separator, parent in [
        (('a', 'b', 'c'), (), None),
        (('b', 'c', 'd'), ('b', 'c'), 0),
        (('d', 'e'), ('d',), 1),
        (('f',), (), None),
    ]:
        new = [c for c in clique if c not in separator]
        shape = [size[c] for c in separator], [size[c] for c in new]
        rows = rng.dirichlet(np.ones(np.prod(shape[1])), size=int(np.prod(shape[0])))
        conditional = rows.reshape(*shape[0], *shape[1])
        if joint is None:
            joint, order = conditional, list(new)
        else:
            letters = {c: i for i, c in enumerate('abcdef')}
            after = order + new
            joint = np.einsum(
                joint,
                [letters[c] for c in order],
                conditional,
                [letters[c] for c in (*separator, *new)],
                [letters[c] for c in after],
            )
            order = after
        axes = tuple(i for i, c in enumerate(order) if c not in clique)
        nodes.append(CliqueTable(clique, separator, parent, joint.sum(axis=axes)))
    return nodes, joint


@pytest.mark.parametrize(
    'columns', ['a', 'e', 'ba', 'dcb', 'ae', 'ea', 'af', 'fde', 'ace', 'abcdef', 'fedcba']
)
def test_marginals_are_those_of_the_joint(junction, columns):
    nodes, joint = junction
    found = marginal(nodes, list(columns))

    axes = tuple(i for i, c in enumerate('abcdef') if c not in columns)
    left = [c for c in 'abcdef' if c in columns]
    expected = joint.sum(axis=axes).transpose([left.index(c) for c in columns])
    np.testing.assert_allclose(found, expected, atol=1e-14)
