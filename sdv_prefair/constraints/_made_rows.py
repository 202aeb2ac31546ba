"""Private rows transformed by user code: each on its own, with public types.

User code may fail on odd rows, and pandas infers the dtype of its results from the values. Either
would let one row affect the others. So the results for rows on which the code fails are null, all
other rows are what they would be without them, and columns have the dtypes that the same code
returns for public rows.
"""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.columns._cells import boxed
from sdv_prefair.columns._dtypes import is_integer, read_numbers
from sdv_prefair.columns._moments import is_temporal, read_micros, zone_of

Transform = Callable[[pd.DataFrame], pd.DataFrame]

# Integers up to here are exact as floats.
_LARGEST = 2.0**53


def make_rows(transform: Transform, frame: pd.DataFrame, dtypes: Mapping[str, Any]) -> pd.DataFrame:
    """Return the result of a row-wise transform, with nulls for rows on which it fails.

    Args:
        transform: Returns a row for each row, or raises.
        frame: Private rows.
        dtypes: The dtypes of the columns that it returns for public rows.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # its warnings depend on rows and may quote them
            made = transform(frame)
    except Exception:  # its message could quote the rows
        return _make_halves(transform, frame, dtypes)
    return pd.DataFrame(
        {column: typed(made[column], dtype).array for column, dtype in dtypes.items()},
        index=frame.index,
    )


def _make_halves(
    transform: Transform, frame: pd.DataFrame, dtypes: Mapping[str, Any]
) -> pd.DataFrame:
    """Find the rows on which the transform fails, by bisection."""
    if len(frame) <= 1:
        nulls = pd.Series([None] * len(frame), dtype=object)
        return pd.DataFrame({c: typed(nulls, d).array for c, d in dtypes.items()}, frame.index)
    middle = len(frame) // 2
    halves = [make_rows(transform, half, dtypes) for half in (frame[:middle], frame[middle:])]
    return pd.DataFrame(
        {c: _joined(halves[0][c], halves[1][c], d) for c, d in dtypes.items()}, index=frame.index
    )


def _joined(one: pd.Series, two: pd.Series, dtype: Any) -> Any:
    if one.dtype != two.dtype:  # one half of them may be nulls
        convert = _as_moments if is_temporal(dtype) else _as_numbers
        one, two = convert(one, dtype), convert(two, dtype)
    return pd.concat([one, two]).array


def typed(values: pd.Series, dtype: Any) -> pd.Series:
    """Return values as ``dtype``, or if there are nulls, as the nearest dtype that holds them.

    Row by row; a value that cannot be converted is null.
    """
    if values.dtype == dtype or isinstance(dtype, pd.CategoricalDtype):
        return values
    if pd.api.types.is_numeric_dtype(dtype):
        return _as_numbers(values, dtype)
    if is_temporal(dtype):
        return _as_moments(values, dtype)
    return pd.Series(boxed(values), values.index, dtype=object)


def _as_numbers(values: pd.Series, dtype: Any) -> pd.Series:
    numbers, nulls = read_numbers(values)
    is_boolean = pd.api.types.is_bool_dtype(dtype)
    if not is_integer(dtype) and not is_boolean:
        return pd.Series(np.where(nulls, np.nan, numbers.astype(np.float64)), values.index)
    if is_boolean:
        nulls = nulls | ~np.isin(numbers, (0, 1))
        return pd.Series(pd.arrays.BooleanArray(numbers == 1, nulls), values.index)
    if numbers.dtype.kind == 'f':
        nulls = nulls | ~(np.abs(numbers) <= _LARGEST)
        numbers = np.rint(np.where(nulls, 0, numbers))
    return pd.Series(pd.arrays.IntegerArray(numbers.astype(np.int64), nulls), values.index)


def _as_moments(values: pd.Series, dtype: Any) -> pd.Series:
    is_instant = zone_of(dtype) is not None
    micros, nulls = read_micros(values, None, is_instant)
    moments = pd.Series(micros.astype('datetime64[us]'), values.index).mask(nulls)
    return moments.dt.tz_localize('UTC') if is_instant else moments
