"""Tables in the forms people have them: tabs, row names, numbers as names, pipes."""

import io
import json
import sys
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.cli import main
from sdv_prefair.counting._csv import TabbedLines, record_of

pytestmark = pytest.mark.filterwarnings('ignore::sdv_prefair.errors.PrivacyWarning')
COLUMNS = {
    'sex': {'sdtype': 'categorical', 'range_values': ['f', 'm'], 'range_is_nullable': False},
    '2019': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 9, 'decimal_places': 0},
}


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp('tables')
    rows = pd.DataFrame({'sex': ['f', 'm'] * 200, '2019': range(400)})
    rows['2019'] %= 10
    rows.to_csv(folder / 'plain.csv', index=False)
    rows.to_csv(folder / 'tabs.tsv', index=False, sep='\t')
    rows.to_csv(folder / 'tabs.tsv.gz', index=False, sep='\t')
    rows.to_csv(folder / 'named.csv')
    rows.to_parquet(folder / 'rows.parquet')
    document = {'tables': {'people': {'columns': COLUMNS}}, 'METADATA_SPEC_VERSION': 'V1'}
    (folder / 'metadata.json').write_text(json.dumps(document), encoding='utf-8')
    return folder


def fit(folder, data, monkeypatch=None, given=b''):
    if given:
        monkeypatch.setattr(sys, 'stdin', SimpleNamespace(buffer=io.BytesIO(given)))
    source = data if data == '-' else str(folder / data)
    return main([
        'fit', source, '--metadata', str(folder / 'metadata.json'), '--ranges-are-public',
        '--structure', 'none', '--epsilon', '500', '--out', str(folder / 'out.prefair'),
    ])  # fmt: skip


def drawn(folder, capfd):
    capfd.readouterr()
    assert main(['sample', str(folder / 'out.prefair'), '--rows', '400', '--out', '-']) == 0
    shown = capfd.readouterr()
    assert 'Written to' in shown.err
    rows = pd.read_csv(io.StringIO(shown.out))
    assert rows['sex'].value_counts()['f'] == pytest.approx(200, abs=9)
    assert rows['2019'].value_counts().to_list() == pytest.approx([40] * 10, abs=9)


@pytest.mark.parametrize('data', ['plain.csv', 'tabs.tsv', 'tabs.tsv.gz', 'named.csv'])
@pytest.mark.filterwarnings('ignore:epsilon')
def test_the_same_table_in_any_form(folder, data, capfd):
    assert fit(folder, data) == 0
    drawn(folder, capfd)


@pytest.mark.parametrize('data', ['plain.csv', 'rows.parquet'])
@pytest.mark.filterwarnings('ignore:epsilon')
def test_a_table_from_standard_input(folder, data, monkeypatch, capfd):
    assert fit(folder, '-', monkeypatch, (folder / data).read_bytes()) == 0
    drawn(folder, capfd)


def test_names_that_are_numbers_are_names_if_that_is_said(folder, tmp_path, capsys):
    line = ['domain', str(folder / 'plain.csv'), '--out', str(tmp_path / 'out.json')]
    assert main(line) == 2
    assert 'pass --header' in capsys.readouterr().err
    assert main([*line, '--header']) == 0
    written = json.loads((tmp_path / 'out.json').read_text(encoding='utf-8'))
    assert list(written['tables']['plain']['columns']) == ['sex', '2019']


def test_a_first_column_without_a_name_is_left_out(folder, tmp_path):
    out = tmp_path / 'out.json'
    assert main(['domain', str(folder / 'named.csv'), '--header', '--out', str(out)]) == 0
    written = json.loads(out.read_text(encoding='utf-8'))
    assert list(written['tables']['named']['columns']) == ['sex', '2019']


def test_domain_says_what_texts_look_like(tmp_path, capsys):
    rows = {
        'born': ['3/12/1990', '14/12/1991', '9/1/1985'],
        'height': ['1,75', '1,80', '1,62'],
        'pay': ['10', 'NA', '30'],
        'town': ['Ulm', '?', 'Bonn'],
        'sex': ['f', 'm', 'f'],
    }
    pd.DataFrame(rows).to_csv(tmp_path / 'x.csv', index=False)
    assert main(['domain', str(tmp_path / 'x.csv'), '--out', str(tmp_path / 'x.json')]) == 0
    told = capsys.readouterr().out
    assert 'NOT PRIVATE' in told
    lines = {line.split(':')[0][2:]: line for line in told.splitlines() if line.startswith('- ')}
    columns = json.loads((tmp_path / 'x.json').read_text(encoding='utf-8'))['tables']['x'][
        'columns'
    ]
    assert columns['born']['sdtype'] == 'datetime' or '%d/%m/%Y' in lines['born']
    assert 'decimal commas' in lines['height']
    assert 'add "missing_values": ["?"]' in lines['town']
    assert 'sex' not in lines


@pytest.mark.parametrize('shell', ['bash', 'zsh', 'tcsh'])
def test_a_shell_can_complete(shell, capsys):
    with pytest.raises(SystemExit) as ended:
        main(['--print-completion', shell])
    assert ended.value.code == 0
    assert 'estimate' in capsys.readouterr().out


CELLS = st.text(st.characters(exclude_characters='\r\n\0', exclude_categories=['Cs']), max_size=6)


@given(st.lists(CELLS, min_size=2, max_size=4))
def test_tabs_and_commas_are_read_alike(cells):
    written = pd.DataFrame([cells])
    tabs, commas = (
        written.to_csv(index=False, header=False, sep=sep, lineterminator='\n').encode()
        for sep in '\t,'
    )
    read = TabbedLines(io.BytesIO(tabs)).readline()
    assert record_of(read, len(cells)) == record_of(commas, len(cells))


@given(st.lists(st.binary(max_size=12), max_size=6))
def test_a_damaged_line_with_tabs_changes_no_other(lines):
    lines = [line.replace(b'\n', b'').replace(b'\r', b'') for line in lines]
    whole = TabbedLines(io.BytesIO(b'\n'.join([*lines, b'a\tb'])))
    read = list(whole)
    assert len(read) == len(lines) + 1
    assert record_of(read[-1], 2) == ['a', 'b']
