"""Encoders as expressions that a database evaluates: the same codes, computed where rows are.

They consist of comparisons with public constants, so that a database's codes are those of the
encoder to the last bit, whatever arithmetic it has. (One grid has too many cells for that.)
"""

from decimal import Decimal
from numbers import Real
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir
import numpy as np
import pandas as pd

from sdv_prefair.counts.cells import EvenCells
from sdv_prefair.counts.source import Encoder
from sdv_prefair.counts.thresholds import Line, moments, real_numbers, steps, whole_numbers
from sdv_prefair.errors import PrivateDataError

# Decimals of so few digits become the same float everywhere.
_EXACT_DIGITS = 15


def code_expression(column: ir.Column, encoder: Encoder) -> ir.IntegerValue:
    """Return the code of each value of a column.

    Args:
        column: A column of an ibis table.
        encoder: A transformer, or a grid of ``counts.cells``.

    Raises:
        PrivateDataError: If codes of this type cannot be had exactly; names the column.
    """
    null = ibis.literal(encoder.null_code or 0)
    kind = column.type()
    if kind.is_null():
        return null
    if kind.is_boolean():
        codes = encoder.encode(pd.Series([False, True])).tolist()
        code = ibis.ifelse(column, codes[1], codes[0])
    elif hasattr(encoder, 'values'):
        code = _code_of_value(_comparable(column), encoder, kind)
    elif isinstance(encoder, EvenCells):
        code = _code_of_even_cell(_comparable(column), encoder)
    else:
        code = _code_of_bin(_comparable(column), encoder)
    return ibis.ifelse(_is_null(column), null, code)


def _is_null(column: ir.Column) -> ir.BooleanValue:
    is_null = column.isnull()
    return is_null | column.isnan() if column.type().is_floating() else is_null


def _comparable(column: ir.Column) -> ir.Column:
    """Return the column in a type whose values are compared with constants."""
    kind = column.type()
    if kind.is_date():
        return column.cast(dt.Timestamp(scale=6))
    if kind.is_decimal() and not (kind.precision or _EXACT_DIGITS + 1) <= _EXACT_DIGITS:
        digits = f'a decimal of at most {_EXACT_DIGITS} digits'
        raise _refusal(column, f'cast it to double or to {digits} in the table expression')
    return column.cast('float64') if kind.is_floating() or kind.is_decimal() else column


def _code_of_value(column: ir.Column, encoder: Any, kind: dt.DataType) -> ir.IntegerValue:
    other = encoder.other_code
    if other is None:
        other = encoder.null_code or 0
    values = _declared(column, encoder.values, kind)
    codes = encoder.encode(values).tolist()
    pairs = [(_constant(v), code) for v, code in zip(values.tolist(), codes, strict=True)]
    return column.cases(*pairs, else_=other) if pairs else ibis.literal(other)


def _declared(column: ir.Column, values: tuple[Any, ...], kind: dt.DataType) -> pd.Series:
    """Return those declared values that a column of this type can hold."""
    if kind.is_string():
        return pd.Series([value for value in values if isinstance(value, str)], dtype=object)
    numbers = [value for value in values if isinstance(value, Real | Decimal)]
    if kind.is_integer():
        dtype = np.dtype(kind.to_pandas())
        limits = np.iinfo(dtype)
        held = {int(v) for v in numbers if v == v // 1 and limits.min <= v <= limits.max}
        return pd.Series(sorted(held), dtype=dtype)
    if column.type().is_floating():
        dtype = kind.to_pandas() if kind.is_floating() else np.dtype('float64')
        return pd.Series([float(number) for number in numbers], dtype=dtype).drop_duplicates()
    raise _refusal(column, 'cast it to text in the table expression')


def _code_of_bin(column: ir.Column, encoder: Encoder) -> ir.IntegerValue:
    lowest, starts = steps(encoder, _line(column, encoder))
    if not column.type().is_integer() or not _one_by_one(lowest, starts):
        return _look_up(column, lowest, starts)
    (first, code), (last, highest) = starts[0], starts[-1]
    return ibis.cases(
        (column < first, lowest), (column > last, highest), else_=column - (first - code)
    )


def _one_by_one(lowest: int, starts: list[tuple[int, int]]) -> bool:
    """Whether every whole number from the first start to the last has a code of its own."""
    numbers, codes = zip(*starts, strict=True) if starts else ((), ())
    first = numbers[0] if numbers else 0
    return (
        len(starts) > 1
        and codes == tuple(range(lowest + 1, lowest + 1 + len(codes)))
        and numbers == tuple(range(first, first + len(numbers)))
    )


def _line(column: ir.Column, encoder: Any) -> Line:
    kind = column.type()
    if kind.is_timestamp():
        return _moments(column, encoder)
    if hasattr(encoder, 'instants') or not kind.is_numeric():
        raise _refusal(column, 'cast it to a timestamp or a date in the table expression')
    return whole_numbers(np.dtype(kind.to_pandas())) if kind.is_integer() else real_numbers()


def _moments(column: ir.Column, encoder: Any) -> Line:
    zone = column.type().timezone
    if zone not in (None, 'UTC') and not encoder.instants:
        raise _refusal(
            column,
            'give range_min and range_max an offset, as in 2024-01-31 00:00:00+00:00, or cast it '
            'to a timestamp without time zone in the table expression',
        )
    return moments(zone is not None)


def _look_up(column: ir.Column, lowest: int, starts: list[tuple[Any, int]]) -> ir.IntegerValue:
    """Return a binary search for the last start that is not above the value."""
    if not starts:
        return ibis.literal(lowest)
    middle = len(starts) // 2
    start, code = starts[middle]
    return ibis.ifelse(
        column >= _constant(start),
        _look_up(column, code, starts[middle + 1 :]),
        _look_up(column, lowest, starts[:middle]),
    )


def _code_of_even_cell(column: ir.Column, cells: EvenCells) -> ir.IntegerValue:
    """Return the cell by arithmetic: there are too many to look up."""
    number = column.cast('float64')
    low, high, width = (_constant(float(x)) for x in (cells.low, cells.high, cells.width))
    clipped = ibis.ifelse(number < low, low, ibis.ifelse(number > high, high, number))
    cell = ((clipped - low) / width).floor()
    last = cells.num_cells - 1
    return ibis.ifelse(cell > last, last, cell.cast('int64'))


def _constant(value: Any) -> ir.Scalar:
    if isinstance(value, float):
        # As text it is read as the float it is; as a number some databases take it for a decimal.
        return ibis.literal(repr(value)).cast('float64')
    if isinstance(value, pd.Timestamp):
        zone = None if value.tzinfo is None else 'UTC'
        return ibis.literal(value.isoformat(sep=' ')).cast(dt.Timestamp(timezone=zone))
    return ibis.literal(value)


def _refusal(column: ir.Column, remedy: str) -> PrivateDataError:
    return PrivateDataError(
        f"Column '{column.get_name()}' has the type {column.type()}, for which a database does not "
        f'give the same codes as everything else: {remedy}; or count it here, with '
        'fit_table(table.to_pyarrow_batches()).'
    )
