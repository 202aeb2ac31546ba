"""A database's columns with the actual types of their values.

The type that ibis reports is sometimes incomplete: SQLite stores anything in any column, MariaDB
stores four-digit years in one byte and has no booleans, and a PostgreSQL number without a precision
may be too large for every Arrow type.
"""

import math
from collections.abc import Mapping
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir
import pyarrow as pa

_LARGEST = '1.7976931348623157e308'
_SMALLEST = '1e-323'


# ibis has no type hints here, and treats an annotation as a type of the database.
@ibis.udf.scalar.builtin(name='typeof')  # type: ignore[untyped-decorator]
def _type_of(value) -> str:  # type: ignore[no-untyped-def]
    """The storage class of a value, computed by the database."""
    return ''


def with_honest_types(table: ir.Table, columns: Mapping[str, dict[str, Any]]) -> ir.Table:
    """Return the table with each column in the actual type of its values.

    Privacy: the result for a value depends on that value and public types alone.

    Args:
        table: The table as ibis sees it.
        columns: The metadata of each column.
    """
    change = _CHANGES.get(table.get_backend().name)
    if change is None:
        return table
    described = {name: columns.get(name, {}).get('sdtype') for name in table.columns}
    honest = {name: change(table[name], sdtype) for name, sdtype in described.items()}
    return table.mutate(
        *(column.name(name) for name, column in honest.items() if column is not table[name])
    )


def arrow_schema(honest: ir.Table, table: ir.Table) -> pa.Schema:
    """Return names and types of the columns, nullable as declared in the table.

    Args:
        honest: The table with honest types.
        table: The table as ibis sees it.
    """
    kinds = {name: honest[name].type() for name in table.columns}
    return pa.schema([
        pa.field(name, arrow_type(kind), table[name].type().nullable)
        for name, kind in kinds.items()
    ])


def arrow_type(kind: dt.DataType) -> pa.DataType:
    """Return Arrow's type of a column; for types unknown to ibis, string until it is read."""
    return pa.string() if kind.is_unknown() else kind.to_pyarrow()


def of_its_type(column: ir.Column, sdtype: str | None = None) -> ir.Column:
    """Return a column of SQLite with null for all values that are not of its type."""
    kind = column.type()
    if kind.is_integer() or kind.is_boolean():
        is_held = _type_of(column) == 'integer'
        if kind.is_boolean():
            is_held &= column.isin([True, False])
    elif kind.is_floating():
        is_held = _type_of(column).isin(['integer', 'real'])
    else:
        return column
    return ibis.ifelse(is_held, column, ibis.null(kind)).name(column.get_name())


def _in_mariadb(column: ir.Column, sdtype: str | None) -> ir.Column:
    kind = column.type()
    if kind.is_integer() and sdtype == 'boolean':
        flag = ibis.cases((column == 1, True), (column == 0, False), else_=ibis.null('boolean'))
        return flag.name(column.get_name())
    if kind.is_int8() or kind.is_uint8():  # YEAR and BIT(8) are reported as one of these
        return column.cast(dt.Int16(nullable=kind.nullable)).name(column.get_name())
    return column


def _in_postgres(column: ir.Column, sdtype: str | None) -> ir.Column:
    kind = column.type()
    if not kind.is_decimal() or kind.precision is not None:
        return column

    def number(text: str) -> ir.Scalar:
        return ibis.literal(text).cast(dt.Decimal())

    is_tiny = (column < number(_SMALLEST)) & (column > number(f'-{_SMALLEST}'))
    return ibis.cases(
        (column == number('NaN'), ibis.null('float64')),
        (column > number(_LARGEST), _float(math.inf)),
        (column < number(f'-{_LARGEST}'), _float(-math.inf)),
        (is_tiny, _float(0.0)),
        else_=column.cast('float64'),
    ).name(column.get_name())


def _float(value: float) -> ir.Scalar:
    return ibis.literal(repr(value)).cast('float64')


_CHANGES = {'sqlite': of_its_type, 'mysql': _in_mariadb, 'postgres': _in_postgres}
