"""Texts that a spreadsheet would take for formulas, made harmless.

A program that opens a CSV file runs cells that begin with certain characters. OWASP's advice is a
single quotation mark in front, which spreadsheets take for "this is text".
"""

import re
from typing import Any

import pandas as pd

# What has quotation marks in front already gets one more: otherwise '=1 and =1 would be one.
_FORMULA = re.compile("'*[=+@\t\r-]")


def escape_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with a quotation mark before every text that begins like a formula.

    Numbers, moments and booleans stay as they are, negative numbers too.
    """
    return table.assign(**{column: _escape(table[column]) for column in table.columns})


def _escape(column: pd.Series) -> pd.Series:
    types = pd.api.types
    is_category = isinstance(column.dtype, pd.CategoricalDtype)
    if not is_category and not types.is_object_dtype(column) and not types.is_string_dtype(column):
        return column
    return pd.Series([_harmless(value) for value in column], column.index, dtype=object)


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
