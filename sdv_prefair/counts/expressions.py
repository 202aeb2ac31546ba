"""Encoders as expressions that a database evaluates: the same codes, computed where rows are.

They consist of comparisons with public constants, so that a database's codes are those of the
encoder to the last bit, whatever arithmetic it has. (Some grids have too many cells for that.)
"""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir
import numpy as np
import pandas as pd

from sdv_prefair.counts.cells import ALL_WHOLE, DecimalCells, MonthCells, NullCells
from sdv_prefair.counts.exact_text import digits_of, exact_form, is_written
from sdv_prefair.counts.fine_cells import FineCells, MomentCells
from sdv_prefair.counts.source import Encoder
from sdv_prefair.counts.thresholds import Line, moments, real_numbers, steps, whole_numbers
from sdv_prefair.errors import PrivateDataError

# Decimals of so few digits become the same float everywhere.
_EXACT_DIGITS = 15
_NANOSECONDS = 9
# Databases that have no NaN, nor a way to ask for it; and those in which a decimal may be one.
_WITHOUT_NAN = {'mysql', 'sqlite', 'mssql', 'exasol'}
_DECIMAL_NAN = {'postgres', 'materialize', 'risingwave'}


def code_expression(
    column: ir.Column, encoder: Encoder, dialect: str | None = None
) -> ir.IntegerValue:
    """Return the code of each value of a column.

    Args:
        column: A column of an ibis table.
        encoder: A transformer, or a grid of ``counts.cells``.
        dialect: The database in ibis' words; that of the table if None.

    Raises:
        PrivateDataError: If codes of this type cannot be had exactly; names the column.
    """
    null = ibis.literal(encoder.unread_code)
    if column.type().is_null():
        return null
    if column.type().is_string() and hasattr(encoder, 'values'):
        return ibis.ifelse(column.isnull(), null, _code_of_text(column, encoder, dialect))
    column = _readable(column, dialect)
    return ibis.ifelse(column.isnull(), null, _code(column, encoder))


def _readable(column: ir.Column, dialect: str | None) -> ir.Column:
    """Return the column with null for what is no number, and for moments beyond every calendar.

    Databases have moments such as 'infinity', of which there is no year, and which cannot be cast.
    """
    kind = column.type()
    if kind.is_floating() and _name(column, dialect) not in _WITHOUT_NAN:
        unreadable = column.isnan()
    elif kind.is_decimal() and _name(column, dialect) in _DECIMAL_NAN:
        unreadable = column.cast('float64').isnan()
    elif kind.is_date() or kind.is_timestamp():
        first, last = (_constant(end) for end in _ends(kind))
        compared = column
        if kind.is_timestamp() and kind.scale is None:  # nanoseconds would not reach these ends
            compared = column.cast(dt.Timestamp(scale=6, timezone=kind.timezone))
        unreadable = (compared < first) | (compared > last)
    else:
        return column
    return ibis.ifelse(unreadable, ibis.null(kind), column).name(column.get_name())


def _name(column: ir.Column, dialect: str | None) -> str:
    return dialect or str(column.get_backend().name)


def _ends(kind: dt.DataType) -> tuple[pd.Timestamp | date, pd.Timestamp | date]:
    """Return the first and last moment of a type that is read, as ``readable`` reads Arrow's."""
    if kind.is_date():
        return date.min, date.max
    if kind.scale == _NANOSECONDS:
        return pd.Timestamp.min.ceil('s'), pd.Timestamp.max.floor('s')
    if kind.timezone is None:
        return pd.Timestamp(datetime.min), pd.Timestamp(datetime.max)
    day = timedelta(days=1)  # of an instant some clocks show another
    return (
        pd.Timestamp(datetime.min + day, tz='UTC'),
        pd.Timestamp(datetime.max - day, tz='UTC'),
    )


def _code(column: ir.Column, encoder: Any) -> ir.IntegerValue:
    if isinstance(encoder, NullCells):
        return ibis.literal(0)
    if column.type().is_boolean():
        codes = encoder.encode(pd.Series([False, True])).tolist()
        return ibis.ifelse(column, codes[1], codes[0])
    if isinstance(encoder, FineCells):
        return _code_of_fine_cell(_as_floats(column), encoder)
    if isinstance(encoder, DecimalCells) and encoder.places is not None:
        return _code_of_decimals(_as_floats(column), encoder)
    if isinstance(encoder, MomentCells):
        return _code_of_moment(column, encoder)
    if isinstance(encoder, MonthCells):
        return _code_of_month(column, encoder)
    return (_code_of_value if hasattr(encoder, 'values') else _code_of_bin)(column, encoder)


def _as_floats(column: ir.Column) -> ir.FloatingValue:
    kind = column.type()
    if not kind.is_numeric():  # or a text that is no number would end the query
        raise _refusal(column, 'cast it to a number in the table expression')
    if kind.is_decimal() and not (kind.precision or _EXACT_DIGITS + 1) <= _EXACT_DIGITS:
        digits = f'a decimal of at most {_EXACT_DIGITS} digits'
        raise _refusal(column, f'cast it to double or to {digits} in the table expression')
    return column.cast('float64')


# -- values -----------------------------------------------------------------------------------


def _code_of_value(column: ir.Column, encoder: Any) -> ir.IntegerValue:
    values = _declared(column, encoder.values)
    kind = column.type()
    compared = _as_floats(column) if kind.is_floating() or kind.is_decimal() else column
    return _chosen(compared, map(_constant, values.tolist()), values, encoder)


def _code_of_text(column: ir.Column, encoder: Any, dialect: str | None) -> ir.IntegerValue:
    """Return codes of texts, told apart by their bytes: a collation may call 'a' and 'A' equal."""
    values = _declared(column, encoder.values)
    constants = (ibis.literal(value) for value in map(digits_of, values))
    return _chosen(exact_form(column, dialect).upper(), constants, values, encoder)


def _chosen(
    compared: ir.Column, constants: Iterable[ir.Scalar], values: pd.Series, encoder: Any
) -> ir.IntegerValue:
    """Return the code of that value whose constant is found, else that of all others."""
    other = encoder.unread_code if encoder.other_code is None else encoder.other_code
    pairs = list(zip(constants, encoder.encode(values).tolist(), strict=True))
    return compared.cases(*pairs, else_=other) if pairs else ibis.literal(other)


def _declared(column: ir.Column, values: tuple[Any, ...]) -> pd.Series:
    """Return those declared values that a column of this type can hold."""
    kind = column.type()
    if kind.is_string():
        texts = [value for value in values if isinstance(value, str) and is_written(value)]
        return pd.Series(texts, dtype=object)
    if not kind.is_numeric():
        raise _refusal(column, 'cast it to text in the table expression')
    numbers: list[Any] = [value for value in values if isinstance(value, Real | Decimal)]
    if kind.is_integer():
        dtype = np.dtype(kind.to_pandas())
        limits = np.iinfo(dtype)
        held = {int(v) for v in numbers if v == v // 1 and limits.min <= v <= limits.max}
        whole: pd.Series = pd.Series(sorted(held), dtype=dtype)
        return whole
    dtype = kind.to_pandas() if kind.is_floating() else np.dtype('float64')
    return pd.Series([float(number) for number in numbers], dtype=dtype).drop_duplicates()


# -- bins -------------------------------------------------------------------------------------


def _code_of_bin(column: ir.Column, encoder: Any) -> ir.IntegerValue:
    kind = column.type()
    if kind.is_temporal():
        lowest, starts = steps(encoder, _moments(column, encoder))
        compared = column.cast(dt.Timestamp(scale=6)) if kind.is_date() else column
        return _look_up(compared, lowest, starts)
    if hasattr(encoder, 'instants') or not kind.is_numeric():
        raise _refusal(column, 'cast it to a timestamp or a date in the table expression')
    if not kind.is_integer():
        return _look_up(_as_floats(column), *steps(encoder, real_numbers()))
    lowest, starts = steps(encoder, whole_numbers(np.dtype(kind.to_pandas())))
    if _one_by_one(lowest, starts):
        return _counted_from(column, lowest, starts)
    return _look_up(column, lowest, starts)


def _moments(column: ir.Column, encoder: Any) -> Line:
    kind = column.type()
    if not kind.is_timestamp() and not kind.is_date():
        raise _refusal(column, 'cast it to a timestamp or a date in the table expression')
    zone = kind.timezone if kind.is_timestamp() else None
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


def _one_by_one(lowest: int, starts: list[tuple[int, int]]) -> bool:
    """Whether every whole number from the first start to the last has a code of its own."""
    if len(starts) < 2 or starts[-1][0] >= 2**63:
        return False
    first = starts[0][0]
    return starts == [(first + step, lowest + 1 + step) for step in range(len(starts))]


def _counted_from(
    column: ir.IntegerColumn, lowest: int, starts: list[tuple[int, int]]
) -> ir.IntegerValue:
    first, last = starts[0][0], starts[-1][0]
    code = column.cast('int64') - (first - lowest - 1)
    return ibis.cases((column < first, lowest), (column > last, starts[-1][1]), else_=code)


# -- grids of which a domain is learnt ----------------------------------------------------------


def _code_of_fine_cell(number: ir.FloatingValue, cells: FineCells) -> ir.IntegerValue:
    """Return the cell by arithmetic: there are too many to look up."""
    low, high, first, width = (
        _constant(float(x)) for x in (cells.low, cells.high, cells.first, cells.width)
    )
    place = ibis.ifelse(number < low, low, ibis.ifelse(number > high, high, number))
    if cells.scale is not None:
        place = _rounded(place * _constant(float(cells.scale)))
    last = cells.num_even - 1
    even = ((place - first) / width).floor().cast('int64')
    code = ibis.ifelse(even > last, last, even)
    for single in map(_constant, map(float, cells.singles)):
        code = code + (place >= single).cast('int64') + (place > single).cast('int64')
    return code


def _code_of_decimals(number: ir.FloatingValue, cells: DecimalCells) -> ir.IntegerValue:
    size = _look_up(number, *steps(cells.by_size, real_numbers()))
    most = cells.places or 0
    is_small = number.abs() < _constant(ALL_WHOLE)
    small = ibis.ifelse(is_small, number, _constant(0.0))
    told = []
    for places in range(most + 1):
        scale = _constant(10.0**places)
        told.append((_rounded(small * scale) / scale == small, places))
    decimals: ir.IntegerValue = ibis.cases(*told, else_=most + 1)
    return size * cells.num_kinds + decimals


def _rounded(number: ir.FloatingValue) -> ir.FloatingValue:
    """Return floats rounded to whole ones.

    Databases round down to integers of 64 bits and fail on what does not fit, so that one row would
    decide whether there is an answer. Floats that large are whole already.
    """
    is_whole = number.abs() >= _constant(ALL_WHOLE)
    small = ibis.ifelse(is_whole, _constant(0.0), number)
    down = (small + _constant(0.5)).floor().cast('float64')
    return ibis.ifelse(is_whole, number, down)


def _code_of_moment(column: ir.Column, cells: MomentCells) -> ir.IntegerValue:
    _moments(column, cells)  # refuses types of which this would be another clock
    moments = column.cast(dt.Timestamp(scale=6)) if column.type().is_date() else column
    seconds = moments.truncate('s').epoch_seconds().cast('int64') - cells.first
    last = cells.num_cells - 1
    return ibis.cases(
        (seconds < 0, 0),
        (seconds >= last * cells.length, last),
        else_=(seconds.cast('float64') / _constant(float(cells.length))).floor().cast('int64'),
    )


def _code_of_month(column: ir.Column, cells: MonthCells) -> ir.IntegerValue:
    kind = column.type()
    if not kind.is_date() and not (kind.is_timestamp() and kind.timezone is None):
        raise _refusal(
            column,
            'declare its range_min and range_max in the metadata, or cast it to a date or to a '
            'timestamp without time zone in the table expression',
        )
    months = (column.year() - 1970) * 12 + column.month() - 1 - cells.first
    last = cells.num_cells - 1
    return ibis.cases((months < 0, 0), (months > last, last), else_=months)


# -- constants ----------------------------------------------------------------------------------


def _constant(value: Any) -> ir.Scalar:
    if isinstance(value, float):
        # As text it is read as the float it is; as a number some databases take it for a decimal.
        return ibis.literal(repr(value)).cast('float64')
    if isinstance(value, pd.Timestamp):
        zone = None if value.tzinfo is None else 'UTC'
        return ibis.literal(value.isoformat(sep=' ')).cast(dt.Timestamp(timezone=zone))
    is_long = isinstance(value, int) and value >= 2**63
    return ibis.literal(value, type='uint64' if is_long else None)


def _refusal(column: ir.Column, remedy: str) -> PrivateDataError:
    return PrivateDataError(
        f"Column '{column.get_name()}' has the type {column.type()}, for which a database does not "
        f'give the same codes as everything else: {remedy}; or count it here, with '
        'fit_table(table.to_pyarrow_batches()).'
    )
