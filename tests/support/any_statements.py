"""Statements of any form over given columns, for tests that hold for all of them."""

from itertools import combinations

import networkx as nx
from hypothesis import strategies as st

from sdv_prefair.fairness import Independent, Statements
from sdv_prefair.fairness._predicate import markov_graph


@st.composite
def any_statements(draw, columns, max_statements=3):
    """Draw one statement or several; a column may have another part in each."""
    made = []
    for _ in range(draw(st.integers(1, max_statements))):
        parts = draw(
            st.lists(st.sampled_from('LRGN'), min_size=len(columns), max_size=len(columns))
        )
        left, right = draw(st.permutations(columns))[:2]
        part = dict(zip(columns, parts, strict=True)) | {left: 'L', right: 'R'}
        made.append(Independent(*([c for c in columns if part[c] == kind] for kind in 'LRG')))
    return Statements(made)


def kept(edges, statements, columns):
    """Whether separation holds, by the definition and with another library's search for paths."""
    graph = markov_graph(edges)
    graph.add_nodes_from(columns)
    for statement in statements.statements:
        around = graph.subgraph(set(graph) - set(statement.given))
        for left in set(statement.left) & set(around):
            if nx.node_connected_component(around, left) & set(statement.right):
                return False
    return True


def could_be_joined(edges, pairs, statements, columns):
    """Return the pairs that join two components and keep the statements."""
    graph = nx.Graph(edges)
    graph.add_nodes_from(columns)
    return [
        pair
        for pair in pairs
        if not nx.has_path(graph, *pair) and kept([*edges, pair], statements, columns)
    ]


def all_graphs(columns):
    """Yield the edges of every graph over the columns."""
    pairs = list(combinations(columns, 2))
    for size in range(len(pairs) + 1):
        yield from combinations(pairs, size)
