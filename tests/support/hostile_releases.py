"""A sound release to be tampered with, and what it means that an opened one is sound."""

import io
import json
import warnings
import zipfile

import numpy as np
import pandas as pd
from sdv.errors import SamplingError
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.release._archive import pack

MEGABYTE = 1 << 20


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


def assert_sound(loaded):
    """What was opened keeps its promises and samples rows of its own domain."""
    ledger = loaded.get_privacy_ledger()
    assert loaded.fitted.ledger.spent == loaded.fitted.ledger.budget
    assert ledger.attrs['epsilon'] == loaded.epsilon
    if loaded.fitted.settings.mechanism.requires_roles:
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
    for column, transformer in loaded.fitted.encoding.transformers.items():
        if column in sampled:
            assert transformer.is_declared(sampled[column]).all()
    loaded.get_fair_graph()
    loaded.get_info()


def unpacked(content):
    """Return the members of a release by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


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


def replacing(path, value):
    def change(document):
        holder, key = at(document, path)
        assert holder[key] != value
        holder[key] = value

    return change


def at(release, path):
    for key in path[:-1]:
        release = release[key]
    return release, path[-1]


WIDE = {
    'name': 'hours',
    'kind': 'NumberBins',
    'dtype': 'float64',
    'arguments': {
        **{'low': 0, 'high': 1, 'bins': 10**9, 'decimal_places': None, 'edges': None},
        'nullable': True,
    },
}
