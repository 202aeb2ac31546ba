"""Every column of the release next to the real one: numbers that are not private."""

from xml.etree.ElementTree import Element

import pandas as pd

from sdv_prefair.metrics._described import shown_value
from sdv_prefair.report._elements import Content, badge, num, paragraph, plot, table, tag
from sdv_prefair.report._measured import Measured
from sdv_prefair.report._words import percent, short

NOT_PRIVATE = 'not private'

_SHARES = ('nulls', 'share')
_TITLES = {'nulls': 'Null', 'value': 'Value', 'share': 'Its share', 'mean': 'Mean', 'std': 'Std'}


def marked(content: Element) -> Element:
    """Return content computed on the real table, marked as such."""
    return tag('div', badge('warning', NOT_PRIVATE), content, class_='marked')


def columns_by_value(measured: Measured) -> list[Content]:
    """Return numbers and dates side by side, and a picture of every column."""
    pictures = [
        marked(plot(figure, f'{column}: real rows next to synthetic ones.', column, is_wide=True))
        for column, figure in measured.pictures.items()
    ]
    return [_numbers(measured.numbers), tag('div', pictures, class_='pictures')]


def _numbers(described: pd.DataFrame) -> list[Content]:
    if described.empty:
        return []
    rows = [
        (f'{column}, {source}', *(num(_cell(name, row[name])) for name in described))
        for (column, source), row in zip(described.index, described.to_dict('records'), strict=True)
    ]
    header = ('Column', *(_TITLES.get(name, name) for name in described))
    return [
        marked(table('Numbers and dates, unbinned', header, rows)),
        paragraph(
            'KS is the largest difference of the distribution functions, 0 if they are the same '
            'and 1 if they do not overlap. The value is the frequent one whose share differs most. '
            'The standard deviation of dates is in days.'
        ),
    ]


def _cell(name: str, value: object) -> str:
    if pd.isna(value):
        return 'none'
    if isinstance(value, pd.Timestamp):
        return shown_value(value)
    if name in _SHARES:
        return percent(value)
    return shown_value(value) if name == 'value' else short(value)
