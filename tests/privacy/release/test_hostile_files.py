"""Files that are made to run code, to fill the memory or to write elsewhere are refused."""

import io
import pickle
import struct
import sys
import tracemalloc
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from hostile_releases import MEGABYTE, WIDE, assert_sound, edited, npy, replacing

from sdv_prefair.release._archive import pack


def test_the_release_itself_is_sound(opened, synthesizer, content, members):
    loaded = opened(content)
    assert_sound(loaded)
    assert_sound(opened(pack(members)))
    assert_sound(opened(edited(members, release=lambda r: None, metadata=lambda m: None)))
    synthesizer.reset_sampling()
    loaded.reset_sampling()
    pd.testing.assert_frame_equal(synthesizer.sample(99)['staff'], loaded.sample(99)['staff'])


class Payload:
    """Unpickling it leaves a mark."""

    def __reduce__(self):
        return exec, ('import sys; sys.release_payload = True',)


def was_executed():
    return vars(sys).pop('release_payload', False)


def test_a_pickle_in_an_array_is_not_executed(opened, members):
    objects = np.empty(2, dtype=object)
    objects[:] = Payload()
    payload = npy(objects, allow_pickle=True)
    np.load(io.BytesIO(payload), allow_pickle=True)
    assert was_executed(), 'the payload works'
    for name in members:
        if name.endswith('.npy'):
            assert opened(pack(members | {name: payload})) is None
    assert opened(pack(members | {'release.json': pickle.dumps(Payload())})) is None
    assert opened(pickle.dumps(Payload())) is None
    assert not was_executed()


@pytest.mark.parametrize(
    'name', ['../escaped', '/escaped', 'tables/../../escaped', 'C:\\escaped', 'tables/99.npy', 'x']
)
def test_members_that_do_not_belong_are_refused(opened, members, name):
    assert opened(pack(members | {name: b'escaped'})) is None


def test_no_member_can_be_missing_or_double(opened, members):
    for name in members:
        assert opened(pack({n: c for n, c in members.items() if n != name})) is None
        buffer = io.BytesIO(pack(members))
        with warnings.catch_warnings(), zipfile.ZipFile(buffer, 'a') as archive:
            warnings.simplefilter('ignore')
            archive.writestr(name, members[name])
        assert opened(buffer.getvalue()) is None


def test_the_order_of_members_means_nothing(opened, members):
    assert_sound(opened(pack(dict(reversed(members.items())))))


def peak_of(call):
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def bombs(members):
    zeros = bytes(64 * MEGABYTE)
    yield 'array', pack(members | {'tables/0.npy': npy(np.zeros(1)) + zeros})
    yield 'stranger', pack(members | {'bomb': zeros})
    yield 'document', pack(members | {'release.json': zeros})
    del zeros
    yield 'nested', pack(members | {'release.json': b'[' * MEGABYTE})
    yield 'items', pack(members | {'release.json': b'[' + b'{},' * 1_100_000 + b'{}]'})
    yield 'escapes', pack(members | {'release.json': b'"' + b'\\"' * MEGABYTE})
    yield 'digits', pack(members | {'release.json': b'1' * 2 * MEGABYTE})
    for name, path, value in (
        ('codes', ['model', 'columns', 0], {'name': 'sex', 'codes': 1 << 22, 'groups': 1 << 22}),
        ('bins', ['parameters', 'numeric_bins'], 10**9),
        ('chosen', ['chosen'], [WIDE]),
    ):
        yield name, edited(members, release=replacing(path, value))
    nested = '(((a{0,99}){0,99}){0,99})'
    for path, value in ((['key', 'regex_format'], nested), (['hours', 'decimal_places'], 10**9)):
        path = ['tables', 'staff', 'columns', *path]
        yield path[-1], edited(members, metadata=replacing(path, value))


def test_bombs_take_no_more_memory_than_a_limit(opened, members):
    for name, bomb in bombs(members):
        peak = peak_of(lambda bomb=bomb: opened(bomb) is None or pytest.fail('it was opened'))
        limit = 90 if name == 'codes' else 25
        assert peak < limit * MEGABYTE + len(bomb), f'{name}: {peak / MEGABYTE:.0f} MB'


def test_a_directory_of_a_million_members_is_not_read(opened):
    entry = struct.pack('<4s6H3I5H2I', b'PK\1\2', *[0] * 6, *[0] * 3, 1, *[0] * 4, 0, 0) + b'a'
    directory = entry * 300_000
    end = struct.pack('<4s4H2IH', b'PK\5\6', 0, 0, 1, 1, len(directory), 4, 0)
    assert peak_of(lambda: opened(b'PK\3\4' + directory + end)) < 60 * MEGABYTE


def test_an_encrypted_or_oddly_packed_member_is_refused(opened, content, members):
    flagged = bytearray(content)
    directory = content.index(b'PK\1\2')
    flagged[directory + 8] |= 1
    assert opened(bytes(flagged)) is None
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, 'w', method) as archive:
            for name, member in members.items():
                archive.writestr(name, member)
        assert opened(buffer.getvalue()) is None


@pytest.mark.parametrize('around', [(b'MZ', b''), (b'', b'more'), (b'PK\3\4', b'')])
def test_a_zip_within_something_else_is_refused(opened, content, around):
    assert opened(around[0] + content + around[1]) is None


@pytest.mark.parametrize(
    'foreign',
    [b'', b'PK', b'PK\5\6' + bytes(18), b'{}', bytes(1000), pickle.dumps([1]), npy(np.ones(3))],
)
def test_foreign_files_are_refused(opened, foreign):
    assert opened(foreign) is None


def test_another_zip_is_refused(opened):
    assert opened(pack({'word/document.xml': b'<xml/>'})) is None
    assert (
        opened(pack({'release.json': b'{"format": "sdv-prefair release", "version": 4}'})) is None
    )
