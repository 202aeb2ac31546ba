"""The records of a CSV file: one for each line, read by itself.

How a line is read depends on the header and on that line alone, so that a damaged one cannot
change another: not shift its cells, not swallow it, not make the file unreadable. Hence a quoted
cell ends with its line at the latest. Were it to go on, a single quotation mark that nobody closed
would join its row to those that follow, up to the next one in somebody else's row.

- The header says how many cells a record has: surplus ones are dropped, missing ones are null.
- A cell that is empty, or is not UTF-8, is null. A line that cannot be taken apart is all null.
- A line without anything on it is no record.
"""

import bz2
import csv
import gzip
import lzma
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

_OPENERS: dict[str, Callable[..., Any]] = {
    '.gz': gzip.open,
    '.bz2': bz2.open,
    '.xz': lzma.open,
}
_BYTE_ORDER_MARK = b'\xef\xbb\xbf'

Cells = list[str | None]


def open_csv(path: Path) -> IO[bytes]:
    """Return the bytes of a file, decompressed if its name says so."""
    return _OPENERS.get(path.suffix.lower(), open)(path, 'rb')


def read_header(stream: IO[bytes]) -> list[str]:
    """Return the cells of the first line; the stream is left at the second.

    Raises:
        UnicodeDecodeError: If the line is not UTF-8.
        csv.Error: If a quotation mark is not closed on it, or it holds what no text does.
    """
    line = stream.readline().removeprefix(_BYTE_ORDER_MARK).decode('utf-8')
    if '\0' in line or '\r' in line.rstrip('\r\n'):
        raise csv.Error
    return next(csv.reader([line.rstrip('\r\n')], strict=True), [])


def read_records(stream: IO[bytes], width: int) -> Iterator[Cells]:
    """Yield the cells of each further line, ``width`` of them.

    Privacy: yields private rows, each made of its own line alone.
    """
    for line in stream:
        if line.strip():
            cells = _cells(line.rstrip(b'\r\n'))[:width]
            yield cells + [None] * (width - len(cells))


def _cells(line: bytes) -> Cells:
    try:
        return [cell or None for cell in _split(line.decode('utf-8'))]
    except UnicodeDecodeError:
        return [_readable(cell) for cell in _split(line.decode('utf-8', 'surrogateescape'))]


def _split(line: str) -> Sequence[str]:
    if '"' not in line:
        return line.split(',')
    try:
        return next(csv.reader([line]))
    except csv.Error:  # a cell of a size that no cell has, say
        return []


def _readable(cell: str) -> str | None:
    """Return a cell that is UTF-8: other bytes were kept as halves of characters."""
    try:
        cell.encode('utf-8')
    except UnicodeEncodeError:
        return None
    return cell or None
