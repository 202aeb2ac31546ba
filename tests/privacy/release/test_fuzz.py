"""A release with something changed at random is refused, or opened as a sound synthesizer."""

import copy
import io
import json
import os
import resource
import zipfile

import numpy as np
import profiles
import pytest
from hostile_releases import (
    MEGABYTE,
    PLACES,
    assert_sound,
    at,
    fitted,
    npy,
)
from sdv.cag import FixedIncrements, Inequality

from sdv_prefair.errors import ReleaseError
from sdv_prefair.release._archive import Archive, pack


def flipped(content, rng):
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 8])):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def cut_off(content, rng):
    start, end = sorted(rng.sample(range(len(content)), 2))
    return rng.choice([content[:end], content[start:], content[:start] + content[end:]])


def resized(content, rng):
    """Sizes, offsets and counts of the zip's own records, changed."""
    changed = bytearray(content)
    signature, fields = rng.choice([
        (b'PK\1\2', ((20, 4), (24, 4), (28, 2), (30, 2), (32, 2), (42, 4), (16, 4), (10, 2))),
        (b'PK\3\4', ((18, 4), (22, 4), (26, 2), (28, 2), (14, 4), (8, 2))),
        (b'PK\5\6', ((8, 2), (10, 2), (12, 4), (16, 4), (20, 2))),
    ])
    records = [i for i in range(len(content)) if content.startswith(signature, i)]
    offset, width = rng.choice(fields)
    place = rng.choice(records) + offset
    value = rng.choice([0, 1, 255, 2**16 - 1, 2**31, 2**32 - 1, rng.randrange(2**32)])
    changed[place : place + width] = (value % 256**width).to_bytes(width, 'little')
    return bytes(changed)


def rearranged(members, rng):
    changed = list(members.items())
    rng.shuffle(changed)
    if rng.random() < 0.5:
        changed.pop()
    (one, first), (two, second) = rng.sample(changed, 2)
    changed = dict(changed)
    if rng.random() < 0.7:
        changed |= {one: second, two: first}
    return pack(changed)


HOSTILE = [
    *(None, True, False, 0, 1, -1, 2, 10**6, 10**30, 0.5, -0.5, 1e-300, 1e300, '', 'x', 'sex'),
    *('paid', 'grade', '../x', '1/2', '0', 'object', 'int8', 'category', 'UTC', 'x' * 5000, '%'),
    *([], {}, [[]], ['sex'], ['sex', 'paid'], {'$type': 'tuple', 'value': []}, [0, 1]),
    *({'$type': 'Decimal', 'value': '1'}, {'$type': 'date', 'value': '2020-01-01'}),
    *({'$type': 'Timestamp', 'value': '2020-01-01T00:00:00', 'unit': 'ns', 'zone': 'UTC'},),
]


def places(document, path=()):
    yield path
    if isinstance(document, dict | list):
        keys = document if isinstance(document, dict) else range(len(document))
        for key in keys:
            yield from places(document[key], (*path, key))


def mutated_json(members, rng):
    name = rng.choice([*3 * ['release.json'], 'metadata.json', 'record.json'])
    document = json.loads(members[name])
    for _ in range(rng.choice([1, 1, 2])):
        path = rng.choice(list(places(document))[1:])
        holder, key = at(document, path)
        match rng.randrange(6):
            case 0 if isinstance(holder, dict):
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[rng.choice(['x', 'sdtype', 'name'])] = copy.deepcopy(holder[key])
            case 2 if isinstance(holder, list):
                holder.insert(key, copy.deepcopy(holder[key]))
            case 3 if isinstance(holder, list):
                del holder[key]
            case 4:
                other, theirs = at(document, rng.choice(list(places(document))[1:]))
                holder[key] = copy.deepcopy(other[theirs])
            case _:
                holder[key] = copy.deepcopy(rng.choice(HOSTILE))
    return pack(members | {name: json.dumps(document).encode()})


def mutated_text(members, rng):
    """Bytes of a member changed under a checksum that is right."""
    name = rng.choice(list(members))
    changed = bytearray(members[name])
    for _ in range(rng.choice([1, 1, 3])):
        place = rng.randrange(min(len(changed), rng.choice([12, 128, len(changed)])))
        changed[place] = rng.choice([0, 10, 32, 34, 39, 48, 57, 79, 91, 92, 93, 123, 125, 255])
    return pack(members | {name: bytes(changed)})


def mutated_numbers(members, rng):
    name = rng.choice([name for name in members if name.endswith('.npy')])
    array = np.load(io.BytesIO(members[name])).copy()
    wrong = [0, 1, -1, 7, 2**40] if array.dtype == np.int64 else [0, 1, -1, 1e300, np.nan, np.inf]
    flat = array.reshape(-1)
    flat[rng.randrange(flat.size)] = rng.choice(wrong)
    return pack(members | {name: npy(array)})


def unpacked(changed):
    """Return what the zip holds, or None if it is refused as such."""
    try:
        archive = Archive(io.BytesIO(changed))
        return {name: archive.read(name, 10 * MEGABYTE) for name in archive.names}
    except ReleaseError as error:
        assert str(error)
        return None


def assert_refused_or_sound(opened, times, make):
    before, times = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, profiles.times(times)
    refused = sum(make() for _ in range(times))
    assert refused > times / 10, 'many changes are seen'
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 200 * 1024, f'{grown / 1024:.0f} MB'
    assert set(os.listdir()) == {'inner'}


@pytest.mark.parametrize(('change', 'times'), [(flipped, 350), (cut_off, 150), (resized, 200)])
def test_a_changed_file_is_refused_or_the_same(opened, content, members, change, times):
    rng = profiles.generator(change.__name__)

    def make():
        changed = change(content, rng)
        found = unpacked(changed)
        if found == members and rng.random() < 0.98:
            return False  # the same members are the same release
        loaded = opened(changed)
        if loaded is not None:
            assert found is not None
            assert_sound(loaded)
        return loaded is None

    assert_refused_or_sound(opened, times, make)


@pytest.mark.parametrize(
    ('change', 'times'),
    [(rearranged, 20), (mutated_json, 45), (mutated_text, 50), (mutated_numbers, 20)],
)
def test_changed_members_are_refused_or_sound(opened, content, members, change, times):
    rng = profiles.generator(change.__name__)

    def make():
        loaded = opened(change(members, rng))
        if loaded is not None:
            assert_sound(loaded)
        return loaded is None

    assert_refused_or_sound(opened, times, make)


def test_changed_constraints_are_refused_or_sound(opened, tmp_path_factory):
    path = tmp_path_factory.mktemp('constrained') / 'release'
    fitted([Inequality('starts', 'ends'), PLACES, FixedIncrements('hours', 5)]).save_release(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    assert_sound(opened(path.read_bytes()))
    rng = profiles.generator('constraints')

    def make():
        release = json.loads(members['release.json'])
        part = rng.choice(['constraints', 'constraints', 'columns'])
        holder, key = at(release[part], rng.choice(list(places(release[part]))[1:]))
        holder[key] = copy.deepcopy(rng.choice(HOSTILE))
        loaded = opened(pack(members | {'release.json': json.dumps(release).encode()}))
        if loaded is not None:
            assert_sound(loaded)
        return loaded is None

    assert_refused_or_sound(opened, 40, make)
