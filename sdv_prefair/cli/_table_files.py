"""Tables in files, parsed with the types of the metadata."""

import io
from pathlib import Path
from typing import IO

import pandas as pd
import pyarrow as pa
from sdv.metadata import Metadata

from sdv_prefair.counting._csv import (
    CsvFiles,
    check_described,
    check_names,
    check_separator,
    open_csv,
    read_names,
    reading_csv,
    text_blocks,
    undecodable_lines,
)
from sdv_prefair.counting._streams import check_plain_files

_PARQUET = b'PAR1'  # magic number; the file may have any name


def check_table(path: Path) -> None:
    """Raise unless there is something at the path that may be a table."""
    if not path.exists():
        raise FileNotFoundError(f"There is no file '{path}'. Correct the path.")
    if path.is_dir() and not any(map(_starts_as_parquet, path.rglob('*'))):
        raise ValueError(
            f"The folder '{path}' holds no Parquet files. Give a folder of these, or a file."
        )
    if is_parquet(path):
        check_plain_files(path)
    elif not _is_csv(path):
        raise ValueError(
            f"'{path}' must be a .csv, .tsv or .parquet file. A spreadsheet program "
            'writes one: save as CSV UTF-8.'
        )


def is_parquet(path: Path) -> bool:
    """Whether a path is a Parquet file or a folder, of Parquet files as it must be."""
    return path.is_dir() or path.suffix.lower() == '.parquet'


def _starts_as_parquet(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open('rb') as stream:
        return stream.read(len(_PARQUET)) == _PARQUET


def _is_csv(path: Path) -> bool:
    return any(suffix.lower() in ('.csv', '.tsv') for suffix in path.suffixes)


def read_table(path: Path, metadata: Metadata) -> pd.DataFrame:
    """Return the table of a CSV or Parquet file.

    Args:
        path: Ends in ``.csv``, ``.csv.gz`` or ``.parquet``, or is a folder of Parquet files.
        metadata: Types of the columns of a CSV file.
    """
    check_table(path)
    if is_parquet(path):
        return _read_parquet(path)
    (table,) = metadata.tables.values()
    files = CsvFiles([path], table.columns)
    parts = list(files.parts(files.names))
    return pd.concat(parts, ignore_index=True) if parts else files.empty


def read_cells(path: Path, metadata: Metadata | None = None) -> pd.DataFrame:
    """Return the cells of a CSV file as they are written; null where one is empty.

    Args:
        path: Of the file.
        metadata: Whose columns the file must have, if given.
    """
    with reading_csv(path), open_csv(path) as stream:
        names = read_names(path, stream)
        for table in () if metadata is None else metadata.tables.values():
            check_described(path, names, list(table.columns))
        return _all_text(stream, names)


def look_at_table(path: Path, has_names: bool = False) -> pd.DataFrame:
    """Return a table as pandas reads it without metadata: types are inferred from the rows.

    Args:
        path: Of the table.
        has_names: Whether the first line surely holds names, whatever it looks like.
    """
    check_table(path)
    if is_parquet(path):
        return _read_parquet(path)
    with reading_csv(path), open_csv(path) as stream:
        names = read_names(path, stream)
        check_separator(path, names)
        text = io.StringIO(_all_text(stream, names).to_csv(index=False))
        table = pd.read_csv(text, index_col=False)
        if not has_names:
            check_names(path, names, table)
    return table if names[0].strip() else table.iloc[:, 1:]


def holds_other_encoding(path: Path) -> bool:
    """Whether a CSV file has cells that are not UTF-8, which are read as null.

    Privacy: not private.
    """
    if is_parquet(path):
        return False
    with reading_csv(path), open_csv(path) as stream:
        return undecodable_lines(stream) > 0


def _all_text(stream: IO[bytes], names: list[str]) -> pd.DataFrame:
    cells = [block.to_pandas() for block in text_blocks(stream, names)]
    return pd.concat(cells, ignore_index=True) if cells else pd.DataFrame(columns=names)


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except (pa.ArrowException, ValueError, OSError):
        # Arrow's message could quote the file.
        raise ValueError(
            f"'{path}' cannot be read as Parquet. Write it again, or save it as CSV."
        ) from None
