"""Folders that are more than their files: table formats with a log of which rows are valid.

Their Parquet files contain deleted rows and old versions of others. Read as plain files, these
would be counted: people who were removed from the table, and some people twice.
"""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyarrow import fs

from sdv_prefair.errors import PrivateDataError

_READERS = {
    'Delta Lake': 'DeltaTable(path)',
    'Apache Iceberg': 'table.scan()',
    'Apache Hudi': "spark.read.format('hudi').load(path)",
}


def check_plain_files(path: str | Path) -> None:
    """Raise if a path is such a table, contains one, or is inside one.

    Args:
        path: The path of a file or folder, or a URI that Arrow supports.
    """
    filesystem, place = _locate(path)
    for kind in _kinds(filesystem, place):
        raise PrivateDataError(
            f"'{path}' belongs to a table of {kind}, whose files hold deleted and outdated rows "
            f'too. Let its own reader choose the rows, as in fit_table({_READERS[kind]}).'
        )


def _locate(path: str | Path) -> tuple[fs.FileSystem, str]:
    try:
        filesystem, place = fs.FileSystem.from_uri(str(path))
    except (pa.ArrowInvalid, OSError):  # not a URI
        return fs.LocalFileSystem(), Path(path).resolve().as_posix()
    return filesystem, place


def _kinds(filesystem: fs.FileSystem, place: str) -> Iterator[str]:
    """Yield the kinds of tables whose logs are inside a folder, next to it or above it."""
    is_folder = filesystem.get_file_info(place).type == fs.FileType.Directory
    selected = [fs.FileSelector(place, recursive=True)] if is_folder else []
    folders = [place, *_folders_above(place)]
    logs = [f'{folder}/{log}' for folder in folders for log in ('_delta_log', '.hoodie')]
    selected += [logs, *(fs.FileSelector(f'{f}/metadata', allow_not_found=True) for f in folders)]
    for selection in selected:
        for info in filesystem.get_file_info(selection):
            if info.type != fs.FileType.NotFound and (kind := _kind_of_log(info.path)):
                yield kind


def _folders_above(place: str) -> list[str]:
    parts = place.split('/')
    return ['/'.join(parts[:depth]) for depth in range(len(parts) - 1, 0, -1)]


def _kind_of_log(path: str) -> str | None:
    folder, _, name = path.rpartition('/')
    if name == '_delta_log':
        return 'Delta Lake'
    if name == '.hoodie':
        return 'Apache Hudi'
    is_iceberg = name.endswith('.metadata.json') and folder.rpartition('/')[2] == 'metadata'
    return 'Apache Iceberg' if is_iceberg else None
