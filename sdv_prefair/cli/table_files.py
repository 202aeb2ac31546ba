"""Tables in files: read as the metadata means them, written whole or not at all."""

import csv
import io
import lzma
import zlib
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pandas as pd
import pyarrow as pa
from sdv.metadata import Metadata

from sdv_prefair.atomic_write import draft_of
from sdv_prefair.cli.csv_lines import (
    Cells,
    check_described,
    check_names,
    open_csv,
    read_names,
    read_records,
)
from sdv_prefair.counts.table_formats import check_plain_files
from sdv_prefair.values.text_cells import as_described

# What a file raises that is no CSV, or not compressed as its name says.
_UNREADABLE = (
    *(csv.Error, pd.errors.ParserError, UnicodeDecodeError, EOFError, OSError),
    *(zlib.error, lzma.LZMAError),
)
_CHUNK_ROWS = 100_000  # lines that are held as text at a time
_PARQUET = b'PAR1'  # what such a file starts with; its name may end in anything


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
        raise ValueError(f"'{path}' must be a .csv or .parquet file.")


def is_parquet(path: Path) -> bool:
    """Whether a path is a Parquet file or a folder, of Parquet files as it must be."""
    return path.is_dir() or path.suffix.lower() == '.parquet'


def _starts_as_parquet(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open('rb') as stream:
        return stream.read(len(_PARQUET)) == _PARQUET


def _is_csv(path: Path) -> bool:
    return '.csv' in (suffix.lower() for suffix in path.suffixes)


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
    with _reading_csv(path), open_csv(path) as stream:
        names = read_names(path, stream)
        check_described(path, names, list(table.columns))
        records = read_records(stream, len(names))
        return pd.concat(
            [as_described(cells, table.columns) for cells in _in_chunks(records, names)],
            ignore_index=True,
        )


def read_cells(path: Path) -> pd.DataFrame:
    """Return the cells of a CSV file as they are written; null where one is empty."""
    with _reading_csv(path), open_csv(path) as stream:
        names = read_names(path, stream)
        return pd.concat(_in_chunks(read_records(stream, len(names)), names), ignore_index=True)


def look_at_table(path: Path) -> pd.DataFrame:
    """Return a table as pandas reads it without metadata: types are guessed from the rows."""
    check_table(path)
    if is_parquet(path):
        return _read_parquet(path)
    with _reading_csv(path), open_csv(path) as stream:
        names = read_names(path, stream)
        cells = pd.concat(_in_chunks(read_records(stream, len(names)), names))
        text = io.StringIO(cells.to_csv(index=False))
        table = pd.read_csv(text, index_col=False)
        check_names(path, names, table)
    return table


def _in_chunks(records: Iterable[Cells], names: list[str]) -> Generator[pd.DataFrame, None, None]:
    """Yield frames of text, one at least: with no rows if there are none."""
    records = iter(records)
    rows = list(islice(records, _CHUNK_ROWS))
    yield pd.DataFrame(rows, columns=names, dtype=object)
    while rows := list(islice(records, _CHUNK_ROWS)):
        yield pd.DataFrame(rows, columns=names, dtype=object)


@contextmanager
def _reading_csv(path: Path) -> Generator[None, None, None]:
    """Say what is wrong with a file in words that quote nothing of it."""
    try:
        yield
    except _UNREADABLE as error:
        if getattr(error, 'strerror', None):  # the system's, which quotes nothing
            raise
        raise ValueError(
            f"'{path}' cannot be read as CSV. Save it as UTF-8, with commas between values and a "
            'first line of column names; or as Parquet.'
        ) from None


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except (pa.ArrowException, ValueError, OSError):
        # What Arrow says could quote the file.
        raise ValueError(
            f"'{path}' cannot be read as Parquet. Write it again, or save it as CSV."
        ) from None


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table as what the path's ending says."""
    with draft_of(path) as draft:
        if is_parquet(path):
            table.to_parquet(draft, index=False)
        else:
            table.to_csv(draft, index=False)
