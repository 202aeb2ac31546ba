"""The figure of a privacy ledger."""

from collections.abc import Iterable

import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.plots._style import BLUE, GREEN, GREY, ORANGE, SKY
from sdv_prefair.privacy._ledger_words import (
    EXPONENTIAL,
    GAUSSIAN,
    GAUSSIAN_ON_SCORES,
    RHO_OF,
    ROUNDED,
    ROUNDED_ON_SCORES,
    ROUNDED_THRESHOLD,
    THRESHOLD,
    ZCDP,
)

# A mechanism has the same colour in every figure.
_MECHANISM_COLOURS = {
    GAUSSIAN: BLUE,
    ROUNDED: BLUE,
    EXPONENTIAL: ORANGE,
    GAUSSIAN_ON_SCORES: GREEN,
    ROUNDED_ON_SCORES: GREEN,
    THRESHOLD: SKY,
    ROUNDED_THRESHOLD: SKY,
}


def plot_ledger(frame: pd.DataFrame, title: str = 'Privacy budget by step') -> go.Figure:
    """Plot what each step spent: one bar per step, one slice per row of the ledger.

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
