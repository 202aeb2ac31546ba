"""Estimates with their intervals."""

import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.plots._style import BLACK, PATTERNS, SEQUENCE, plain_text

_MOST_LETTERS = 60


def plot_estimate(frame: pd.DataFrame, title: str = 'Estimates with their intervals') -> go.Figure:
    """Plot the result of ``synthesizer.estimate``: a bar for each line, with its interval.

    Lines that differ only in the last column of the index are grouped, coloured by it.

    Args:
        frame: With the columns ``estimate``, ``lower`` and ``upper``.
        title: Title of the figure.
    """
    figure = go.Figure()
    for number, (name, lines) in enumerate(_by_last_level(frame)):
        figure.add_bar(
            x=[_label(label) for label in lines.index],
            y=lines['estimate'],
            name=plain_text(name),
            error_y={
                'type': 'data',
                'array': lines['upper'] - lines['estimate'],
                'arrayminus': lines['estimate'] - lines['lower'],
                'color': BLACK,
            },
            marker={
                'color': SEQUENCE[number % len(SEQUENCE)],
                'pattern': {'shape': PATTERNS[number // len(SEQUENCE) % len(PATTERNS)]},
            },
            customdata=lines[['lower', 'upper']].to_numpy(),
            hovertemplate='%{x}: %{y:.4g} (%{customdata[0]:.4g} to %{customdata[1]:.4g})',
        )
    several = frame.index.nlevels > 1
    figure.update_layout(
        title=plain_text(title), template='plotly_white', barmode='group', showlegend=several,
        xaxis={'type': 'category'},
        legend_title_text=plain_text(frame.index.names[-1]) if several else None,
    )  # fmt: skip
    return figure


def _by_last_level(frame: pd.DataFrame) -> list[tuple[object, pd.DataFrame]]:
    if frame.index.nlevels == 1:
        return [('', frame)]
    last = frame.index.get_level_values(-1)
    rest = frame.droplevel(-1)
    return [(name, rest[last.isna() if pd.isna(name) else last == name]) for name in last.unique()]


def _label(label: object) -> str:
    parts = label if isinstance(label, tuple) else (label,)
    text = ', '.join(map(str, parts))
    return plain_text(text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + '…')
