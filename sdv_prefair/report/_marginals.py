"""The model's marginals with their noise."""

from xml.etree.ElementTree import Element

import numpy as np
import plotly.graph_objects as go

from sdv_prefair.model._noise import (
    CLEAR,
    NOISY,
    NOISY_FROM,
    NOISY_MERGED,
    SWAMPED,
    SWAMPED_FROM,
    SWAMPED_MERGED,
    Noise,
    noise_of_columns,
    noise_of_pairs,
)
from sdv_prefair.plots import ROLE_MARKERS
from sdv_prefair.plots._style import BLACK, GREY, plain_text
from sdv_prefair.report._elements import (
    badge,
    bullets,
    note,
    num,
    paragraph,
    plot,
    section,
    table,
    tag,
)
from sdv_prefair.report._facts import Column, Facts
from sdv_prefair.report._words import counted, listed, percent, short, whole
from sdv_prefair.roles import UNLABELLED

_BADGES = {CLEAR: 'good', NOISY: 'plain', SWAMPED: 'warning'}
# A few bars are horizontal, with room for their labels.
_FEW = 12
_SHORT = 7
# How many of the largest shares are listed.
_MOST_LINES = 12
_INTERVAL = 1.96
# Invisible ticks keep labels off the axis.
_SPACED = {'ticks': 'outside', 'ticklen': 5, 'tickcolor': 'white'}


def marginals_section(facts: Facts) -> Element:
    """Return the measurements: each column with its noise, each pair, and what noise swamps."""
    columns, pairs = noise_of_columns(facts.model), noise_of_pairs(facts.model)
    cards = [_card(facts, column, columns[column.name]) for column in facts.modelled]
    return section(
        'noise',
        'How much of it is noise',
        paragraph(
            f'The model represents about {whole(facts.model.total)} rows, a number estimated from '
            'noisy counts. Bars are the shares of rows in the model. Whiskers, and the column '
            '"plus or minus", are 95 % confidence intervals for the share in the private '
            'table. They are based on the noise of the measurements, and the '
            'model is usually closer to the truth.'
        ),
        _warnings([*columns.values(), *pairs]),
        tag('div', cards, class_='cards'),
        _pairs_table(pairs, facts.model.total),
        paragraph(
            'Rows misplaced: the share of rows that noise alone would be expected to put in the '
            'wrong cell. Dependence: the measured departure from independence as a multiple of '
            'the noise; below 1, most of it is noise.'
        ),
        paragraph(
            f'A column is called {NOISY} if {percent(NOISY_FROM, 0)} of rows or more are '
            f'misplaced, and {SWAMPED} from {percent(SWAMPED_FROM, 0)}; also if its rare values, '
            f'known only in total, make up {percent(NOISY_MERGED, 0)} or '
            f'{percent(SWAMPED_MERGED, 0)} of rows. '
            f'A pair is {SWAMPED} if its dependence is below 1 and {percent(NOISY_FROM, 0)} or '
            f'more are misplaced, and {NOISY} if the dependence is larger but '
            f'{percent(SWAMPED_FROM, 0)} or more are.'
        ),
    )


def _warnings(measured: list[Noise]) -> Element:
    swamped = [noise for noise in measured if noise.is_lost]
    if not swamped:
        return note('good', paragraph('No column and no pair is swamped by noise.'))
    return note(
        'warning',
        paragraph(
            'Noise swamps ', _count_of(swamped), '. Do not read anything into what is listed '
            'here. A larger epsilon, more rows, fewer columns or fewer bins would help.'
        ),
        bullets(listed(noise.columns) for noise in swamped),
    )  # fmt: skip


def _count_of(swamped: list[Noise]) -> str:
    columns = sum(len(noise.columns) == 1 for noise in swamped)
    pairs = len(swamped) - columns
    named = [counted(columns, 'column')] * bool(columns) + [counted(pairs, 'pair')] * bool(pairs)
    return listed(named)


def _card(facts: Facts, column: Column, noise: Noise) -> Element:
    details = f'Noise: sigma = {short(noise.sigma)} rows; {percent(noise.misplaced)} misplaced.'
    if noise.merged:
        details += (
            f' {noise.merged} of {len(column.labels)} values were too rare to distinguish from '
            f'noise; together they make up {percent(noise.merged_share)}.'
        )
    heading = tag('h3', column.name, ' ', badge(_BADGES[noise.verdict], noise.verdict))
    shares = facts.model.marginal(column.name)
    figure = _bars(facts, column, shares)
    drawn = plot(figure, _in_words(column, shares), details)
    return tag('article', heading, drawn, _shares_table(facts, column))


def _shares_table(facts: Facts, column: Column) -> Element:
    """Return the largest shares with their confidence intervals."""
    shares = facts.intervals[column.name]
    labels = [column.labels[code] for code in _codes(column)]
    order = np.argsort(-shares['estimate'].to_numpy(), kind='stable')[:_MOST_LINES]
    off = np.maximum(shares['upper'] - shares['estimate'], shares['estimate'] - shares['lower'])
    rows = [
        (labels[i], num(percent(shares['estimate'].iloc[i])), num(percent(off.iloc[i])))
        for i in order
    ]
    shown = 'Shares' if len(labels) <= _MOST_LINES else f'The {_MOST_LINES} largest shares'
    caption = f'{shown} of {column.name}'
    return tag(
        'details',
        tag('summary', caption),
        table(caption, ('Value', 'Share', 'Plus or minus'), rows),
    )


def _codes(column: Column) -> list[int]:
    """Return the codes that are shown; all of them if the only one stands for other values."""
    codes = [code for code in range(len(column.labels)) if code != column.other]
    return codes or list(range(len(column.labels)))


def _bars(facts: Facts, column: Column, shares: np.ndarray) -> go.Figure:
    codes, intervals = _codes(column), facts.intervals[column.name]
    few = len(codes) <= _FEW
    shares = 100 * shares[codes]
    whiskers = {
        'array': 100 * intervals['upper'].to_numpy() - shares,
        'arrayminus': shares - 100 * intervals['lower'].to_numpy(), 'thickness': 1,
        'width': 3 if few else 0, 'color': BLACK if few else 'rgba(34, 34, 34, 0.5)',
    }  # fmt: skip
    value, place = ('x', 'y') if few else ('y', 'x')
    bars = go.Bar(
        **{value: shares, place: list(range(len(codes))), f'error_{value}': whiskers},
        orientation='h' if few else 'v',
        marker_color=GREY if column.role == UNLABELLED else ROLE_MARKERS[column.role]['color'],
        text=[percent(share / 100) for share in shares] if few else None,
        textposition='inside',
        insidetextanchor='start',
        constraintext='none',
        customdata=[
            (plain_text(column.labels[code]), 100 * low, 100 * high)
            for code, low, high in zip(codes, intervals['lower'], intervals['upper'], strict=True)
        ],
        hovertemplate=f'%{{customdata[0]}}: %{{{value}:.2f}} % (%{{customdata[1]:.2f}} to '
        '%{customdata[2]:.2f})<extra></extra>',
    )
    return go.Figure(bars).update_layout(
        {f'{value}axis': _SPACED | {'ticksuffix': ' %', 'rangemode': 'tozero'},
         f'{place}axis': _SPACED | _ticks(column, codes, few)},
        template='plotly_white', height=26 * len(codes) + 70 if few else 260, bargap=0.25,
        margin={'l': 10, 'r': 10, 't': 6, 'b': 30}, showlegend=False, font={'size': 12},
    )  # fmt: skip


def _ticks(column: Column, codes: list[int], few: bool) -> dict:
    """Return an axis that names all codes, or a few of them where there are many.

    Codes are placed by number: two of them may have the same label.
    """
    texts = [_shortened(column, code, letters=18 if few else 11) for code in codes]
    wanted = 3 if max(map(len, texts)) > _SHORT else 5
    shown = np.linspace(0, len(codes) - 1, len(codes) if few else wanted).round().astype(int)
    return {
        'tickmode': 'array', 'tickvals': shown, 'ticktext': [plain_text(texts[i]) for i in shown],
        'tickangle': 0, 'automargin': True, 'autorange': 'reversed' if few else True,
        'showgrid': False, 'zeroline': False,
    }  # fmt: skip


def _shortened(column: Column, code: int, letters: int) -> str:
    label = column.labels[code]
    if column.kind in {'numerical', 'datetime'}:  # the start of a bin is enough
        label = label.lstrip('[(').split(' to ')[0].split(',')[0]
    return label if len(label) <= letters else label[: letters - 1] + '…'


def _in_words(column: Column, shares: np.ndarray, most: int = 5) -> str:
    order = np.argsort(-shares)[:most]
    largest = [f'{column.labels[code]} {percent(shares[code])}' for code in order]
    return f'Bars of the shares of {column.name} in the model. The largest: {"; ".join(largest)}.'


def _pairs_table(pairs: list[Noise], total: float) -> Element:
    rows = [
        (listed(noise.columns), num(whole(noise.cells)), num(short(noise.sigma)),
         num(percent(_INTERVAL * noise.sigma / total, 2)), num(percent(noise.misplaced)),
         num(short(noise.signal)),
         badge(_BADGES.get(noise.verdict, 'plain'), noise.verdict))
        for noise in pairs
    ]  # fmt: skip
    header = (
        *('Pair', 'Cells', 'sigma (rows)', 'Plus or minus (share of a cell)', 'Rows misplaced'),
        *('Dependence / noise', 'Verdict'),
    )
    return table('Pairs that were measured', header, rows)
