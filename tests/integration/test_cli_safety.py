"""The command line destroys nothing, shows no row, and says whose fault it is."""

import os
import subprocess
import sys

import pandas as pd
import pytest

from sdv_prefair import save_metadata
from sdv_prefair.cli import main
from sdv_prefair.datasets import simulate_census

pytestmark = pytest.mark.filterwarnings('ignore::sdv_prefair.errors.PrivacyWarning')


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """A folder with a table, its metadata, and a release under several names."""
    folder = tmp_path_factory.mktemp('safety')
    census = simulate_census(600, seed=3)
    (table,) = census.data.values()
    table.to_csv(folder / 'people.csv', index=False)
    table.to_csv(folder / 'headless.csv', index=False, header=False)
    table.to_csv(folder / 'UPPER.CSV', index=False)
    save_metadata(census.metadata, census.roles, folder / 'metadata.json')
    assert run(folder, f'fit people.csv {FIT} --out model.prefair') == 0
    (folder / 'same.csv').symlink_to(folder / 'model.prefair')
    (folder / 'folder.csv').mkdir()
    os.mkfifo(folder / 'pipe.csv')
    return folder


FIT = '--metadata metadata.json --ranges-are-public --quiet'


def run(folder, line):
    here = os.getcwd()
    os.chdir(folder)
    try:
        return main(line.split())
    finally:
        os.chdir(here)


def contents(folder):
    files = [path for path in folder.rglob('*') if path.is_file()]
    return {path: path.read_bytes() for path in files}


@pytest.mark.parametrize(
    'line',
    [
        f'fit people.csv {FIT} --out people.csv',
        f'fit people.csv {FIT} --out metadata.json',
        'sample model.prefair --rows 3 --out model.prefair',
        'sample model.prefair --rows 3 --out same.csv',
        'sample model.prefair --rows 3 --out folder.csv',
        'sample model.prefair --rows 3 --out pipe.csv',
        'report model.prefair --out model.prefair',
        'report model.prefair --real people.csv --out people.csv',
        'domain people.csv --out people.csv',
        'domain people.csv --out metadata.json',
        'demo --out people.csv',
    ],
)
def test_what_is_there_stays(folder, line, capsys):
    before = contents(folder)
    assert run(folder, line) == 2
    assert '--out' in capsys.readouterr().err
    assert contents(folder) == before
    assert (folder / 'pipe.csv').is_fifo()


def test_an_output_that_no_command_reads_is_replaced(folder, capsys):
    for rows in (3, 5):
        assert run(folder, f'sample model.prefair --rows {rows} --out OUT.CSV') == 0
        assert len(pd.read_csv(folder / 'OUT.CSV')) == rows
    capsys.readouterr()


@pytest.mark.parametrize(
    'line',
    [
        f'fit headless.csv {FIT} --out z.prefair',
        'report model.prefair --real headless.csv --out z.html',
        'evaluate headless.csv --real people.csv --metadata metadata.json',
        'domain headless.csv --out z.json',
    ],
)
def test_a_file_without_names_is_not_quoted(folder, line, capsys):
    assert run(folder, line) == 2
    shown = capsys.readouterr()
    assert 'first line' in shown.err
    row = (folder / 'headless.csv').read_text().splitlines()[0].split(',')
    words = [value for value in row if value.isalpha()]
    assert words
    assert not any(f"'{word}'" in shown.err + shown.out for word in words)
    assert not list(folder.glob('z.*'))


def test_endings_may_be_upper_case(folder, capsys):
    assert run(folder, f'fit UPPER.CSV {FIT} --out upper.PREFAIR') == 0
    capsys.readouterr()


@pytest.mark.slow
def test_letters_that_a_terminal_lacks_do_not_stop_a_command(tmp_path):
    census = simulate_census(200, seed=3)
    (table,) = census.data.values()
    table.rename(columns={'income': 'größe'}).to_csv(tmp_path / 't.csv', index=False)
    environment = os.environ | {'PYTHONIOENCODING': 'ascii'}
    command = [sys.executable, '-m', 'sdv_prefair.cli', 'domain', 't.csv', '--out', 'größe.json']
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert b'gr??e' in done.stdout
    assert 'größe' in (tmp_path / 'größe.json').read_text('utf-8')


@pytest.mark.parametrize(('argument', 'code'), [('--version', 0), ('--help', 0), ('paint', 2)])
def test_help_and_wrong_use_do_not_wait_for_sdv(argument, code):
    command = [sys.executable, '-X', 'importtime', '-m', 'sdv_prefair.cli', argument]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == code
    imported = {line.rpartition('|')[2].strip() for line in done.stderr.splitlines()}
    assert 'sdv_prefair.cli._parser' in imported
    assert not imported & {'sdv', 'pandas', 'numpy', 'torch'}


def test_a_report_with_real_numbers_says_that_it_is_not_private(folder, capsys):
    assert run(folder, 'report model.prefair --real people.csv --out inside.html') == 0
    assert 'not private' in capsys.readouterr().out
    assert run(folder, 'report model.prefair --out outside.html') == 0
    assert 'not private' not in capsys.readouterr().out


def test_evaluate_shows_means_or_all(folder, capsys):
    assert run(folder, 'sample model.prefair --rows 600 --out rows.csv') == 0
    line = 'evaluate rows.csv --real people.csv --metadata metadata.json'
    capsys.readouterr()
    assert run(folder, line) == 0
    few = capsys.readouterr().out
    assert run(folder, f'{line} --all') == 0
    everything = capsys.readouterr().out
    for metric in ('TwoWayTotalVariation', 'AverageCorrelationDifference'):
        assert few.count(metric) == 1 < everything.count(metric)
    assert 'DownstreamAccuracy' not in few and 'DownstreamAccuracy' in everything
