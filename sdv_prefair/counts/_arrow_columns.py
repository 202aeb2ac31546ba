"""Arrow columns as input of encoders: the same codes as from pandas, without its objects.

Numbers, booleans and timestamps go to an encoder unchanged. All others, mainly strings, are
encoded value by value: a batch has few distinct ones, and often includes their dictionary.
"""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from sdv_prefair.counts._readable import is_text, readable
from sdv_prefair.counts._source import Encoder
from sdv_prefair.values._boxed import object_of

INTEGER_DTYPES = {
    pa.int8(): pd.Int8Dtype(),
    pa.int16(): pd.Int16Dtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
    pa.uint8(): pd.UInt8Dtype(),
    pa.uint16(): pd.UInt16Dtype(),
    pa.uint32(): pd.UInt32Dtype(),
    pa.uint64(): pd.UInt64Dtype(),
}


def encode_array(encoder: Encoder, array: pa.Array) -> np.ndarray:
    """Return the codes of an Arrow column: those of the same column in pandas."""
    array = plain_array(array)
    if types.is_null(array.type):
        return np.full(len(array), encoder.unread_code)
    if not types.is_dictionary(array.type) and _has_few_values(array.type):
        array = array.dictionary_encode()
    if not types.is_dictionary(array.type):
        return encoder.encode(series_of(array))
    of_value = encoder.encode(series_of(plain_array(array.dictionary)))
    # The index of a null is -1, which takes the last entry.
    of_value = np.append(of_value, np.array([encoder.unread_code], dtype=of_value.dtype))
    indices = array.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    codes: np.ndarray = of_value[indices]
    return codes


def plain_array(array: pa.Array) -> pa.Array:
    """Return an array of a type that Arrow's kernels and pandas support, with readable values."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)
    array = readable(array)
    if is_text(array.type) and not types.is_string(array.type):
        array = array.cast(pa.large_string())
    if types.is_binary_view(array.type):
        array = array.cast(pa.large_binary())
    return array


def series_of(array: pa.Array) -> pd.Series:
    """Return a plain Arrow array in pandas; integers stay integers even with nulls."""
    kind = array.type
    if kind in INTEGER_DTYPES:
        return _masked(array, INTEGER_DTYPES[kind])
    if types.is_boolean(kind):
        return _masked(array, pd.BooleanDtype())
    if is_text(kind) or types.is_date(kind) or types.is_decimal(kind):
        return pd.Series(pd.arrays.ArrowExtensionArray(array))
    if types.is_floating(kind) or types.is_timestamp(kind):
        return pd.Series(array.to_pandas())
    return _objects_of(array)


def series_as(array: pa.Array, dtype: Any) -> pd.Series:
    """Return an Arrow column in pandas, with the dtype that corresponds to its type."""
    array = plain_array(array)
    if types.is_dictionary(array.type):
        array = plain_array(array.dictionary_decode())
    column = pd.Series(array.to_pandas()) if is_text(array.type) else series_of(array)
    if column.dtype == dtype or (column.isna().any() and not _can_be_null(dtype)):
        return column
    return column.astype(dtype)


def _has_few_values(kind: pa.DataType) -> bool:
    """Whether reading each distinct value of this type once is better than reading every row."""
    as_they_are = (
        kind in INTEGER_DTYPES
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_timestamp(kind)
    )
    return not as_they_are and not types.is_nested(kind)


def _objects_of(array: pa.Array) -> pd.Series:
    """Return values of a type without a pandas equivalent as objects, null where unreadable."""
    values = np.empty(len(array), dtype=object)
    values[:] = [object_of(value) for value in array]
    return pd.Series(values)


def _masked(array: pa.Array, dtype: Any) -> pd.Series:
    if array.null_count:
        return pd.Series(dtype.__from_arrow__(array))
    return pd.Series(array.to_numpy(zero_copy_only=False))


def _can_be_null(dtype: Any) -> bool:
    return not (isinstance(dtype, np.dtype) and dtype.kind in 'iub')
