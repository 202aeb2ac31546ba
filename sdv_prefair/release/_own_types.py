"""Rows of a file in the types of the release: a file holds text, or types of its own.

A single-precision 0.1 is read from a CSV file as the double 0.1, a day that is stored as the
integer 20100131 as a string, as is a clock of Paris. What is written decides: a column has the
release's type if it is written with the same characters after it has been converted, or equals what
was read.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair._arrays import Objects
from sdv_prefair.columns import ColumnCodes
from sdv_prefair.columns._dtypes import with_columns


def in_own_types(
    rows: pd.DataFrame, columns: Mapping[str, ColumnCodes], cells: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return rows with the release's types, in columns that this leaves as they are written.

    Args:
        rows: The rows, as they were read.
        columns: The codes of the columns of the release.
        cells: The text of each cell, if there is any.
    """
    found = {}
    for column, codes in columns.items():
        if column not in rows or _is_own(rows[column], codes, cells):
            continue
        own = _held(rows[column] if cells is None else cells[column], codes)
        if own is not None:
            found[column] = own
    return with_columns(rows, found)


def _is_own(column: pd.Series, codes: ColumnCodes, cells: pd.DataFrame | None) -> bool:
    """Whether a column has values that the release can show, and none was lost."""
    is_lost = cells is not None and (column.isna() & cells[column.name].notna()).any()
    return bool(codes.is_declared(column).all()) and not is_lost


def as_written(rows: pd.DataFrame) -> Objects:
    """Return the lines of a CSV file of these rows."""
    return np.array(rows.to_csv(index=False, header=False).splitlines(), dtype=object)


def _held(column: pd.Series, codes: ColumnCodes) -> pd.Series | None:
    written = as_written(column.to_frame())
    for as_type in (_as_it_is, _as_flag, _as_integer, _as_number, _as_moment):
        try:
            read = as_type(column, codes.dtype)
            known = read[read.notna()]
            held = pd.Series(codes.hold(known), known.index, name=column.name)
            own = held.reindex(column.index)
        except (ValueError, TypeError, OverflowError, AttributeError):
            continue
        if _is_equal(read, own) or np.array_equal(written, as_written(own.to_frame())):
            return own
    return None


def _is_equal(read: pd.Series, own: pd.Series) -> bool:
    known = own.notna()
    try:
        same = bool((read[known] == own[known]).all())
    except (ValueError, TypeError):
        return False
    return same and bool((read.isna() == own.isna()).all())


def _as_it_is(column: pd.Series, dtype: Any) -> pd.Series:
    return column


def _as_flag(column: pd.Series, dtype: Any) -> pd.Series:
    flags = {'True': True, 'False': False}
    return pd.Series([flags.get(one, one) for one in column], column.index, dtype=object)


def _as_integer(column: pd.Series, dtype: Any) -> pd.Series:
    # Not by map, which would make floats of integers beside nulls.
    whole = [int(one) if isinstance(one, str) else one for one in column]
    return pd.Series(whole, column.index, dtype=object)


def _as_number(column: pd.Series, dtype: Any) -> pd.Series:
    return column.astype(float)


def _as_moment(column: pd.Series, dtype: Any) -> pd.Series:
    if getattr(dtype, 'tz', None) is None:
        return pd.to_datetime(column, format='ISO8601')
    return pd.to_datetime(column, utc=True, format='ISO8601').dt.tz_convert(dtype.tz)
