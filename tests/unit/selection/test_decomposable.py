"""Chordal graphs that grow, against networkx's own test of chordality.

Of ``_graphs.py``.
"""

import math
from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.selection._graphs import (
    affordable_chords,
    common_neighbours,
    keeps_chordal,
)


@st.composite
def trees(draw, max_size=8):
    """Draw a tree over columns in any order, as a graph."""
    columns = draw(st.permutations('abcdefgh'[:max_size]))
    columns = columns[: draw(st.integers(2, max_size))]
    parents = [draw(st.integers(0, place)) for place in range(len(columns) - 1)]
    return nx.Graph((columns[p], column) for p, column in zip(parents, columns[1:], strict=True))


@st.composite
def chordal_graphs(draw):
    """Draw a tree and pairs to add to it; networkx says which of them leave it chordal."""
    graph = draw(trees())
    for pair in draw(st.lists(st.sampled_from(list(combinations(graph, 2))), unique=True)):
        grown = nx.Graph([*graph.edges, pair])
        graph = grown if nx.is_chordal(grown) else graph
    return graph


def cliques(graph):
    return {frozenset(clique) for clique in nx.find_cliques(graph)}


def cells(columns, domain):
    return math.prod(domain[column] for column in columns)


@given(chordal_graphs())
def test_a_pair_keeps_a_graph_chordal_exactly_if_networkx_says_so(graph):
    for pair in nx.non_edges(graph):
        chordal = nx.is_chordal(nx.Graph([*graph.edges, pair]))
        assert keeps_chordal(graph, pair) is chordal
        assert keeps_chordal(graph, pair[::-1]) is chordal


@given(chordal_graphs())
def test_an_edge_is_not_added_twice(graph):
    assert not any(keeps_chordal(graph, edge) for edge in graph.edges)


def test_a_ring_is_closed_by_no_pair_that_leaves_it_open():
    path = nx.path_graph(['a', 'b', 'c', 'd'])
    assert keeps_chordal(path, ('a', 'c'))
    assert not keeps_chordal(path, ('a', 'd'))
    strip = nx.Graph([*path.edges, ('a', 'c'), ('b', 'd')])
    assert keeps_chordal(strip, ('a', 'd'))
    fan = nx.Graph([('a', 'b'), ('b', 'c'), ('a', 'x'), ('x', 'b'), ('x', 'y'), ('y', 'b')])
    fan.add_edges_from([('y', 'c')])
    assert common_neighbours(fan, ('a', 'c')) == {'b'}
    assert not keeps_chordal(fan, ('a', 'c')), 'a - x - y - c goes around b'


@given(
    trees(),
    st.lists(st.integers(1, 9), min_size=8, max_size=8),
    st.sampled_from([1, 12, 60, 300, 10**9]),
    st.randoms(use_true_random=False),
)
def test_additions_leave_a_chordal_graph_of_small_cliques(graph, sizes, max_cells, random):
    domain = dict(zip('abcdefgh', sizes, strict=True))
    pairs = [tuple(random.sample(pair, 2)) for pair in combinations(graph, 2)]
    tree = cliques(graph)
    while chords := affordable_chords(list(graph.edges), pairs, domain, max_cells):
        assert [p for p in pairs if p in chords and not graph.has_edge(*p)] == chords
        pair = random.choice(chords)
        new, before = frozenset(pair) | common_neighbours(graph, pair), cliques(graph)
        assert cells(new, domain) <= max_cells
        graph = nx.Graph([*graph.edges, pair])
        assert nx.is_chordal(graph)
        assert cliques(graph) - before == {new}
        assert all(cells(clique, domain) <= max_cells for clique in cliques(graph) - tree)


@given(chordal_graphs(), st.integers(1, 5), st.sampled_from([1, 8, 30, 200]))
def test_no_pair_is_left_out_that_could_be_added(graph, size, max_cells):
    domain = {column: size + place % 2 for place, column in enumerate(sorted(graph))}
    pairs = list(combinations(sorted(graph), 2))
    offered = affordable_chords(list(graph.edges), pairs, domain, max_cells)
    for pair in pairs:
        grown = nx.Graph([*graph.edges, pair])
        (new,) = cliques(grown) - cliques(graph) or {frozenset()}
        addable = not graph.has_edge(*pair) and nx.is_chordal(grown)
        assert (pair in offered) == (addable and cells(new, domain) <= max_cells)


@pytest.mark.parametrize('max_cells', [23, 24])
def test_the_bound_itself_is_allowed(max_cells):
    domain = {'a': 2, 'b': 3, 'c': 4}
    offered = affordable_chords([('a', 'b'), ('b', 'c')], [('a', 'c')], domain, max_cells)
    assert offered == ([('a', 'c')] if max_cells == 24 else [])
