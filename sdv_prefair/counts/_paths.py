"""The paths of a table: one, several, or a pattern; each file counts once.

If a file were listed twice, or matched by both a folder and a pattern, everybody in it would count
twice. That would double the sensitivity, so it is refused.
"""

import glob
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from sdv_prefair.counts._table_formats import check_plain_files
from sdv_prefair.errors import PrivateDataError

_CSV = tuple(
    f'{kind}{packed}' for kind in ('.csv', '.tsv') for packed in ('', '.gz', '.bz2', '.xz', '.zst')
)
_IN_PATTERN = '*?['


@dataclass(frozen=True)
class TableFiles:
    """Files of one kind that form one table.

    Attributes:
        paths: The paths of the files; or the one file, folder or URI that was given.
        are_csv: Whether they are CSV files; otherwise they are Parquet files.
    """

    paths: tuple[str, ...]
    are_csv: bool

    @property
    def as_dataset(self) -> str | list[str]:
        """The argument for Arrow: a single path, which may be a folder, or a list of files."""
        return self.paths[0] if len(self.paths) == 1 else list(self.paths)


def is_paths(table: Any) -> bool:
    """Whether a table is given by a path, or by a list of paths."""
    if isinstance(table, list | tuple | set | frozenset):
        return bool(table) and all(isinstance(path, str | Path) for path in table)
    return isinstance(table, str | Path)


def table_files(given: str | Path | Iterable[str | Path]) -> TableFiles:
    """Return the files that paths denote; nothing but names is read.

    Args:
        given: A path, a pattern such as ``'part-*.csv'``, or several of these. A folder denotes the
            Parquet files in it.

    Raises:
        PrivateDataError: If there are no files, one is listed twice, or they are of both kinds.
    """
    if isinstance(given, str | Path):
        paths = _matching(str(given))
    else:
        listed = sorted(given) if isinstance(given, set | frozenset) else list(given)
        paths = [path for one in listed for path in _matching(str(one))]
    are_csv = [path.lower().endswith(_CSV) for path in paths]
    if any(are_csv) and not all(are_csv):
        raise PrivateDataError(
            'The paths lead to CSV files and to others, but a table has files of one kind. Give '
            'only CSV files, or only Parquet files and folders of them.'
        )
    if any(are_csv):
        _check_local(paths)
    elif len(paths) > 1:
        paths = [path for one in paths for path in _parquet_files(one)]
    _check_once(paths)
    return TableFiles(tuple(paths), any(are_csv))


def _matching(path: str) -> list[str]:
    """Return the paths that a pattern matches, in order; any other or existing path, itself."""
    if not any(letter in path for letter in _IN_PATTERN) or Path(path).exists():
        return [path]
    if '://' in path:
        raise PrivateDataError(
            f"'{path}' is a pattern in a URI, which cannot be searched. List the paths, or give "
            'the folder.'
        )
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise PrivateDataError(f"No path matches '{path}'. Correct the pattern.")
    return found


def _check_local(paths: Sequence[str]) -> None:
    for path in paths:
        if '://' in path:
            raise PrivateDataError(
                f"'{path}' is a URI, and CSV files are read from local paths. Copy the file, or "
                'save it as Parquet.'
            )


def _parquet_files(path: str) -> list[str]:
    check_plain_files(path)
    if '://' in path or not Path(path).is_dir():
        return [path]
    return list(ds.dataset(path, format='parquet').files)


def _check_once(paths: Sequence[str]) -> None:
    places = [_identity(path) for path in paths]
    for number, (path, place) in enumerate(zip(paths, places, strict=True)):
        if place in places[:number]:
            raise PrivateDataError(
                f"'{path}' names a file that is already listed, so its rows would count twice. "
                'List every file once.'
            )


def _identity(path: str) -> Any:
    """Return an identity of a file that is the same for all its names and links."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):  # it does not exist, which is reported later, or is a URI
        return path
    return found.st_dev, found.st_ino
