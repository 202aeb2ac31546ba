"""The types of columns in a file that is written in parts.

Arrow infers the type of a column of objects from its values, and pandas writes timestamps in as
much detail as the others beside them need. In a part of a file that would depend on which values
happen to be in the part: integers in the first one would turn 2.5 in the next one into 2, and two
codes would look the same. So it is decided beforehand, by all values that a column can show.
"""

from collections.abc import Mapping
from typing import NoReturn

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.columns import ColumnCodes
from sdv_prefair.columns._telling import shown_values


def types_of_objects(columns: Mapping[str, ColumnCodes]) -> dict[str, pa.DataType]:
    """Return the Arrow type of each column of objects, by all values that it can show.

    Raises:
        ValueError: If the values of a column have several types.
    """
    shown = {column: shown_values(codes).rename(column) for column, codes in columns.items()}
    types = {c: arrow_type(values) for c, values in shown.items() if _holds_objects(values)}
    # Of a column that shows no value but null, the dtype is what there is to go by.
    return {column: kind for column, kind in types.items() if not pa.types.is_null(kind)}


def check_objects(part: pd.DataFrame, schema: pa.Schema, known: Mapping[str, pa.DataType]) -> None:
    """Raise for objects that a schema would change, in columns whose values nobody knows.

    Args:
        part: A part of a table.
        schema: Of the parts before it.
        known: The types of columns of which all values are known.
    """
    for column in part.columns.difference(list(known)):
        if part[column].dtype == object:
            found, wanted = arrow_type(part[column]), schema.field(column).type
            fits = pa.types.is_integer(found) and pa.types.is_floating(wanted)
            if not (found == wanted or pa.types.is_null(found) or fits):
                _refuse(column)


def arrow_type(values: pd.Series) -> pa.DataType:
    """Return the type in which Arrow stores values.

    Raises:
        ValueError: If there is none, as they have several types.
    """
    try:
        return pa.Array.from_pandas(values).type
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        _refuse(values.name)


def shown_moments(columns: Mapping[str, ColumnCodes]) -> dict[str, pd.Series]:
    """Return timestamps as detailed as a column can show, of each column of timestamps."""
    shown = {column: shown_values(codes) for column, codes in columns.items()}
    return {column: values for column, values in shown.items() if is_moments(values)}


def is_moments(values: pd.Series) -> bool:
    """Whether pandas writes these values in as much detail as all of them need."""
    return isinstance(values.dtype, pd.DatetimeTZDtype) or (
        isinstance(values.dtype, np.dtype) and values.dtype.kind == 'M'
    )


def written_alike(moments: pd.Series, shown: pd.Series) -> pd.Series:
    """Return timestamps as text, in as much detail as those that the column can show need."""
    texts = pd.concat([shown.astype(moments.dtype), moments], ignore_index=True).astype(str)
    return texts[len(shown) :].set_axis(moments.index).where(moments.notna(), None)


def _holds_objects(values: pd.Series) -> bool:
    return bool(values.dtype == object) or isinstance(values.dtype, pd.CategoricalDtype)


def _refuse(column: object) -> NoReturn:
    raise ValueError(
        f"Column '{column}' holds values of several types, which a column of a Parquet file cannot "
        'hold. Write a .csv file instead.'
    ) from None
