"""Files from strangers: each is opened as a sound synthesizer or refused, and nothing else happens.

Some are made with care, to run code, to fill the memory, to write elsewhere or to pass an unfair
model off as a fair one. Thousands are a sound release with something changed at random.
"""

import copy
import io
import json
import os
import pickle
import random
import resource
import struct
import sys
import tracemalloc
import warnings
import zipfile
import zlib

import numpy as np
import pandas as pd
import pytest
from sdv.cag import FixedIncrements, Inequality
from sdv.errors import SamplingError
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, load_release
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.errors import ReleaseError
from sdv_prefair.release.archive import Archive, pack

MEGABYTE = 1 << 20
TREE = [('sex', 'grade'), ('grade', 'hours'), ('grade', 'paid'), ('hours', 'hired')]


COLUMNS = {
    'key': {'sdtype': 'id', 'regex_format': 'K[0-9]{4}'},
    'sex': {'sdtype': 'categorical', 'range_values': ['F', 'M']},
    'grade': {'sdtype': 'ordinal', 'range_values': ['a', 'b', 'c', 'd', 'e', 'f']},
    'hours': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 900, 'decimal_places': 1},
    'paid': {'sdtype': 'boolean', 'range_is_nullable': False},
    'hired': {
        'sdtype': 'datetime',
        'datetime_format': '%Y-%m-%d',
        'range_min': '2000-01-01',
        'range_max': '2030-01-01',
    },
}
MORE = {
    'starts': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 9, 'decimal_places': 0},
    'ends': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 12, 'decimal_places': 0},
    'city': {'sdtype': 'categorical', 'range_values': ['Bonn', 'Lyon']},
    'land': {'sdtype': 'categorical', 'range_values': ['D', 'F']},
}
PLACES = PublicCombinations(['city', 'land'], [['Bonn', 'D'], ['Lyon', 'F']])


def staff(num_rows=500):
    rng = np.random.default_rng(0)
    return pd.DataFrame({
        'key': [f'K{row:04}' for row in range(num_rows)],
        'sex': pd.Categorical(rng.choice(['F', 'M'], num_rows)),
        'grade': rng.choice(['a', 'b', 'c'], num_rows),
        'hours': rng.random(num_rows).round(1),
        'paid': rng.random(num_rows) < 0.5,
        'hired': '2012-03-04',
    })


def fitted(constraints=()):
    columns = COLUMNS | MORE if constraints else COLUMNS
    tables = {'staff': {'primary_key': 'key', 'columns': columns}}
    roles = {'protected': ['sex'], 'admissible': ['grade'], 'outcome': ['paid']}
    synthesizer = PreFairSynthesizer(
        Metadata.load_from_dict({'tables': tables}),
        public_ranges=True,
        structure='greedy',
        numeric_bins=6,
        **roles,
    )
    table = staff()
    if constraints:
        synthesizer.add_constraints(list(constraints))
        table = table.assign(starts=3, ends=np.arange(500) % 9 + 3, city='Bonn', land='D')
    synthesizer.fit({'staff': table})
    return synthesizer


@pytest.fixture(scope='module')
def synthesizer():
    return fitted()


@pytest.fixture(scope='module')
def content(synthesizer, tmp_path_factory):
    path = tmp_path_factory.mktemp('sound') / 'release'
    synthesizer.save_release(path)
    return path.read_bytes()


@pytest.fixture(scope='module')
def members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """Opens bytes as a release, in a folder in which nothing may appear."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / 'inner' / 'release'
    path.parent.mkdir()

    def open_bytes(changed):
        path.write_bytes(changed)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            try:
                return load_release(path)
            except ReleaseError as error:
                assert str(error)
                return None

    yield open_bytes
    assert [p for p in tmp_path.rglob('*') if p.is_file()] in ([], [path])


def assert_sound(loaded):
    """What was opened keeps its promises and samples rows of its own domain."""
    ledger = loaded.get_privacy_ledger()
    assert loaded._ledger.spent <= loaded._ledger.budget
    assert ledger.attrs['epsilon'] == loaded.epsilon
    if loaded._strategy.requires_roles:
        assert loaded.verify_fairness() is True
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            sampled = loaded.sample(15)[loaded._table_name]
        except SamplingError as error:  # a constraint can be changed to one that no row obeys
            assert loaded.get_constraints() and 'obeyed' in str(error)
            return
    assert len(sampled) == 15 or loaded.get_constraints()
    loaded.validate_constraints(sampled)
    for column, transformer in loaded._encoding.transformers.items():
        if column in sampled:
            assert transformer.is_declared(sampled[column]).all()
    loaded.get_fair_graph()
    loaded.get_info()


def edited(members, **changes):
    """Return the release with changed documents; a change is a function of the parsed JSON."""
    members = dict(members)
    for name, change in changes.items():
        document = json.loads(members[f'{name}.json'])
        changed = change(document)
        members[f'{name}.json'] = json.dumps(document if changed is None else changed).encode()
    return pack(members)


def npy(array, allow_pickle=False):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array), (1, 0), allow_pickle=allow_pickle)
    return buffer.getvalue()


def test_the_release_itself_is_sound(opened, synthesizer, content, members):
    loaded = opened(content)
    assert_sound(loaded)
    assert_sound(opened(pack(members)))
    assert_sound(opened(edited(members, release=lambda r: None, metadata=lambda m: None)))
    synthesizer.reset_sampling()
    loaded.reset_sampling()
    pd.testing.assert_frame_equal(synthesizer.sample(99)['staff'], loaded.sample(99)['staff'])


# -- made with care --------------------------------------------------------------------------------


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


WIDE = {
    'name': 'hours',
    'kind': 'NumberBins',
    'dtype': 'float64',
    'arguments': {
        **{'low': 0, 'high': 1, 'bins': 10**9, 'decimal_places': None, 'edges': None},
        'nullable': True,
    },
}


def replacing(path, value):
    def change(document):
        holder, key = at(document, path)
        assert holder[key] != value
        holder[key] = value

    return change


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
        opened(pack({'release.json': b'{"format": "sdv-prefair release", "version": 2}'})) is None
    )


# -- promises --------------------------------------------------------------------------------------


def rewired(members, cliques):
    """The release with a model that ties sex, grade and pay together, whatever its cliques say."""
    release = json.loads(members['release.json'])
    model = release['model']
    sizes = {column['name']: column['groups'] for column in model['columns']}
    joined = ['sex', 'grade', 'paid']
    nodes = [joined, *([column] for column in sizes if column not in joined)]
    model['nodes'] = [{'columns': columns, 'parent': None} for columns in nodes]
    model['cliques'], model['measurements'] = cliques + nodes[1:], []
    changed = {n: c for n, c in members.items() if n.startswith(('groups', 'weights', 'metadata'))}
    for place, columns in enumerate(nodes):
        table = np.ones([sizes[column] for column in columns])
        changed[f'tables/{place}.npy'] = npy(table / table.size)
    return changed, release


@pytest.mark.parametrize(
    'cliques',
    [[['sex', 'grade'], ['grade', 'paid']], [['sex', 'grade', 'paid']]],
    ids=['hidden', 'open'],
)
def test_an_unfair_model_does_not_pass_for_a_fair_one(opened, members, cliques):
    changed, release = rewired(members, cliques)

    def written():
        return pack(changed | {'release.json': json.dumps(release).encode()})

    assert opened(written()) is None
    release['parameters']['structure'] = 'none'
    loaded = opened(written())
    if len(cliques) == 2:
        assert loaded is None, 'cliques that are not those of the model hide something'
    else:
        # The same file is fine once it does not claim to be fair: so the reason is fairness.
        with pytest.raises(Exception, match='not justifiably fair'):
            loaded.verify_fairness()


def test_values_outside_the_domain_are_not_drawn(opened, synthesizer, members):
    """They would come back as declared values, and mix rows that the model keeps apart."""
    hidden = synthesizer._encoding.hidden_codes['sex']
    weights = np.load(io.BytesIO(members['weights/0.npy'])).copy()
    both = [hidden['other'], hidden['stand_in']]
    assert weights[hidden['other']] == 0
    weights[both] = weights[both[::-1]]
    assert opened(pack(members | {'weights/0.npy': npy(weights)})) is None


TIE = {
    'kind': 'FixedCombinations',
    'arguments': {'column_names': ['sex', 'paid'], 'table_name': None},
    'learnt': ['["F", true]'],
}


def at(release, path):
    for key in path[:-1]:
        release = release[key]
    return release, path[-1]


@pytest.mark.parametrize(
    ('path', 'value'),
    [
        (['parameters', 'epsilon'], 0.5),
        (['parameters', 'delta'], 1e-3),
        (['parameters', 'max_rows_per_person'], 0),
        (['parameters', 'protected'], ['nobody']),
        (['parameters', 'admissible'], ['paid']),
        (['parameters', 'locales'], ['../../evil']),
        (['parameters', 'locales'], ['en_XX']),
        (['parameters', 'structure'], [['sex', 'paid']]),
        (['parameters', 'structure'], TREE),
        (['parameters', 'structure'], {'$type': 'strategy'}),
        (['ledger', 'budget'], '1'),
        (['ledger', 'budget'], '1e9'),
        (['ledger', 'lines', 0, 'rho'], '1'),
        (['ledger', 'lines', 0, 'rho'], '-1/4'),
        (['ledger', 'lines', 0, 'rho'], '1/0'),
        (['ledger', 'lines', 0, 'rho'], '1/3000000'),
        (['ledger', 'lines', 0, 'delta'], 1e-10),
        (['ledger', 'lines', 0, 'columns'], ['nobody']),
        (['ledger', 'reserved_delta'], 0.4),
        (['ledger', 'reserved_delta'], 2),
        (['model', 'total'], 0),
        (['model', 'total'], True),
        (['model', 'gap'], -1),
        (['model', 'estimator'], 'other'),
        (['model', 'nodes', 1, 'parent'], 1),
        (['model', 'nodes', 1, 'parent'], None),
        (['model', 'nodes', 1, 'parent'], -1),
        (['model', 'nodes', 0, 'parent'], 0),
        (['model', 'nodes', 0, 'columns'], []),
        (['model', 'measurements', 0, 'stddev'], 0),
        (['model', 'measurements', 0, 'stddev'], -2),
        (['model', 'measurements', 0, 'columns'], ['sex', 'paid']),
        (['model', 'cliques'], []),
        (['model', 'cliques'], [['sex', 'grade', 'hours', 'hired', 'paid']]),
        (['given_names'], ['a', 'b']),
        (['fit', 'fitted'], 'yesterday'),
        (['columns', 1, 'dtype'], 'datetime64[ns, ../../etc/localtime]'),
        (['columns', 1, 'dtype'], 'datetime64[ns, dateutil//etc/localtime]'),
        (['columns', 1, 'dtype'], 'V8'),
        (['columns', 1, 'dtype'], None),
        (['columns', 1, 'name'], 'nobody'),
        (['learnt'], [{'name': 'sex', 'values': ['F', 'M'], 'edges': None}]),
        (['chosen'], [WIDE | {'kind': 'PseudoAnonymizedFaker'}]),
        (['chosen'], [WIDE | {'name': 'key'}]),
        (['constraints'], [{'kind': 'ProgrammableConstraint', 'arguments': {}, 'learnt': None}]),
        (['constraints'], [TIE]),
    ],
)
def test_what_does_not_hold_is_refused(opened, members, path, value):
    assert opened(edited(members, release=replacing(path, value))) is None


@pytest.mark.parametrize(
    ('keys', 'value'),
    [
        (['tables'], {}),
        (['tables', 'staff', 'columns', 'sex', 'sdtype'], 'binary'),
        (['tables', 'staff', 'columns', 'sex', 'range_values'], ['F', 'M', 'X']),
        (['tables', 'staff', 'columns', 'hired', 'datetime_format'], '%999999999d'),
        (['tables', 'staff', 'columns', 'key', 'regex_format'], '(' * 900),
        (['tables', 'staff', 'columns', 'key', 'regex_format'], 'a{1,99999}'),
        (['tables', 'staff', 'primary_key'], 'nobody'),
        (['relationships'], [{'parent_table_name': 'staff'}]),
    ],
)
def test_metadata_that_asks_for_too_much_is_refused(opened, members, keys, value):
    assert opened(edited(members, metadata=replacing(keys, value))) is None


@pytest.mark.parametrize('name', ['../staff', '..', 'a/b', 'a\\b', '', 'x' * 300, 'a\nb'])
def test_a_table_cannot_be_named_to_write_elsewhere(opened, members, name):
    def change(metadata):
        metadata['tables'] = {name: metadata['tables']['staff']}

    assert opened(edited(members, metadata=change)) is None


def spoilt(array):
    yield np.full(array.shape, np.nan)
    yield -array - 1
    yield array * 2 + (1e-3 if array.dtype == float else 1)
    yield array.astype('<f4')
    yield array.astype('>f8')
    yield array.astype('<c16')
    yield array[..., :-1]
    yield np.append(array, array[-1:], axis=0)
    yield array.ravel().reshape(1, -1) if array.ndim != 2 else array.ravel()
    yield np.zeros(array.shape, dtype='<U8')
    yield np.zeros(array.shape, dtype=[('a', '<i4'), ('b', '<i4')])
    yield np.zeros(array.shape, dtype='<M8[s]')
    yield array.view('<i8') if array.dtype == float else array.astype(float)
    if array.ndim == 2 and min(array.shape) > 1:  # negative, with the sums it should have
        moved = np.zeros_like(array)
        moved[:2, :2] = [[1, -1], [-1, 1]]
        yield array + moved


def test_tables_that_are_no_probabilities_are_refused(opened, members):
    chosen = [n for n in members if n.startswith(('tables/', 'groups/', 'weights/'))]
    assert {name.split('/')[0] for name in chosen} == {'tables', 'groups', 'weights'}
    for name in chosen:
        for wrong in spoilt(np.load(io.BytesIO(members[name]))):
            assert opened(pack(members | {name: npy(wrong)})) is None
    for name in [n for n in members if n.startswith('groups/')]:
        groups = np.load(io.BytesIO(members[name]))
        for wrong in (groups + 1, groups - 1, groups[::-1] * 0, groups * 2**40):
            assert opened(pack(members | {name: npy(wrong)})) is None


# -- changed at random -----------------------------------------------------------------------------


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
    name = rng.choice(['release.json', 'release.json', 'release.json', 'metadata.json'])
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
                holder[key] = rng.choice(HOSTILE)
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
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refused = sum(make() for _ in range(times))
    assert refused > times / 10, 'many changes are seen'
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 200 * 1024, f'{grown / 1024:.0f} MB'
    assert set(os.listdir()) == {'inner'}


@pytest.mark.parametrize(('change', 'times'), [(flipped, 2000), (cut_off, 800), (resized, 1200)])
def test_a_changed_file_is_refused_or_the_same(opened, content, members, change, times):
    rng = random.Random(f'{change.__name__} {zlib.crc32(content)}')

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
    [(rearranged, 100), (mutated_json, 250), (mutated_text, 300), (mutated_numbers, 120)],
)
def test_changed_members_are_refused_or_sound(opened, content, members, change, times):
    rng = random.Random(f'{change.__name__} {zlib.crc32(content)}')

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
    rng = random.Random(zlib.crc32(path.read_bytes()))

    def make():
        release = json.loads(members['release.json'])
        part = rng.choice(['constraints', 'constraints', 'columns'])
        holder, key = at(release[part], rng.choice(list(places(release[part]))[1:]))
        holder[key] = rng.choice(HOSTILE)
        loaded = opened(pack(members | {'release.json': json.dumps(release).encode()}))
        if loaded is not None:
            assert_sound(loaded)
        return loaded is None

    assert_refused_or_sound(opened, 120, make)
