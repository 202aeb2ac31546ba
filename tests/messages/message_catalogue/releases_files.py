"""Files that are no release, or damaged."""

import io
import struct
import warnings
import zipfile

import numpy as np
from hostile_releases import npy

from message_catalogue.message import FOLDER, Message
from message_catalogue.opening import (
    Opened,
    members,
    model_of,
    with_array,
    with_document,
    with_field,
    written,
)
from sdv_prefair import load_release
from sdv_prefair.errors import ReleaseError
from sdv_prefair.release._archive import pack


def zip_with_directory(directory):
    """Return a file that begins and ends like a zip."""
    end = struct.pack('<4s4H2IH', b'PK\5\6', 0, 0, 1, 1, len(directory), 4, 0)
    return b'PK\3\4' + directory + end


def open_a_folder():
    (FOLDER / 'folder').mkdir(exist_ok=True)
    load_release(FOLDER / 'folder')


def twice():
    buffer = io.BytesIO(written())
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, 'a') as archive:
        warnings.simplefilter('ignore')
        archive.writestr('release.json', b'{}')
    return buffer.getvalue()


def encrypted():
    content = bytearray(written())
    content[content.index(b'PK\1\2') + 8] |= 1
    return bytes(content)


def flipped():
    """Return a release with one letter changed where nothing is compressed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, 'w') as archive:
        for name, content in members().items():
            archive.writestr(name, content)
    return buffer.getvalue().replace(b'"format"', b'"farmot"', 1)


def claiming_more():
    """Return a release that says of its first member that it is a byte longer."""
    content = bytearray(written())
    place = content.index(b'PK\1\2') + 24
    (size,) = struct.unpack_from('<I', content, place)
    struct.pack_into('<I', content, place, size + 1)
    return bytes(content)


def too_many_cells():
    columns = [{'name': name, 'codes': 10_000, 'groups': 10_000} for name in ('sex', 'grade')]
    nodes = [{'columns': ['sex', 'grade'], 'parent': None}]
    return with_field('model', model_of(members()) | {'columns': columns, 'nodes': nodes})


def not_a_number(array):
    array.flat[0] = np.nan
    return array


ZIPS = [
    Message(
        open_a_folder,
        ReleaseError,
        "'FOLDER/folder' is not a file.",
        'Give the path of one that save_release wrote.',
    ),
    Opened(
        lambda: b'PK',
        'A file of 2 bytes is not a release.',
    ),
    Opened(
        lambda: bytes(1000),
        'The file is not a release, or it is truncated.',
    ),
    Opened(
        lambda: b'PK\3\4' + written(),
        'The file is not a release: its directory is not where it says.',
    ),
    Opened(
        lambda: zip_with_directory(bytes(3 << 20)),
        'The file is not a release: it has too many members.',
    ),
    Opened(
        lambda: zip_with_directory(bytes(50)),
        'The file is not a release: Bad magic number for central directory.',
    ),
    Opened(
        twice,
        'The release names a member more than once.',
    ),
    Opened(
        encrypted,
        'The release contains a member that is encrypted or compressed in an unsupported way.',
    ),
    Opened(
        lambda: pack({'word/document.xml': b'<xml/>'}),
        'The release lacks release.json.',
    ),
    Opened(
        lambda: pack(members() | {'tables/0.npy': bytes(9_999_999)}),
        'tables/0.npy of the release is too long: 9999999 bytes.',
    ),
    Opened(
        flipped,
        "release.json of the release is damaged: Bad CRC-32 for file 'release.json'.",
    ),
    Opened(
        claiming_more,
        'release.json of the release does not have the length it states.',
    ),
    Opened(
        lambda: pack(members() | {'record.json': b'[]'}),
        'record.json of the release is not an object.',
    ),
    Opened(
        lambda: pack(members() | {'record.json': b'{}'}),
        'record.json of the release was not written with the rest of it.',
    ),
    Opened(
        lambda: pack(members() | {'more': b''}),
        'The release holds members that do not belong to it.',
    ),
]

ARRAYS = [
    Opened(
        lambda: with_array('tables/0.npy', not_a_number),
        'tables/0.npy of the release holds numbers that are not finite.',
    ),
    Opened(
        too_many_cells,
        'The release is too large: its tables have too many cells.',
    ),
    Opened(
        lambda: pack(members() | {'tables/0.npy': members()['tables/0.npy'][:-8]}),
        'tables/0.npy of the release does not have the length its shape implies.',
    ),
    Opened(
        lambda: pack(members() | {'tables/0.npy': b'no array'}),
        'tables/0.npy of the release is not an array: ValueError.',
    ),
    Opened(
        lambda: pack(members() | {'groups/0.npy': npy(np.zeros(9))}),
        'groups/0.npy of the release must be an array of type int64 and shape (4,).',
    ),
]

DOCUMENTS = [
    Opened(
        lambda: with_document(b''),
        'release.json of the release is not the JSON it should be: Expecting value: line 1 '
        'column 1 (char 0).',
    ),
    Opened(
        lambda: with_document(b'{"a": 1, "a": 2}'),
        'release.json of the release is not the JSON it should be: a key is repeated.',
    ),
    Opened(
        lambda: with_document(b'1' * 1001),
        'release.json of the release is not the JSON it should be: a number has too many digits.',
    ),
    Opened(
        lambda: with_document(b'1e999'),
        'release.json of the release is not the JSON it should be: a number is not finite.',
    ),
    Opened(
        lambda: with_document(b'NaN'),
        'release.json of the release is not the JSON it should be: NaN is not a JSON number.',
    ),
    Opened(
        lambda: with_document(b'[' * 99),
        'release.json of the release is nested too deeply or has too many items.',
    ),
    Opened(
        lambda: with_field('format', 'another'),
        'The file is not a release: release.json does not say so.',
    ),
    Opened(
        lambda: with_field('version', 2),
        'The release has a version that is not known: this sdv-prefair reads 1. Upgrade it if '
        'there is a newer one.',
    ),
]

MESSAGES = [*ZIPS, *ARRAYS, *DOCUMENTS]
