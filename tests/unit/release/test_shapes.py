"""Shapes of bins in a release: ``_columns_record.py``, ``_columns_record.py``."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.columns._facts import Datetimes, Numbers
from sdv_prefair.errors import DomainError, ReleaseError
from sdv_prefair.release import load_release
from sdv_prefair.release._archive import pack
from sdv_prefair.release._columns_record import read_shapes, write_shapes
from sdv_prefair.transformers import BinShape, DatetimeBins, NumberBins, transformer_for

NUMBERS = Numbers(0, 99_999, None, True)
MOMENTS = Datetimes(pd.Timestamp('2020-01-01'), pd.Timestamp('2024-01-01'), None, True)
AFTER, MAY = float(np.nextafter(0.1, 1)), pd.Timestamp('2022-05-05 01:02:03')
SHAPES = [
    (NUMBERS, BinShape((1, 5000))),
    (NUMBERS, BinShape((0.1, AFTER, 99_999), (7,), (0.1, 1 / 3, 0, 5e-324, 9))),
    (MOMENTS, BinShape((pd.Timestamp('2021-01-01'),), (MAY,), (1, 2, 3))),
    (MOMENTS, BinShape(('2021-01-01',), (), (1, 0))),
]


@pytest.mark.parametrize(('domain', 'shape'), SHAPES)
def test_shapes_come_back_exactly(domain, shape):
    made = {'x': transformer_for(domain, 4, edges=shape), 'y': transformer_for(domain, 4)}
    written = json.loads(json.dumps(write_shapes(made, {})))
    assert read_shapes(written, {'x': domain, 'y': domain}) == {'x': shape}


def test_what_follows_from_constraints_is_not_written():
    made = {'x': transformer_for(NUMBERS, 4, edges=[1, 5])}
    assert write_shapes(made, {'x': [1, 5]}) == []
    assert len(write_shapes(made, {'x': [1, 6]})) == 1


SOUND = {'name': 'x', 'edges': [1], 'finer': [2], 'weights': [1.0, 2.0, 3.0]}
HOSTILE = [
    {'name': 'y'},
    {'weights': [1.0, 2.0]},
    {'weights': [1.0, 2.0, -3.0]},
    {'weights': [1.0, 2.0, float('nan')]},
    {'weights': [1.0, 2.0, '3']},
    {'weights': [1.0, 2.0, None]},
    {'weights': 3},
    {'edges': None},
    {'more': 1},
]


@pytest.mark.parametrize('change', HOSTILE, ids=str)
def test_hostile_shapes_are_refused(change):
    read_shapes([SOUND], {'x': NUMBERS})
    with pytest.raises((DomainError, ReleaseError)):
        read_shapes([SOUND | change], {'x': NUMBERS})
    with pytest.raises((DomainError, ReleaseError)):
        read_shapes([SOUND, SOUND], {'x': NUMBERS})


# -- whole releases -------------------------------------------------------------------------------


@pytest.fixture(scope='module')
def synthesizer():
    days = {'range_min': '2020-01-01', 'range_max': '2024-01-01', 'datetime_format': '%Y-%m-%d'}
    columns = {
        'gain': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 99_999, 'decimal_places': 0},
        'hired': {'sdtype': 'datetime', **days},
    }
    metadata = Metadata.load_from_dict({'tables': {'staff': {'columns': columns}}})
    table = pd.DataFrame({'gain': [0, 0, 0, 7] * 50, 'hired': ['2021-01-01', '2023-01-01'] * 100})
    made = PreFairSynthesizer(metadata, epsilon=50.0, public_ranges=True, structure='none')
    made.auto_assign_transformers({'staff': table})
    made.update_transformers({
        'gain': NumberBins(0, 99_999, 4, 0, [1, 5000], finer=[10], weights=[9, 8, 1, 2]),
        'hired': DatetimeBins(
            '2020-01-01', '2024-01-01', '%Y-%m-%d', 4, ['2021-01-01', '2021-01-02'],
            finer=['2022-01-01'], weights=[1, 5, 1, 9],
        ),
    })  # fmt: skip
    made.fit({'staff': table})
    return made


def changed(path, change):
    """Write a release again, with its document changed in place."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members['release.json'])
    change(document)
    path.write_bytes(pack(members | {'release.json': json.dumps(document).encode()}))


def test_weights_of_chosen_transformers_come_back(synthesizer, tmp_path):
    synthesizer.save_release(tmp_path / 'r')
    loaded = load_release(tmp_path / 'r')
    for column in ('gain', 'hired'):
        shape = synthesizer.get_transformers()[column].shape
        assert loaded.get_transformers()[column].shape == shape
        assert shape.weights


@pytest.mark.parametrize(
    'change',
    [
        {'weights': [1, 2, 3]},
        {'weights': [1, 2, 3, -4]},
        {'finer': [0]},
        {'finer': [10**6]},
        {'edges': [5000, 1]},
        {'finer': 7},
    ],
    ids=str,
)
def test_hostile_arguments_are_refused(synthesizer, tmp_path, change):
    synthesizer.save_release(tmp_path / 'r')
    changed(tmp_path / 'r', lambda document: document['chosen'][0]['arguments'].update(change))
    with pytest.raises((DomainError, ReleaseError)):
        load_release(tmp_path / 'r')
