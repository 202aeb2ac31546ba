"""Parts of a table with different types: each cell is read by the table's description.

pandas has no null among integers, so one null turns a part into floats; a part of nothing but nulls
has a type of its own. If such a part were refused, or read differently, that would reveal something
about its rows. So no part is refused: the result for a cell depends on the description and on that
cell alone.
"""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import types

from sdv_prefair.counts._file_types import value_type
from sdv_prefair.values._boxed import boxed
from sdv_prefair.values._dtypes import read_numbers
from sdv_prefair.values._objects import as_float

_TRUTH = {'True': True, 'False': False}


def as_described(part: pd.DataFrame, dtypes: pd.Series) -> pd.DataFrame:
    """Return a part of a table with its columns read as those of the whole table.

    Privacy: the result for a cell depends on public dtypes and on that cell alone.

    Args:
        part: Some rows.
        dtypes: The dtypes of the whole table.
    """
    return pd.DataFrame(
        {name: _column_as(part[name], dtypes[name]) for name in part.columns}, index=part.index
    )


def _column_as(column: pd.Series, dtype: Any) -> pd.Series:
    if _kind(column.dtype) == _kind(dtype):
        return column
    if pd.api.types.is_float_dtype(dtype):
        numbers, nulls = read_numbers(column)
        return pd.Series(np.where(nulls, np.nan, numbers.astype(np.float64)), column.index)
    # Among objects, an integer is an integer, however it was stored.
    cells = boxed(column)
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_numeric_dtype(column.dtype):
        cells = np.fromiter(map(_unwritten, cells), object, len(cells))
    return pd.Series(cells, column.index, dtype=object)


def _unwritten(cell: Any) -> Any:
    """Return a number or boolean that is stored as a string, as Dask stores objects."""
    if not isinstance(cell, str):
        return cell
    return _TRUTH[cell] if cell in _TRUTH else as_float(cell)


def _kind(dtype: Any) -> Any:
    """Return a dtype; for a category, without its values, which may differ."""
    return 'category' if isinstance(dtype, pd.CategoricalDtype) else dtype


def batch_as(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch with floats where a schema has them; all other columns keep their types.

    Privacy: the result for a cell depends on public types and on that cell alone.

    Args:
        batch: Some rows, with columns of the schema.
        schema: The schema of the whole table.
    """
    for place, (name, stored) in enumerate(
        zip(batch.schema.names, batch.schema.types, strict=True)
    ):
        read = value_type(schema.field(name).type)
        if types.is_floating(read) and types.is_integer(stored):
            batch = batch.set_column(place, name, batch.column(place).cast(read, safe=False))
    return batch


def is_typed(field: pa.Field) -> bool:
    """Whether all batches of a column have the same type, with integral floats as floats."""
    return bool(types.is_floating(value_type(field.type)))
