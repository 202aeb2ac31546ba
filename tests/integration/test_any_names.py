"""Columns of any name, through every command and method that takes or shows names."""

import json
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


TRIPLES = [
    tuple(names[place % len(names)] for place in range(start, start + 3))
    for names in (WORDS, ODD)
    for start in range(0, len(names), 3)
]
MARKS = [pytest.mark.pull_request, *[pytest.mark.slow] * (len(TRIPLES) - 1)]


@pytest.mark.parametrize(
    'names', [pytest.param(t, marks=m) for t, m in zip(TRIPLES, MARKS, strict=True)], ids=repr
)
@pytest.mark.filterwarnings('ignore::UserWarning')
def test_every_command_takes_them_in_any_role(names, tmp_path, capsys):
    rng = np.random.default_rng(1)
    reason = rng.choice(['a', 'b'], 600)
    decided = np.where(rng.random(600) < 0.8, reason, 'b')
    columns = dict(zip(names, (rng.choice(['a', 'b'], 600), reason, decided), strict=True))
    real, metadata, release = (tmp_path / file for file in ('x.csv', 'x.json', 'x.prefair'))
    pd.DataFrame(columns).to_csv(real, index=False)
    about = {'sdtype': 'categorical', 'range_values': ['a', 'b'], 'range_is_nullable': False}
    roles = ('protected', 'admissible', 'outcome')
    document = {
        'METADATA_SPEC_VERSION': 'V1',
        'tables': {
            't': {'columns': {n: about | {'role': r} for n, r in zip(names, roles, strict=True)}}
        },
    }
    metadata.write_text(json.dumps(document), encoding='utf-8')
    known = ['--metadata', str(metadata)]
    rows, page = tmp_path / 'rows.csv', tmp_path / 'page.html'
    for line in (
        ['domain', str(real), '--header', '--out', str(tmp_path / 'new.json')],
        ['check', str(real), *known],
        ['plan', *known, '--rows', '600', '--out', str(page)],
        ['roles', str(real), *known],
        ['fit', str(real), *known, '--ranges-are-public', '--epsilon', '5', '--out', str(release)],
        ['sample', str(release), '--rows', '500', '--out', str(rows)],
        ['evaluate', str(rows), '--real', str(real), *known, '--release', str(release)],
        ['evaluate', str(rows), '--real', str(real), *known, '--out', str(page)],
        ['report', str(release), '--real', str(real), '--out', str(page)],
        ['verify', str(release), str(rows)],
    ):
        assert main(line) == 0, (line[0], capsys.readouterr().err)
    assert '&lt;' in page.read_text('utf-8') or '<' not in ''.join(names)
