"""The exact search against brute force over all spanning trees, fair by the paper's paths."""

from functools import cache
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest

from sdv_prefair.errors import StructureError
from sdv_prefair.roles import Roles
from sdv_prefair.structure import (
    ExactStrategy,
    KnownScores,
    fair_spanning_tree,
    is_justifiably_fair,
)


@cache
def all_trees(size):
    """Return every spanning tree: its pairs as flags, and the nodes between each two as bits."""
    pairs = list(combinations(range(size), 2))
    sequences = list(product(range(size), repeat=size - 2))
    uses = np.zeros((len(sequences), len(pairs)), dtype=bool)
    between = np.zeros((len(sequences), size, size), dtype=np.uint8)
    for number, sequence in enumerate(sequences):
        tree = nx.from_prufer_sequence(sequence)
        uses[number, [pairs.index(tuple(sorted(edge))) for edge in tree.edges]] = True
        for start in range(size):
            walk = [(start, -1, 0)]
            while walk:
                node, parent, inner = walk.pop()
                between[number, start, node] = inner
                passed = inner | (1 << node if node != start else 0)
                walk.extend((new, node, passed) for new in tree[node] if new != parent)
    return pairs, uses, between


def brute_force(size, weights, role):
    pairs, uses, between = all_trees(size)
    admissible = sum(1 << node for node in range(size) if role[node] == 'A')
    fair = np.ones(len(uses), dtype=bool)
    for start, end in product(range(size), repeat=2):
        if role[start] == 'P' and role[end] == 'O':
            fair &= (between[:, start, end] & admissible) != 0
    totals = uses.astype(float) @ np.array([weights[pair] for pair in pairs])
    return totals[fair].max()


def draw_roles(size, rng):
    role = [*'PAO', *rng.choice(list('PAON'), size=size - 3, p=rng.dirichlet([1, 1, 1, 3]))]
    return list(rng.permutation(role))


def as_roles(role):
    return Roles(*([str(node) for node, r in enumerate(role) if r == kind] for kind in 'PAO'))


def draw_weights(size, rng, kind):
    pairs = list(combinations(range(size), 2))
    if kind == 'ties':
        values = rng.integers(-2, 3, size=len(pairs)).astype(float)
    elif kind == 'negative':
        values = -rng.gamma(0.5, 100.0, size=len(pairs))
    else:
        values = rng.normal(size=len(pairs)) * 10.0 ** rng.integers(-6, 7)
    return dict(zip(pairs, values.tolist(), strict=True))


@pytest.mark.parametrize('kind', ['ties', 'negative', 'normal'])
@pytest.mark.parametrize(('size', 'cases'), [(3, 20), (4, 60), (5, 100), (6, 150), (7, 60)])
def test_equals_brute_force(size, cases, kind):
    rng = np.random.default_rng(size)
    for _ in range(cases):
        role, weights = draw_roles(size, rng), draw_weights(size, rng, kind)
        columns = [str(node) for node in range(size)]
        scores = KnownScores({(str(i), str(j)): w for (i, j), w in weights.items()})
        tree = ExactStrategy().select(columns, as_roles(role), scores)
        assert tree.weight == pytest.approx(brute_force(size, weights, role), rel=1e-9, abs=1e-9)
        assert tree.weight == pytest.approx(scores.total(tree.edges))
        assert tree.gap == 0.0
        assert is_justifiably_fair(tree.edges, as_roles(role))


def test_every_mix_of_roles_over_five_columns():
    rng = np.random.default_rng(0)
    for role in product('PAON', repeat=5):
        if set('PAO') <= set(role):
            weights = draw_weights(5, rng, 'normal')
            named = {(str(i), str(j)): w for (i, j), w in weights.items()}
            tree = fair_spanning_tree(named, as_roles(role), 'exact')
            assert tree.weight == pytest.approx(brute_force(5, weights, role), rel=1e-9)


def test_two_columns():
    assert fair_spanning_tree({('a', 'b'): -3.0}, Roles()).edges == [('a', 'b')]


def large(size, protected, outcome, admissible, seed):
    rng = np.random.default_rng(seed)
    columns = [f'c{number}' for number in range(size)]
    p, o, a = np.cumsum([protected, outcome, admissible])
    mixed = [str(column) for column in rng.permutation(columns)]
    weights = {pair: float(rng.random()) for pair in combinations(columns, 2)}
    return columns, Roles(mixed[:p], mixed[o:a], mixed[p:o]), KnownScores(weights)


@pytest.mark.parametrize('seed', range(5))
@pytest.mark.parametrize('counts', [(2, 1, 38), (2, 1, 18), (8, 8, 2)])
def test_proves_the_optimum_of_41_columns(counts, seed):
    columns, roles, scores = large(41, *counts, seed)
    tree = ExactStrategy(time_limit=300).select(columns, roles, scores)
    assert tree.gap == 0.0
    assert nx.is_tree(nx.Graph(tree.edges))
    assert is_justifiably_fair(tree.edges, roles)


@pytest.mark.parametrize('seed', range(3))
def test_a_search_cut_short_returns_a_fair_tree_and_a_gap_that_holds(seed):
    columns, roles, scores = large(41, 8, 8, 2, seed)
    best = ExactStrategy(time_limit=300).select(columns, roles, scores)
    cut = ExactStrategy(time_limit=1e-9).select(columns, roles, scores)
    assert nx.is_tree(nx.Graph(cut.edges))
    assert is_justifiably_fair(cut.edges, roles)
    assert cut.weight <= best.weight <= cut.weight + cut.gap + 1e-9
    assert cut.gap > 0.0


def test_is_the_same_for_every_shift_of_the_weights():
    columns, roles, _ = large(20, 3, 3, 2, 0)
    rng = np.random.default_rng(1)
    weights = {pair: float(rng.integers(100)) for pair in combinations(columns, 2)}
    trees = [
        ExactStrategy().select(columns, roles, KnownScores({p: w + s for p, w in weights.items()}))
        for s in (-1000.0, 0.0, 7.0)
    ]
    assert trees[0].edges == trees[1].edges == trees[2].edges
    assert trees[1].weight - trees[0].weight == 19 * 1000.0


@pytest.mark.parametrize('limit', [0, -1, float('nan'), 'soon'])
def test_time_limit_must_be_above_zero(limit):
    with pytest.raises(StructureError, match=r'time_limit \(.*\) must be a number of seconds'):
        ExactStrategy(time_limit=limit)
