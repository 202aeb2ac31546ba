"""Blocks of CSV lines as columns of strings: by Arrow if a line is plain, otherwise line by line.

Arrow's parser is many times faster than one written in Python, but one damaged line may affect
others, or stop it. So it gets only unambiguous lines: those with as many cells as there are
columns, in which quotation marks, if any, enclose whole cells without commas, and are removed
first. All other lines are parsed by ``csv_lines``, each on its own; for plain lines both give the
same result.
"""

import re
from collections.abc import Iterator, Sequence
from typing import IO

import numpy as np
import pyarrow as pa
from pyarrow import csv

from sdv_prefair.counts._csv_lines import record_of

_BLOCK_BYTES = 1 << 22
_BYTE_ORDER_MARK = b'\xef\xbb\xbf'  # Arrow takes it out of any block
_LONGEST = 131_072  # bytes of a line with quotation marks; Python's csv limits cells to as many
_CELL = rb'(?>"[^",\r\n]*+"|[^",\r\n]*+)'
_ENCLOSED = re.compile(rb'%b(?:,%b)*+\r?\n?' % (_CELL, _CELL))
_PLAIN = csv.ParseOptions(quote_char=False, newlines_in_values=False, ignore_empty_lines=False)


def text_blocks(stream: IO[bytes], names: Sequence[str]) -> Iterator[pa.Table]:
    """Yield the records of a file from where it stands, each cell as text, or null if empty.

    Memory holds one block, whatever the size of the file.

    Privacy: yields private rows, each made of its own line alone.

    Args:
        stream: The bytes of the file, after its line of names.
        names: The columns.
    """
    while lines := stream.readlines(_BLOCK_BYTES):
        yield text_columns([line for line in lines if line.strip()], names)


def text_columns(lines: Sequence[bytes], names: Sequence[str]) -> pa.Table:
    """Return the cells of lines, none of them blank, in the order of the lines.

    Privacy: how a line is read depends on the number of columns and on that line alone.
    """
    plain = [_plain(line, len(names)) for line in lines]
    joined = b''.join(line for line in plain if line is not None)
    if not _is_utf8(joined):
        plain, joined = [None] * len(lines), b''
    odd = [line for line, read in zip(lines, plain, strict=True) if read is None]
    if not odd and joined:
        return _read_plain(joined, names)
    read = _read_one_by_one(odd, names)
    if not joined:
        return read
    # Plain lines come first in the table, then the odd ones; each goes back to its place.
    flags = np.array([line is not None for line in plain])
    place = np.where(flags, np.cumsum(flags) - 1, flags.sum() + np.cumsum(~flags) - 1)
    return pa.concat_tables([_read_plain(joined, names), read]).take(place)


def _plain(line: bytes, width: int) -> bytes | None:
    """Return a line as Arrow may read it: without quotation marks, and ended; None if it is odd."""
    if width == 1 or line.count(b',') != width - 1 or b'\0' in line or _BYTE_ORDER_MARK in line:
        return None
    if b'"' in line:
        if len(line) > _LONGEST or not _ENCLOSED.fullmatch(line):
            return None
        line = line.replace(b'"', b'')
    if b'\r' in line.removesuffix(b'\r\n'):
        return None
    return line if line.endswith(b'\n') else line + b'\n'


def _is_utf8(joined: bytes) -> bool:
    try:
        joined.decode('utf-8')
    except UnicodeDecodeError:
        return False
    return True


def _read_plain(joined: bytes, names: Sequence[str]) -> pa.Table:
    numbered = [str(place) for place in range(len(names))]
    table = csv.read_csv(
        pa.py_buffer(joined),
        csv.ReadOptions(
            use_threads=False, block_size=len(joined) + 1, column_names=numbered, encoding='utf8'
        ),
        _PLAIN,
        csv.ConvertOptions(
            column_types=dict.fromkeys(numbered, pa.large_string()),
            strings_can_be_null=True,
            null_values=[''],
        ),
    )
    return table.rename_columns(list(names))


def _read_one_by_one(lines: Sequence[bytes], names: Sequence[str]) -> pa.Table:
    records = [record_of(line, len(names)) for line in lines]
    columns = zip(*records, strict=True) if records else ((),) * len(names)
    arrays = [pa.array(column, pa.large_string()) for column in columns]
    return pa.Table.from_arrays(arrays, list(names))
