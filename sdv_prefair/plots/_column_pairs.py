"""Real beside synthetic rows: figures of columns and pairs. They show real rows: not private."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots
from sdmetrics import visualization

from sdv_prefair.errors import QueryError, shown
from sdv_prefair.plots._style import BLUE, GREY, plain_text

_SOURCES = {
    'real': {'color': GREY, 'pattern': '/', 'dash': 'dot'},
    'synthetic': {'color': BLUE, 'pattern': '', 'dash': 'solid'},
}
_HEIGHT = 320
_NUMERIC = ('numerical', 'datetime')
# Points of a scatter plot; more overlap and bloat the file.
_MOST_POINTS = 5_000
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


def compare_tables(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    described: Mapping[str, Mapping[str, Any]],
    modelled: Sequence[str],
    columns: str | Sequence[str] | None = None,
) -> Any:
    """Return a figure of a column or a pair of columns, or a figure of every modelled column.

    Privacy: not private; shows the real rows.

    Args:
        real: The private table.
        synthetic: A synthetic table.
        described: The metadata of each column.
        modelled: The columns that can be compared: all others are generated.
        columns: A column, two columns, or None.
    """
    if columns is None:
        return {c: compare_tables(real, synthetic, described, modelled, c) for c in modelled}
    asked = [columns] if isinstance(columns, str) else list(columns)
    if not 1 <= len(asked) <= 2 or not set(asked) <= set(modelled):
        raise QueryError(
            f'columns ({shown(columns)}) must be a modelled column, or a list of two: these are '
            f'{list(modelled)}.'
        )
    kinds = {described[column]['sdtype'] in _NUMERIC for column in asked}
    tables = [_as_drawn(table[asked], described) for table in (real, synthetic)]
    if len(asked) == 1:
        plot_type = 'distplot' if True in kinds else 'bar'
        figure = visualization.get_column_plot(*tables, asked[0], plot_type=plot_type)
    else:
        plot_type = 'box' if len(kinds) > 1 else 'scatter' if True in kinds else 'heatmap'
        tables = [table.sample(min(len(table), _MOST_POINTS), random_state=0) for table in tables]
        figure = visualization.get_column_pair_plot(*tables, asked, plot_type)
    return _marked(figure)


def _as_drawn(table: pd.DataFrame, described: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return columns for SDV's plots: timestamps parsed, values that cannot be parsed left out."""
    drawn = table.reset_index(drop=True)
    for column, about in described.items():
        if column not in drawn:
            continue
        if about['sdtype'] == 'datetime':
            written = about.get('datetime_format', 'ISO8601')
            drawn[column] = pd.to_datetime(drawn[column], format=written, errors='coerce')
        elif about['sdtype'] == 'numerical':
            drawn[column] = pd.to_numeric(drawn[column], errors='coerce')
        else:
            drawn[column] = drawn[column].astype(object).where(drawn[column].notna(), None)
    return drawn


def _marked(figure: go.Figure) -> go.Figure:
    title = figure.layout.title.text or 'Real vs. synthetic data'
    return figure.update_layout(
        title=f'{title}<br><sub>not private: shows real rows</sub>', margin_t=90
    )
