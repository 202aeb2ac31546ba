"""A figure as inline SVG: what a page shows without running a script.

It draws what our figures use of plotly: bars, lines, markers, heat maps, error bars, rectangles,
annotations and legends. What plotly shows on hover is the title of a mark. Letters have the colour
of the page around them; other colours can be changed by its style, as attributes can.
"""

import base64
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
from markupsafe import Markup

from sdv_prefair.plots._axes import (
    LETTERS,
    Axis,
    as_list,
    axis_of,
    lines_of,
    shortened,
    width_of,
    wrapped,
)
from sdv_prefair.plots._marks import (
    Frame,
    Trace,
    bars_of,
    colour_of,
    element,
    errors_of,
    fields_of,
    filled_as,
    is_along,
    line_of,
    points_of,
    short_number,
    stroke_of,
    symbol,
    text_at,
)

WIDTH = 900
"""Of a figure that does not say its width, in pixels."""

_LINE = 16  # between two lines of text
_LINES_BELOW = 3
_MARGIN = 24
_TILTED_LETTERS = 14


def svg_of(figure: go.Figure, description: str, width: float = WIDTH) -> Markup:
    """Return a figure as an element of a page.

    Args:
        figure: The figure; its texts must be safe for plotly, see ``plain_text``.
        description: A text alternative for screen readers.
        width: Its width in pixels, if it does not say it; the page may scale it.
    """
    drawn = _decoded(figure.to_plotly_json())
    frame = _framed(drawn['data'], drawn['layout'], width)
    marks = [*_shapes(frame), *_grid(frame), *fields_of(frame), *bars_of(frame), *points_of(frame)]
    texts = [*_annotations(frame), *_title(frame), *_legend(frame)]
    return Markup(
        '<svg viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}" font-size="{}">{}</svg>'
    ).format(frame.width, frame.height, description, LETTERS, Markup('').join(marks + texts))


def _decoded(given: Any) -> Any:
    """Return what plotly has written with its arrays as lists."""
    if isinstance(given, dict):
        if 'bdata' in given:
            found = np.frombuffer(base64.b64decode(given['bdata']), given['dtype'])
            shape = [int(size) for size in str(given.get('shape', '-1')).split(',')]
            return found.reshape(shape).tolist()
        return {key: _decoded(value) for key, value in given.items()}
    if isinstance(given, np.ndarray):
        return given.tolist() if given.dtype.kind in 'fiub' else list(given)
    return [_decoded(item) for item in given] if isinstance(given, list | tuple) else given


# ------------------------------------------------------------------ where things are
def _framed(traces: list[Trace], layout: dict[str, Any], width: float) -> Frame:
    width, height = float(layout.get('width') or width), float(layout.get('height') or 450)
    axes = {
        name: _axis(name, traces, layout)
        for way in 'xy'
        for name in dict.fromkeys([way, *(trace.get(f'{way}axis') or way for trace in traces)])
    }
    frame = Frame(traces, layout, axes, width, height, 0.0, 0.0)
    above = 10.0 + _height_of_title(layout) + 20 * len(_legend_rows(frame)) + _subtitles(layout)
    margin = layout.get('margin') or {}
    if not axes['x'].is_shown:  # a drawing in pixels
        left, right, top, bottom = (float(margin.get(side, 0)) for side in 'lrtb')
        top = max(top, above)
    else:
        left, right, top = _beside(axes['y']), _right(traces, axes), above
        bottom = _below(axes['x'], width - left - right)
        for name in axes:
            if name[0] == 'x' and name != 'x':
                bottom = max(bottom, _below(axes[name], (width - left - right) / 2))
    area = (left, width - right), (height - bottom, top)
    placed = {
        name: _placed(axis, *area[name[0] == 'y'], inner=_beside(axes[f'y{name[1:]}']))
        for name, axis in axes.items()
    }
    return frame._replace(axes=placed, top=top, left=left)


def _axis(name: str, traces: list[Trace], layout: dict[str, Any]) -> Axis:
    way, asked = name[0], dict(layout.get(f'{name[0]}axis{name[1:]}') or {})
    here = [trace for trace in traces if (trace.get(f'{way}axis') or way) == name]
    values = [value for trace in here for value in as_list(trace.get(way))]
    numbers = list(_reached(way, here, layout.get('barmode') == 'stack'))
    has_bars = any(is_along(trace, way) for trace in here if trace['type'] == 'bar')
    return axis_of(asked, [*values, *numbers], has_bars)


def _reached(way: str, traces: list[Trace], is_stacked: bool) -> Iterator[float]:
    """Yield the numbers that error bars and stacks reach beyond the values."""
    other = 'y' if way == 'x' else 'x'
    sums: dict[Any, float] = {}
    for trace in traces:
        for value, low, high in errors_of(trace, way):
            yield from (value - low, value + high)
        if is_stacked and trace['type'] == 'bar' and is_along(trace, way):
            for place, value in zip(as_list(trace[other]), as_list(trace[way]), strict=True):
                sums[place] = sums.get(place, 0.0) + value
    yield from sums.values()


def _placed(axis: Axis, start: float, end: float, inner: float) -> Axis:
    low, high = as_list(axis.asked.get('domain')) or (0.0, 1.0)
    length = end - start
    room = inner if low > 0 else 0.0  # for the ticks of a figure beside another
    return replace(axis, start=start + low * length + room, end=start + high * length)


def _beside(axis: Axis) -> float:
    """Return the pixels that the texts of a vertical axis take."""
    longest = max((width_of(text) for _, text in axis.ticks()), default=0.0)
    return 16.0 + longest + (_LINE + 6) * bool(_name_of(axis))


def _below(axis: Axis, width: float) -> float:
    lines = max((len(text) for text in _ticks_below(axis, width)), default=1)
    return 14.0 + _LINE * lines + (_LINE + 2) * bool(_name_of(axis))


def _ticks_below(axis: Axis, width: float) -> list[list[str]]:
    """Return the lines of each tick below an axis; without room for words, every second letter."""
    texts = [text for _, text in axis.ticks()]
    room = width / max(len(texts), 1)
    lines = [wrapped(text, room) for text in texts]
    return [line if len(line) <= _LINES_BELOW else [*line[:2], '…'] for line in lines]


def _is_tilted(axis: Axis) -> bool:
    """Whether the ticks below an axis are too long to stand side by side."""
    width = abs(axis.end - axis.start)
    room = width / max(len(axis.ticks()), 1)
    return any(
        width_of(line) > room + 2 for lines in _ticks_below(axis, width) for line in lines
    )  # fmt: skip


def _right(traces: list[Trace], axes: dict[str, Axis]) -> float:
    """Return the margin at the right: the last tick, and numbers beside horizontal bars."""
    has_numbers = any(t['type'] == 'bar' and t.get('text') is not None for t in traces)
    last = axes['x'].ticks()[-1:] or [(0.0, '')]
    return max(12.0, width_of(last[0][1]) / 2 + 4, 52.0 * has_numbers)


def _name_of(axis: Axis) -> str:
    return str((axis.asked.get('title') or {}).get('text') or '')


def _subtitles(layout: dict[str, Any]) -> float:
    """Return the pixels that the titles of figures beside each other take."""
    above = [note for note in layout.get('annotations') or () if note.get('yref') == 'paper']
    return 24.0 * any(note.get('y') == 1.0 for note in above)


def _shapes(frame: Frame) -> Iterator[Markup]:
    x, y = frame.axes['x'], frame.axes['y']
    for shape in frame.layout.get('shapes') or ():
        line, high, low = shape['line'], y.at(shape['y1']), y.at(shape['y0'])
        yield element(
            'rect', x=x.at(shape['x0']), y=high, height=low - high,
            width=x.at(shape['x1']) - x.at(shape['x0']), fill=shape['fillcolor'],
            stroke=line['color'] if line['width'] else None,
        )  # fmt: skip


def _grid(frame: Frame) -> Iterator[Markup]:
    for name, axis in frame.axes.items():
        if not axis.is_shown:
            continue
        across = frame.axes[('y' if name[0] == 'x' else 'x') + name[1:]]
        has_lines = axis.asked.get('showgrid') is not False and axis.kind != 'category'
        low, high = sorted((across.start, across.end))
        for pixel, _ in axis.ticks() if has_lines else ():
            ends = (
                ((pixel, low), (pixel, high)) if name[0] == 'x' else ((low, pixel), (high, pixel))
            )
            yield line_of(ends, class_='grid')
        yield from (_below_axis if name[0] == 'x' else _beside_axis)(axis, low, high)


def _below_axis(axis: Axis, low: float, high: float) -> Iterator[Markup]:
    is_tilted, width = _is_tilted(axis), abs(axis.end - axis.start)
    lines_of_all = _ticks_below(axis, width)
    for (pixel, text), lines in zip(axis.ticks(), lines_of_all, strict=True):
        if is_tilted:
            turn = f'rotate(-30 {short_number(pixel)} {short_number(high + _LINE)})'
            told = shortened(text, _TILTED_LETTERS)
            yield text_at(pixel, high + _LINE, told, text_anchor='end', transform=turn)
            continue
        for number, line in enumerate(lines):
            yield text_at(pixel, high + _LINE * (number + 1), line, text_anchor='middle')
    if name := _name_of(axis):
        below = high + _LINE * (max(map(len, lines_of_all), default=1) + 1) + 6
        yield text_at(
            (axis.start + axis.end) / 2, below, lines_of(name)[0][0], text_anchor='middle'
        )


def _beside_axis(axis: Axis, low: float, high: float) -> Iterator[Markup]:
    for pixel, text in axis.ticks():
        yield text_at(low - 8, pixel + LETTERS / 3, text, text_anchor='end')
    if name := _name_of(axis):
        x, y = low - _beside(axis) + _LINE, (axis.start + axis.end) / 2
        turn = f'rotate(-90 {short_number(x)} {short_number(y)})'
        yield text_at(x, y, lines_of(name)[0][0], text_anchor='middle', transform=turn)


# ------------------------------------------------------------------ texts around the marks
def _annotations(frame: Frame) -> Iterator[Markup]:
    anchors = {'left': 'start', 'right': 'end'}
    for note in frame.layout.get('annotations') or ():
        x, y = _place_of(note, frame)
        font = note.get('font') or {}
        size = font.get('size') or LETTERS
        anchor = anchors.get(note.get('xanchor', ''), 'middle')
        first = y + (
            size if note.get('yanchor') == 'top' else -4 if frame.axes['x'].is_shown else 0
        )
        for number, (line, is_bold) in enumerate(lines_of(note['text'])):
            yield text_at(
                x, first + number * (size + 4), line, text_anchor=anchor, font_size=size,
                font_weight='bold' if is_bold else None,
            )  # fmt: skip


def _place_of(note: dict[str, Any], frame: Frame) -> tuple[float, float]:
    x, y = frame.axes[_data_axis(note, 'x')], frame.axes[_data_axis(note, 'y')]
    across = (
        frame.left + note['x'] * (frame.width - 2 * frame.left)
        if note.get('xref') == 'paper' and not x.is_shown
        else _share_of(frame, note['x'])
        if note.get('xref') == 'paper'
        else x.at(note['x'])
    )
    up = frame.bottom + note['y'] * (frame.top - frame.bottom)
    down = up if note.get('yref') == 'paper' else y.at(note['y'])
    return across, down - (note.get('yshift') or 0) / (3 if x.is_shown else 1)


def _share_of(frame: Frame, share: float) -> float:
    ends = [end for name, axis in frame.axes.items() if name[0] == 'x'
            for end in (axis.start, axis.end)]  # fmt: skip
    return min(ends) + share * (max(ends) - min(ends))


def _data_axis(note: dict[str, Any], way: str) -> str:
    named = note.get(f'{way}ref') or way
    return way if named == 'paper' else str(named)


def _title_lines(layout: dict[str, Any]) -> list[tuple[str, float, str | None]]:
    title = layout.get('title') or {}
    big = (title.get('font') or {}).get('size') or 16
    lines = [(line, big if number == 0 else LETTERS, 'bold' if number == 0 else None)
             for number, (line, _) in enumerate(lines_of(title.get('text') or ''))]  # fmt: skip
    more = (title.get('subtitle') or {}).get('text')
    return [line for line in [*lines, *([(more, LETTERS, None)] if more else [])] if line[0]]


def _height_of_title(layout: dict[str, Any]) -> float:
    return sum(size + 8 for _, size, _ in _title_lines(layout))


def _title(frame: Frame) -> Iterator[Markup]:
    y = 0.0
    for line, size, weight in _title_lines(frame.layout):
        y += size + 6
        yield text_at(4 if frame.axes['x'].is_shown else frame.left, y, line,
                    font_size=size, font_weight=weight)  # fmt: skip


def _legend_rows(frame: Frame) -> list[list[tuple[str, Trace, float]]]:
    """Return the rows of the legend, each with names, traces and widths."""
    rows: list[list[tuple[str, Trace, float]]] = []
    used = frame.width
    for name, trace in _entries(frame):
        width = 32 + width_of(name)
        if used + width > frame.width - 2 * _MARGIN:
            rows.append([])
            used = 0.0
        rows[-1].append((name, trace, width))
        used += width
    return rows


def _entries(frame: Frame) -> list[tuple[str, Trace]]:
    if frame.layout.get('showlegend') is False:
        return []
    for trace in frame.traces:
        if trace['type'] == 'heatmap' and trace.get('showscale') is not False:
            return _scale(trace)
    named = [t for t in frame.traces if t.get('name') and t.get('showlegend') is not False]
    if len(named) < 2 and frame.layout.get('showlegend') is not True:
        return []
    ordered = sorted(named, key=lambda trace: trace.get('legendrank', 1000))
    return list({lines_of(trace['name'])[0][0]: trace for trace in reversed(ordered)}.items())[::-1]


def _scale(trace: Trace) -> list[tuple[str, Trace]]:
    """Return entries for the colours of a heat map."""
    low, high = float(trace['zmin']), float(trace['zmax'])
    values = [low + (high - low) * step / 4 for step in range(5)]
    name = (((trace.get('colorbar') or {}).get('title') or {}).get('text') or '') + ' '
    return [
        (
            f'{name * (value == low)}{value:.2f}'.strip(),
            {'type': 'bar', 'marker': {'color': colour_of(trace, value)}},
        )
        for value in values
    ]


def _legend(frame: Frame) -> Iterator[Markup]:
    rows = _legend_rows(frame)
    y = _height_of_title(frame.layout) + 18
    for row in rows:
        x = frame.left if not frame.axes['x'].is_shown else 4.0
        for name, trace, width in row:
            yield from _sample(trace, x + 8, y - 4)
            yield text_at(x + 20, y, name)
            x += width
        y += 20


def _sample(trace: Trace, x: float, y: float) -> Iterator[Markup]:
    if trace['type'] == 'bar':
        yield element(
            'rect',
            x=x - 6,
            y=y - 6,
            width=12,
            height=12,
            **filled_as(trace),
        )
    elif 'markers' in trace['mode']:
        yield symbol(trace['marker'], x, y)
    else:
        yield line_of([(x - 8, y), (x + 8, y)], **stroke_of(trace))
