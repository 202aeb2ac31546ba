"""Arrays as npy files, numpy's own format, with nothing in them but numbers.

The format can hold Python objects as a pickle; such a file is refused because of its header, like
any other that does not have the expected shape and type.
"""

import io
import math

import numpy as np

from sdv_prefair.errors import ReleaseError
from sdv_prefair.release._archive import Archive

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
