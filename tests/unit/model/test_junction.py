from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sdv_prefair.model._junction import arrange, marginal
from sdv_prefair.model._sampling import CliqueTable, condition


def assert_running_intersection(places):
    seen = set()
    for place in places:
        assert set(place.separator) == seen & set(place.clique)
        if place.parent is None:
            assert not place.separator
        else:
            assert set(place.separator) <= set(places[place.parent].clique)
        seen |= set(place.clique)


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


def random_nodes(problem, multiplied, summed):
    """Return a joint distribution that is Markov on the graph, some cells zero, and its nodes."""
    factors = []
    for clique in problem.cliques:
        table = problem.rng.gamma(0.7, size=tuple(problem.domain[c] for c in clique))
        table[(problem.rng.random(table.shape) < 0.2) & (table < table.max())] = 0.0
        factors.append((clique, table))
    joint = multiplied(factors, problem.names)
    assume(joint.sum() > 1e-9)
    joint /= joint.sum()
    places = arrange(problem.cliques)
    return [CliqueTable(*p, summed(joint, problem.names, p.clique)) for p in places], joint


@given(st.lists(st.integers(1, 3), min_size=1, max_size=7), st.integers(0, 10**6), st.data())
def test_marginals_of_any_few_columns_of_any_junction_tree(
    make_chordal, multiplied, summed, sizes, seed, data
):
    problem = make_chordal(sizes, seed)
    nodes, joint = random_nodes(problem, multiplied, summed)
    few = st.lists(st.sampled_from(problem.names), min_size=1, max_size=4, unique=True)
    columns = data.draw(few)

    expected = summed(joint, problem.names, columns)
    np.testing.assert_allclose(marginal(nodes, columns), expected, atol=1e-12)


@given(st.lists(st.integers(1, 3), min_size=2, max_size=6), st.integers(0, 10**6), st.data())
def test_conditioning_on_larger_cliques_is_bayes_rule(
    make_chordal, multiplied, summed, sizes, seed, data
):
    problem = make_chordal(sizes, seed)
    nodes, joint = random_nodes(problem, multiplied, summed)
    names = problem.names
    asked = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    row = np.unravel_index(problem.rng.choice(joint.size, p=joint.ravel()), joint.shape)
    evidence = {c: int(row[names.index(c)]) for c in asked}
    given_nodes = condition(nodes, evidence)
    cells = tuple(
        slice(evidence[c], evidence[c] + 1) if c in evidence else slice(None) for c in names
    )

    found = multiplied([(n.columns, n.conditional()) for n in given_nodes], names)
    np.testing.assert_allclose(found, joint[cells] / joint[cells].sum(), atol=1e-9)


def chain(length, seed=0):
    """A deep chain of columns with three codes, and the transitions along it."""
    rng = np.random.default_rng(seed)
    steps = [rng.dirichlet(np.ones(3), size=3) for _ in range(length - 1)]
    nodes, start = [], rng.dirichlet(np.ones(3))
    for i, step in enumerate(steps):
        columns = (f'c{i}', f'c{i + 1}')
        separator, parent = (columns[:1], i - 1) if i else ((), None)
        nodes.append(CliqueTable(columns, separator, parent, start[:, None] * step))
        start = start @ step
    return nodes, steps


@pytest.mark.parametrize(('first', 'last'), [(0, 39), (30, 34), (35, 39), (0, 2)])
def test_only_nodes_between_the_columns_are_read(first, last):
    """Nodes before and after are spoilt; what lies between gives the answer."""
    nodes, steps = chain(40)
    spoilt = [
        node if first <= i < last else replace(node, table=np.full((3, 3), np.nan))
        for i, node in enumerate(nodes)
    ]
    start = nodes[first].table.sum(axis=1)
    transition = np.linalg.multi_dot([np.eye(3), *steps[first:last]])

    found = marginal(spoilt, [f'c{first}', f'c{last}'])
    np.testing.assert_allclose(found, start[:, None] * transition, atol=1e-14)


def test_columns_of_two_components_do_not_read_a_third():
    nodes, _ = chain(20)
    other = [replace(node, columns=tuple(c.upper() for c in node.columns)) for node in nodes]
    other = [replace(n, separator=n.columns[:1] if n.separator else ()) for n in other]
    moved = [replace(n, parent=None if n.parent is None else n.parent + 19) for n in other]
    lone = CliqueTable(('alone',), (), None, np.full(2, np.nan))

    found = marginal([*nodes, *moved, lone], ['C15', 'c3', 'c17'])
    pair, single = marginal(nodes, ['c3', 'c17']), marginal(nodes, ['c15'])
    np.testing.assert_allclose(found, single[:, None, None] * pair, atol=1e-14)
