"""A fit looks at the rows first, for their owner, and stops before anything is spent."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sdv.cag import Inequality, ProgrammableConstraint
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata
from walk import differing_paths, leaves

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.cli import main
from sdv_prefair.errors import OwnerWarning, PrivacyWarning, PrivateDataError

ROWS = 300
LISTED = {'sdtype': 'categorical', 'range_values': ['a', 'b']}
DAYS = pd.Timestamp('2024-03-01') + pd.to_timedelta(np.arange(ROWS) % 31, unit='D')
# Cells, what metadata says of them, and what the owner is told.
LOST = {
    'dates without a format': (DAYS.strftime('%d/%m/%Y'), {'sdtype': 'datetime'}, '%d/%m/%Y'),
    'dates of another format': (
        DAYS.strftime('%d/%m/%Y'),
        {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
        'x',
    ),
    'other words for booleans': (['Y', 'N'] * (ROWS // 2), {'sdtype': 'boolean'}, 'x'),
    'capitals': (['A', 'B'] * (ROWS // 2), LISTED, 'x'),
    'spaces': (['a ', 'b '] * (ROWS // 2), LISTED, 'x'),
    'no numbers': (['1,5 kg'] * ROWS, {'sdtype': 'numerical'}, 'x'),
    'numbers below': (
        np.arange(ROWS) - 1000.0,
        {'sdtype': 'numerical', 'range_min': 0, 'range_max': 9},
        'x',
    ),
}


def synthesizer_of(about, **changes):
    columns = {'x': about, 'y': LISTED}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    arguments = {'structure': 'none', 'public_ranges': True, 'verbose': False} | changes
    return PreFairSynthesizer(metadata, **arguments)


def table_of(cells):
    return pd.DataFrame({'x': cells, 'y': ['a', 'b'] * (ROWS // 2)})


@pytest.mark.parametrize('kind', LOST)
def test_a_column_that_would_be_lost_stops_a_fit_before_it_spends(kind):
    cells, about, told = LOST[kind]
    synthesizer = synthesizer_of(about)
    with pytest.raises(PrivateDataError, match='NOT PRIVATE') as caught:
        synthesizer.fit({'t': table_of(cells)})
    assert told in str(caught.value)
    assert synthesizer.get_privacy_account().empty


@pytest.mark.parametrize('kind', [kind for kind in LOST if kind != 'numbers below'])
def test_so_it_does_for_a_file_and_on_the_command_line(kind, tmp_path, capsys):
    cells, about, told = LOST[kind]
    synthesizer = synthesizer_of(about)
    path, described = tmp_path / 'rows.csv', tmp_path / 'metadata.json'
    table_of(cells).to_csv(path, index=False)
    with pytest.raises(PrivateDataError, match='NOT PRIVATE'):
        synthesizer.fit_table(path)
    assert synthesizer.get_privacy_account().empty
    synthesizer.metadata.save_to_json(described)
    out = tmp_path / 'x.prefair'
    command = ['fit', str(path), '--metadata', str(described), '--structure', 'none']
    command += ['--ranges-are-public', '--out', str(out), '--quiet']
    assert main(command) == 2
    assert told in capsys.readouterr().err
    assert not out.exists()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', PrivacyWarning)
        assert main([*command, '--unchecked']) == 0


def test_check_false_looks_at_nothing():
    cells, about, _ = LOST['capitals']
    synthesizer = synthesizer_of(about)
    with warnings.catch_warnings():
        warnings.simplefilter('error', OwnerWarning)
        synthesizer.fit({'t': table_of(cells)}, check=False)
    assert synthesizer.get_privacy_account()['outcome'].tolist() == ['finished']


def test_what_is_only_changed_is_a_warning_that_quotes_no_cell():
    cells = ['Zyzzyva', *(['a', 'b'] * (ROWS // 2))][:ROWS]
    with pytest.warns(OwnerWarning, match='NOT PRIVATE.*x: 1 rows have a value') as caught:
        synthesizer_of(LISTED).fit({'t': table_of(cells)})
    assert not any('Zyzzyva' in str(warning.message) for warning in caught)


def test_a_look_leaves_nothing_behind():
    """With the same noise, a fit that has looked is the one that has not: in every attribute."""
    fits = []
    for check in (True, False):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            synthesizer = synthesizer_of(LISTED, seed=3)
            synthesizer.fit({'t': table_of(['Zyzzyva', *(['a', 'b'] * (ROWS // 2))][:ROWS])}, check)
        fits.append(synthesizer)
    # The two differ between fits that have not looked, too.
    assert differing_paths(*fits) <= {'._synthesizer_id', '._result.model._rng'}
    assert not any('Zyzzyva' in str(value) for _, value in leaves(fits[0]))


def test_a_single_foreign_date_among_many_rows_is_found():
    cells = [*(DAYS.strftime('%Y-%m-%d').tolist() * 40), '31/12/2024']
    table = pd.DataFrame({'x': cells, 'y': 'a'})
    with pytest.raises(PrivateDataError, match='another format'):
        synthesizer_of({'sdtype': 'datetime'}).fit({'t': table})


def pair(*constraints):
    number = {'sdtype': 'numerical', 'range_min': 0.0, 'range_max': 9.0, 'range_is_nullable': False}
    columns = {'low': number, 'high': number}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    synthesizer = PreFairSynthesizer(metadata, structure='none', public_ranges=True, verbose=False)
    synthesizer.add_constraints(list(constraints))
    rng = np.random.default_rng(0)
    return synthesizer, {'t': pd.DataFrame(rng.uniform(0, 9, (50, 2)), columns=['low', 'high'])}


def test_constraints_that_contradict_each_other_cost_nothing():
    synthesizer, data = pair(
        Inequality('low', 'high', strict_boundaries=True),
        Inequality('high', 'low', strict_boundaries=True),
    )
    with pytest.raises(SynthesizerInputError, match='No row can be made'):
        synthesizer.fit(data)
    assert synthesizer.get_privacy_account().empty


class OneVerdict(ProgrammableConstraint):
    """A rule with one verdict for all rows."""

    column_names = ('low', 'high')

    def is_valid(self, data):
        return {'t': bool((data['t']['low'] <= data['t']['high'] + 99).all())}

    def get_updated_metadata(self, metadata):
        return metadata

    def fit(self, data, metadata):
        pass

    def transform(self, data):
        return data

    def reverse_transform(self, data):
        return data


def test_a_rule_with_one_verdict_costs_nothing():
    with pytest.raises(SynthesizerInputError, match='one True or False for each row'):
        synthesizer, data = pair(OneVerdict())
        synthesizer.fit(data)


def test_rows_in_batches_are_as_many_in_the_file(tmp_path):
    synthesizer = synthesizer_of(LISTED)
    synthesizer.fit({'t': table_of(['a', 'b'] * (ROWS // 2))})
    rows = synthesizer.sample(35, batch_size=10, output_folder_path=str(tmp_path / 'out'))['t']
    (written,) = (tmp_path / 'out').glob('*.csv')
    assert len(rows) == len(pd.read_csv(written)) == 35


def test_a_sequence_key_says_that_rows_are_protected():
    columns = {'who': {'sdtype': 'id'}, 'x': LISTED}
    table = {'columns': columns, 'sequence_key': 'who'}
    metadata = Metadata.load_from_dict({'tables': {'t': table}})
    with pytest.warns(PrivacyWarning, match="key is 'who'.*person_column"):
        PreFairSynthesizer(metadata, epsilon=5, structure='none', public_ranges=True)


@pytest.mark.filterwarnings('ignore:Your metadata has been modified')
@pytest.mark.parametrize('edit', ['update', 'remove', 'add'])
def test_metadata_edited_after_construction_changes_nothing(edit):
    columns = {'x': LISTED, 'y': LISTED}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    synthesizer = PreFairSynthesizer(metadata, structure='none', public_ranges=True, verbose=False)
    if edit == 'update':
        metadata.update_column('x', sdtype='numerical')
    elif edit == 'remove':
        metadata.remove_column('x')
    else:
        metadata.add_column('z', sdtype='categorical')
    synthesizer.fit({'t': table_of(['a', 'b'] * (ROWS // 2))})
    assert set(synthesizer.sample(20)['t']['x'].dropna()) <= {'a', 'b'}
