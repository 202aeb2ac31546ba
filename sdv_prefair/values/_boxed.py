"""The cells of a typed column as Python objects, each on its own and without errors.

numpy and Arrow can store what Python cannot: timestamps beyond the years 1 to 9999, times of more
than a day, strings that are not UTF-8. Converting such a column to objects, pandas raises an
error that quotes the cell, or even crashes the process. Here each such cell is null.
"""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from sdv_prefair.values._arrays import Flags, Integers, Objects
from sdv_prefair.values._timestamp_reading import ZONED_LIMITS, in_micros


def is_arrow(dtype: Any) -> bool:
    """Whether columns of this dtype are stored by Arrow."""
    is_text_in_arrow = isinstance(dtype, pd.StringDtype) and dtype.storage.startswith('pyarrow')
    return is_text_in_arrow or isinstance(dtype, pd.ArrowDtype)


def boxed(column: pd.Series | pd.Index) -> Objects:
    """Return the cells of a column as objects; null where Python has no object for a cell.

    Privacy: what a cell becomes depends on that cell and the column's dtype alone.
    """
    dtype: Any = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = column.array.codes  # the index of a null is -1, which takes the last entry
        return _taken(_objects([*boxed(dtype.categories), None]), codes)
    if is_arrow(dtype):
        return _boxed_arrow(pa.chunked_array(pa.array(column.array)).combine_chunks())
    if pd.api.types.is_datetime64_any_dtype(dtype):
        moments = column.to_numpy(dtype=dtype.base)
        column = column.where(_is_held(moments, dtype))
    return column.to_numpy(dtype=object)


def object_of(value: pa.Scalar) -> object:
    """Return a value as a Python object, None if that is impossible."""
    try:
        return value.as_py()
    except Exception:  # values that Python cannot hold may raise anything
        return None


def _boxed_arrow(array: pa.Array) -> Objects:
    """Return the values of an Arrow array, reading each distinct one once."""
    try:
        encoded = array.dictionary_encode()
    except pa.ArrowNotImplementedError:  # of a type without comparison, such as a list
        return _objects([object_of(value) for value in array])
    objects = _objects([*map(object_of, encoded.dictionary), None])
    # The index of a null is -1, which takes the last entry.
    places = encoded.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return _taken(objects, places)


def _taken(objects: Objects, places: Integers) -> Objects:
    taken: Objects = objects[places]
    return taken


def _objects(values: list[Any]) -> Objects:
    array: Objects = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


def _is_held(moments: NDArray[np.datetime64], dtype: Any) -> Flags:
    """Return which timestamps Python can hold, by the clock of their zone."""
    micros = in_micros(moments)
    zone = getattr(dtype, 'tz', None)
    is_held: Flags = ~np.isnat(micros)
    if zone is None or str(zone) == 'UTC':
        return is_held
    first, last = ZONED_LIMITS
    steps = micros.astype(np.int64)
    is_held &= (first <= steps) & (steps <= last)
    return is_held
