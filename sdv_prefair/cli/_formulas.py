"""Escaping strings that a spreadsheet would run as formulas.

A program that opens a CSV file runs cells that begin with certain characters. OWASP's advice is a
single quotation mark in front, which spreadsheets read as "this is text".
"""

import re
from typing import Any

import pandas as pd

from sdv_prefair.columns._dtypes import with_columns

# A leading quotation mark gets one more: otherwise '=1 and =1 would become the same.
_FORMULA = re.compile("'*[=+@\t\r-]")


def escape_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with a quotation mark before every string that begins like a formula.

    Numbers, also negative ones, timestamps and booleans stay as they are.
    """
    return with_columns(table, {column: _escape(table[column]) for column in table.columns})


def _escape(column: pd.Series) -> pd.Series:
    types = pd.api.types
    is_category = isinstance(column.dtype, pd.CategoricalDtype)
    if not is_category and not types.is_object_dtype(column) and not types.is_string_dtype(column):
        return column
    return pd.Series([_harmless(value) for value in column], column.index, dtype=object)


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
