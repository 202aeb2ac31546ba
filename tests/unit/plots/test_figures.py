import warnings

import networkx as nx
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdv_prefair import PreFairSynthesizer, PrivacyWarning
from sdv_prefair.datasets import simulate_census
from sdv_prefair.plots import ROLE_MARKERS, plot_fair_graph, plot_ledger


def tree_with_roles(size: int, seed: int) -> nx.Graph:
    tree = nx.random_labeled_tree(size, seed=seed)
    tree = nx.relabel_nodes(tree, {node: f'column {node}' for node in tree})
    roles = list(ROLE_MARKERS)
    nx.set_node_attributes(
        tree, {n: roles[i % len(roles)] for i, n in enumerate(sorted(tree))}, 'role'
    )
    return tree


def node_positions(figure) -> dict[str, tuple[float, float]]:
    return {
        text.removeprefix('<b>').removesuffix('</b>'): (x, y)
        for trace in figure.data
        if trace.name in ROLE_MARKERS
        for text, x, y in zip(trace.text, trace.x, trace.y, strict=True)
    }


@given(size=st.integers(1, 45), seed=st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_no_two_columns_overlap_and_edges_span_one_level(size, seed):
    tree = tree_with_roles(size, seed)
    positions = node_positions(plot_fair_graph(tree))
    assert set(positions) == set(tree)
    levels = {}
    for x, y in positions.values():
        levels.setdefault(x, []).append(y)
    for rows in levels.values():
        rows.sort()
        assert all(b - a >= 1 for a, b in zip(rows, rows[1:], strict=False))
    assert all(abs(positions[a][0] - positions[b][0]) == 1 for a, b in tree.edges)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_same_graph_same_picture_whatever_the_order_of_insertion(seed):
    tree = tree_with_roles(15, seed)
    with_cycles = tree.copy()
    with_cycles.add_edges_from(list(nx.non_edges(tree))[::9])
    for graph in (tree, with_cycles):
        again = nx.Graph()
        again.add_nodes_from(reversed(list(graph.nodes(data=True))))
        again.add_edges_from((b, a) for a, b in reversed(list(graph.edges)))
        assert node_positions(plot_fair_graph(graph)) == node_positions(plot_fair_graph(again))


def test_roles_have_their_own_colour_shape_and_legend_entry():
    figure = plot_fair_graph(tree_with_roles(20, 0), title='A tree')
    named = {trace.name: trace for trace in figure.data if trace.name}
    assert list(named) == ['protected', 'admissible', 'outcome', 'several roles', 'unlabelled']
    assert len({trace.marker.color for trace in named.values()}) == 5
    assert all(trace.showlegend is not False for trace in named.values())
    assert figure.layout.title.text == 'A tree'


def test_edges_show_their_columns_and_attributes_on_hover():
    graph = nx.Graph()
    graph.add_node('sex', role='protected')
    graph.add_node('job', role='admissible')
    graph.add_edge('sex', 'job', sigma=12.345678, cells=30)
    notes = [trace for trace in plot_fair_graph(graph).data if trace.marker.opacity == 0]
    assert notes[0].hovertext == ('sex - job<br>sigma: 12.35<br>cells: 30',)


def test_node_without_role_counts_as_unlabelled():
    figure = plot_fair_graph(nx.path_graph(3))
    assert [trace.name for trace in figure.data if trace.name] == ['unlabelled']


def drawn(figure) -> tuple[int, int]:
    """Return how many edges are drawn as those of a tree, and how many as curves."""
    bent, curved = (
        [t for t in figure.data if t.mode == 'lines' and (t.name is None) == is_bent]
        for is_bent in (True, False)
    )
    return sum(t.x.count(None) for t in bent), sum(t.x.count(None) for t in curved)


def test_forests_and_cycles_can_be_drawn():
    graph = nx.disjoint_union(nx.complete_graph(4), nx.path_graph(3))
    figure = plot_fair_graph(graph)
    assert len(set(node_positions(figure).values())) == 7
    assert drawn(figure) == (3 + 2, 3)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_edges_beyond_the_tree_are_curves_and_move_no_column(seed):
    tree = tree_with_roles(15, seed)
    graph = tree.copy()
    graph.add_edges_from(list(nx.non_edges(tree))[seed % 7 :: 9], beyond_tree=True)
    figure = plot_fair_graph(graph)
    assert node_positions(figure) == node_positions(plot_fair_graph(tree))
    assert drawn(figure) == (14, graph.number_of_edges() - 14)
    (notes,) = [trace for trace in figure.data if trace.marker.opacity == 0]
    assert len(notes.x) == len(set(notes.hovertext)) == graph.number_of_edges()
    (curves,) = [trace for trace in figure.data if trace.name == 'beyond the tree']
    for found, axis in ((curves.x, figure.layout.xaxis), (curves.y, figure.layout.yaxis)):
        low, high = axis.range
        assert all(low <= place <= high for place in found if place is not None)


def test_the_tree_of_a_fit_is_the_one_that_was_chosen_first():
    census = simulate_census(3000, seed=0)
    synthesizer = PreFairSynthesizer(
        census.metadata, epsilon=20.0, structure='aim', public_ranges=True, **census.roles.as_dict()
    )
    synthesizer.fit(census.data)
    graph = synthesizer.get_fair_graph()
    choices = synthesizer.get_privacy_ledger().query("step == 'select more pairs'")
    beyond = [edge for *edge, is_beyond in graph.edges(data='beyond_tree') if is_beyond]
    # The last choice may be of nothing more.
    assert len(choices) - len(beyond) in (0, 1)
    assert drawn(synthesizer.visualize()) == (len(graph) - 1, len(beyond))
    graph.remove_edges_from(beyond)
    assert nx.is_tree(graph)


def test_an_empty_graph_gives_an_empty_picture():
    assert node_positions(plot_fair_graph(nx.Graph())) == {}


@pytest.fixture
def ledger():
    return pd.DataFrame(
        [
            ('one-way marginals', 'gaussian', ('sex',), 0.1),
            ('one-way marginals', 'gaussian', ('job',), 0.2),
            ('selection', 'exponential', 'all pairs', 0.3),
            ('two-way marginals', 'gaussian', ('sex', 'job'), 0.4),
        ],
        columns=['step', 'mechanism', 'columns', 'rho'],
    )


def test_ledger_bars_add_up_to_the_budget_in_the_order_of_steps(ledger):
    figure = plot_ledger(ledger)
    assert sum(sum(bar.y) for bar in figure.data) == pytest.approx(1.0)
    assert figure.layout.barmode == 'stack'
    assert figure.layout.xaxis.categoryarray == (
        'one-way marginals', 'selection', 'two-way marginals',
    )  # fmt: skip
    texts = {note.x: note.text for note in figure.layout.annotations}
    assert texts['one-way marginals'] == '0.3 (30%)'
    assert 'rho = 1 ' in figure.layout.title.text


def test_ledger_slices_name_their_columns(ledger):
    figure = plot_ledger(ledger)
    columns = {bar.name: list(bar.customdata) for bar in figure.data}
    assert columns == {'gaussian': ['sex', 'job', 'sex, job'], 'exponential': ['all pairs']}


def test_every_mechanism_of_a_ledger_has_a_colour_of_its_own():
    """With ranges to learn and each kind of selection, all mechanisms turn up."""
    census = simulate_census(2000, seed=0)
    colours = {}
    for structure in ('adaptive', 'exact'):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', PrivacyWarning)
            synthesizer = PreFairSynthesizer(
                census.metadata, epsilon=20.0, structure=structure, public_ranges=False,
                **census.roles.as_dict(),
            )  # fmt: skip
            synthesizer.fit(census.data)
        for bars in plot_ledger(synthesizer.get_privacy_ledger()).data:
            assert colours.setdefault(bars.name, bars.marker.color) == bars.marker.color
    assert len(colours) >= 4
    assert len(set(colours.values())) == len(colours)
