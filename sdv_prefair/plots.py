"""Figures of a fitted model and of its privacy ledger."""

from collections.abc import Hashable, Iterable

import networkx as nx
import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.palette import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY
from sdv_prefair.roles import ADMISSIBLE, OUTCOME, PROTECTED, UNLABELLED

# The paper's red, blue and green in shades that colour-blind readers tell apart (Okabe-Ito);
# the shapes say the same again.
ROLE_MARKERS = {
    PROTECTED: {'color': '#D55E00', 'symbol': 'diamond'},
    ADMISSIBLE: {'color': '#0072B2', 'symbol': 'circle'},
    OUTCOME: {'color': '#009E73', 'symbol': 'square'},
    UNLABELLED: {'color': '#D0D0D0', 'symbol': 'circle'},
}
_EDGE_COLOUR = '#B5B5B5'
# One colour for a mechanism in every figure, whichever others a ledger holds.
_MECHANISM_COLOURS = {
    'discrete Gaussian': BLUE,
    'exponential': ORANGE,
    'discrete Gaussian on scores': GREEN,
    'discrete Gaussian, threshold': SKY,
    'PrivTree': PURPLE,
}
_ROW_PIXELS, _LEVEL_PIXELS, _PIXELS_PER_LETTER = 46, 130, 8
_MARKER_SIZE, _FONT_SIZE = 16, 13

Position = tuple[float, float]
Line = tuple[list[float], list[float]]


def plot_fair_graph(graph: nx.Graph, title: str = 'Columns of the model by role') -> go.Figure:
    """Draw the model's graph from left to right, columns coloured by role.

    Args:
        graph: Nodes are columns with the attribute ``'role'``; whatever attributes an edge has
            (``sigma``, ``cells``, ...) are shown when the pointer rests on it.
        title: Title of the figure.

    Paper: the figures of fair and unfair trees (protected red, admissible blue, outcome green).
    """
    positions = _layered_positions(graph)
    figure = go.Figure([_edge_lines(graph, positions), _edge_notes(graph, positions)])
    for role in ROLE_MARKERS:
        nodes = [node for node in graph if graph.nodes[node].get('role', UNLABELLED) == role]
        if nodes:
            figure.add_trace(_nodes_of_role(role, nodes, positions))
    _fit_canvas(figure, positions, title)
    return figure


def plot_ledger(frame: pd.DataFrame, title: str = 'Privacy budget by step') -> go.Figure:
    """Draw what each step spent: one bar for a step, one slice for a row of the ledger.

    Args:
        frame: A ledger with the columns ``step``, ``mechanism``, ``columns`` and ``rho``.
        title: Title of the figure.
    """
    steps = list(dict.fromkeys(frame['step']))
    figure = go.Figure()
    for mechanism, rows in frame.groupby('mechanism', sort=False):
        figure.add_bar(
            x=rows['step'],
            y=rows['rho'],
            name=str(mechanism),
            customdata=[_joined(columns) for columns in rows['columns']],
            hovertemplate='%{x}<br>%{customdata}<br>rho = %{y:.3g}',
            marker={
                'color': _MECHANISM_COLOURS.get(mechanism, GREY),
                'line': {'color': 'white', 'width': 1},
            },
        )
    totals = frame.groupby('step')['rho'].sum().reindex(steps)
    share = totals / totals.sum()
    for step in steps:
        figure.add_annotation(
            x=step, y=totals[step], text=f'{totals[step]:.3g} ({share[step]:.0%})',
            showarrow=False, yshift=12,
        )  # fmt: skip
    figure.update_layout(
        title=f'{title} (rho = {totals.sum():.4g} in all)', barmode='stack',
        template='plotly_white', xaxis={'categoryorder': 'array', 'categoryarray': steps},
        yaxis_title='rho (zCDP)', showlegend=True,
    )  # fmt: skip
    return figure


def _joined(columns: str | Iterable[str]) -> str:
    return columns if isinstance(columns, str) else ', '.join(map(str, columns))


def _layered_positions(graph: nx.Graph) -> dict[Hashable, Position]:
    """Place each node one level right of its parent, and each leaf on a row of its own.

    The root of a component is its centre, so the drawing is as shallow as can be. Nothing
    depends on the order in which nodes or edges were added.
    """
    positions, next_row = {}, 0
    components = sorted(nx.connected_components(graph), key=lambda nodes: sorted(map(str, nodes)))
    for nodes in components:
        component = graph.subgraph(nodes)
        root = min(nx.center(component), key=lambda node: (-component.degree(node), str(node)))
        tree = nx.bfs_tree(component, root, sort_neighbors=lambda near: sorted(near, key=str))
        next_row = _place(tree, root, next_row, positions)
    return positions


def _place(tree: nx.DiGraph, root: Hashable, row: int, positions: dict) -> int:
    """Place a tree whose first leaf goes on ``row``; return the first row left free."""
    depth = nx.shortest_path_length(tree, root)
    leaves = nx.descendants(tree, root) | {root}
    leaves = {node for node in leaves if tree.out_degree(node) == 0}
    for node in nx.dfs_postorder_nodes(tree, root):
        children = [positions[child][1] for child in tree.successors(node)]
        if node in leaves:
            positions[node] = (depth[node], -row)
            row += 1
        else:
            positions[node] = (depth[node], (min(children) + max(children)) / 2)
    return row


def _edge_lines(graph: nx.Graph, positions: dict[Hashable, Position]) -> go.Scatter:
    across, up = [], []
    for xs, ys in _lines(graph, positions):
        across += [*xs, None]
        up += [*ys, None]
    line = {'color': _EDGE_COLOUR, 'width': 2}
    return go.Scatter(x=across, y=up, mode='lines', line=line, hoverinfo='skip', showlegend=False)


def _lines(graph: nx.Graph, positions: dict[Hashable, Position]) -> list[Line]:
    if not graph.edges:
        return []
    draw = _bent if nx.is_forest(graph) else _straight
    return [draw(*sorted([positions[one], positions[other]])) for one, other in graph.edges]


def _bent(left: Position, right: Position) -> Line:
    """A line that turns between two levels, and so passes beside the labels."""
    bend = (left[0] + right[0]) / 2
    return [left[0], bend, bend, right[0]], [left[1], left[1], right[1], right[1]]


def _straight(left: Position, right: Position) -> Line:
    """A straight line, for graphs with cycles, where bent ones would run over each other.

    Within a level it goes by the side, not through the nodes between.
    """
    if left[0] == right[0]:
        return [left[0], left[0] + 0.3, right[0]], [left[1], (left[1] + right[1]) / 2, right[1]]
    return [left[0], right[0]], [left[1], right[1]]


def _edge_notes(graph: nx.Graph, positions: dict[Hashable, Position]) -> go.Scatter:
    """Unseen points on the last stretch of the edges: lines carry no hover text themselves."""
    lines = _lines(graph, positions)
    notes = [
        '<br>'.join([f'{one} - {other}', *(f'{k}: {_short(v)}' for k, v in about.items())])
        for one, other, about in graph.edges(data=True)
    ]
    return go.Scatter(
        x=[(xs[-2] + xs[-1]) / 2 for xs, _ in lines],
        y=[(ys[-2] + ys[-1]) / 2 for _, ys in lines],
        mode='markers', hovertext=notes, hoverinfo='text',
        marker={'size': 14, 'opacity': 0}, showlegend=False,
    )  # fmt: skip


def _short(value) -> str:
    return f'{value:.4g}' if isinstance(value, float) else str(value)


def _nodes_of_role(role: str, nodes: list, positions: dict[Hashable, Position]) -> go.Scatter:
    return go.Scatter(
        x=[positions[node][0] for node in nodes], y=[positions[node][1] for node in nodes],
        mode='markers+text', name=role, text=[f'<b>{node}</b>' for node in nodes],
        textposition='top center', textfont={'size': _FONT_SIZE, 'color': '#222222'},
        hovertext=[f'{node}: {role}' for node in nodes], hoverinfo='text', cliponaxis=False,
        marker={**ROLE_MARKERS[role], 'size': _MARKER_SIZE, 'line': {'width': 2}},
    )  # fmt: skip


def _fit_canvas(figure: go.Figure, positions: dict[Hashable, Position], title: str) -> None:
    """Give each level and row the pixels its labels need."""
    levels = 1 + max((x for x, _ in positions.values()), default=0)
    rows = 1 + max((-y for _, y in positions.values()), default=0)
    letters = max((len(str(node)) for node in positions), default=0)
    level_pixels = max(_LEVEL_PIXELS, _PIXELS_PER_LETTER * letters + 16)
    axis = {'visible': False, 'fixedrange': False}
    figure.update_layout(
        title=title, template='plotly_white', hovermode='closest',
        xaxis={**axis, 'range': [-0.6, levels - 0.4]}, yaxis={**axis, 'range': [0.5 - rows, 0.9]},
        width=int(max(640, levels * level_pixels + 60)),
        height=int(max(360, rows * _ROW_PIXELS + 170)),
        margin={'l': 30, 'r': 30, 't': 90, 'b': 30},
        legend={'orientation': 'h', 'y': 1.0, 'yanchor': 'bottom', 'x': 0, 'title': 'role '},
    )  # fmt: skip
