"""String cells, typed by the metadata alone: those of a CSV file, and names of folders.

Strings have no types. Types inferred from the cells would be private: one row with a word among
numbers, or with an empty cell, would change the type of its column, and with it the code of every
other row. So only an empty cell is missing, and each is converted on its own to the type in the
metadata. Whatever cannot be converted is missing, or outside the domain.
"""

import math
import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import pandas as pd

from sdv_prefair.values._with_columns import with_columns

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
