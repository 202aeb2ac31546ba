"""Columns as JSON: what dtype each has, and what turns the modelled ones into codes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sdv_prefair.column_domain import ColumnDomain, Datetimes, Numbers, Undeclared
from sdv_prefair.errors import ReleaseError
from sdv_prefair.release.dtype_names import read_dtype, write_dtype
from sdv_prefair.release.fields import MOST_COLUMNS, Fields
from sdv_prefair.release.values import read_value, write_value
from sdv_prefair.transformers import CategoryCodes, ColumnCodes, DatetimeBins, NumberBins

MOST_BINS = 1 << 17
MOST_DECIMALS = 50
# The arguments of each transformer, under which it keeps them.
_ARGUMENTS = {
    CategoryCodes: ('values', 'nullable', 'other', 'weights'),
    NumberBins: ('low', 'high', 'bins', 'decimal_places', 'edges', 'nullable'),
    DatetimeBins: ('low', 'high', 'datetime_format', 'bins', 'edges', 'nullable'),
}
_KINDS = {kind.__name__: kind for kind in _ARGUMENTS}
_COLUMN_KEYS = ('name', 'dtype', 'transformer')
_TRANSFORMER_KEYS = ('kind', 'chosen', 'dtype', 'arguments')


@dataclass(frozen=True)
class Column:
    """What a release says of one column.

    Args:
        dtype: Its dtype, without anything private.
        transformer: What turns it into codes; None for a column that is not modelled.
        chosen: Whether the user chose the transformer.
    """

    dtype: Any
    transformer: ColumnCodes | None
    chosen: bool

    def domain(self, declared: ColumnDomain) -> ColumnDomain:
        """Return what is known of a modelled column: what is declared, or else was learnt."""
        if not isinstance(declared, Undeclared) or self.chosen:
            return declared
        made = self.transformer
        if isinstance(made, CategoryCodes):
            return declared.with_values(made.values)
        if isinstance(made, NumberBins):
            return Numbers(made.low, made.high, declared.decimal_places, declared.nullable)
        return Datetimes(made.low, made.high, declared.datetime_format, declared.nullable)


def write_columns(
    dtypes: Mapping[str, Any], transformers: Mapping[str, ColumnCodes], chosen: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return all columns as JSON, in the order of ``dtypes``.

    Args:
        dtypes: The dtype of every column, without anything private.
        transformers: Those of the modelled columns.
        chosen: The transformers among them that the user chose.
    """
    return [
        {
            'name': column,
            'dtype': _about(column, write_dtype, dtype),
            'transformer': _about(column, _write_transformer, transformers[column])
            | {'chosen': column in chosen}
            if column in transformers
            else None,
        }
        for column, dtype in dtypes.items()
    ]


def _about(column: str, write: Any, value: Any) -> Any:
    try:
        return write(value)
    except ReleaseError as error:
        raise ReleaseError(f"Column '{column}': {error}") from None


def _write_transformer(transformer: ColumnCodes) -> dict[str, Any]:
    if type(transformer) not in _ARGUMENTS:
        raise ReleaseError(
            f'{type(transformer).__name__} cannot be written into a release: it is code. Use save.'
        )
    return {
        'kind': type(transformer).__name__,
        'dtype': write_dtype(transformer.dtype),
        'arguments': {
            name: write_value(getattr(transformer, name)) for name in _ARGUMENTS[type(transformer)]
        },
    }


def read_columns(written: Any) -> dict[str, Column]:
    """Return what ``write_columns`` has written, by column.

    Raises:
        ReleaseError: If it has not.
    """
    listed = Fields({'columns': written}, 'release.json', ('columns',))
    columns = {}
    for item in listed.items('columns', MOST_COLUMNS):
        fields = Fields(item, 'a column', _COLUMN_KEYS)
        transformer, chosen = None, False
        if fields.optional('transformer'):
            transformer, chosen = _read_transformer(fields.raw('transformer'))
        name = fields.text('name', most=1 << 20)
        dtype = read_dtype(fields.raw('dtype'))
        if dtype is None:
            raise ReleaseError('The release does not say what dtype a column has.')
        columns[name] = Column(dtype, transformer, chosen)
    if len(columns) < len(written):
        raise ReleaseError('The release names a column twice.')
    return columns


def _read_transformer(written: Any) -> tuple[ColumnCodes, bool]:
    fields = Fields(written, 'a transformer', _TRANSFORMER_KEYS)
    kind = _KINDS[fields.choice('kind', tuple(_KINDS))]
    arguments = Fields(fields.raw('arguments'), 'a transformer', _ARGUMENTS[kind])
    if kind is not CategoryCodes:
        arguments.whole('bins', 1, MOST_BINS)
    if kind is NumberBins and arguments.optional('decimal_places'):
        arguments.whole('decimal_places', 0, MOST_DECIMALS)
    arguments.flag('nullable')
    given = {name: read_value(arguments.raw(name)) for name in _ARGUMENTS[kind]}
    transformer = kind(**given, dtype=read_dtype(fields.raw('dtype')))
    return transformer, fields.flag('chosen')
