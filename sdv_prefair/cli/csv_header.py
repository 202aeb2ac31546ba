"""The first line of a CSV file: column names, or a row of somebody's values.

Names are public, and messages quote them. A file without a line of names has values there, so
nothing of a line is quoted before it is known to hold names.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

import pandas as pd

from sdv_prefair.cli.csv_lines import read_header

_REMEDY = 'Give the file a first line that names every column once.'


def read_names(path: Path, stream: IO[bytes]) -> list[str]:
    """Return the cells of the first line; raise if it is empty, or names no column, or one twice.

    Args:
        path: Of the file, for messages.
        stream: The file; it is left at its second line.
    """
    names = read_header(stream)
    if not names:
        raise ValueError(
            f"'{path}' is empty. Give a file with a first line of column names, and rows below it."
        )
    nameless = [number for number, name in enumerate(names, 1) if not name.strip()]
    if nameless:
        raise ValueError(
            f'{_columns(nameless, path)} no name in the first line: perhaps an index that pandas '
            f'wrote. {_REMEDY}'
        )
    repeated = [number for number, name in enumerate(names, 1) if names.count(name) > 1]
    if repeated:
        raise ValueError(f'{_columns(repeated, path)} a name that is there twice. {_REMEDY}')
    return names


def check_described(path: Path, names: Sequence[str], described: Sequence[str]) -> None:
    """Raise if hardly any column that the metadata describes is named: then these are no names."""
    missing = [column for column in described if column not in names]
    if 2 * len(missing) > len(described):
        raise ValueError(
            f"The first line of '{path}' must hold the column names, but of the metadata's columns "
            f'{missing} are not there. Add such a line, or correct the names.'
        )


def check_names(path: Path, names: Iterable[str], table: pd.DataFrame) -> None:
    """Raise if the first line looks like a row, judged without any metadata."""
    strange = [
        number
        for number, (name, column) in enumerate(zip(names, table, strict=True), 1)
        if _is_value(name) or _turns_up(name, table[column])
    ]
    if strange:
        raise ValueError(
            f'{_columns(strange, path)} what looks like a value in the first line, which must hold '
            'the names, as these become public: a number, a date, or what is in later rows too. '
            'Add a line of names, or change these.'
        )


def _columns(numbers: Sequence[int], path: Path) -> str:
    """Return columns by number: a name could be a value."""
    text = ', '.join(map(str, numbers))
    return (
        f"Column {text} of '{path}' has"
        if len(numbers) == 1
        else f"Columns {text} of '{path}' have"
    )


def _is_value(name: str) -> bool:
    text = name.strip().replace(',', '.')
    number = pd.to_numeric(pd.Series([text]), errors='coerce')
    if number.notna().all():
        return True
    has_digits = sum(letter.isdigit() for letter in text) >= 4
    return has_digits and pd.to_datetime(pd.Series([text]), errors='coerce').notna().all()


def _turns_up(name: str, column: pd.Series) -> bool:
    return column.dtype == object and bool((column == name).any())
