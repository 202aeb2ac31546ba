"""Which statements a graph breaks.

About ``_predicate.py``.
"""

from itertools import pairwise

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.fairness import Independent, Statements, broken_statements
from sdv_prefair.fairness._predicate import edges_around

STATEMENTS = Statements([
    Independent(['sex'], ['pay'], given=['grade']),
    Independent(['sex'], ['bonus']),
    Independent(['race'], ['pay'], given=['grade']),
])


def test_each_broken_statement_comes_with_its_path():
    chain = [('sex', 'grade'), ('grade', 'bonus'), ('bonus', 'pay'), ('race', 'bonus')]
    broken = broken_statements(chain, STATEMENTS)
    assert [found.statement for found in broken] == list(STATEMENTS.statements[1:])
    assert [found.path for found in broken] == [['sex', 'grade', 'bonus'], ['race', 'bonus', 'pay']]
    assert [str(found) for found in broken] == [
        'sex - grade - bonus joins the two sides',
        'race - bonus - pay joins the two sides around grade',
    ]


def test_nothing_is_broken_where_nothing_is_joined():
    assert broken_statements([], STATEMENTS) == []
    assert broken_statements([('sex', 'pay')], Statements()) == []


@given(edges=st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda e: e[0] < e[1])))
def test_edges_around_are_those_of_all_ways_from_side_to_side(edges):
    """Ways that meet a side in between are longer than they need to be, and are left out."""
    graph = nx.Graph()
    graph.add_nodes_from(range(7))
    graph.add_edges_from(edges)
    statement = Independent([0, 1], [2, 3], [4])
    rest = graph.subgraph([0, 1, 2, 3, 5, 6])
    ways = [
        way
        for left in (0, 1)
        for right in (2, 3)
        for way in nx.all_simple_paths(rest, left, right)
        if not set(way[1:-1]) & {0, 1, 2, 3}
    ]
    expected = {frozenset(edge) for way in ways for edge in pairwise(way)}
    assert edges_around(graph, statement) == expected
