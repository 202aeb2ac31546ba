"""The drawing of a model's graph: of ``_fair_graph.py`` and ``_lanes.py``."""

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import simulate_census
from sdv_prefair.fairness import Independent, Statements, is_justifiably_fair
from sdv_prefair.fitting._explanation import OUTCOME_COPY
from sdv_prefair.plots import ROLE_MARKERS, plot_fair_graph
from sdv_prefair.plots._fair_graph import AROUND, WITHIN, caption_of, heading_of
from sdv_prefair.plots._lanes import lanes_of, lay_out
from sdv_prefair.roles import Roles

ROLES = Roles(protected=['sex'], admissible=['grade', 'hours'], outcome=['pay'])
SIDES = ['protected', 'admissible', 'outcome']


def with_roles(graph: nx.Graph, roles=tuple(ROLE_MARKERS)) -> nx.Graph:
    graph = nx.relabel_nodes(graph, {node: f'column {node}' for node in graph})
    of = {node: roles[i % len(roles)] for i, node in enumerate(sorted(graph))}
    nx.set_node_attributes(graph, of, 'role')
    return graph


def random_graph(size: int, seed: int, roles=tuple(ROLE_MARKERS)) -> nx.Graph:
    tree = nx.random_labeled_tree(size, seed=seed)
    tree.add_edges_from(list(nx.non_edges(tree))[seed % 7 :: 9])
    return with_roles(tree, roles)


def model(*edges, roles=ROLES) -> nx.Graph:
    graph = nx.Graph(edges)
    nx.set_node_attributes(graph, {node: roles.of(node) for node in graph}, 'role')
    return graph


def name_positions(figure) -> dict[str, tuple[float, float]]:
    return {
        text.strip().removeprefix('<b>').removesuffix('</b>'): (x, y)
        for trace in figure.data
        if trace.name in ROLE_MARKERS
        for text, x, y in zip(trace.text, trace.x, trace.y, strict=True)
    }


def count_edges(figure, name=None) -> int:
    """Return how many edges are drawn, of a kind or of all kinds."""
    lines = [t for t in figure.data if t.mode == 'lines' and t.fill is None]
    return sum(t.x.count(None) for t in lines if name in (None, t.name))


@given(size=st.integers(1, 45), seed=st.integers(0, 10_000))
def test_no_two_boxes_overlap_and_all_are_on_the_canvas(size, seed):
    canvas = lay_out(random_graph(size, seed))
    assert len(canvas.boxes) == size
    boxes = sorted(canvas.boxes.values(), key=lambda box: (box.x, box.y))
    for one in boxes:
        assert 0 <= one.left < one.right <= canvas.width
        assert all(0 <= y <= canvas.height for y in one.outline[1])
        for other in boxes:
            beside = one.right < other.left or other.right < one.left
            assert one is other or beside or abs(one.y - other.y) > 26


@given(size=st.integers(2, 45), seed=st.integers(0, 10_000))
def test_every_edge_is_drawn_once_within_the_canvas_and_has_a_note(size, seed):
    graph = random_graph(size, seed)
    figure = plot_fair_graph(graph)
    assert count_edges(figure) == graph.number_of_edges()
    (notes,) = [trace for trace in figure.data if trace.marker.opacity == 0]
    assert len(notes.x) == len(set(notes.hovertext)) == graph.number_of_edges()
    for trace in figure.data:
        for found, axis in ((trace.x, figure.layout.xaxis), (trace.y, figure.layout.yaxis)):
            low, high = axis.range
            assert all(low <= place <= high for place in found if place is not None)


@given(seed=st.integers(0, 10_000))
def test_same_graph_same_picture_whatever_the_order_of_insertion(seed):
    graph = random_graph(15, seed)
    again = nx.Graph()
    again.add_nodes_from(reversed(list(graph.nodes(data=True))))
    again.add_edges_from((b, a) for a, b in reversed(list(graph.edges)))
    assert name_positions(plot_fair_graph(graph)) == name_positions(plot_fair_graph(again))


@given(size=st.integers(3, 25), seed=st.integers(0, 10_000))
def test_edges_are_red_if_and_only_if_the_model_is_not_fair(size, seed):
    graph = random_graph(size, seed, ('protected', 'admissible', 'outcome', 'unlabelled'))
    of = {side: [n for n in graph if graph.nodes[n]['role'] == side] for side in SIDES}
    is_fair = is_justifiably_fair(graph.edges, Roles(**of))
    figure = plot_fair_graph(graph)
    assert (count_edges(figure, AROUND) == 0) == is_fair
    # A fair model has no edge from the left to the right lane: this is what there is to see.
    if is_fair:
        lane_of = lay_out(graph).lane_of
        assert all(abs(lane_of[one] - lane_of[other]) <= 1 for one, other in graph.edges)


def test_sides_are_what_hangs_together_without_the_admissible_columns():
    graph = model(
        *[('sex', 'region'), ('region', 'grade'), ('grade', 'pay'), ('pay', 'bonus')],
        *[('hours', 'pay'), ('hours', 'age')],
    )
    sides = {lane.side: {n for s in lane.stacks for n in s} for lane in lanes_of(graph)}
    assert list(sides) == SIDES
    assert sides['protected'] == {'sex', 'region', 'age'}
    assert sides['admissible'] == {'grade', 'hours'}
    assert sides['outcome'] == {'pay', 'bonus'}


def test_all_edges_that_lead_around_the_wall_are_named_and_no_others():
    graph = model(('sex', 'region'), ('region', 'pay'), ('sex', 'grade'), ('age', 'region'))
    figure = plot_fair_graph(graph)
    assert count_edges(figure, AROUND) == 2
    asked = Statements([Independent(['sex'], ['pay'], ['grade'])])
    assert heading_of(graph, asked) == '2 edges lead around the wall'
    assert caption_of(graph, asked).endswith('(red): pay - region, region - sex.')
    kept = model(('sex', 'grade'), ('grade', 'pay'))
    assert 'every path to the outcome passes through the wall' in heading_of(kept, asked)
    assert count_edges(plot_fair_graph(kept), AROUND) == 0


def test_statements_decide_what_is_red_where_they_differ_from_roles():
    roles = Statements([
        Independent(['sex'], ['pay'], ['grade']),
        Independent(['sex'], ['bonus'], ['pay']),
    ])
    graph = model(('sex', 'grade'), ('grade', 'pay'), ('pay', 'bonus'), roles=roles)
    assert [lane.side for lane in lanes_of(graph)] == [*SIDES[:2], 'several roles', 'outcome']
    assert count_edges(plot_fair_graph(graph, statements=roles), AROUND) == 0
    # It breaks both: bonus is outcome of the one, and on a way around grade in the other.
    graph.add_edge('sex', 'bonus')
    assert count_edges(plot_fair_graph(graph, statements=roles), AROUND) == 2


def test_parity_leaves_a_wall_without_columns():
    parity = Statements([Independent(['sex'], ['pay'])])
    graph = model(('sex', 'region'), ('pay', 'grade'), roles=parity)
    figure = plot_fair_graph(graph, statements=parity)
    assert 'No wall to pass' in str(figure.layout.annotations)
    assert heading_of(graph, parity) == 'no path from protected to outcome columns'


def test_the_stronger_the_darker_and_thicker_and_lanes_are_kept_in_the_background():
    graph = model(('sex', 'grade'), ('sex', 'hours'), ('grade', 'pay'), ('grade', 'hours'))
    for edge, tells in zip(graph.edges, (0.05, 0.2, 0.5, 0.9), strict=True):
        graph.edges[edge]['tells'] = tells
    figure = plot_fair_graph(graph)
    named = {trace.name: trace.line for trace in figure.data if trace.mode == 'lines'}
    weak, joined, strong = (
        named[name]
        for name in (
            'weak (predicts < 0.1 beyond noise)',
            'medium',
            'strong (predicts ≥ 0.3 beyond noise)',
        )
    )
    assert weak.color > joined.color > strong.color, 'greys from light to dark'
    assert weak.width < joined.width < strong.width
    assert count_edges(figure, WITHIN) == 1


def test_roles_have_their_own_colour_shape_and_legend_entry():
    figure = plot_fair_graph(random_graph(20, 0), title='A tree')
    named = {trace.name: trace for trace in figure.data if trace.name in ROLE_MARKERS}
    assert list(named) == ['protected', 'admissible', 'outcome', 'several roles', 'unlabelled']
    assert len({trace.marker.color for trace in named.values()}) == 5
    assert len({trace.marker.symbol for trace in named.values()}) == 5
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
    assert [t.name for t in figure.data if t.mode == 'markers+text'] == ['unlabelled']


def test_forests_and_cycles_can_be_drawn():
    graph = nx.disjoint_union(nx.complete_graph(4), nx.path_graph(3))
    figure = plot_fair_graph(graph)
    assert len(set(name_positions(figure).values())) == 7
    assert count_edges(figure) == 6 + 2


def test_names_are_text_and_long_ones_are_whole_on_hover():
    name = '<b>' + 'x' * 60
    figure = plot_fair_graph(nx.Graph([(name, 'y')]))
    shown = [text for t in figure.data if t.mode == 'markers+text' for text in t.text]
    assert all(len(text) < 50 for text in shown)
    hover = [text for t in figure.data if t.mode == 'markers+text' for text in t.hovertext]
    assert f'&lt;b&gt;{"x" * 60}: unlabelled' in hover


def test_an_empty_graph_gives_an_empty_picture():
    assert name_positions(plot_fair_graph(nx.Graph())) == {}


def test_a_fit_says_what_is_to_be_seen_and_how_strong_its_edges_are():
    census = simulate_census(3000, seed=0)
    roles = census.roles.as_dict()
    shown = {}
    for structure in ('adaptive', 'none'):
        synthesizer = PreFairSynthesizer(
            census.metadata, epsilon=20.0, structure=structure, public_ranges=True, **roles
        )
        synthesizer.fit(census.data)
        graph = synthesizer.get_fair_graph()
        assert all(0 <= tells <= 1 for *_, tells in graph.edges(data='tells'))
        assert graph.edges['race', 'region']['tells'] > 0.3, 'a proxy of race'
        told = [f for f in synthesizer.explain_fairness().findings if f.part != OUTCOME_COPY]
        for column, about in graph.edges:
            pair = [f.surely for f in told if {f.column, f.about} == {column, about}]
            shown_as = graph.edges[column, about]['tells']
            assert all(surely <= shown_as + 1e-4 for surely in pair), 'one number for all'
        shown[structure] = synthesizer.visualize()
    title = shown['adaptive'].layout.title.text
    assert 'every path to the outcome passes through the wall' in title
    assert count_edges(shown['adaptive'], AROUND) == 0
    # sex and race act on income directly in this table, so that plain MST joins them.
    assert count_edges(shown['none'], AROUND) > 0
    assert 'around the wall' in shown['none'].layout.title.text
