"""Building blocks of database expressions: constants, exact numbers, binary search."""

from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir
import pandas as pd

from sdv_prefair.counts._thresholds import Line, moments
from sdv_prefair.errors import PrivateDataError

# Decimals with at most this many digits become the same float everywhere.
_EXACT_DIGITS = 15


def constant(value: Any) -> ir.Scalar:
    """Return a public value as a constant of the database."""
    if isinstance(value, float):
        # As a string it is parsed as that float; a number would be a decimal in some databases.
        return ibis.literal(repr(value)).cast('float64')
    if isinstance(value, pd.Timestamp):
        zone = None if value.tzinfo is None else 'UTC'
        return ibis.literal(value.isoformat(sep=' ')).cast(dt.Timestamp(zone, scale=6))
    is_long = isinstance(value, int) and value >= 2**63
    return ibis.literal(value, type='uint64' if is_long else None)


def look_up(column: ir.Column, lowest: int, starts: list[tuple[Any, int]]) -> ir.IntegerValue:
    """Return a binary search for the last start that is not above the value."""
    if not starts:
        return ibis.literal(lowest)
    middle = len(starts) // 2
    start, code = starts[middle]
    return ibis.ifelse(
        column >= constant(start),
        look_up(column, code, starts[middle + 1 :]),
        look_up(column, lowest, starts[:middle]),
    )


def as_floats(column: ir.Column) -> ir.FloatingValue:
    """Return numbers as 64-bit floats; raise if they would differ from those elsewhere."""
    kind = column.type()
    if not kind.is_numeric():  # otherwise a string that is not a number would make the query fail
        raise refusal(column, 'cast it to a number in the table expression')
    if kind.is_decimal() and not (kind.precision or _EXACT_DIGITS + 1) <= _EXACT_DIGITS:
        digits = f'a decimal of at most {_EXACT_DIGITS} digits'
        raise refusal(column, f'cast it to double or to {digits} in the table expression')
    return column.cast('float64')


def moment_line(column: ir.Column, encoder: Any) -> Line:
    """Return the line of timestamps of a column; raise if its clock is not the same everywhere."""
    kind = column.type()
    if not kind.is_timestamp() and not kind.is_date():
        raise refusal(column, 'cast it to a timestamp or a date in the table expression')
    zone = kind.timezone if kind.is_timestamp() else None
    if zone not in (None, 'UTC') and not encoder.instants:
        raise refusal(
            column,
            'give range_min and range_max an offset, as in 2024-01-31 00:00:00+00:00, or cast it '
            'to a timestamp without time zone in the table expression',
        )
    return moments(zone is not None)


def refusal(column: ir.Column, remedy: str) -> PrivateDataError:
    """Return the error for a type whose codes cannot be computed exactly."""
    return PrivateDataError(
        f"Column '{column.get_name()}' has the type {column.type()}, for which a database does not "
        f'give the same codes as everything else: {remedy}; or let its rows be counted here, '
        'with fit_table(table, rows_stay=False).'
    )
