"""Figures without plotly's script: what is drawn has the sizes and places of the numbers.

Of ``_svg.py``, ``_marks.py`` and ``_axes.py``.
"""

import re

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from html_page import Page
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.plots import ROLE_MARKERS, plot_estimate, plot_ledger
from sdv_prefair.plots._charts import Bar, plot_noise_by_epsilon, plot_shares
from sdv_prefair.plots._column_pairs import plot_number_pair
from sdv_prefair.plots._style import PATTERNS
from sdv_prefair.plots._svg import svg_of

NUMBERS = st.floats(0.01, 1e6, allow_nan=False)


def drawn(figure, width=900):
    return Page(svg_of(figure, 'A figure for a test', width))


def numbers(element, *names):
    return [float(element['attributes'][name]) for name in names]


def bars(page):
    """Return the rectangles that have a title, without those of the legend."""
    titled = {e['inside'][-1] for e in page.all('title')}
    return [e for e in page.all('rect') if e['at'] in titled]


def sizes(page):
    (svg,) = page.all('svg')
    return [float(number) for number in svg['attributes']['viewbox'].split()[2:]]


def inside(page):
    """Whether all marks and texts begin on the canvas."""
    width, height = sizes(page)
    for e in page.elements:
        if e['tag'] in {'rect', 'text', 'circle'}:
            x, y = numbers(e, *(('cx', 'cy') if e['tag'] == 'circle' else ('x', 'y')))
            assert -1 <= x <= width + 1 and -1 <= y <= height + 1, e
    return True


@given(st.lists(NUMBERS, min_size=1, max_size=12), st.sampled_from('hv'))
def test_a_bar_is_as_long_as_its_number(values, way):
    along, across = ('x', 'y') if way == 'h' else ('y', 'x')
    names = [f'value {place}' for place in range(len(values))]
    page = drawn(go.Figure(go.Bar({along: values, across: names}, orientation=way)))
    size, place = ('width', 'y') if way == 'h' else ('height', 'x')
    lengths = [numbers(e, size)[0] for e in bars(page)]
    assert lengths == pytest.approx([v / max(values) * max(lengths) for v in values], abs=0.11)
    assert len({e['attributes'][place] for e in bars(page)}) == len(values)
    assert max(lengths) > 150 and inside(page)


@given(st.lists(st.tuples(st.sampled_from('abc'), NUMBERS), min_size=1, max_size=20))
def test_bars_of_a_ledger_stand_on_each_other(lines):
    ledger = pd.DataFrame({
        'step': [step for step, _ in lines], 'rho': [rho for _, rho in lines],
        'mechanism': 'discrete Gaussian', 'columns': 'x',
    })  # fmt: skip
    page = drawn(plot_ledger(ledger))
    by_place = {}
    for e in bars(page):
        by_place.setdefault(e['attributes']['x'], []).append(numbers(e, 'y', 'height'))
    assert len(by_place) == len(set(ledger['step']))
    for stack in by_place.values():
        ordered = sorted(stack, reverse=True)
        for (low, _), (high, height) in zip(ordered, ordered[1:], strict=False):
            assert high + height == pytest.approx(low, abs=0.21)
    told = {e['text'].split('\n')[0] for e in page.all('title')}
    assert told == set(ledger['step'])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.floats(0, 0.2))
def test_shares_have_their_intervals_and_say_so(shares, off):
    told = [Bar(f'v{i}', s, max(0, s - off), s + off) for i, s in enumerate(shares)]
    page = drawn(plot_shares(told, 'outcome'), 330)
    assert len(bars(page)) == len(shares) and inside(page)
    (whisker,) = page.with_class('whisker')
    assert whisker['attributes']['d'].count('M') >= len(shares)
    titles = [e['text'] for e in page.all('title')]
    for bar, title in zip(told, titles, strict=True):
        assert title == (
            f'{bar.label}: {100 * bar.share:.2f} % ({100 * bar.lower:.2f} to {100 * bar.upper:.2f})'
        )
    if len(shares) <= 12:
        written = [e['text'] for e in page.all('text')]
        assert all(f'{100 * share:.1f} %' in written for share in shares)


def test_very_many_bars_are_one_line():
    told = [Bar(str(i), 1e-4, 0, 2e-4) for i in range(5000)]
    text = svg_of(plot_shares(told, 'unlabelled'), 'many', 330)
    assert text.count('<path') < 10 and len(text) < 300_000


@pytest.mark.parametrize(
    'symbol', [m['symbol'] for m in ROLE_MARKERS.values()] + ['diamond-open', 'square-open']
)
def test_every_symbol_is_drawn_where_its_point_is(symbol):
    figure = go.Figure(go.Scatter(x=[0, 10], y=[0, 10], mode='markers', marker={'symbol': symbol}))
    page = drawn(figure)
    shapes = list(page.all('circle', 'polygon'))
    assert len(shapes) == 2
    middles = []
    for shape in shapes:
        points = shape['attributes'].get('points')
        middles.append(
            np.mean([[float(n) for n in pair.split(',')] for pair in points.split()], axis=0)
            if points
            else np.array(numbers(shape, 'cx', 'cy'))
        )
    assert middles[0][0] < middles[1][0] and middles[0][1] > middles[1][1]
    assert ('none' in shapes[0]['attributes']['fill']) == symbol.endswith('-open')


def test_patterns_differ_without_colour():
    figure = go.Figure([
        go.Bar(x=['a'], y=[1], name=str(n), marker={'color': 'red', 'pattern': {'shape': shape}})
        for n, shape in enumerate(PATTERNS)
    ])
    looks = [
        (e['attributes'].get('fill-opacity'), e['attributes'].get('stroke-dasharray'))
        for e in bars(drawn(figure))
    ]
    assert len(set(looks)) == len(PATTERNS)


def test_a_field_has_the_colour_of_its_verdict_and_its_number():
    frame = pd.DataFrame({
        'epsilon': [1.0, 2.0], 'columns': ['age', 'age'], 'misplaced': [0.5, 0.01],
        'sigma': [3.0, 1.5], 'verdict': ['bad', 'good'],
    })  # fmt: skip
    page = drawn(plot_noise_by_epsilon(frame, ('good', 'middling', 'bad'), 'Noise'))
    fields = {e['attributes']['fill'].upper() for e in bars(page)}
    assert fields == {'#F0AD85', '#A6CEE8'}
    assert {'50.0%', '1.0%'} <= {e['text'] for e in page.all('text')}
    assert any('sigma 3.0 rows' in e['text'] for e in page.all('title'))


def test_dates_categories_and_two_figures_beside_each_other():
    values = list(pd.date_range('2020-01-01', periods=30))
    curves = pd.DataFrame({'real': np.linspace(0, 1, 30), 'synthetic': np.linspace(0, 1, 30)})
    frequent = pd.DataFrame({'real': [0.5, 0.1], 'synthetic': [0.4, 0.2]}, index=['x', '<b>y'])
    page = drawn(plot_number_pair(values, curves, frequent))
    texts = [e['text'] for e in page.all('text')]
    assert any(re.fullmatch(r'2020-01-\d\d', text) for text in texts)
    assert {'Share of rows up to a value', 'Most frequent values', 'x', '<b>y', 'real'} <= set(
        texts
    )
    left = [e for e in page.all('path') if 'stroke-width' in e['attributes']]
    assert max(
        float(n) for e in left for n in re.findall(r'[ML](\S+)', e['attributes']['d'])
    ) < min(numbers(e, 'x')[0] for e in bars(page))
    assert inside(page)


def test_long_names_are_folded_or_tilted_and_stay_on_the_canvas():
    names = [f'an admissible column of a long name, number {n}' for n in range(3)]
    lines = pd.DataFrame({'estimate': 0.5, 'lower': 0.4, 'upper': 0.6}, index=pd.Index(names))
    page = drawn(plot_estimate(lines))
    assert not any('transform' in e['attributes'] for e in page.all('text')) and inside(page)
    many = pd.DataFrame({'estimate': 0.5, 'lower': 0.4, 'upper': 0.6}, index=[
        f'unbreakable_{n:030}' for n in range(20)
    ])  # fmt: skip
    page = drawn(plot_estimate(many))
    assert sum('rotate' in e['attributes'].get('transform', '') for e in page.all('text')) == 20
    assert inside(page)
