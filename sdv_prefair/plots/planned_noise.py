"""How noisy each column is at each epsilon."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.plots.style import BLUE, ORANGE, VERMILION, plain_text

_COLOURS = BLUE, ORANGE, VERMILION
_LINE, _AROUND = 26, 190  # pixels


def plot_noise_by_epsilon(columns: pd.DataFrame, verdicts: Sequence[str], title: str) -> go.Figure:
    """Draw a heat map by column and epsilon of the share of rows that noise misplaces.

    Args:
        columns: A line for each cell, with ``epsilon``, ``columns``, ``misplaced``, ``sigma`` and
            ``verdict``.
        verdicts: The three verdicts, the best first.
        title: Title of the figure.
    """
    figure = go.Figure()
    for verdict, colour in zip(verdicts, _COLOURS, strict=True):
        lines = columns[columns['verdict'] == verdict]
        figure.add_scatter(
            x=[f'{epsilon:g}' for epsilon in lines['epsilon']],
            y=[plain_text(name) for name in lines['columns']],
            text=[f'{share:.1%}' for share in lines['misplaced']],
            mode='markers+text',
            name=verdict,
            showlegend=True,
            marker={'symbol': 'square', 'size': 22, 'color': colour, 'opacity': 0.35},
            customdata=lines['sigma'],
            hovertemplate='%{y}, epsilon %{x}: %{text} of rows in a wrong cell; '
            'sigma %{customdata:.1f} rows<extra></extra>',
        )
    names = [plain_text(name) for name in columns['columns'].drop_duplicates()]
    tried = [f'{epsilon:g}' for epsilon in sorted(columns['epsilon'].unique())]
    figure.update_layout(
        title=plain_text(title),
        template='plotly_white',
        height=_AROUND + _LINE * len(names),
        margin={'t': 110},
        legend={
            'title': 'rows in a wrong cell',
            'orientation': 'h',
            'y': 1.02,
            'yanchor': 'bottom',
        },
        xaxis={'title': 'epsilon', 'type': 'category', 'categoryarray': tried},
        yaxis={'type': 'category', 'categoryarray': names[::-1], 'automargin': True},
    )
    return figure
