"""The zip archive of a release: read by name and within limits.

Nothing is ever extracted to disk, so no name in the zip can point anywhere. The size that a zip
declares is compared with a limit first, and never more than that is decompressed.
"""

import io
import json
import math
import os
import re
import struct
import zipfile
from collections.abc import Mapping
from typing import Any, BinaryIO, NoReturn

import numpy as np

from sdv_prefair.errors import ReleaseError

MOST_FILE_BYTES = 1 << 30
MOST_DIRECTORY_BYTES = 2 << 20

_EARLIEST = (1980, 1, 1, 0, 0, 0)
_READABLE_FILE = 0o100644 << 16
_UNIX = 3
_ENCRYPTED = 0x1
# The last record of a zip: signature, four counts, size and start of the directory, comment length.
_END = struct.Struct('<4s4H2LH')
_END_SIGNATURE, _FIRST_SIGNATURE, _ZIP64_SIGNATURE = b'PK\5\6', b'PK\3\4', b'PK\6\7'
_ZIP64_BYTES = 20


def pack(members: Mapping[str, bytes]) -> bytes:
    """Return a zip of these members; the same members give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, 'w', allowZip64=False) as packed:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, _EARLIEST)
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, _UNIX
            info.external_attr = _READABLE_FILE
            packed.writestr(info, content)
    return buffer.getvalue()


class Archive:
    """An untrusted zip, opened for reading.

    Args:
        stream: The file, open for reading bytes.

    Raises:
        ReleaseError: If it is not a zip as ``pack`` writes them.
    """

    def __init__(self, stream: BinaryIO):
        _check_end(stream)
        try:
            self._zip = zipfile.ZipFile(stream)
        except Exception as error:  # zipfile raises half a dozen kinds for a broken directory
            raise ReleaseError(f'The file is not a release: {error}.') from error
        self._members = {info.filename: info for info in self._zip.infolist()}
        if len(self._members) < len(self._zip.infolist()):
            raise ReleaseError('The release names a member more than once.')
        for info in self._zip.infolist():
            _check_member(info)

    @property
    def names(self) -> set[str]:
        """The names of all members."""
        return set(self._members)

    def read(self, name: str, most_bytes: int) -> bytes:
        """Return one member.

        Args:
            name: Its name, exactly.
            most_bytes: If it is longer than this it is not read.
        """
        if name not in self._members:
            raise ReleaseError(f'The release lacks {name}.')
        size = self._members[name].file_size
        if size > most_bytes:
            raise ReleaseError(f'{name} of the release is too long: {size} bytes.')
        try:
            with self._zip.open(self._members[name]) as member:
                content = member.read(size + 1)
        except Exception as error:  # as above, and zlib's own
            raise ReleaseError(
                f'{name} of the release is damaged: {str(error).rstrip(".")}.'
            ) from error
        if len(content) != size:
            raise ReleaseError(f'{name} of the release does not have the length it states.')
        return content


def _check_end(stream: BinaryIO) -> None:
    """Check the start and end of the file before zipfile reads a directory of any size."""
    size = stream.seek(0, os.SEEK_END)
    if not _END.size + _ZIP64_BYTES <= size <= MOST_FILE_BYTES:
        raise ReleaseError(f'A file of {size} bytes is not a release.')
    stream.seek(0)
    first = stream.read(4)
    stream.seek(size - _END.size - _ZIP64_BYTES)
    locator, end = stream.read(4), stream.read()[_ZIP64_BYTES - 4 :]
    signature, *_, directory_bytes, directory_start, _ = _END.unpack(end)
    if (first, signature) != (_FIRST_SIGNATURE, _END_SIGNATURE) or locator == _ZIP64_SIGNATURE:
        raise ReleaseError('The file is not a release, or it is truncated.')
    if directory_start + directory_bytes != size - _END.size:
        raise ReleaseError('The file is not a release: its directory is not where it says.')
    if directory_bytes > MOST_DIRECTORY_BYTES:
        raise ReleaseError('The file is not a release: it has too many members.')


def _check_member(info: zipfile.ZipInfo) -> None:
    known = info.compress_type in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
    if not known or info.flag_bits & _ENCRYPTED:
        raise ReleaseError(
            'The release contains a member that is encrypted or compressed in an unsupported way.'
        )


# -- Arrays as npy files, numpy's own format, with nothing in them but numbers ---------------------
#
# The format can hold Python objects as a pickle; such a file is refused because of its header, like
# any other that does not have the expected shape and type.


MOST_CELLS = 1 << 26
_MOST_HEADER_BYTES = 1_024
_FLOATS, _WHOLES = np.dtype('<f8'), np.dtype('<i8')
_CELL_BYTES = 8


class ArrayWriter:
    """Collects arrays as members of a zip.

    Attributes:
        members: The npy files by name.
    """

    def __init__(self) -> None:
        self.members: dict[str, bytes] = {}

    def floats(self, name: str, array: np.ndarray) -> None:
        """Add an array of floats."""
        self._add(name, array, _FLOATS)

    def wholes(self, name: str, array: np.ndarray) -> None:
        """Add an array of integers."""
        self._add(name, array, _WHOLES)

    def _add(self, name: str, array: np.ndarray, dtype: np.dtype) -> None:
        buffer = io.BytesIO()
        array = np.ascontiguousarray(array, dtype=dtype)
        np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
        self.members[name] = buffer.getvalue()


class ArrayReader:
    """Reads arrays from an archive, and keeps count of them.

    Args:
        archive: The archive.

    Attributes:
        names: The names of the members that were read.
    """

    def __init__(self, archive: Archive):
        self.names: set[str] = set()
        self._archive = archive
        self._cells_left = MOST_CELLS

    def floats(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Return an array of finite floats."""
        array = self._read(name, shape, _FLOATS)
        if not np.isfinite(array).all():
            raise ReleaseError(f'{name} of the release holds numbers that are not finite.')
        return array

    def wholes(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Return an array of integers."""
        return self._read(name, shape, _WHOLES)

    def _read(self, name: str, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        cells = math.prod(shape)
        self._cells_left -= cells
        if self._cells_left < 0:
            raise ReleaseError('The release is too large: its tables have too many cells.')
        self.names.add(name)
        content = self._archive.read(name, cells * _CELL_BYTES + _MOST_HEADER_BYTES)
        start = _check_header(name, content, shape, dtype)
        if len(content) - start != cells * _CELL_BYTES:
            raise ReleaseError(f'{name} of the release does not have the length its shape implies.')
        array = np.frombuffer(content, dtype, offset=start).reshape(shape)
        return array.astype(dtype.newbyteorder('='))


def _check_header(name: str, content: bytes, shape: tuple[int, ...], dtype: np.dtype) -> int:
    """Return where the numbers begin."""
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        found = np.lib.format.read_array_header_1_0(stream, max_header_size=_MOST_HEADER_BYTES)
    except Exception as error:  # numpy passes on whatever parsing the header as Python raises
        raise ReleaseError(
            f'{name} of the release is not an array: {type(error).__name__}.'
        ) from None
    if version != (1, 0) or found != (shape, False, dtype):
        raise ReleaseError(
            f'{name} of the release must be an array of type {dtype} and shape {shape}.'
        )
    return stream.tell()


# -- Untrusted JSON: bounded before it is parsed, and stricter than the standard -------------------


MOST_BYTES = 32 << 20
MOST_DEPTH = 24
MOST_ITEMS = 1_000_000
_MOST_DIGITS = 1_000

# A string, up to its end or that of the document; or an opening, closing or separating character.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[\[\]{},]', re.DOTALL)


def write_document(value: Any) -> bytes:
    """Return JSON as ASCII; numbers are restored exactly."""
    return json.dumps(value, allow_nan=False, indent=1).encode('ascii')


def read_document(content: bytes, name: str) -> Any:
    """Parse JSON.

    Args:
        content: The text.
        name: What to call it in errors.

    Raises:
        ReleaseError: If it is not JSON, is nested too deep or has too many items, repeats a key, or
            holds a number that is not finite or absurdly long.
    """
    _check_extent(content, name)
    try:
        return json.loads(
            content.decode('utf-8'),
            object_pairs_hook=_without_repeats,
            parse_int=_whole_number,
            parse_float=_finite_number,
            parse_constant=_refuse,
        )
    except (ValueError, RecursionError) as error:
        raise ReleaseError(
            f'{name} of the release is not the JSON it should be: {error}.'
        ) from None


def _check_extent(content: bytes, name: str) -> None:
    depth = items = 0
    for token in _TOKEN.finditer(content):
        match token.group()[:1]:
            case b'[' | b'{':
                depth, items = depth + 1, items + 1
            case b']' | b'}':
                depth -= 1
            case b',':
                items += 1
        if depth > MOST_DEPTH or items > MOST_ITEMS:
            raise ReleaseError(f'{name} of the release is nested too deeply or has too many items.')


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError('a key is repeated')
    return made


def _whole_number(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError('a number has too many digits')
    return int(text)


def _finite_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError('a number is not finite')
    return number


def _refuse(text: str) -> NoReturn:
    raise ValueError(f'{text} is not a JSON number')
