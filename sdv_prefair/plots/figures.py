"""Figures of a fitted model and of its privacy ledger."""

from collections.abc import Hashable, Iterable

import networkx as nx
import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.fairness.statements import SEVERAL
from sdv_prefair.plots.style import BLUE, GREEN, GREY, ORANGE, SKY
from sdv_prefair.privacy.ledger_words import (
    EXPONENTIAL,
    GAUSSIAN,
    GAUSSIAN_ON_SCORES,
    RHO_OF,
    ROUNDED,
    ROUNDED_ON_SCORES,
    THRESHOLD,
    ZCDP,
)
from sdv_prefair.roles import ADMISSIBLE, OUTCOME, PROTECTED, UNLABELLED

# The paper's red, blue and green in shades that colour-blind readers tell apart (Okabe-Ito);
# the shapes say the same again.
ROLE_MARKERS = {
    PROTECTED: {'color': '#D55E00', 'symbol': 'diamond'},
    ADMISSIBLE: {'color': '#0072B2', 'symbol': 'circle'},
    OUTCOME: {'color': '#009E73', 'symbol': 'square'},
    SEVERAL: {'color': '#CC79A7', 'symbol': 'hexagon'},
    UNLABELLED: {'color': '#D0D0D0', 'symbol': 'circle'},
}
_EDGE_COLOUR, _CHORD_COLOUR = '#B5B5B5', '#8FBBDA'
# One colour for a mechanism in every figure, whichever others a ledger holds.
_MECHANISM_COLOURS = {
    GAUSSIAN: BLUE,
    ROUNDED: BLUE,
    EXPONENTIAL: ORANGE,
    GAUSSIAN_ON_SCORES: GREEN,
    ROUNDED_ON_SCORES: GREEN,
    THRESHOLD: SKY,
}
_ROW_PIXELS, _LEVEL_PIXELS, _PIXELS_PER_LETTER = 46, 130, 8
_MARKER_SIZE, _FONT_SIZE = 16, 13
_STEPS_OF_CURVE = 12

Edge = tuple[Hashable, Hashable]
Position = tuple[float, float]
Line = tuple[list[float], list[float]]


def plot_fair_graph(graph: nx.Graph, title: str = 'Columns of the model by role') -> go.Figure:
    """Draw the model's graph from left to right, columns coloured by role.

    Of a graph with cycles one tree is drawn as trees are, and the edges beyond it as thin curves.

    Args:
        graph: Nodes are columns with the attribute ``'role'``; whatever attributes an edge has
            (``sigma``, ``cells``, ...) are shown when the pointer rests on it. Edges with
            ``beyond_tree`` are not taken for those of the tree.
        title: Title of the figure.

    Paper: the figures of fair and unfair trees (protected red, admissible blue, outcome green).
    """
    trees = _rooted_trees(graph)
    positions = _layered_positions(trees)
    bent, curved = _lines(graph, trees, positions)
    figure = go.Figure([_edge_lines(list(bent.values())), _edge_notes(graph, bent | curved)])
    if curved:
        figure.add_trace(_chord_lines(list(curved.values())))
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
                'color': _MECHANISM_COLOURS.get(str(mechanism), GREY),
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
        yaxis_title=RHO_OF[frame.attrs.get('accounting', ZCDP)], showlegend=True,
    )  # fmt: skip
    return figure


def _joined(columns: str | Iterable[str]) -> str:
    return columns if isinstance(columns, str) else ', '.join(map(str, columns))


def _rooted_trees(graph: nx.Graph) -> dict[Hashable, nx.DiGraph]:
    """Return a spanning tree of each component, by its root.

    The root is the centre, so the drawing is as shallow as can be. Nothing depends on the order
    in which nodes or edges were added.
    """
    kept = graph.copy()
    kept.remove_edges_from([e for e in graph.edges if graph.edges[e].get('beyond_tree')])
    trees = {}
    for nodes in sorted(nx.connected_components(kept), key=lambda nodes: sorted(map(str, nodes))):
        component = kept.subgraph(nodes)
        root = min(nx.center(component), key=lambda node: (-component.degree(node), str(node)))
        trees[root] = nx.bfs_tree(
            component, root, sort_neighbors=lambda near: sorted(near, key=str)
        )
    return trees


def _layered_positions(trees: dict[Hashable, nx.DiGraph]) -> dict[Hashable, Position]:
    """Place each node one level right of its parent, and each leaf on a row of its own."""
    positions: dict[Hashable, Position] = {}
    next_row = 0
    for root, tree in trees.items():
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


def _lines(
    graph: nx.Graph, trees: dict[Hashable, nx.DiGraph], positions: dict[Hashable, Position]
) -> tuple[dict[Edge, Line], dict[Edge, Line]]:
    """Return the lines of the trees' edges, and those of all others."""
    in_tree = {frozenset(edge) for tree in trees.values() for edge in tree.edges}
    bent, curved = {}, {}
    for edge in graph.edges:
        ends = sorted(positions[node] for node in edge)
        if frozenset(edge) in in_tree:
            bent[edge] = _bent(*ends)
        else:
            curved[edge] = _curved(*ends)
    return bent, curved


def _edge_lines(lines: list[Line]) -> go.Scatter:
    across, up = _with_gaps(lines)
    line = {'color': _EDGE_COLOUR, 'width': 2}
    return go.Scatter(x=across, y=up, mode='lines', line=line, hoverinfo='skip', showlegend=False)


def _chord_lines(lines: list[Line]) -> go.Scatter:
    across, up = _with_gaps(lines)
    return go.Scatter(
        x=across, y=up, mode='lines', line={'color': _CHORD_COLOUR, 'width': 1.3},
        hoverinfo='skip', name='beyond the tree', legendrank=2000,
    )  # fmt: skip


def _with_gaps(lines: list[Line]) -> tuple[list[float | None], list[float | None]]:
    """Return the lines as one, interrupted after each."""
    return [x for xs, _ in lines for x in (*xs, None)], [y for _, ys in lines for y in (*ys, None)]


def _bent(left: Position, right: Position) -> Line:
    """A line that turns between two levels, and so passes beside the labels."""
    bend = (left[0] + right[0]) / 2
    return [left[0], bend, bend, right[0]], [left[1], left[1], right[1], right[1]]


def _curved(left: Position, right: Position) -> Line:
    """A line around the nodes between: by their right within a level, else below, off the labels.

    It is a quadratic Bezier curve, which goes half of the way to the point that pulls it.
    """
    pull = [(left[0] + right[0]) / 2, (left[1] + right[1]) / 2]
    if left[0] == right[0]:
        rows = right[1] - left[1]
        pull[0] += 0.5 + 0.6 * rows / (rows + 4)
    else:
        pull[1] -= 0.9
    times = [step / _STEPS_OF_CURVE for step in range(_STEPS_OF_CURVE + 1)]
    across, up = (
        [(1 - t) ** 2 * left[i] + 2 * t * (1 - t) * pull[i] + t**2 * right[i] for t in times]
        for i in (0, 1)
    )
    return across, up


def _edge_notes(graph: nx.Graph, lines: dict[Edge, Line]) -> go.Scatter:
    """Unseen points on the edges: lines carry no hover text themselves."""
    notes = [
        '<br>'.join([' - '.join(map(str, edge)), *_described(graph.edges[edge])]) for edge in lines
    ]
    places = [_place_of_note(*line) for line in lines.values()]
    return go.Scatter(
        x=[x for x, _ in places], y=[y for _, y in places],
        mode='markers', hovertext=notes, hoverinfo='text',
        marker={'size': 14, 'opacity': 0}, showlegend=False,
    )  # fmt: skip


def _place_of_note(xs: list[float], ys: list[float]) -> Position:
    """The middle of a curve, and of a bent line the last stretch, which it has to itself."""
    if len(xs) > 4:
        return xs[len(xs) // 2], ys[len(ys) // 2]
    return (xs[-2] + xs[-1]) / 2, (ys[-2] + ys[-1]) / 2


def _described(about: dict) -> list[str]:
    return [f'{name}: {_short(value)}' for name, value in about.items()]


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
