"""How often each canonical value of a column occurs, in any kind of table."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from sdv_prefair.counts._arrow_columns import plain_array
from sdv_prefair.counts._readable import is_text
from sdv_prefair.values._boxed import boxed, is_arrow, object_of
from sdv_prefair.values._canonical import CanonicalValue, canonical_value

Tally = Counter[CanonicalValue]


def value_counts(column: pd.Series) -> Tally:
    """Return how often each value of a column occurs; nulls and objects without value are left out.

    Privacy: reads every row, each on its own; the result is private until ``frequent_values``
    thresholds it. One more row increases one count by one.
    """
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy()
        rows = np.bincount(codes[codes >= 0], minlength=len(dtype.categories))
        return tally_cells(boxed(dtype.categories), rows.tolist(), typed=False)
    if pd.api.types.is_object_dtype(dtype):
        texts = Counter(cell for cell in column if type(cell) is str)
        others = [cell for cell in column if type(cell) is not str]
        tally = tally_cells(texts, texts.values(), typed=False)
        return tally + tally_cells(others, [1] * len(others), typed=False)
    if is_arrow(dtype):
        return array_counts(pa.chunked_array(pa.array(column.array)).combine_chunks())
    if isinstance(dtype, np.dtype) and dtype.kind == 'f':
        column = column.astype(np.float64)  # pandas has no index of the shortest floats
    counts = column.dropna().value_counts(sort=False)
    return tally_cells(boxed(counts.index), counts.tolist())


def array_counts(array: pa.Array, typed: bool = True) -> Tally:
    """Return how often each value of an Arrow array occurs, as ``value_counts`` does.

    Args:
        array: The cells.
        typed: Whether the array has the type of its column.
    """
    counted = pc.value_counts(plain_array(array))
    values, rows = values_of(counted.field('values')), counted.field('counts').to_pylist()
    return tally_cells(values, rows, typed)


def tally_cells(cells: Iterable[Any], rows: Iterable[int], typed: bool = True) -> Tally:
    """Return the canonical values of cells, and how many rows have each.

    Args:
        cells: Values, possibly with repetitions.
        rows: In how many rows each occurs.
        typed: Whether the cells have the type of the column.
    """
    tally: Tally = Counter()
    for cell, count in zip(cells, rows, strict=True):
        value = canonical_value(cell, typed) if count else None
        if value is not None:
            tally[value] += count
    return tally


def decoded(text: bytes | None) -> str | None:
    """Return a string, or None if its bytes are invalid: one row must not stop the others."""
    try:
        return None if text is None else text.decode('utf-8')
    except UnicodeError:
        return None


def values_of(values: pa.Array) -> Iterable[Any]:
    """Return the values of an Arrow array, None for each that Python has no object for."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    values = plain_array(values)
    if is_text(values.type):
        return map(decoded, values.cast(_binary_of(values.type)).to_pylist())
    return map(object_of, values)


def _binary_of(kind: pa.DataType) -> pa.DataType:
    return pa.large_binary() if pa.types.is_large_string(kind) else pa.binary()
