"""A growing graph is fair, chordal and affordable with every pair it takes, and takes all such.

Of ``_graphs.py``.
"""

import math
from itertools import combinations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.roles import Roles
from sdv_prefair.selection._graphs import GrowingGraph
from sdv_prefair.structure import is_justifiably_fair

MAX_CELLS = 60


@st.composite
def growths(draw):
    kinds = ['P', 'A', 'O', *draw(st.lists(st.sampled_from('PAON'), max_size=5))]
    domain = {f'{kind}{place}': draw(st.integers(1, 6)) for place, kind in enumerate(kinds)}
    roles = Roles(*([column for column in domain if column[0] == kind] for kind in 'PAO'))
    return domain, roles, draw(st.permutations(list(combinations(domain, 2))))


@given(growths())
def test_it_takes_a_pair_exactly_if_the_graph_with_it_is_as_it_must_be(drawn):
    domain, roles, pairs = drawn
    graph = GrowingGraph(domain, roles, MAX_CELLS)
    for pair in pairs:
        after = nx.Graph([*graph.edges, pair])
        cliques = list(nx.find_cliques(after))
        largest = max(math.prod(domain[c] for c in q) for q in cliques if set(pair) <= set(q))
        allowed = (
            nx.is_chordal(after) and is_justifiably_fair(cliques, roles) and largest <= MAX_CELLS
        )
        assert graph.takes(pair) == allowed
        if allowed:
            graph.add(pair)
    assert set(map(frozenset, graph.cliques())) == {
        frozenset(q) for q in nx.find_cliques(nx.Graph(graph.edges))
    }


@given(growths())
def test_what_was_turned_down_is_told_again_as_if_it_was_asked_for_the_first_time(drawn):
    domain, roles, pairs = drawn
    graph = GrowingGraph(domain, roles, MAX_CELLS)
    for pair in pairs:
        if graph.takes(pair):
            graph.add(pair)
            fresh = GrowingGraph(domain, roles, MAX_CELLS)
            for edge in graph.edges:
                fresh.add(edge)
            for other in set(pairs) - set(graph.edges):
                assert graph.takes(other) == fresh.takes(other)


@given(growths())
def test_the_quick_look_turns_down_no_pair_that_it_takes(drawn):
    domain, roles, pairs = drawn
    graph = GrowingGraph(domain, roles, MAX_CELLS)
    at = {column: place for place, column in enumerate(domain)}
    places = np.array([[at[i], at[j]] for i, j in pairs])
    for place, pair in enumerate(pairs):
        components = nx.Graph(graph.edges)
        components.add_nodes_from(domain)
        joined = nx.has_path(components, *pair)
        assert graph.apart(places)[place] == (not joined)
        assert graph.maybe(places)[place] or not graph.takes(pair)
        if graph.takes(pair):
            graph.add(pair)
            assert not graph.maybe(places)[place]
            assert all(graph.is_joined(column) for column in pair)
