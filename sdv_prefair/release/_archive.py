"""The zip archive of a release: read by name and within limits.

Nothing is ever extracted to disk, so no name in the zip can point anywhere. The size that a zip
declares is compared with a limit first, and never more than that is decompressed.
"""

import io
import os
import struct
import zipfile
from collections.abc import Mapping
from typing import BinaryIO

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
