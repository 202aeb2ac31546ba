"""The public domain of columns: read from the metadata, never from rows.

In SDV, a range in the metadata means "what the values are allowed to be", which is exactly a public
domain. SDV's own detection, however, reads ranges from the data; whether the given ranges are
public must be declared by the user (``public_ranges``).
"""

from dataclasses import replace
from typing import Any

from sdv.metadata import Metadata

from sdv_prefair._sdv_versions import RANGE_KEYS
from sdv_prefair.columns._facts import (
    RANGE_GROUPS,
    RARE_SDTYPE,
    Categories,
    ColumnDomain,
    Datetimes,
    Numbers,
    Undeclared,
    as_decimal_places,
    as_number,
    check_groups,
    group_numbers,
    grouped_values,
)
from sdv_prefair.columns._moments import as_timestamp
from sdv_prefair.columns._texts import (
    FakerForm,
    TextForm,
    lookalikes,
    missing_words,
)
from sdv_prefair.errors import DomainError, shown

CATEGORICAL_SDTYPES = ('categorical', 'ordinal', 'boolean')
_NOT_MODELLED_SDTYPES = ('id', 'unknown')
_RELATIONSHIPS_WITH_TRANSFORMER = ('address', 'gps')


def modelled_columns(table_metadata: Any) -> list[str]:
    """Return the modelled columns, in metadata order; SDV generates the others.

    Args:
        table_metadata: SDV's ``Metadata`` with one table, or that table's metadata.

    Returns:
        Columns of sdtype categorical, ordinal, boolean, numerical or datetime, and those SDV
        falls back to categorical for (``pii=False``), without keys, ids, PII and the columns of
        a relationship that SDV hands to a multi-column transformer.
    """
    table = single_table(table_metadata)
    left_out = _key_columns(table) | _related_columns(table)
    return [
        column
        for column, description in table.columns.items()
        if column not in left_out and _kind(description) is not None
    ]


def public_domain(table_metadata: Any, public_ranges: bool) -> dict[str, ColumnDomain]:
    """Return the public domain of every modelled column, from the metadata.

    Args:
        table_metadata: SDV's ``Metadata`` with one table, or that table's metadata.
        public_ranges: Whether the declared ranges are public. If not, everything that SDV's
            detection would have read from the data is ignored: bounds, values, nullability and
            decimal places. The sdtype, the datetime format and the two booleans stay.
    """
    table = single_table(table_metadata)
    domains = {}
    for column in modelled_columns(table):
        description = dict(table.columns[column])
        if not public_ranges:
            description = _without_ranges(description)
        try:
            domains[column] = _column_domain(description)
        except DomainError as error:
            raise DomainError(f"Column '{column}' of the metadata: {error}") from None
    return domains


def strip_ranges(metadata: Metadata) -> Metadata:
    """Return a copy of ``metadata`` without the ranges that SDV's detection reads from values."""
    stripped = metadata.copy()
    for table in stripped.tables.values():
        for column, description in table.columns.items():
            table.columns[column] = _without_ranges(description)
    return stripped


def ranges_of(metadata: Metadata) -> dict[str, dict[str, Any]]:
    """Return by column what SDV's detection inferred from values. It is not private."""
    return {
        column: {key: value for key, value in about.items() if key in RANGE_KEYS}
        for table in metadata.tables.values()
        for column, about in table.columns.items()
    }


def _without_ranges(description: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in description.items() if key not in RANGE_KEYS}


def single_table(metadata: Any) -> Any:
    """Return the metadata of the one table; that of a single table is returned unchanged."""
    if not isinstance(metadata, Metadata):
        return metadata
    if len(metadata.tables) != 1:
        raise DomainError('The metadata must have exactly one table.')
    return next(iter(metadata.tables.values()))


def _key_columns(table: Any) -> set[str]:
    columns: set[str] = set()
    for key in (table.primary_key, table.sequence_key, *table.alternate_keys):
        if key is not None:
            columns.update([key] if isinstance(key, str) else key)
    return columns


def _related_columns(table: Any) -> set[str]:
    return {
        column
        # SDV keeps here the relationships whose add-on is installed, and transforms only those.
        for relationship in table._valid_column_relationships
        if relationship['type'] in _RELATIONSHIPS_WITH_TRANSFORMER
        for column in relationship['column_names']
    }


def _kind(description: dict[str, Any]) -> str | None:
    sdtype = description['sdtype']
    if sdtype in CATEGORICAL_SDTYPES:
        return 'categories'
    if sdtype in ('numerical', 'datetime'):
        return {'numerical': 'numbers', 'datetime': 'datetimes'}[sdtype]
    if sdtype in _NOT_MODELLED_SDTYPES or description.get('pii', True):
        return None
    return 'categories'


def _column_domain(description: dict[str, Any]) -> ColumnDomain:
    nullable = description.get('range_is_nullable', True)
    if not isinstance(nullable, bool):
        raise DomainError('range_is_nullable must be True or False.')
    missing_words(description)  # whatever the kind, they must be words
    kind = _kind(description)
    if kind == 'categories':
        return _categories(description, nullable)
    make = _numbers if kind == 'numbers' else _datetimes
    return make(description, description.get('range_min'), description.get('range_max'), nullable)


def _categories(description: dict[str, Any], nullable: bool) -> ColumnDomain:
    ordered = description['sdtype'] == 'ordinal'
    if description['sdtype'] == 'boolean':
        return Categories((False, True), nullable, complete=True)
    groups = description.get(RANGE_GROUPS)
    if groups is not None:
        check_groups(groups)
    values = description.get('range_values', grouped_values(groups))
    form, words = _form(description), missing_words(description)
    if values is None:
        unknown = 'range_is_nullable' not in description
        return Undeclared(
            'categories',
            nullable,
            ordered=ordered,
            learns_nulls=unknown,
            prefix=groups,
            form=form,
            many=bool(description.get('high_cardinality')) or groups is not None,
            missing=words,
        )
    if form is not None:
        raise DomainError(
            'regex_format and rare_sdtype say how to make up values that are too rare to be '
            'learnt, but range_values or range_groups list all values. Leave one of them out.'
        )
    if not isinstance(values, list | tuple) or not values:
        raise DomainError(
            'range_values must be a list of one or more values. List them, or remove the key to '
            'have the values learnt privately.'
        )
    domain = Categories(tuple(values), nullable, ordered, missing=words)
    if groups is not None:
        domain = replace(domain, groups=group_numbers(domain.values, groups))
    _check_looks(domain)
    return domain


def _form(description: dict[str, Any]) -> TextForm | FakerForm | None:
    """Return the generator of strings that replace rare ones, if it is public."""
    regex, sdtype = description.get('regex_format'), description.get(RARE_SDTYPE)
    if sdtype is None:
        return None if regex is None else TextForm(regex)
    if regex is not None or isinstance(description.get(RANGE_GROUPS), int):
        raise DomainError(
            'rare_sdtype says how to make up rare values, and so does regex_format, alone or with '
            'range_groups as a number. Leave one of them out.'
        )
    return FakerForm(sdtype)


def _check_looks(domain: Categories) -> None:
    """Raise if two values look the same when written: they would be indistinguishable."""
    for position, before in lookalikes(domain.values, domain.nullable).items():
        if before is None:
            raise DomainError(
                f'range_values lists {shown(domain.values[position])}, which looks like null in a '
                'CSV file. Leave it out, so that it counts as null, or set range_is_nullable to '
                'False if it stands for null.'
            )
        raise DomainError(
            f'range_values lists {shown(before)} and {shown(domain.values[position])}, which look '
            'the same in a CSV file or are equal. Keep one of them, and convert the column.'
        )


def _numbers(description: dict[str, Any], low: Any, high: Any, nullable: bool) -> ColumnDomain:
    places = as_decimal_places(description.get('decimal_places'))
    if low is not None and high is not None:
        return Numbers(low, high, places, nullable)
    low = None if low is None else as_number(low, 'range_min')
    high = None if high is None else as_number(high, 'range_max')
    unknown = 'range_is_nullable' not in description
    return Undeclared('numbers', nullable, low, high, decimal_places=places, learns_nulls=unknown)


def _datetimes(description: dict[str, Any], low: Any, high: Any, nullable: bool) -> ColumnDomain:
    written = description.get('datetime_format')
    if low is not None and high is not None:
        return Datetimes(low, high, written, nullable)
    low = None if low is None else as_timestamp(low, written, 'range_min')
    high = None if high is None else as_timestamp(high, written, 'range_max')
    unknown = 'range_is_nullable' not in description
    return Undeclared(
        'datetimes', nullable, low, high, datetime_format=written, learns_nulls=unknown
    )
