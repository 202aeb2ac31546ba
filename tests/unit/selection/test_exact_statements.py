"""The exact search under any statements, against brute force over all forests.

Of ``_exact.py`` and ``_exact.py``.
"""

from functools import cache
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from any_statements import any_statements, kept
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.fairness import (
    Independent,
    Statements,
    demographic_parity,
    equalized_odds,
    sufficiency,
)
from sdv_prefair.structure import ExactStrategy, KnownScores, fair_spanning_tree

COLUMNS = list('abcde')


@cache
def all_forests():
    pairs = list(combinations(COLUMNS, 2))
    return [
        edges
        for size in range(len(COLUMNS))
        for edges in combinations(pairs, size)
        if not size or nx.is_forest(nx.Graph(edges))
    ]


def brute_force(weights, statements):
    """Return the most edges of a fair forest, and the heaviest weight of one with so many."""
    fair = [edges for edges in all_forests() if kept(edges, statements, COLUMNS)]
    most = max(map(len, fair))
    return most, max(sum(weights[e] for e in edges) for edges in fair if len(edges) == most)


def draw_weights(seed, kind):
    rng = np.random.default_rng(seed)
    pairs = list(combinations(COLUMNS, 2))
    draws = {
        'ties': lambda: rng.integers(-2, 3, size=len(pairs)).astype(float),
        'negative': lambda: -rng.gamma(0.5, 100.0, size=len(pairs)),
        'normal': lambda: rng.normal(size=len(pairs)) * 10.0 ** rng.integers(-6, 7),
    }
    return dict(zip(pairs, draws[kind]().tolist(), strict=True))


@given(
    any_statements(COLUMNS),
    st.integers(0, 10**6),
    st.sampled_from(['ties', 'negative', 'normal']),
)
def test_equals_brute_force_for_any_statements(statements, seed, kind):
    weights = draw_weights(seed, kind)
    tree = ExactStrategy().select(COLUMNS, statements, KnownScores(weights))
    most, heaviest = brute_force(weights, statements)
    assert kept(tree.edges, statements, COLUMNS)
    assert len(tree.edges) == most
    largest = max(map(abs, weights.values()))
    assert tree.weight == pytest.approx(heaviest, rel=1e-9, abs=1e-9 * largest)
    assert tree.weight == pytest.approx(KnownScores(weights).total(tree.edges))
    assert tree.gap == 0.0


def test_sides_are_taken_in_every_statement():
    """The heaviest tree that keeps the first statement alone breaks the second, by q-u-o."""
    columns = ['p', 'o', 'q', 'r', 'u']
    statements = Statements([
        Independent(['p'], ['o'], given=['r']),
        Independent(['q'], ['o'], given=['r']),
    ])
    weights = {('q', 'r'): 10.0, ('p', 'r'): 8.0, ('q', 'u'): 7.0, ('o', 'u'): 6.0, ('o', 'r'): 3.0}
    tree = ExactStrategy().select(columns, statements, KnownScores(weights))
    assert set(map(frozenset, tree.edges)) == set(map(frozenset, ('qr', 'pr', 'qu', 'or')))
    assert tree.gap == 0.0


def large(seed, size=25):
    rng = np.random.default_rng(seed)
    columns = [f'c{number}' for number in range(size)]
    weights = {pair: float(rng.random()) for pair in combinations(columns, 2)}
    return columns, KnownScores(weights)


NOTIONS = {
    'parity': demographic_parity(['c0'], ['c1']),
    'parity of several': demographic_parity(['c0', 'c1', 'c2'], ['c3', 'c4', 'c5']),
    'separation and sufficiency': equalized_odds(['c0'], ['c1'], ['c2'])
    + sufficiency(['c0'], ['c1'], ['c2']),
    'each its own reasons': [
        Independent(['c0', 'c1'], ['c2'], given=['c3', 'c4']),
        Independent(['c0', 'c1'], ['c5'], given=['c2', 'c6']),
    ],
    'parity of one and reasons of another': demographic_parity(['c0'], ['c1'])
    + [Independent(['c0', 'c2'], ['c3'], given=['c4'])],
}


@pytest.mark.parametrize('seed', range(3))
@pytest.mark.parametrize('notion', NOTIONS)
def test_proves_the_optimum_of_25_columns(notion, seed):
    statements, (columns, scores) = Statements(NOTIONS[notion]), large(seed)
    tree = ExactStrategy(time_limit=20).select(columns, statements, scores)
    assert tree.gap == 0.0
    assert nx.is_forest(nx.Graph(tree.edges))
    assert kept(tree.edges, statements, columns)
    cut = ExactStrategy(time_limit=1e-9).select(columns, statements, scores)
    assert kept(cut.edges, statements, columns)
    if len(cut.edges) == len(tree.edges):
        assert cut.weight <= tree.weight + 1e-9
        assert tree.weight <= cut.weight + cut.gap + 1e-9


@pytest.mark.parametrize('strategy', ['adaptive', 'greedy', 'exact', 'none'])
def test_a_forest_has_a_gap_that_counts_no_more_edges_than_it_has(strategy):
    weights = {
        ('p', 'n'): 2.0,
        ('n', 'o'): 3.0,
        ('p', 'o'): 9.0,
        ('n', 'm'): -5.0,
        ('m', 'p'): -6.0,
        ('m', 'o'): -7.0,
    }
    statements = Statements(demographic_parity(['p'], ['o']))
    tree = fair_spanning_tree(weights, statements, strategy)
    assert tree.gap >= 0.0
    assert len(tree.edges) == (3 if strategy == 'none' else 2)
    if strategy == 'exact':
        assert sorted(tree.edges) == [('n', 'm'), ('n', 'o')]


@pytest.mark.parametrize('seed', range(10))
def test_a_statement_that_is_made_twice_costs_what_it_costs_once(seed):
    columns, scores = large(seed, 14)
    one = Independent(['c0', 'c1', 'c2'], ['c3', 'c4', 'c5'], given=['c6'])
    once = ExactStrategy().select(columns, Statements([one]), scores)
    twice = ExactStrategy().select(columns, Statements([one, one]), scores)
    assert twice.weight == pytest.approx(once.weight, rel=1e-9)
