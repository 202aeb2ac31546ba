"""How noisy each column is at each epsilon."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.plots._style import plain_text

# Lighter than the colours of lines, so that the numbers on them can be read.
_COLOURS = '#A6CEE8', '#F6D992', '#F0AD85'
_LINE, _AROUND = 30, 220  # pixels


def plot_noise_by_epsilon(columns: pd.DataFrame, verdicts: Sequence[str], title: str) -> go.Figure:
    """Draw a heat map by column and epsilon of the share of rows that noise misplaces.

    Args:
        columns: A line for each cell, with ``epsilon``, ``columns``, ``misplaced``, ``sigma`` and
            ``verdict``.
        verdicts: The three verdicts, the best first.
        title: Title of the figure.
    """
    names = columns['columns'].drop_duplicates().tolist()
    tried = sorted(columns['epsilon'].unique())
    figure = go.Figure(_fields(columns, verdicts, names, tried))
    for verdict, colour in zip(verdicts, _COLOURS, strict=True):  # for the legend alone
        figure.add_scatter(
            x=[None],
            y=[None],
            mode='markers',
            name=verdict,
            marker={'symbol': 'square', 'size': 14, 'color': colour},
        )
    figure.update_layout(
        title={
            'text': plain_text(title),
            'subtitle': {'text': 'Share of rows that noise puts in a wrong cell'},
        },
        template='plotly_white',
        width=340 + 110 * len(tried),
        height=_AROUND + _LINE * len(names),
        margin={'t': 130},
        legend={'orientation': 'h', 'y': 1.02, 'yanchor': 'bottom', 'x': 0},
        xaxis={'title': 'epsilon', 'type': 'category', 'showgrid': False},
        yaxis={'type': 'category', 'autorange': 'reversed', 'automargin': True, 'showgrid': False},
    )
    return figure


def _fields(
    columns: pd.DataFrame, verdicts: Sequence[str], names: Sequence[str], tried: Sequence[float]
) -> go.Heatmap:
    def table(values: pd.Series) -> pd.DataFrame:
        lines = columns.assign(shown=values)
        pivoted = lines.pivot(index='columns', columns='epsilon', values='shown')
        return pivoted.reindex(index=list(names), columns=list(tried))

    last = len(verdicts) - 1
    colours = [_COLOURS[place] for place in range(len(verdicts)) for _ in range(2)]
    ends = [end / len(verdicts) for end in range(len(verdicts) + 1)]
    places = [ends[0], *(end for end in ends[1:-1] for _ in range(2)), ends[-1]]
    return go.Heatmap(
        z=table(columns['verdict'].map({v: place for place, v in enumerate(verdicts)})),
        zmin=0,
        zmax=last,
        x=[f'{epsilon:g}' for epsilon in tried],
        y=[plain_text(name) for name in names],
        text=table(columns['misplaced'].map('{:.1%}'.format)),
        texttemplate='%{text}',
        customdata=table(columns['sigma'].map('{:.1f}'.format)),
        hovertemplate='%{y}, epsilon %{x}: %{text} of rows in a wrong cell; '
        'sigma %{customdata} rows<extra></extra>',
        colorscale=list(zip(places, colours, strict=True)),
        showscale=False,
        xgap=3,
        ygap=3,
    )
