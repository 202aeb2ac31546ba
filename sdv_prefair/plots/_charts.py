"""Charts: of a privacy ledger, of estimates, of shares, of differences, and of planned noise."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.plots._fair_graph import ROLE_MARKERS
from sdv_prefair.plots._style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PATTERNS,
    SEQUENCE,
    SKY,
    VERMILION,
    plain_text,
)
from sdv_prefair.privacy._accounting import (
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
from sdv_prefair.roles import UNLABELLED

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
_MOST_LETTERS = 60  # of a label
# Few bars are horizontal, with room for their labels.
_FEW, _SHORT = 12, 7
# Lighter than the colours of lines, so that the numbers on them can be read.
_FIELDS = '#A6CEE8', '#F6D992', '#F0AD85'
_ROW, _AROUND = 30, 220  # pixels
_MARKERS = (
    {'color': BLUE, 'symbol': 'circle'},
    {'color': VERMILION, 'symbol': 'diamond'},
    {'color': GREY, 'symbol': 'square-open'},
)


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


class Bar(NamedTuple):
    """A share with its interval."""

    label: str
    share: float
    lower: float
    upper: float


def plot_shares(bars: Sequence[Bar], role: str, is_binned: bool = False) -> go.Figure:
    """Plot the shares of a column's values, each with its interval.

    Args:
        bars: The shares; two of them may have the same label.
        role: The role of the column, which gives the colour.
        is_binned: Whether labels are bins, of which the start is enough.
    """
    is_wide = len(bars) <= _FEW
    value, place = ('x', 'y') if is_wide else ('y', 'x')
    whiskers = {
        'array': [100 * (bar.upper - bar.share) for bar in bars],
        'arrayminus': [100 * (bar.share - bar.lower) for bar in bars],
        'width': 3 if is_wide else 0,
    }
    texts = [_first_of(bar.label, is_binned, 18 if is_wide else 11) for bar in bars]
    trace = go.Bar(
        **{value: [100 * bar.share for bar in bars], place: list(range(len(bars)))},
        **{f'error_{value}': whiskers},
        orientation='h' if is_wide else 'v',
        marker_color=GREY if role == UNLABELLED else ROLE_MARKERS[role]['color'],
        text=[f'{100 * bar.share:.1f} %' for bar in bars] if is_wide else None,
        customdata=[(plain_text(bar.label), 100 * bar.lower, 100 * bar.upper) for bar in bars],
        hovertemplate=f'%{{customdata[0]}}: %{{{value}:.2f}} % (%{{customdata[1]:.2f}} to '
        '%{customdata[2]:.2f})<extra></extra>',
    )
    return go.Figure(trace).update_layout(
        {f'{value}axis': {'ticksuffix': ' %', 'rangemode': 'tozero'},
         f'{place}axis': _ticks(texts, is_wide)},
        template='plotly_white', height=26 * len(bars) + 50 if is_wide else 240, bargap=0.25,
        showlegend=False,
    )  # fmt: skip


def _first_of(label: str, is_binned: bool, letters: int) -> str:
    text = label.lstrip('[(').split(' to ')[0].split(',')[0] if is_binned else label
    return text if len(text) <= letters else text[: letters - 1] + '…'


def _ticks(texts: Sequence[str], is_wide: bool) -> dict[str, Any]:
    """Return an axis that names all bars, or a few of them where there are many."""
    wanted = 3 if max(map(len, texts)) > _SHORT else 5
    num_shown = len(texts) if is_wide else wanted
    shown = np.linspace(0, len(texts) - 1, num_shown).round().astype(int).tolist()
    return {
        'tickmode': 'array', 'tickvals': shown, 'ticktext': [plain_text(texts[i]) for i in shown],
        'range': [len(texts) - 0.5, -0.5] if is_wide else [-0.5, len(texts) - 0.5],
        'showgrid': False,
    }  # fmt: skip


def plot_group_gaps(gaps: Mapping[str, pd.DataFrame]) -> go.Figure:
    """Plot differences between groups as points with intervals, for several tables.

    Args:
        gaps: For each table ``Name``, ``Gap``, ``Interval Low`` and ``Interval High``.
    """
    figure = go.Figure()
    for number, (source, known) in enumerate(gaps.items()):
        figure.add_scatter(
            y=[plain_text(name) for name in known['Name']], x=known['Gap'], mode='markers',
            name=source, marker={**_MARKERS[number % len(_MARKERS)], 'size': 10},
            error_x={'array': (known['Interval High'] - known['Gap']).clip(lower=0),
                     'arrayminus': (known['Gap'] - known['Interval Low']).clip(lower=0)},
        )  # fmt: skip
    rows = max((len(known) for known in gaps.values()), default=0)
    return figure.update_layout(
        template='plotly_white', height=max(320, 34 * rows + 110), showlegend=True,
        yaxis={'autorange': 'reversed'}, xaxis={'title': 'difference between groups'},
    )  # fmt: skip


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
    for verdict, colour in zip(verdicts, _FIELDS, strict=True):  # for the legend alone
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
        height=_AROUND + _ROW * len(names),
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
    colours = [_FIELDS[place] for place in range(len(verdicts)) for _ in range(2)]
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
