"""Columns of any name, through every command and method that takes or shows names."""

import warnings

import ibis
import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.cli import main

WORDS = ['self', 'cls', 'estimate', 'upper', 'lower', 'basis', 'standard_error', 'count', 'index']
ODD = [
    'a by b',
    ' outer ',
    '-x',
    '--out',
    'a=b',
    'P(x)',
    '2024',
    '*',
    'SELECT',
    'é',
    'e\u0301',
    "o'",
]
ODD += ['"', '`', '%s', '{x}', '[0]', 'mean of x', 'frame', 'None', 'n' * 3000, 'rows']
ODD += ['tab\there']


@pytest.fixture(params=[WORDS, ODD], ids=['words', 'odd'])
def named(request, tmp_path):
    """Return a fitted synthesizer of columns with such names, its release and its rows."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: rng.choice(['a', 'b'], 400) for name in request.param})
    about = {'sdtype': 'categorical', 'range_values': ['a', 'b'], 'range_is_nullable': False}
    columns = dict.fromkeys(table, about)
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer = PreFairSynthesizer(
            metadata, structure='none', public_ranges=True, epsilon=5.0, verbose=False
        )
        synthesizer.fit({'t': table})
        synthesizer.save_release(tmp_path / 'x.prefair')
    return synthesizer, tmp_path / 'x.prefair', table


def test_rows_can_be_sampled_and_asked_for(named):
    synthesizer, _, table = named
    for name in table:
        rows = synthesizer.sample_from_conditions([Condition({name: 'a'}, num_rows=2)])['t']
        assert rows[name].tolist() == ['a', 'a']
        known = synthesizer.sample_remaining_columns(pd.DataFrame({name: ['b']}))['t']
        assert known.columns.tolist() == list(table)


@pytest.mark.filterwarnings('ignore:This synthesizer has spent')
def test_every_door_takes_them(named, tmp_path):
    synthesizer, _, table = named
    table.to_csv(tmp_path / 'rows.csv', index=False)
    synthesizer.fit_table(tmp_path / 'rows.csv')
    for stay in (None, True):
        synthesizer.fit_table(ibis.memtable(table), rows_stay=stay)
    assert not synthesizer.check({'t': table}).findings
    assert synthesizer.count_queries()


def test_estimates_show_them(named, capsys):
    synthesizer, release, table = named
    for name in table:
        assert len(synthesizer.estimate(name)) == 2
        quoted = '"' + name.replace('"', '""') + '"'
        main(['estimate', str(release), quoted, '--quiet'])
        shown = capsys.readouterr()
        assert not shown.err
        assert 'measured' in shown.out


def test_rows_are_asked_for_on_the_command_line(named, tmp_path):
    _, release, table = named
    for name in table:
        out = tmp_path / 'out.csv'
        given = ['sample', str(release), '--rows', '3', '--where', f'{name}=a', '--out', str(out)]
        assert main([*given, '--quiet']) == 0
        assert pd.read_csv(out)[name].tolist() == ['a'] * 3
