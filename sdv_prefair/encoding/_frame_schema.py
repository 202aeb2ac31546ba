"""Checks of a frame against the metadata, by names and types alone.

SDV's own validation reads values and prints them, and whether it fails may depend on a single row.
Here column names and types are public and the contents of rows are not, so nothing else is read.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
from pandas.api import types
from sdv.metadata.errors import InvalidMetadataError

from sdv_prefair.errors import DataFormError, PrivateDataError
from sdv_prefair.values._timestamp_reading import digits_of_format


def single_table(data: dict[str, pd.DataFrame], table_name: str) -> pd.DataFrame:
    """Return a shallow copy of the one table in ``data``, with string column names.

    The caller's frame stays unchanged, even if a later step fails.
    """
    if not isinstance(data, dict) or not all(isinstance(t, pd.DataFrame) for t in data.values()):
        raise DataFormError(
            f'The data must be a DataFrame, or a dictionary of DataFrames such as '
            f"{{'{table_name}': df}}."
        )
    if list(data) != [table_name]:
        raise DataFormError(
            f"The data must hold the one table '{table_name}' that the metadata describes, not "
            f'{list(data)}.'
        )
    table = data[table_name].copy(deep=False)
    table.columns = [str(column) for column in table.columns]
    return table


def integer_names(given: pd.Index, columns: Iterable[str]) -> pd.Index:
    """Return the caller's column names in the metadata's order if any is an integer.

    SDV restores these names in sampled tables; an empty index means that there are none to restore.
    """
    if not any(isinstance(name, int) for name in given):
        return pd.Index([])
    by_text = {str(name): name for name in given}
    return pd.Index([by_text[column] for column in columns])


def check_frame(table: pd.DataFrame, columns: Mapping[str, dict]) -> None:
    """Raise unless names and dtypes of the table fit the metadata's columns, and it has rows.

    Args:
        table: The private table. Its values are not read.
        columns: The metadata of each column.
    """
    check_columns(table, columns)
    if table.empty:
        raise PrivateDataError('The table has no rows. Give at least one.')


def check_columns(table: pd.DataFrame, columns: Mapping[str, dict]) -> None:
    """Raise unless names and dtypes of the table fit the metadata's columns."""
    if not columns:
        raise InvalidMetadataError('The metadata is empty. Add at least one column to it.')
    problems = _name_problems(list(table.columns), list(columns))
    if not problems:
        problems = [
            problem
            for column, column_metadata in columns.items()
            if (problem := _type_problem(column, table[column].dtype, column_metadata))
        ]
    if problems:
        raise PrivateDataError(problems)


def _name_problems(given: list[str], expected: list[str]) -> list[str]:
    problems = []
    if missing := [column for column in expected if column not in given]:
        problems.append(
            f'Columns {missing} are in the metadata but not in the data. Add them to '
            'the data or take them out of the metadata.'
        )
    if unknown := [column for column in given if column not in expected]:
        problems.append(
            f'Columns {unknown} are in the data but not in the metadata. Add them to the '
            'metadata or drop them from the data.'
        )
    if repeated := sorted({column for column in given if given.count(column) > 1}):
        problems.append(f'Columns {repeated} appear more than once in the data. Keep one of each.')
    return problems


def _type_problem(column: str, dtype: Any, column_metadata: dict) -> str | None:
    sdtype = column_metadata['sdtype']
    if types.is_object_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype):
        return None  # the types of cells or categories depend on the rows
    if sdtype == 'numerical' and not types.is_numeric_dtype(dtype):
        return _mismatch(column, sdtype, 'convert it with pandas.to_numeric')
    if sdtype == 'datetime':
        written = column_metadata.get('datetime_format')
        if not _may_hold_datetimes(dtype, written):
            return _mismatch(column, sdtype, 'convert it with pandas.to_datetime')
    return None


def _mismatch(column: str, sdtype: str, remedy: str) -> str:
    return (
        f"Column '{column}' is declared as '{sdtype}' but its dtype does not match: {remedy}, or "
        'change its sdtype in the metadata.'
    )


def _may_hold_datetimes(dtype: Any, datetime_format: str | None) -> bool:
    if types.is_numeric_dtype(dtype):  # such as 20240131
        return digits_of_format(datetime_format) is not None
    return (
        types.is_datetime64_any_dtype(dtype)
        or types.is_string_dtype(dtype)
        or any(word in str(dtype) for word in ('date', 'timestamp'))
    )
