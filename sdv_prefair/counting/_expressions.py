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

from sdv_prefair.columns._grids import DecimalCells, FineCells, MomentCells, MonthCells, NullCells
from sdv_prefair.columns._lookups import ALL_WHOLE
from sdv_prefair.counting._compiled import Line, moments, real_numbers, steps, whole_numbers
from sdv_prefair.counting._frame import decoded
from sdv_prefair.counting._source import Encoder
from sdv_prefair.errors import PrivateDataError

# -- Strings in a database distinguished by their bytes, whatever its collation treats as equal.
#
# Under a collation such as NOCASE, a database groups 'a' and 'A' together and returns either of
# them, depending on the rows: a value that was not paid for. Two persons would count as one. The
# digits of the bytes are compared in the same way everywhere.


@ibis.udf.scalar.builtin(name='hex')
def _hex(text: str) -> str: ...


@ibis.udf.scalar.builtin(name='hex')
def _hex_of_bytes(data: bytes) -> str: ...


@ibis.udf.scalar.builtin(name='to_utf8')
def _to_utf8(text: str) -> bytes: ...


@ibis.udf.scalar.builtin(name='convert_to')
def _convert_to(text: str, encoding: str) -> bytes: ...


@ibis.udf.scalar.builtin(name='encode')
def _encode(data: bytes, form: str) -> str: ...


def _as_text(column: ir.Column) -> ir.Column:
    """Return a string column as text: what ibis considers a string may be an ENUM in PostgreSQL.

    In MariaDB and MySQL, the result is in the character set of the connection.
    """
    # ibis omits a cast to a column's own type.
    return column.cast(dt.String(nullable=not column.type().nullable))


_FORMS = {
    **dict.fromkeys(('duckdb', 'sqlite', 'clickhouse', 'pyspark', 'databricks'), _hex),
    **dict.fromkeys(('snowflake', 'impala'), _hex),
    'mysql': lambda text: _hex(_as_text(text)),
    'bigquery': lambda text: _hex_of_bytes(text.cast('binary')),
    **dict.fromkeys(('trino', 'athena'), lambda text: _hex_of_bytes(_to_utf8(text))),
    'postgres': lambda text: _encode(_convert_to(_as_text(text), 'UTF8'), 'hex'),
}

# ibis writes Spark's queries only within a session; DataFrames are handled elsewhere.
DATABASES = frozenset(_FORMS) - {'pyspark'}
"""Databases that queries are written for, in ibis' words: they tell texts apart by their bytes."""


def exact_form(column: ir.Column, dialect: str | None = None) -> ir.Column:
    """Return a form that distinguishes the values of a column: for strings, their bytes' digits.

    Args:
        column: A column of an ibis table.
        dialect: The database as ibis names it; by default that of the table.

    Raises:
        PrivateDataError: If it is unknown how a database writes bytes; names the column.
    """
    if not column.type().is_string():
        return column
    name = dialect or column.get_backend().name
    if name not in _FORMS:
        raise PrivateDataError(
            f"Column '{column.get_name()}' is text, and {name} may treat different text as equal. "
            'Let its rows be counted here, with fit_table(table, rows_stay=False).'
        )
    # SQLite writes a null like an empty string.
    return ibis.ifelse(column.notnull(), _FORMS[name](column), None)


def text_of(digits: str | None) -> str | None:
    """Return the string that ``exact_form`` has written; None if its bytes are not UTF-8."""
    return None if digits is None else decoded(bytes.fromhex(digits))


def is_written(text: str) -> bool:
    """Whether a string can be encoded: lone surrogates cannot, and no database stores them."""
    return not any('\ud800' <= character <= '\udfff' for character in text)


def digits_of(text: str) -> str:
    """Return the digits that ``exact_form`` writes for a string, in capital letters."""
    return text.encode().hex().upper()


# -- Building blocks of database expressions: constants, exact numbers, binary search --------------

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


# -- Grids for learning a domain, as expressions that a database evaluates -------------------------
#
# Where there are too many cells to compare with, values are first confined by comparisons with
# constants to where no operation on them overflows, underflows or cannot be cast: a database
# fails for one value that its arithmetic cannot take, and whether it fails would show the row.
# What is not confined is replaced before the operation, because databases may compute branches
# not taken.


_SECONDS_TO_1970 = 62_167_219_200


@ibis.udf.scalar.builtin(name='to_seconds')
def _to_seconds(moment: dt.timestamp) -> int: ...


def code_of_fine_cell(number: ir.FloatingValue, cells: FineCells) -> ir.IntegerValue:
    """Return the cell by arithmetic: there are too many to look up."""
    low, high, first, width = (
        constant(float(x)) for x in (cells.low, cells.high, cells.first, cells.width)
    )
    place = ibis.ifelse(number < low, low, ibis.ifelse(number > high, high, number))
    if cells.scale is not None:
        place = _rounded(place * constant(float(cells.scale)))
    last = cells.num_even - 1
    beyond = place - first
    # PostgreSQL fails where a quotient underflows; of this one it is known to be 1 or more.
    divided = ibis.ifelse(beyond < width, width, beyond)
    even = ibis.ifelse(beyond < width, 0, (divided / width).floor().cast('int64'))
    code = ibis.ifelse(even > last, last, even)
    for single in map(constant, map(float, cells.singles)):
        code = code + ibis.ifelse(place >= single, 1, 0) + ibis.ifelse(place > single, 1, 0)
    return code


def code_of_decimals(number: ir.FloatingValue, cells: DecimalCells) -> ir.IntegerValue:
    """Return the cell by size and number of decimals."""
    size = look_up(number, *steps(cells.by_size, real_numbers()))
    most = cells.places or 0
    is_small = number.abs() < constant(ALL_WHOLE)
    small = ibis.ifelse(is_small, number, constant(0.0))
    told = []
    for places in range(most + 1):
        scale = constant(10.0**places)
        told.append((_rounded(small * scale) / scale == small, places))
    decimals: ir.IntegerValue = ibis.cases(*told, else_=most + 1)
    return size * cells.num_kinds + decimals


def _rounded(number: ir.FloatingValue) -> ir.FloatingValue:
    """Return floats rounded to integral ones.

    Databases round down to 64-bit integers and fail if a value does not fit, so a single row would
    decide whether there is an answer. Floats that large are integral already.
    """
    is_whole = number.abs() >= constant(ALL_WHOLE)
    small = ibis.ifelse(is_whole, constant(0.0), number)
    down = (small + constant(0.5)).floor().cast('float64')
    return ibis.ifelse(is_whole, number, down)


def code_of_moment(column: ir.Column, cells: MomentCells, dialect: str) -> ir.IntegerValue:
    """Return the cell of a timestamp by arithmetic on seconds."""
    moment_line(column, cells)  # refuses types for which this would be another clock
    seconds = _seconds(column, dialect) - cells.first
    last = cells.num_cells - 1
    return ibis.cases(
        (seconds < 0, 0),
        (seconds >= last * cells.length, last),
        else_=(seconds.cast('float64') / constant(float(cells.length))).floor().cast('int64'),
    )


def _seconds(column: ir.Column, dialect: str) -> ir.IntegerValue:
    """Return the second of each timestamp, counted from 1970."""
    if dialect == 'mysql':  # its own count from 1970 ends in 2038, and starts again there
        return _to_seconds(column) - _SECONDS_TO_1970
    moments = column.cast(dt.Timestamp(scale=6)) if column.type().is_date() else column
    return moments.truncate('s').epoch_seconds().cast('int64')


def code_of_month(column: ir.Column, cells: MonthCells) -> ir.IntegerValue:
    """Return the cell of a month."""
    kind = column.type()
    if not kind.is_date() and not (kind.is_timestamp() and kind.timezone is None):
        raise refusal(
            column,
            'declare its range_min and range_max in the metadata, or cast it to a date or to a '
            'timestamp without time zone in the table expression',
        )
    months = (column.year() - 1970) * 12 + column.month() - 1 - cells.first
    last = cells.num_cells - 1
    return ibis.cases((months < 0, 0), (months > last, last), else_=months)


# -- Encoders as expressions that a database evaluates: the same codes, computed where rows are ----


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
