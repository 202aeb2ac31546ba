"""CSV files, read line by line: no line changes another."""

import bz2
import csv
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv as arrow_csv

from sdv_prefair.columns._dtypes import as_described
from sdv_prefair.counting._arrow import check_same_columns

# -- The lines of a CSV file: column names on the first, and one record on each of the others ------
#
# Names are public, and messages quote them. A file without a line of names has values there, so
# nothing of a line is quoted before it is known to hold names.
#
# How a line is parsed depends on the header and on that line alone, so that a damaged one cannot
# affect another: not shift its cells, not swallow it, not make the file unreadable. Hence a quoted
# cell ends with its line at the latest. Otherwise a single unclosed quotation mark would merge its
# row with those that follow, up to the next one in a third party's row.
#
# - The header determines how many cells a record has: extra ones are dropped, missing ones null.
# - A cell that is empty, or is not UTF-8, is null. A line that cannot be parsed is all null.
# - An empty line is not a record.


def _open_zstd(path: Path, mode: str) -> io.BufferedReader:
    return io.BufferedReader(pa.CompressedInputStream(pa.OSFile(str(path), mode), 'zstd'))


_OPENERS: dict[str, Callable[..., Any]] = {
    '.gz': gzip.open,
    '.bz2': bz2.open,
    '.xz': lzma.open,
    '.zst': _open_zstd,
}
# Errors raised by a file that is not CSV, or not compressed as its name says.
_UNREADABLE = (
    *(csv.Error, pd.errors.ParserError, UnicodeDecodeError, EOFError, OSError),
    *(zlib.error, lzma.LZMAError, pa.ArrowException),
)
_BYTE_ORDER_MARK = b'\xef\xbb\xbf'
_REMEDY = 'Give the file a first line that names every column once.'
SEPARATORS = {';': 'semicolons', '\t': 'tabs', '|': 'vertical bars'}
"""What other programs write between cells, and what it is called."""

Cells = list[str | None]


class TabbedLines(io.IOBase):
    """The lines of a file with tabs between cells, each with commas in their place.

    Args:
        stream: The bytes of the file.
    """

    def __init__(self, stream: IO[bytes]):
        self._stream = stream

    def readline(self, size: int | None = -1) -> bytes:
        """Return the next line; without any cell if it cannot be parsed."""
        line = self._stream.readline()
        if b',' not in line and b'"' not in line:
            return line.replace(b'\t', b',')
        text = line.rstrip(b'\r\n').decode('utf-8', 'surrogateescape')
        written = io.StringIO()
        try:
            csv.writer(written, lineterminator='\n').writerow(
                next(csv.reader([text], delimiter='\t'))
            )
        except csv.Error:
            return b',\n'
        return written.getvalue().encode('utf-8', 'surrogateescape')

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
        super().close()


class UnreadableCsv(ValueError):
    """A file is not CSV, or its first line names no columns; quotes nothing from a row."""


@contextmanager
def reading_csv(path: Path) -> Generator[None]:
    """Convert errors about a file into messages that quote nothing from it."""
    try:
        yield
    except _UNREADABLE as error:
        if getattr(error, 'strerror', None):  # an error of the system, which quotes nothing
            raise
        raise UnreadableCsv(
            f"'{path}' cannot be read as CSV. Save it as UTF-8, with commas between values and a "
            'first line of column names; or as Parquet.'
        ) from None


def open_csv(path: Path) -> IO[bytes]:
    """Return the bytes of a file, decompressed if its name says so."""
    stream: IO[bytes] = _OPENERS.get(path.suffix.lower(), open)(path, 'rb')
    is_tabbed = any(suffix.lower() == '.tsv' for suffix in path.suffixes)
    return cast(IO[bytes], TabbedLines(stream)) if is_tabbed else stream


def read_header(stream: IO[bytes]) -> list[str]:
    """Return the cells of the first line; the stream is left at the second.

    Raises:
        UnicodeDecodeError: If the line is not UTF-8.
        csv.Error: If a quotation mark is not closed on it, or it contains what no text contains.
    """
    line = stream.readline().removeprefix(_BYTE_ORDER_MARK).decode('utf-8')
    if '\0' in line or '\r' in line.rstrip('\r\n'):
        raise csv.Error
    return next(csv.reader([line.rstrip('\r\n')], strict=True), [])


def read_names(path: Path, stream: IO[bytes]) -> list[str]:
    """Return the cells of the first line; raise if it is empty, or names no column, or one twice.

    Args:
        path: The path of the file, for messages.
        stream: The file; it is left at its second line.
    """
    names = read_header(stream)
    if not names:
        raise UnreadableCsv(
            f"'{path}' is empty. Give a file with a first line of column names, and rows below it."
        )
    # R and pandas write the names of rows into a first column without a name: it is left out.
    nameless = [number for number, name in enumerate(names[1:], 2) if not name.strip()]
    if not any(name.strip() for name in names):
        nameless = [1]
    if nameless:
        raise UnreadableCsv(f'{_columns(nameless, path)} no name in the first line. {_REMEDY}')
    repeated = [number for number, name in enumerate(names, 1) if names.count(name) > 1]
    if repeated:
        raise UnreadableCsv(f'{_columns(repeated, path)} a name that is there twice. {_REMEDY}')
    return names


def check_separator(path: Path, names: Sequence[str]) -> None:
    """Raise if the first line is a single name that contains another format's separator."""
    found = [called for mark, called in SEPARATORS.items() if mark in names[0]]
    if len(names) == 1 and found:
        raise UnreadableCsv(
            f"The first line of '{path}' has {found[0]} where commas must be. Save the file with "
            'commas between cells and points in numbers, or as Parquet.'
        )


def check_described(path: Path, names: Sequence[str], described: Sequence[str]) -> None:
    """Raise if hardly any column of the metadata is named: then these are not names."""
    missing = [column for column in described if column not in names]
    if 2 * len(missing) > len(described):
        check_separator(path, names)
        raise UnreadableCsv(
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
        raise UnreadableCsv(
            f'{_columns(strange, path)} what looks like a value in the first line, which must hold '
            'the names, as these become public: a number, a date, or what is in later rows too. '
            'Add a line of names; or, if these are names, change them or pass --header.'
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
    return has_digits and bool(pd.to_datetime(pd.Series([text]), errors='coerce').notna().all())


def _turns_up(name: str, column: pd.Series) -> bool:
    return column.dtype == object and bool((column == name).any())


def record_of(line: bytes, width: int) -> Cells:
    """Return the cells of one line, ``width`` of them.

    Privacy: a private row, which depends on its own line alone.
    """
    cells = _cells(line.rstrip(b'\r\n'))[:width]
    return cells + [None] * (width - len(cells))


def uneven_lines(stream: IO[bytes], width: int) -> tuple[int, int]:
    """Return how many of the remaining lines do not have ``width`` cells, and how many remain.

    Privacy: not private.
    """
    widths = [len(_cells(line.rstrip(b'\r\n'))) for line in stream if line.strip()]
    return sum(found != width for found in widths), len(widths)


def undecodable_lines(stream: IO[bytes]) -> int:
    """Return how many of the remaining lines have a cell that is not UTF-8, which is read as null.

    Privacy: not private.
    """
    return sum(not _is_utf8(line) for line in stream)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode('utf-8')
    except UnicodeDecodeError:
        return False
    return True


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
    except csv.Error:  # for example, a cell that is too large
        return []


def _readable(cell: str) -> str | None:
    """Return a cell if it is UTF-8: other bytes were kept as lone surrogates."""
    try:
        cell.encode('utf-8')
    except UnicodeEncodeError:
        return None
    return cell or None


# -- Blocks of CSV lines as columns of strings: by Arrow if a line is plain, otherwise line by
# line.
#
# Arrow's parser is many times faster than one written in Python, but one damaged line may affect
# others, or stop it. So it gets only unambiguous lines: those with as many cells as there are
# columns, in which quotation marks, if any, enclose whole cells without commas, and are removed
# first. All other lines are parsed by ``csv_lines``, each on its own; for plain lines both give the
# same result.


_BLOCK_BYTES = 1 << 22
# Arrow takes a byte order mark out of any block.
_LONGEST = 131_072  # bytes of a line with quotation marks; Python's csv limits cells to as many
_CELL = rb'(?>"[^",\r\n]*+"|[^",\r\n]*+)'
_ENCLOSED = re.compile(rb'%b(?:,%b)*+\r?\n?' % (_CELL, _CELL))
_PLAIN = arrow_csv.ParseOptions(
    quote_char=False, newlines_in_values=False, ignore_empty_lines=False
)


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


def _read_plain(joined: bytes, names: Sequence[str]) -> pa.Table:
    numbered = [str(place) for place in range(len(names))]
    table = arrow_csv.read_csv(
        pa.py_buffer(joined),
        arrow_csv.ReadOptions(
            use_threads=False, block_size=len(joined) + 1, column_names=numbered, encoding='utf8'
        ),
        _PLAIN,
        arrow_csv.ConvertOptions(
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


# -- CSV files as parts of one table, typed by the metadata alone ----------------------------------
#
# Nothing is inferred from the cells, see ``columns/_dtypes.py``: '007' stays a string, a date stays
# as it is written and is parsed by its format. Each distinct string of a block is converted once.


class CsvFiles:
    """CSV files, compressed or not, that form one table.

    Args:
        paths: The paths of the files, read in this order.
        columns: The metadata of each column.

    Raises:
        UnreadableCsv: If a first line names no columns.
        PrivateDataError: If files differ in their columns.
    """

    def __init__(self, paths: Sequence[Path], columns: Mapping[str, dict[str, Any]]):
        self._paths, self._columns = list(paths), columns
        of_files = [self._read_names(path) for path in self._paths]
        check_same_columns(of_files)
        self.names = [name for name in of_files[0] if name.strip()]

    @property
    def empty(self) -> pd.DataFrame:
        """The table without its rows: names and dtypes."""
        return as_described(pd.DataFrame(columns=self.names, dtype=object), self._columns)

    def parts(self, wanted: Sequence[str]) -> Iterator[pd.DataFrame]:
        """Yield some columns of all rows, part by part.

        Privacy: yields private rows.
        """
        for path in self._paths:
            with reading_csv(path), open_csv(path) as stream:
                names = read_names(path, stream)
                for block in text_blocks(stream, names):
                    yield self._typed(block.select(list(wanted)))

    def _read_names(self, path: Path) -> list[str]:
        with reading_csv(path), open_csv(path) as stream:
            names = read_names(path, stream)
        check_described(path, names, list(self._columns))
        return names

    def _typed(self, block: pa.Table) -> pd.DataFrame:
        typed = {name: self._column(name, block[name]) for name in block.column_names}
        return pd.DataFrame(typed, index=range(block.num_rows))

    def _column(self, name: str, cells: pa.ChunkedArray) -> pd.Series:
        encoded = cells.combine_chunks().dictionary_encode()
        # The index of a null is -1, which takes the last entry.
        texts = [*encoded.dictionary.to_pylist(), None]
        different = as_described(
            pd.DataFrame({name: pd.Series(texts, dtype=object)}), self._columns
        )
        places = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return (
            different[name]
            .take(np.where(places < 0, len(texts) - 1, places))
            .reset_index(drop=True)
        )
