"""Dtypes: which cells they hold, and text typed by the metadata alone."""

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.columns._cells import as_float, boxed
from sdv_prefair.errors import DomainError

# -- What a column's dtype implies, and how values are cast back to it -----------------------------
#
# Column names and dtypes are treated as public schema. One dtype is not: a ``CategoricalDtype``
# lists the values of the data, in an order and of a type that pandas may have inferred from rows,
# so it never gets past ``public_dtype``. Only that the column is a category, and whether it is
# ordered, is kept. The metadata says which values it lists, and in which order.


def public_dtype(dtype: Any, values: Sequence[Any] | None = None) -> Any:
    """Return ``dtype`` without the categories it may list.

    Args:
        dtype: A column's dtype, or None if it is not known.
        values: Declared or learnt values. A category dtype is returned with these as its
            categories, in their order; without them as None: the type of its categories
            is not known.
    """
    if dtype is None:
        return None
    dtype = pd.api.types.pandas_dtype(dtype)
    if isinstance(dtype, pd.CategoricalDtype):
        return None if values is None else _category_of(values, dtype.ordered)
    if isinstance(dtype, pd.ArrowDtype) and pa.types.is_dictionary(dtype.pyarrow_dtype):
        return pd.ArrowDtype(dtype.pyarrow_dtype.value_type)
    return dtype


def _category_of(values: Sequence[Any], ordered: bool | None) -> pd.CategoricalDtype:
    try:
        return pd.CategoricalDtype(list(values), ordered)
    except ValueError:
        raise DomainError(
            'a category dtype cannot hold the declared values: pandas treats some of them as '
            'equal, such as 1 and True. Declare range_values of one type.'
        ) from None


def unlisted_category(dtype: Any) -> pd.CategoricalDtype | None:
    """Return a category that lists nothing if ``dtype`` is a category, else None.

    A column cast to it becomes a category of whatever values it then holds.
    """
    if not isinstance(dtype, pd.CategoricalDtype):
        return None
    return pd.CategoricalDtype(ordered=dtype.ordered)


def holds_nulls(dtype: Any) -> bool:
    """Whether a column of this dtype can hold a null: numpy's integers and booleans cannot."""
    return not (isinstance(dtype, np.dtype) and dtype.kind in 'iub')


def is_integer(dtype: Any) -> bool:
    """Whether the dtype, if known, holds integers only."""
    return dtype is not None and pd.api.types.is_integer_dtype(dtype)


def decimal_scale(dtype: Any) -> int | None:
    """Return the number of decimals that the dtype itself fixes, if it does."""
    if is_integer(dtype):
        return 0
    if isinstance(dtype, pd.ArrowDtype) and pa.types.is_decimal(dtype.pyarrow_dtype):
        scale: int = dtype.pyarrow_dtype.scale
        return scale
    return None


def largest_decimal(dtype: Any) -> float:
    """Return the largest number that a dtype of decimals holds, infinity for all other dtypes."""
    if not isinstance(dtype, pd.ArrowDtype) or not pa.types.is_decimal(dtype.pyarrow_dtype):
        return math.inf
    kind = dtype.pyarrow_dtype
    exact = Fraction(10**kind.precision - 1) / Fraction(10) ** kind.scale
    nearest = float(exact)
    # Parsed from its digits: the float of 999.99 is slightly less than the decimal.
    return nearest if Fraction(repr(nearest)) <= exact else math.nextafter(nearest, 0)


def holds_value(dtype: Any, value: Any) -> bool:
    """Whether a column of this dtype, if it is known, shows the value as it is."""
    dtype = public_dtype(dtype)
    if dtype is None or pd.api.types.is_object_dtype(dtype):
        return True
    try:
        held = pd.Series(cast(natural_array([value]), np.zeros(1, dtype=bool), dtype)).iloc[0]
        return bool(held == value) and isinstance(held, str) == isinstance(value, str)
    except (TypeError, ValueError, OverflowError, NotImplementedError, pa.ArrowException):
        return False


def cast(values: Any, nulls: np.ndarray, dtype: Any) -> Any:
    """Return an array of ``dtype`` with ``values``, and its kind of null wherever ``nulls`` says.

    Without a dtype, or with one that cannot hold the nulls, the array has the dtype pandas would
    choose: floats for integers with nulls, objects for booleans with nulls.
    """
    if dtype is None:
        dtype = values.dtype
    if nulls.any():
        dtype = _dtype_with_nulls(dtype)
    if nulls.any() and nulls.all():  # there may be no value to cast
        array = pd.Series([_null_of(dtype)] * len(nulls), dtype=dtype).array
        return np.asarray(array) if isinstance(dtype, np.dtype) else array
    if is_integer(dtype) and values.dtype != dtype:
        values = _within(values, np.iinfo(getattr(dtype, 'numpy_dtype', dtype)))
    elif values.dtype.kind == 'i' and largest_decimal(dtype) < math.inf:
        # Arrow asks for 19 digits of integers, always.
        values = pd.Series(values).astype(pd.ArrowDtype(pa.decimal256(76, decimal_scale(dtype))))
    array = pd.Series(values, copy=True).astype(dtype).array
    if nulls.any():
        array[nulls] = _null_of(dtype)
    return np.asarray(array) if isinstance(dtype, np.dtype) else array


def _within(values: Any, limits: 'np.iinfo[Any]') -> Any:
    """Return numbers clipped to the limits of another dtype, where their own dtype reaches them."""
    low, high = int(limits.min), int(limits.max)
    if values.dtype.kind in 'iu':  # older versions of numpy cannot compare it with values beyond it
        own = np.iinfo(values.dtype)
        low, high = max(low, int(own.min)), min(high, int(own.max))
    return np.clip(values, low, high)


def natural_array(values: Sequence[Any]) -> np.ndarray:
    """Return values of one kind as numpy's dtype of that kind, all others as objects."""
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return np.array(values, dtype=bool)
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    if kinds == {float}:
        return np.array(values, dtype=np.float64)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def read_numbers(column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of a column and where there is none.

    Which numpy dtype comes back depends on the column's dtype alone, never on its values, so that
    no row changes how another is read. Nulls hold an arbitrary number.
    """
    dtype: Any = column.dtype
    if not pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_complex_dtype(dtype):
        numbers = np.fromiter(map(as_float, boxed(column)), float, len(column))
        return numbers, np.isnan(numbers)
    if isinstance(dtype, np.dtype) and dtype.kind == 'f':
        return column.to_numpy(), np.isnan(column.to_numpy())
    if holds_nulls(dtype):
        nulls = column.isna().to_numpy()
        whole = pd.api.types.is_integer_dtype(dtype) or pd.api.types.is_bool_dtype(dtype)
        kind = dtype.numpy_dtype if whole else np.float64
        numbers = column.to_numpy(dtype=kind, na_value=0 if whole else np.nan)
        return numbers, nulls | (np.isnan(numbers) if not whole else False)
    return column.to_numpy(), np.zeros(len(column), dtype=bool)


def _dtype_with_nulls(dtype: Any) -> Any:
    if isinstance(dtype, np.dtype) and dtype.kind in 'iu':
        return np.dtype('float64')
    return np.dtype('O') if isinstance(dtype, np.dtype) and dtype.kind == 'b' else dtype


def _null_of(dtype: Any) -> Any:
    if isinstance(dtype, np.dtype):
        # In objects pandas and SDV write NaN, which to others is not the same as None.
        return pd.NaT if dtype.kind == 'M' else np.nan
    return dtype.na_value


# -- Numbers as people pass them: numpy's and fractions are as good as Python's own ----------------


def plain_number(value: Any) -> Any:
    """Return a numpy number or a fraction as Python's int or float; anything else unchanged.

    Arguments are stored, compared and written to files, so they are converted on arrival.
    Later checks decide whether they are numbers at all, and in range: a boolean, also one of
    numpy's, is returned unchanged and refused there.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]  # an array of no dimension is a number
    if isinstance(value, bool) or not isinstance(value, np.number | Fraction | Integral):
        return value
    if isinstance(value, Integral):
        return int(value)
    is_complex = isinstance(value, np.complexfloating)
    return complex(value) if is_complex else float(value)


# -- Adding columns to tables, whatever their names are --------------------------------------------
#
# ``DataFrame.assign(**columns)`` and ibis' ``mutate``, ``select`` and ``aggregate`` with keywords
# fail for a column named as one of their own parameters, such as 'self'.


def with_columns(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return a copy of a frame with some columns added or replaced."""
    made = frame.copy()
    for name, cells in columns.items():
        made[name] = cells
    return made


# -- String cells, typed by the metadata alone: those of a CSV file, and names of folders ----------
#
# Strings have no types. Types inferred from the cells would be private: one row with a word among
# numbers, or with an empty cell, would change the type of its column, and with it the code of every
# other row. So only an empty cell is missing, and each is converted on its own to the type in the
# metadata. Whatever cannot be converted is missing, or outside the domain.

# Integers up to here are exact as floats.
_LARGEST = 2.0**53
_DIGITS = re.compile(r'\s*[-+]?[0-9]{1,20}\s*')
_TRUTH = {'true': True, 'false': False, '1': True, '0': False}


def as_described(cells: pd.DataFrame, columns: Mapping[str, dict[str, Any]]) -> pd.DataFrame:
    """Return the table with the types that the metadata gives to its columns.

    Args:
        cells: Text, or null where a cell is empty.
        columns: The metadata of each column. Those that it does not describe stay text.
    """
    described = {column: d for column, d in columns.items() if column in cells}
    return with_columns(cells, {c: _convert(cells[c], d) for c, d in described.items()})


def _convert(cells: pd.Series, column: dict[str, Any]) -> pd.Series:
    if column['sdtype'] == 'numerical':
        return _numbers(cells, is_whole=column.get('decimal_places') == 0)
    if column['sdtype'] == 'boolean':
        return pd.Series([_truth(text) for text in cells], cells.index, dtype='boolean')
    return _declared(cells, column.get('range_values', ()))


def _numbers(cells: pd.Series, is_whole: bool) -> pd.Series:
    if is_whole:
        return pd.Series([_integer(text) for text in cells], cells.index, dtype='Int64')
    return pd.Series([_number(text) for text in cells], cells.index, dtype=float)


def _integer(text: Any) -> int | None:
    """Return the integer that a text is, or the nearest one; None beyond 64 bits."""
    if isinstance(text, str) and _DIGITS.fullmatch(text):
        number = int(text)
        return number if -(2**63) <= number < 2**63 else None
    nearest = _number(text)
    return round(nearest) if abs(nearest) <= _LARGEST else None


def _number(text: Any) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


def _truth(text: Any) -> bool | None:
    return _TRUTH.get(text.strip().lower()) if isinstance(text, str) else None


def _declared(cells: pd.Series, values: Sequence[Any]) -> pd.Series:
    """Return cells that are written like a declared value, or like an equal number, as that."""
    numbers = {float(v): v for v in values if isinstance(v, Real) and not isinstance(v, bool)}
    written = {str(value): value for value in values}

    def find(text: str) -> Any:
        return written[text] if text in written else numbers.get(_number(text), text)

    nulls = pd.isna(cells)
    found = [None if null else find(text) for text, null in zip(cells, nulls, strict=True)]
    return pd.Series(found, cells.index, dtype=object)
