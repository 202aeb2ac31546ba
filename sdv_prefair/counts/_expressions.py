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
from ibis.common.exceptions import IbisError

from sdv_prefair.counts._cells import DecimalCells, MonthCells, NullCells
from sdv_prefair.counts._database_values import (
    as_floats,
    constant,
    look_up,
    moment_line,
    refusal,
)
from sdv_prefair.counts._exact_text import digits_of, exact_form, is_written
from sdv_prefair.counts._fine_cells import FineCells, MomentCells
from sdv_prefair.counts._grid_expressions import (
    code_of_decimals,
    code_of_fine_cell,
    code_of_moment,
    code_of_month,
)
from sdv_prefair.counts._source import Encoder
from sdv_prefair.counts._thresholds import real_numbers, steps, whole_numbers

_NANOSECONDS = 9
# Databases that have no NaN, nor a way to ask for it; and those in which a decimal may be one.
_WITHOUT_NAN = {'mysql', 'sqlite', 'mssql', 'exasol'}
_DECIMAL_NAN = {'postgres', 'materialize', 'risingwave'}


@ibis.udf.scalar.builtin(name='last_day')
def _last_day(moment: dt.timestamp) -> dt.date: ...


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
    if column.type().is_temporal() and _name(column, dialect) == 'sqlite':
        raise refusal(column, 'SQLite has no timestamp type and compares text')
    column = _readable(column, dialect)
    code = _code(column, encoder, _name(column, dialect))
    return ibis.ifelse(column.isnull(), null, code)


def _readable(column: ir.Column, dialect: str | None) -> ir.Column:
    """Return the column with null for whatever is not a number, or not in any calendar.

    Databases have timestamps such as 'infinity', which have no year and cannot be cast.
    """
    kind = column.type()
    if kind.is_floating() and _name(column, dialect) not in _WITHOUT_NAN:
        unreadable = column.isnan()
    elif kind.is_decimal() and _name(column, dialect) in _DECIMAL_NAN:
        unreadable = column.cast('float64').isnan()
    elif kind.is_date() or kind.is_timestamp():
        first, last = (constant(end) for end in _ends(kind))
        compared = column
        if kind.is_timestamp() and kind.scale is None:  # nanoseconds would not reach these ends
            compared = column.cast(dt.Timestamp(scale=6, timezone=kind.timezone))
        unreadable = (compared < first) | (compared > last)
        if _name(column, dialect) == 'mysql':  # which stores 2020-02-31 and 2020-00-00
            last_day = ibis.coalesce(_last_day(column).day(), 0)
            unreadable |= (column.day() == 0) | (column.day() > last_day)
    else:
        return column
    return ibis.ifelse(unreadable, ibis.null(kind), column).name(column.get_name())


def _name(column: ir.Column, dialect: str | None) -> str:
    """Return the database in ibis' words; none if a table is in no database yet."""
    try:
        return dialect or str(column.get_backend().name)
    except IbisError:
        return ''


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


def _code(column: ir.Column, encoder: Any, dialect: str) -> ir.IntegerValue:
    if isinstance(encoder, NullCells):
        return ibis.literal(0)
    if column.type().is_boolean():
        codes = encoder.encode(pd.Series([False, True])).tolist()
        return ibis.ifelse(column, codes[1], codes[0])
    if isinstance(encoder, FineCells):
        return code_of_fine_cell(as_floats(column), encoder)
    if isinstance(encoder, DecimalCells) and encoder.places is not None:
        return code_of_decimals(as_floats(column), encoder)
    if isinstance(encoder, MomentCells):
        return code_of_moment(column, encoder, dialect)
    if isinstance(encoder, MonthCells):
        return code_of_month(column, encoder)
    return (_code_of_value if hasattr(encoder, 'values') else _code_of_bin)(column, encoder)


# -- values -----------------------------------------------------------------------------------


def _code_of_value(column: ir.Column, encoder: Any) -> ir.IntegerValue:
    values = _declared(column, encoder.values)
    kind = column.type()
    compared = as_floats(column) if kind.is_floating() or kind.is_decimal() else column
    return _chosen(compared, map(constant, values.tolist()), values, encoder, _other(encoder))


def _code_of_text(column: ir.Column, encoder: Any, dialect: str | None) -> ir.IntegerValue:
    """Return codes of texts, told apart by their bytes: a collation may call 'a' and 'A' equal."""
    values = _declared(column, (*encoder.values, *encoder.missing))
    constants = (ibis.literal(value) for value in map(digits_of, values))
    digits = exact_form(column, dialect).upper()
    other = _other(encoder)
    if tails := getattr(encoder, 'tails', ()):
        # Of characters as of their bytes: what begins with the one begins with the other.
        codes = range(len(encoder.heads), len(encoder.heads) + len(tails))
        begins = [digits.startswith(ibis.literal(digits_of(tail))) for tail in tails]
        other = ibis.cases(*zip(begins, codes, strict=True), else_=other)
    return _chosen(digits, constants, values, encoder, other)


def _other(encoder: Any) -> int:
    return int(encoder.unread_code if encoder.other_code is None else encoder.other_code)


def _chosen(
    compared: ir.Column,
    constants: Iterable[ir.Scalar],
    values: pd.Series,
    encoder: Any,
    other: int | ir.IntegerValue,
) -> ir.IntegerValue:
    """Return the code of that value whose constant is found, else that of all others."""
    pairs = list(zip(constants, encoder.encode(values).tolist(), strict=True))
    if pairs:
        return compared.cases(*pairs, else_=other)
    return other if isinstance(other, ir.Value) else ibis.literal(other)


def _declared(column: ir.Column, values: tuple[Any, ...]) -> pd.Series:
    """Return those declared values that a column of this type can hold."""
    kind = column.type()
    if kind.is_string():
        texts = [value for value in values if isinstance(value, str) and is_written(value)]
        return pd.Series(texts, dtype=object)
    if not kind.is_numeric():
        raise refusal(column, 'cast it to text in the table expression')
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
        lowest, starts = steps(encoder, moment_line(column, encoder))
        compared = column.cast(dt.Timestamp(scale=6)) if kind.is_date() else column
        return look_up(compared, lowest, starts)
    if hasattr(encoder, 'instants') or not kind.is_numeric():
        raise refusal(column, 'cast it to a timestamp or a date in the table expression')
    if not kind.is_integer():
        return look_up(as_floats(column), *steps(encoder, real_numbers()))
    lowest, starts = steps(encoder, whole_numbers(np.dtype(kind.to_pandas())))
    if _one_by_one(lowest, starts):
        return _counted_from(column, lowest, starts)
    return look_up(column, lowest, starts)


def _one_by_one(lowest: int, starts: list[tuple[int, int]]) -> bool:
    """Whether every integer from the first start to the last has a code of its own."""
    if len(starts) < 2 or starts[-1][0] >= 2**63:
        return False
    first = starts[0][0]
    return starts == [(first + step, lowest + 1 + step) for step in range(len(starts))]


def _counted_from(
    column: ir.IntegerColumn, lowest: int, starts: list[tuple[int, int]]
) -> ir.IntegerValue:
    first, last = starts[0][0], starts[-1][0]
    inside = ibis.cases((column < first, first), (column > last, last), else_=column)
    code = inside.cast('int64') - (first - lowest - 1)
    return ibis.cases((column < first, lowest), (column > last, starts[-1][1]), else_=code)
