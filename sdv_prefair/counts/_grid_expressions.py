"""Grids for learning a domain, as expressions that a database evaluates.

Where there are too many cells to compare with, values are first confined by comparisons with
constants to where no operation on them overflows, underflows or cannot be cast: a database fails
for one value that its arithmetic cannot take, and whether it fails would show the row. What is not
confined is replaced before the operation, because databases may compute branches not taken.
"""

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir

from sdv_prefair.counts._cells import DecimalCells, MonthCells
from sdv_prefair.counts._database_values import constant, look_up, moment_line, refusal
from sdv_prefair.counts._fine_cells import FineCells, MomentCells
from sdv_prefair.counts._lookups import ALL_WHOLE
from sdv_prefair.counts._thresholds import real_numbers, steps

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
