"""Tables in files: read as the metadata means them, written whole or not at all."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pyarrow as pa
from sdv.metadata import Metadata

from sdv_prefair.cli.csv_cells import as_described


def is_table(path: Path) -> None:
    """Raise unless there is a table at the path."""
    if not path.exists():
        raise FileNotFoundError(f"There is no file '{path}'. Correct the path.")


def check_folder(path: Path) -> None:
    """Raise unless there is a folder to write the path to, before any work is done for it."""
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"There is no folder '{path.parent}' to write to. Make it, or correct --out."
        )


def read_table(path: Path, metadata: Metadata | None = None) -> pd.DataFrame:
    """Return the table of a CSV or Parquet file.

    Args:
        path: Ends in ``.csv``, ``.csv.gz`` or ``.parquet``.
        metadata: Types of the columns of a CSV file. Without it pandas guesses them from the
            rows, which is fit for a look at the file only.
    """
    is_table(path)
    if path.suffix == '.parquet':
        return _read_parquet(path)
    if '.csv' not in path.suffixes:
        raise ValueError(f"'{path}' must be a .csv or .parquet file.")
    try:
        if metadata is None:
            return pd.read_csv(path)
        cells = pd.read_csv(path, dtype=object, keep_default_na=False, na_values=[''])
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError):
        # What pandas says would quote the file.
        raise ValueError(
            f"'{path}' cannot be read as CSV. Save it as UTF-8, with commas between values and a "
            'first line of column names; or as Parquet.'
        ) from None
    return as_described(cells, metadata)


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except (pa.ArrowException, ValueError, OSError):
        # What Arrow says could quote the file.
        raise ValueError(
            f"'{path}' cannot be read as Parquet. Write it again, or save it as CSV."
        ) from None


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table beside its place first, then move it there."""
    if path.suffix not in {'.csv', '.parquet'}:
        raise ValueError(f"'{path}' must end in .csv or .parquet.")
    with TemporaryDirectory(dir=path.parent, prefix=f'.{path.name}.') as folder:
        draft = Path(folder) / path.name
        if path.suffix == '.csv':
            table.to_csv(draft, index=False)
        else:
            table.to_parquet(draft, index=False)
        os.replace(draft, path)
