"""Parts of a table whose types differ: each cell is read as the table's description says.

pandas has no null among integers, so one null turns a part into floats; a part of nothing but
nulls has a type of its own. A part that is refused for that, or read in another way, would tell of
its rows. So no part is refused: what becomes of a cell depends on the description and on that cell.
"""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import types

from sdv_prefair.counts.file_types import value_type
from sdv_prefair.values.boxed import boxed
from sdv_prefair.values.dtypes import read_numbers
from sdv_prefair.values.objects import as_float

_TRUTH = {'True': True, 'False': False}


def as_described(part: pd.DataFrame, dtypes: pd.Series) -> pd.DataFrame:
    """Return a part of a table with columns that are read as those of the whole.

    Privacy: what becomes of a cell depends on public dtypes and on that cell alone.

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
    # Among objects an integer is one, however it was stored.
    cells = boxed(column)
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_numeric_dtype(column.dtype):
        cells = np.fromiter(map(_unwritten, cells), object, len(cells))
    return pd.Series(cells, column.index, dtype=object)


def _unwritten(cell: Any) -> Any:
    """Return a number or truth value that stands as text, as which Dask keeps objects."""
    if not isinstance(cell, str):
        return cell
    return _TRUTH[cell] if cell in _TRUTH else as_float(cell)


def _kind(dtype: Any) -> Any:
    """Return a dtype; of categories only that they are: which there are may differ."""
    return 'category' if isinstance(dtype, pd.CategoricalDtype) else dtype


def batch_as(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch with floats where a schema says so; all other columns keep their types.

    Privacy: what becomes of a cell depends on public types and on that cell alone.

    Args:
        batch: Some rows, of columns that the schema has.
        schema: That of the whole table.
    """
    for place, (name, stored) in enumerate(
        zip(batch.schema.names, batch.schema.types, strict=True)
    ):
        read = value_type(schema.field(name).type)
        if types.is_floating(read) and types.is_integer(stored):
            batch = batch.set_column(place, name, batch.column(place).cast(read, safe=False))
    return batch


def is_typed(field: pa.Field) -> bool:
    """Whether numbers of a column are floats even where they are whole, in all of its batches."""
    return bool(types.is_floating(value_type(field.type)))
