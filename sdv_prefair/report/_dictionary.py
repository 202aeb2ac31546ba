"""The data dictionary: every column of the released table, and the values it can take."""

from xml.etree.ElementTree import Element

from sdv_prefair.report._elements import num, paragraph, section, table
from sdv_prefair.report._facts import Column, Facts
from sdv_prefair.report._words import counted, whole

_MOST_VALUES = 30


def dictionary_section(facts: Facts) -> Element:
    """Return the columns with their types, roles and values."""
    rows = [
        (
            column.name,
            column.role,
            column.kind,
            _values(column),
            {True: 'yes', False: 'no', None: ''}[column.nullable],
            num(whole(len(column.labels)) if column.labels else ''),
            column.source,
        )
        for column in facts.columns
    ]
    header = (
        *('Column', 'Role', 'Kind', 'Values', 'Can be missing', 'Codes'),
        'Where its values come from',
    )
    return section(
        'dictionary',
        'Data dictionary',
        paragraph(
            'The values that each column of the synthetic table can take. Codes are the values or '
            'bins that the model uses for a column, including those for missing and other values.'
        ),
        table('Columns of the table', header, rows),
    )


def _values(column: Column) -> str:
    if column.limits is not None:
        return column.limits
    if len(column.shown) <= _MOST_VALUES:
        return ', '.join(column.shown)
    first = ', '.join(column.shown[:_MOST_VALUES])
    return f'{first} and {counted(len(column.shown) - _MOST_VALUES, "value")} more'
