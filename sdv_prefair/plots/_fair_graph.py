"""The graph of a model in three lanes: protected side, admissible wall, outcome side."""

import textwrap
from collections.abc import Hashable, Iterable
from typing import Any

import networkx as nx
import plotly.graph_objects as go

from sdv_prefair.fairness._dependence import NOTICEABLE
from sdv_prefair.fairness._predicate import edges_around
from sdv_prefair.fairness._statements import SEVERAL, Independent, Statements
from sdv_prefair.plots._lanes import Box, Canvas, Line, label_of, lay_out
from sdv_prefair.plots._style import BLACK, GREY, plain_text
from sdv_prefair.roles import ADMISSIBLE, OUTCOME, PROTECTED, UNLABELLED

# The paper's red, blue and green in shades that colour-blind readers can distinguish (Okabe-Ito);
# the shapes repeat the information.
ROLE_MARKERS = {
    PROTECTED: {'color': '#D55E00', 'symbol': 'diamond'},
    ADMISSIBLE: {'color': '#0072B2', 'symbol': 'circle'},
    OUTCOME: {'color': '#009E73', 'symbol': 'square'},
    SEVERAL: {'color': '#CC79A7', 'symbol': 'hexagon'},
    UNLABELLED: {'color': '#9A9A9A', 'symbol': 'circle-open'},
}
AROUND, WITHIN = 'leads around the wall', 'within a lane'
STRONG_FROM = 0.3
"""How well one column must predict another for their edge to be drawn as a strong one."""

_RED = '#C8102E'
# The fainter an edge, the less its columns predict each other.
_EDGE_STYLES = {
    WITHIN: {'color': '#B4C1CC', 'width': 1.2},
    'weak': {'color': '#D9D9D9', 'width': 1.0},
    'joined': {'color': '#A3A3A3', 'width': 1.6},
    'strong': {'color': '#4D4D4D', 'width': 2.6},
    AROUND: {'color': _RED, 'width': 3.2},
}
_EDGE_WORDS = {
    WITHIN: WITHIN,
    'weak': f'weak (predicts < {NOTICEABLE:g} beyond noise)',
    'joined': 'medium',
    'strong': f'strong (predicts ≥ {STRONG_FROM:g} beyond noise)',
    AROUND: AROUND,
}
_LANES = {
    PROTECTED: ('Protected side', 'and columns related to it', '#FDF1E9'),
    ADMISSIBLE: ('Admissible wall', 'may explain a difference', '#E3EFF7'),
    SEVERAL: ('Several roles', 'in different statements', '#F9EEF4'),
    OUTCOME: ('Outcome side', 'and columns related to it', '#E6F4EF'),
}
_NO_WALL = ('No wall to pass', 'nothing may explain a difference', '#E3EFF7')
_LETTERS_PER_PIXEL, _LINE_PIXELS = 1 / 6.4, 17
_TOP, _BOTTOM, _SIDES = 88, 26, 24

Edge = tuple[Hashable, Hashable]
_Around = set[frozenset[Hashable]]


def plot_fair_graph(
    graph: 'nx.Graph[Any]',
    title: str = 'Columns of the model by role',
    statements: Statements | None = None,
    caption: str | None = None,
) -> go.Figure:
    """Draw the model's graph in lanes: protected side, admissible wall, outcome side.

    A model is fair if every path from left to right passes through the wall. Edges around it
    are red. Other edges between lanes are thicker the better their columns predict each other. A
    click on the legend hides a kind of edge; attributes of an edge are shown on hover.

    Args:
        graph: Nodes are columns with the attribute ``'role'``. The edge attribute ``tells`` is the
            strength of an edge, from 0 to 1; all other attributes are shown as well.
        title: Title of the figure.
        statements: The statements to check; by default the one that the roles express.
        caption: A text below the drawing; by default, what the drawing shows.

    Paper: the figures of fair and unfair trees (protected red, admissible blue, outcome green).
    """
    asked = _stated(graph) if statements is None else statements
    around = _around(graph, asked)
    canvas = lay_out(graph)
    if passing := sum(canvas.is_past_a_lane(*edge) for edge in around):
        canvas = lay_out(graph, passing)
    lines = _lines(graph, canvas, around)
    figure = go.Figure()
    for kind, edges in _by_strength(graph, canvas, around).items():
        if edges:
            figure.add_trace(_edge_lines(kind, [lines[edge] for edge in edges]))
    figure.add_traces([_boxes(graph, canvas, role) for role in _roles_in(graph)])
    figure.add_traces([_names(graph, canvas, role) for role in _roles_in(graph)])
    figure.add_trace(_edge_notes(graph, lines))
    _draw_lanes(figure, canvas)
    said = caption_of(graph, asked, around) if caption is None else plain_text(caption)
    _frame(figure, canvas, title, said)
    return figure


def heading_of(graph: 'nx.Graph[Any]', statements: Statements) -> str:
    """Return in a few words what the drawing shows."""
    if not statements:
        return 'what the model connects'
    if around := _around(graph, statements):
        count = f'{len(around)} edge{"" if len(around) == 1 else "s"}'
        return f'{count} {"leads" if len(around) == 1 else "lead"} around the wall'
    return (
        'every path to the outcome passes through the wall'
        if statements.admissible
        else 'no path from protected to outcome columns'
    )


def caption_of(
    graph: 'nx.Graph[Any]', statements: Statements, around: _Around | None = None
) -> str:
    """Return what the drawing shows, in a sentence or two."""
    around = _around(graph, statements) if around is None else around
    told = 'The thicker an edge, the better its columns predict each other.'
    if not statements:
        return f'Adjacent columns have the dependence that was measured. {told}'
    if around:
        return (
            f'{len(around)} {"edge leads" if len(around) == 1 else "edges lead"} from the '
            f'protected to the outcome side around the wall (red): {_listed(around)}.'
        )
    if not statements.admissible:
        return f'There is no path from the protected to the outcome side. {told}'
    return (
        'Every path from the protected to the outcome side passes through the wall: no edge leads '
        f'around it. {told}'
    )


def _listed(edges: Iterable[frozenset[Hashable]], most: int = 6) -> str:
    named = sorted(' - '.join(sorted(plain_text(node) for node in edge)) for edge in edges)
    more = f' and {len(named) - most} more' if len(named) > most else ''
    return ', '.join(named[:most]) + more


def _stated(graph: 'nx.Graph[Any]') -> Statements:
    of = {
        role: [node for node in graph if graph.nodes[node].get('role') == role]
        for role in (PROTECTED, OUTCOME, ADMISSIBLE)
    }
    if not of[PROTECTED] or not of[OUTCOME]:
        return Statements()
    return Statements([Independent(*of.values())])


def _around(graph: 'nx.Graph[Any]', statements: Statements) -> _Around:
    return {edge for one in statements.statements for edge in edges_around(graph, one)}


def _by_strength(graph: 'nx.Graph[Any]', canvas: Canvas, around: _Around) -> dict[str, list[Edge]]:
    found: dict[str, list[Edge]] = {kind: [] for kind in _EDGE_STYLES}
    has_sides = any(lane.side for lane, *_ in canvas.lanes)
    for edge in graph.edges:
        tells = graph.edges[edge].get('tells')
        if frozenset(edge) in around:
            kind = AROUND
        elif has_sides and len({canvas.lane_of[node] for node in edge}) == 1:
            kind = WITHIN
        elif tells is None or NOTICEABLE <= tells < STRONG_FROM:
            kind = 'joined'
        else:
            kind = 'weak' if tells < NOTICEABLE else 'strong'
        found[kind].append(edge)
    return found


def _lines(graph: 'nx.Graph[Any]', canvas: Canvas, around: _Around) -> dict[Edge, Line]:
    """Return the line of every edge; an edge around the wall is drawn around it."""
    lines: dict[Edge, Line] = {}
    under = 0
    for edge in sorted(graph.edges, key=lambda edge: sorted(map(str, edge))):
        if frozenset(edge) in around and canvas.is_past_a_lane(*edge):
            lines[edge] = canvas.curve_under(edge[0], edge[1], under)
            under += 1
        else:
            lines[edge] = canvas.curve(*edge)
    return lines


def _edge_lines(kind: str, lines: list[Line]) -> go.Scatter:
    across, up = _with_gaps(lines)
    return go.Scatter(
        x=across, y=up, mode='lines', line=_EDGE_STYLES[kind], hoverinfo='skip',
        name=_EDGE_WORDS[kind], legendrank=2000,
    )  # fmt: skip


def _with_gaps(lines: list[Line]) -> tuple[list[float | None], list[float | None]]:
    """Return the lines as one trace with a gap after each."""
    return [x for xs, _ in lines for x in (*xs, None)], [y for _, ys in lines for y in (*ys, None)]


def _roles_in(graph: 'nx.Graph[Any]') -> list[str]:
    there = {_role(graph, node) for node in graph}
    return [role for role in ROLE_MARKERS if role in there]


def _role(graph: 'nx.Graph[Any]', node: Hashable) -> str:
    return str(graph.nodes[node].get('role', UNLABELLED))


def _boxes(graph: 'nx.Graph[Any]', canvas: Canvas, role: str) -> go.Scatter:
    outlines = [box.outline for node, box in canvas.boxes.items() if _role(graph, node) == role]
    across, up = _with_gaps(outlines)
    return go.Scatter(
        x=across, y=up, mode='lines', fill='toself', fillcolor='white', hoverinfo='skip',
        line={'color': ROLE_MARKERS[role]['color'], 'width': 1.5}, showlegend=False,
    )  # fmt: skip


def _names(graph: 'nx.Graph[Any]', canvas: Canvas, role: str) -> go.Scatter:
    here: dict[Hashable, Box] = {
        node: box for node, box in canvas.boxes.items() if _role(graph, node) == role
    }
    return go.Scatter(
        x=[box.left + 15 for box in here.values()], y=[box.y for box in here.values()],
        mode='markers+text', name=role, text=[f' <b>{plain_text(label_of(n))}</b>' for n in here],
        textposition='middle right', textfont={'size': 12, 'color': BLACK}, cliponaxis=False,
        hovertext=[f'{plain_text(node)}: {role}' for node in here], hoverinfo='text',
        marker={**ROLE_MARKERS[role], 'size': 11, 'line': {'width': 2}},
    )  # fmt: skip


def _edge_notes(graph: 'nx.Graph[Any]', lines: dict[Edge, Line]) -> go.Scatter:
    """Invisible points on the edges: lines cannot have hover text themselves."""
    middles = [[line[len(line) // 2] for line in lines[edge]] for edge in graph.edges]
    notes = [
        '<br>'.join([' - '.join(map(plain_text, edge)), *_described(graph.edges[edge])])
        for edge in graph.edges
    ]
    return go.Scatter(
        x=[x for x, _ in middles], y=[y for _, y in middles], mode='markers', hovertext=notes,
        hoverinfo='text', marker={'size': 14, 'opacity': 0, 'color': GREY}, showlegend=False,
    )  # fmt: skip


def _described(about: dict[str, Any]) -> list[str]:
    return [f'{name}: {_short(value)}' for name, value in about.items()]


def _short(value: object) -> str:
    return f'{value:.4g}' if isinstance(value, float) else str(value)


def _draw_lanes(figure: go.Figure, canvas: Canvas) -> None:
    for lane, start, end in canvas.lanes:
        if not lane.side:
            continue
        is_empty = lane.side == ADMISSIBLE and not any(lane.stacks)
        name, more, colour = _NO_WALL if is_empty else _LANES[lane.side]
        is_wall = lane.side == ADMISSIBLE
        edge = {'color': ROLE_MARKERS[ADMISSIBLE]['color'], 'width': 2 if is_wall else 0}
        figure.add_shape(
            type='rect', x0=start, x1=end, y0=canvas.room_below * is_wall, y1=canvas.height,
            fillcolor=colour, line=edge, layer='below',
        )  # fmt: skip
        figure.add_annotation(
            x=(start + end) / 2, y=canvas.height - 6, yanchor='top', showarrow=False,
            text=f'<b>{name}</b><br><span style="font-size:11px">{more}</span>',
            font={'size': 14, 'color': BLACK},
        )  # fmt: skip


def _frame(figure: go.Figure, canvas: Canvas, title: str, caption: str) -> None:
    lines = textwrap.wrap(caption, int(canvas.width * _LETTERS_PER_PIXEL))
    bottom = _BOTTOM + _LINE_PIXELS * len(lines)
    axis = {'visible': False, 'fixedrange': False}
    figure.add_annotation(
        x=0, y=0, xref='paper', yref='paper', xanchor='left', yanchor='top', yshift=-8,
        showarrow=False, align='left', text='<br>'.join(lines), font={'size': 13, 'color': '#444'},
        name='caption',
    )  # fmt: skip
    figure.update_layout(
        title={'text': title, 'font': {'size': 17, 'color': BLACK}, 'x': 0, 'xref': 'paper',
               'y': 1, 'yref': 'container', 'yanchor': 'top', 'pad': {'t': 14}},
        template='plotly_white', hovermode='closest',
        xaxis={**axis, 'range': [0, canvas.width]}, yaxis={**axis, 'range': [0, canvas.height]},
        width=int(canvas.width + 2 * _SIDES), height=int(canvas.height + _TOP + bottom),
        margin={'l': _SIDES, 'r': _SIDES, 't': _TOP, 'b': bottom, 'pad': 0},
        legend={'orientation': 'h', 'y': 1, 'yanchor': 'bottom', 'x': 0, 'font': {'size': 12}},
    )  # fmt: skip
