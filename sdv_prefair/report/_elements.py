"""Pieces of HTML as trees, so that every name and value is escaped when the page is written."""

import json
from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element

import plotly.graph_objects as go
import plotly.io

Content = str | Element | None | Iterable

# Would end the element, or start one, in the text of a script; U+2028 and U+2029 end a line.
_UNSAFE_IN_SCRIPT = {ord(letter): f'\\u{ord(letter):04x}' for letter in '<>&\u2028\u2029'}


def tag(name: str, /, *content: Content, **attributes: str) -> Element:
    """Return an element; ``class_`` becomes ``class``, ``aria_label`` becomes ``aria-label``."""
    named = {key.rstrip('_').replace('_', '-'): value for key, value in attributes.items()}
    element = Element(name, named)
    _fill(element, content)
    return element


def _fill(element: Element, content: Iterable) -> None:
    for piece in content:
        if isinstance(piece, str):
            _add_text(element, piece)
        elif isinstance(piece, Element):
            element.append(piece)
        elif piece is not None:
            _fill(element, piece)


def _add_text(element: Element, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or '') + text
    else:
        element.text = (element.text or '') + text


def paragraph(*content: Content, **attributes: str) -> Element:
    """Return a paragraph."""
    return tag('p', *content, **attributes)


def strong(text: str) -> Element:
    """Return emphasised text."""
    return tag('strong', text)


def code(text: str) -> Element:
    """Return a name from the program or the table."""
    return tag('code', text)


def bullets(items: Iterable[Content], **attributes: str) -> Element:
    """Return a list."""
    return tag('ul', [tag('li', item) for item in items], **attributes)


def section(name: str, title: str, *content: Content) -> Element:
    """Return a section of the page with its heading."""
    heading = tag('h2', title, id=f'{name}-title')
    return tag('section', heading, *content, id=name, aria_labelledby=f'{name}-title')


def blank() -> Element:
    """Return a line to be filled in by hand."""
    return tag('span', class_='blank', aria_label='to be filled in')


def note(kind: str, *content: Content) -> Element:
    """Return a paragraph that stands out; ``kind`` is ``'warning'``, ``'good'`` or ``'plain'``."""
    return tag('div', *content, class_=f'note {kind}', role='note')


def badge(kind: str, text: str) -> Element:
    """Return a badge; its word says the same as its colour."""
    return tag('span', text, class_=f'badge {kind}')


def num(*content: Content) -> Element:
    """Return a table cell with a number and optional content after it."""
    return tag('td', *content, class_='num')


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[Content]]) -> Element:
    """Return a table that scrolls horizontally if it does not fit.

    Args:
        caption: What the table shows.
        header: Titles of the columns.
        rows: Cells; the first names the row. Cells made by ``num`` hold numbers.
    """
    named = [(tag('th', row[0], scope='row'), [_cell(cell) for cell in row[1:]]) for row in rows]
    kinds = [cell.get('class', '') for cell in named[0][1]] if named else [''] * (len(header) - 1)
    titles = [
        tag('th', title, scope='col', class_=kind)
        for title, kind in zip(header, ['', *kinds], strict=True)
    ]
    body = [tag('tr', name, cells) for name, cells in named]
    inner = tag(
        'table', tag('caption', caption), tag('thead', tag('tr', titles)), tag('tbody', body)
    )
    return tag('div', inner, class_='scroll', tabindex='0', role='region', aria_label=caption)


def _cell(cell: Content) -> Element:
    return cell if isinstance(cell, Element) and cell.tag == 'td' else tag('td', cell)


def facts_list(pairs: Iterable[tuple[str, Content]]) -> Element:
    """Return a description list of names and their meanings."""
    return tag('dl', [(tag('dt', name), tag('dd', meaning)) for name, meaning in pairs])


def plot(
    figure: go.Figure, description: str, caption: Content = None, is_wide: bool = False
) -> Element:
    """Return a figure that the page's script draws.

    Args:
        figure: The figure; its texts must be safe for plotly, see ``plain_text``.
        description: A text alternative for screen readers.
        caption: A text below it.
        is_wide: Whether it scrolls horizontally on a narrow screen instead of shrinking.
    """
    drawn = json.loads(plotly.io.to_json(figure, validate=False))
    content = json.dumps({key: drawn[key] for key in ('data', 'layout')}, separators=(',', ':'))
    has_size = 'width' in drawn['layout']  # and is scaled down as a whole in print
    box = tag(
        'div',
        class_=' '.join(['plot', *(['wide'] * is_wide), *(['drawing'] * has_size)]),
        role='img',
        aria_label=description,
        style=f'min-height: {drawn["layout"].get("height", 450)}px',
    )
    data = tag('script', content.translate(_UNSAFE_IN_SCRIPT), type='application/json')
    return tag('figure', box, data, None if caption is None else tag('figcaption', caption))
