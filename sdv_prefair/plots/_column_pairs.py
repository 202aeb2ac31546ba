"""Figures of one column in two tables, real and synthetic."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from sdv_prefair.plots._style import BLUE, GREY, plain_text

_SOURCES = {
    'real': {'color': GREY, 'pattern': '/', 'dash': 'dot'},
    'synthetic': {'color': BLUE, 'pattern': '', 'dash': 'solid'},
}
_HEIGHT = 320
_LAYOUT = {
    'template': 'plotly_white', 'height': _HEIGHT,
    'margin': {'l': 10, 'r': 10, 't': 70, 'b': 40},
    'legend': {'orientation': 'h', 'y': 1.12, 'yanchor': 'bottom', 'x': 1, 'xanchor': 'right'},
}  # fmt: skip


def plot_number_pair(
    values: Sequence[object], curves: pd.DataFrame, frequent: pd.DataFrame
) -> go.Figure:
    """Plot both distribution functions, and the shares of the most frequent values.

    A lost spike is a step that one line lacks, and a missing bar.

    Args:
        values: The values at which the functions are evaluated, numbers or timestamps.
        curves: The functions there, ``real`` and ``synthetic``.
        frequent: The shares, likewise; the index names the values.
    """
    titles = ('Share of rows up to a value', 'Most frequent values')
    figure = make_subplots(1, 2, subplot_titles=titles, column_widths=[0.58, 0.42])
    for source, style in _SOURCES.items():
        figure.add_scatter(
            x=list(values), y=curves[source], name=source, mode='lines', legendgroup=source,
            line={'color': style['color'], 'dash': style['dash']}, row=1, col=1,
        )  # fmt: skip
        figure.add_trace(_bars(source, frequent, showlegend=False), row=1, col=2)
    figure.update_yaxes(tickformat='.0%', rangemode='tozero')
    figure.update_xaxes(type='category', row=1, col=2)
    return figure.update_layout(_LAYOUT)


def plot_category_pair(shares: pd.DataFrame) -> go.Figure:
    """Plot the shares of values in both tables.

    Args:
        shares: The shares, ``real`` and ``synthetic``; the index names the values.
    """
    figure = go.Figure([_bars(source, shares) for source in _SOURCES])
    figure.update_yaxes(tickformat='.0%', rangemode='tozero')
    return figure.update_xaxes(type='category').update_layout(_LAYOUT)


def _bars(source: str, shares: pd.DataFrame, showlegend: bool = True) -> go.Bar:
    style = _SOURCES[source]
    return go.Bar(
        x=[plain_text(value) for value in shares.index], y=shares[source], name=source,
        marker={'color': style['color'], 'pattern': {'shape': style['pattern']}},
        legendgroup=source, showlegend=showlegend,
    )  # fmt: skip
