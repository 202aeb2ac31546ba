"""The marks of a figure as SVG: bars, lines, markers, fields of heat maps, and error bars."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from markupsafe import Markup

from sdv_prefair.plots._axes import LETTERS, Axis, as_list, lines_of
from sdv_prefair.plots._style import BLACK, GREY, PATTERNS, SEQUENCE

_BAR_GAP = 0.2
_THINNEST = 1.0
_DASHES = {'dot': '2 3', 'dash': '7 4'} | dict(
    zip(PATTERNS[1:], ('5 3', '1 3', '8 3 1 3', '12 3', '3 6'), strict=True)
)
_FIELD = re.compile(r'%\{(\w+)(?:\[(\d+)\])?(?::([^}]*))?\}')
# The outlines of markers of the size two.
_OUTLINES = {
    'diamond': '0,-1.2 1.2,0 0,1.2 -1.2,0',
    'square': '-.9,-.9 .9,-.9 .9,.9 -.9,.9',
    'hexagon': '0,-1.1 1,-.55 1,.55 0,1.1 -1,.55 -1,-.55',
}

Trace = dict[str, Any]
_Point = tuple[float, float]
_GAP = (math.nan, math.nan)


class Frame(NamedTuple):
    """A figure, its size, and the pixels of its axes by name."""

    traces: list[Trace]
    layout: dict[str, Any]
    axes: dict[str, Axis]
    width: float
    height: float
    top: float
    left: float

    def of(self, trace: Trace) -> tuple[Axis, Axis]:
        return self.axes[trace.get('xaxis') or 'x'], self.axes[trace.get('yaxis') or 'y']

    @property
    def bottom(self) -> float:
        return max(self.axes['y'].start, self.axes['y'].end)


def is_along(bar: Trace, way: str) -> bool:
    """Whether the bars of a trace grow in this direction."""
    return (way == 'x') == (bar.get('orientation') == 'h')


def errors_of(trace: Trace, way: str) -> Iterator[tuple[float, float, float]]:
    bars = trace.get(f'error_{way}') or {}
    if bars.get('array') is None:
        return
    below = bars['array'] if bars.get('arrayminus') is None else bars['arrayminus']
    for value, low, high in zip(as_list(trace[way]), below, bars['array'], strict=True):
        yield float(value), float(low), float(high)


def short_number(number: float) -> str:
    """Return a coordinate, short."""
    return f'{number:.1f}'.removesuffix('.0')


def _attributes(given: dict[str, object]) -> Markup:
    return Markup('').join(
        Markup(' {}="{}"').format(
            key.rstrip('_').replace('_', '-'),
            short_number(value) if isinstance(value, float) else value,
        )
        for key, value in given.items()
        if value is not None
    )


def element(name: str, title: str = '', /, **given: object) -> Markup:
    """Return an element of a drawing; ``class_`` becomes ``class``, ``a_b`` becomes ``a-b``."""
    inner = Markup('<title>{}</title>').format(title) if title else ''
    return Markup('<{0}{1}>{2}</{0}>').format(Markup(name), _attributes(given), inner)


def text_at(x: float, y: float, text: str, **given: object) -> Markup:
    """Return a text."""
    placed = {'x': float(x), 'y': float(y), **given}
    return Markup('<text{}>{}</text>').format(_attributes(placed), text)


def line_of(points: Sequence[tuple[float, float]], **given: object) -> Markup:
    """Return lines through points; one that is not a number ends a line."""
    steps, is_down = [], False
    for x, y in points:
        is_known = not (math.isnan(x) or math.isnan(y))
        if is_known:
            steps.append(f'{"L" if is_down else "M"}{short_number(x)} {short_number(y)}')
        is_down = is_known
    return element('path', d=''.join(steps), **given)


def bars_of(frame: Frame) -> Iterator[Markup]:
    bars = [trace for trace in frame.traces if trace['type'] == 'bar']
    is_stacked = frame.layout.get('barmode') == 'stack'
    groups = dict.fromkeys(trace.get('name', '') for trace in bars)
    places = {name: place for place, name in enumerate(groups)}
    sums: dict[Any, float] = {}
    for trace in bars:
        number, of = (0, 1) if is_stacked else (places[trace.get('name', '')], len(places))
        yield from _bars_of(frame, trace, number, of, sums if is_stacked else None)


def _bars_of(
    frame: Frame, trace: Trace, number: int, of: int, sums: dict[Any, float] | None
) -> Iterator[Markup]:
    way, other = ('x', 'y') if trace.get('orientation') == 'h' else ('y', 'x')
    along, across = frame.of(trace) if way == 'x' else frame.of(trace)[::-1]
    thick = across.step * (1 - (frame.layout.get('bargap') or _BAR_GAP)) / of
    thin: list[_Point] = []
    middles = []
    for row, (place, value) in enumerate(_pairs(trace, other, way)):
        base = 0.0 if sums is None else sums.get(place, 0.0)
        if sums is not None:
            sums[place] = base + value
        middles.append(across.at(place) + thick * (number - (of - 1) / 2))
        low, high = sorted((along.at(base), along.at(base + value)))
        if thick < _THINNEST:
            thin += [(low, middles[-1]), (high, middles[-1]), _GAP]
        else:
            yield _bar(trace, row, way == 'x', (low, high - low, middles[-1], thick))
    if thin:  # too many to point at one of them
        colour = filled_as(trace)['fill']
        yield line_of(_turned(thin, way), stroke=colour, stroke_width=max(thick, 0.5))
    yield from _whiskers(trace, way, along, middles)
    for middle, text, end in zip(
        middles, as_list(trace.get('text')), _ends(trace, way), strict=False
    ):
        yield text_at(along.at(end) + 5, middle + LETTERS / 3, str(text))


def _pairs(trace: Trace, one: str, other: str) -> Iterator[tuple[Any, Any]]:
    return zip(as_list(trace[one]), as_list(trace[other]), strict=True)


def _ends(trace: Trace, way: str) -> list[float]:
    """Return where bars end, or their error bars."""
    return [value + high for value, _, high in errors_of(trace, way)] or as_list(trace[way])


def _bar(trace: Trace, row: int, is_flat: bool, place: tuple[float, float, float, float]) -> Markup:
    low, length, middle, thick = place
    start, sizes = (low, middle - thick / 2), (length, thick)
    x, y = start if is_flat else start[::-1]
    width, height = sizes if is_flat else sizes[::-1]
    look = filled_as(trace)
    return element('rect', _hover(trace, row), x=x, y=y, width=width, height=height, **look)


def filled_as(trace: Trace) -> dict[str, object]:
    """Return how a bar is filled; one with a pattern is light, with an edge of dashes."""
    marker = trace.get('marker') or {}
    colour = marker.get('color') or SEQUENCE[0]
    pattern = (marker.get('pattern') or {}).get('shape') or ''
    if not pattern:
        return {'fill': colour, 'stroke': (marker.get('line') or {}).get('color')}
    return {
        'fill': colour, 'fill_opacity': '.35', 'stroke': colour,
        'stroke_dasharray': _DASHES[pattern],
    }  # fmt: skip


def _whiskers(trace: Trace, way: str, axis: Axis, middles: Sequence[float]) -> Iterator[Markup]:
    """Return the error bars of a trace, as one line with gaps."""
    cap = 3.0 if (trace.get(f'error_{way}') or {}).get('width', 3) else 0.0
    points: list[_Point] = []
    for (value, below, above), middle in zip(errors_of(trace, way), middles, strict=False):
        low, high = axis.at(value - below), axis.at(value + above)
        points += [(low, middle), (high, middle), _GAP]
        for end in (low, high) if cap else ():
            points += [(end, middle - cap), (end, middle + cap), _GAP]
    if points:
        yield line_of(_turned(points, way), class_='whisker')


def _turned(points: Sequence[_Point], way: str) -> list[_Point]:
    return [point if way == 'x' else point[::-1] for point in points]


def points_of(frame: Frame) -> Iterator[Markup]:
    """Return lines and markers, with their texts and error bars."""
    for trace in frame.traces:
        if trace['type'] != 'scatter':
            continue
        x, y = frame.of(trace)
        points = [(x.at(a), y.at(b)) for a, b in _pairs(trace, 'x', 'y')]
        if 'lines' in trace['mode']:
            yield line_of(points, **stroke_of(trace))
        yield from _whiskers(trace, 'x', x, [b for _, b in points])
        if 'markers' in trace['mode']:
            yield from _markers(trace, points)


def stroke_of(trace: Trace) -> dict[str, object]:
    line = trace.get('line') or {}
    return {
        'fill': trace['fillcolor'] if trace.get('fill') == 'toself' else 'none',
        'stroke': line.get('color') or SEQUENCE[0],
        'stroke_width': line.get('width') or 2,
        'stroke_dasharray': _DASHES.get(line.get('dash', '')),
    }


def _markers(trace: Trace, points: Sequence[tuple[float, float]]) -> Iterator[Markup]:
    marker = trace['marker']
    texts = as_list(trace.get('text')) if 'text' in trace['mode'] else []
    for row, (x, y) in enumerate(points):
        if math.isnan(x) or math.isnan(y):
            continue
        yield symbol(marker, x, y, _hover(trace, row))
        if texts:
            text, is_bold = lines_of(texts[row])[0]
            weight = 'bold' if is_bold else None
            yield text_at(x + 9, y + LETTERS / 3, text.strip(), font_weight=weight)


def symbol(marker: dict[str, Any], x: float, y: float, title: str = '') -> Markup:
    size, colour = (marker.get('size') or 8) / 2, marker.get('color') or GREY
    shape, _, is_open = (marker.get('symbol') or 'circle').partition('-open')
    look: dict[str, object] = {'fill': colour}
    if is_open or (marker.get('symbol') or '').endswith('-open'):
        look = {'fill': 'none', 'stroke': colour, 'stroke_width': 2, 'pointer_events': 'all'}
    if marker.get('opacity') == 0:  # there for its title alone
        look = {'fill': 'none', 'pointer_events': 'all'}
    if shape not in _OUTLINES:
        return element('circle', title, cx=x, cy=y, r=size, **look)
    pairs = (pair.split(',') for pair in _OUTLINES[shape].split())
    points = ' '.join(
        f'{short_number(x + size * float(a))},{short_number(y + size * float(b))}' for a, b in pairs
    )
    return element('polygon', title, points=points, **look)


def fields_of(frame: Frame) -> Iterator[Markup]:
    """Return the fields of heat maps."""
    for trace in frame.traces:
        if trace['type'] != 'heatmap':
            continue
        (x, y), texts = frame.of(trace), trace.get('text')
        for row, line in enumerate(as_list(trace['z'])):
            for column, value in enumerate(line):
                if value is None or math.isnan(value):
                    continue
                here = x.at(trace['x'][column]), y.at(trace['y'][row])
                colour = colour_of(trace, value)
                title = _hover(trace, (row, column))
                yield element(
                    'rect', title, x=here[0] - x.step / 2 + 1, y=here[1] - y.step / 2 + 1,
                    width=x.step - 2, height=y.step - 2, fill=colour,
                )  # fmt: skip
                if texts is not None:
                    at = here[0], here[1] + LETTERS / 3
                    yield text_at(*at, str(texts[row][column]), text_anchor='middle', fill=BLACK)


def colour_of(trace: Trace, value: float) -> str:
    """Return the colour of a value on the scale of a heat map."""
    low, high = trace.get('zmin', 0.0), trace.get('zmax', 1.0)
    share = min(1.0, max(0.0, (value - low) / ((high - low) or 1.0)))
    scale = [(float(place), str(colour)) for place, colour in trace['colorscale']]
    for (start, one), (end, other) in pairwise(scale):
        if start <= share <= end and end > start:
            return _mixed(one, other, (share - start) / (end - start))
    return scale[-1][1]


def _mixed(one: str, other: str, share: float) -> str:
    both = ([int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (one, other))
    return '#' + ''.join(f'{round(a + share * (b - a)):02x}' for a, b in zip(*both, strict=True))


def _hover(trace: Trace, row: int | tuple[int, int]) -> str:
    """Return what plotly shows of a mark when it is pointed at."""
    if trace.get('hoverinfo') == 'skip':
        return ''
    if trace.get('hovertext') is not None:
        return '\n'.join(line for line, _ in lines_of(_at(trace['hovertext'], row)))
    template = trace.get('hovertemplate')
    if template is None:
        return ', '.join(str(_shown(_field(trace, axis, row))) for axis in 'xy')

    def filled(found: re.Match[str]) -> str:
        value = _field(trace, found[1], row)
        value = value[int(found[2])] if found[2] else value
        return format(value, found[3] or '') if found[3] else str(_shown(value))

    template = re.sub(r'<extra>.*?</extra>', '', template)
    return '\n'.join(line for line, _ in lines_of(_FIELD.sub(filled, template)))


def _field(trace: Trace, name: str, row: int | tuple[int, int]) -> Any:
    if isinstance(row, tuple) and name in 'xy':
        return trace[name][row[name == 'x']]
    return _at(trace[name], row)


def _at(values: Any, row: int | tuple[int, int]) -> Any:
    return as_list(values)[row] if isinstance(row, int) else values[row[0]][row[1]]


def _shown(value: Any) -> Any:
    return f'{value:.4g}' if isinstance(value, float) else value
