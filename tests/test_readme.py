"""The README's commands and example run as printed."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from sdv_prefair import load_metadata, save_metadata
from sdv_prefair.datasets import simulate_census

ROOT = Path(__file__).parents[1]
README = (ROOT / 'README.md').read_text(encoding='utf-8')


def blocks(language: str) -> list[str]:
    found = re.findall(r'^```(\w*)\n(.*?)^```$', README, flags=re.DOTALL | re.MULTILINE)
    return [text for written_in, text in found if written_in == language]


def commands() -> list[str]:
    """Every line of the blocks without a language, its comment left out."""
    lines = '\n'.join(blocks('')).splitlines()
    return [line.split('#')[0].strip() for line in lines if line.split('#')[0].strip()]


def test_the_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert blocks('python')
    for block in blocks('python'):
        exec(compile(block, 'README.md', 'exec'), {})
    assert 'measure two-ways' in capsys.readouterr().out
    assert (tmp_path / 'tree.html').stat().st_size > 1000


def test_the_example_fits_on_a_screen():
    assert len(blocks('python')[0].splitlines()) <= 12


def test_the_commands_are_of_kinds_that_are_run():
    """make by CI, sdv-prefair below; the Makefile installs by pip as the README does."""
    kinds = {command.split()[0] for command in commands()}
    assert kinds == {'make', 'sdv-prefair', 'pip'}
    pip = [command for command in commands() if command.startswith('pip')]
    makefile = (ROOT / 'Makefile').read_text(encoding='utf-8')
    assert pip == ['pip install -c constraints.txt .']
    assert '-m pip install' in makefile
    assert '-c constraints.txt' in makefile


def test_every_make_target_is_run_by_ci():
    named = {command.split()[1] for command in commands() if command.startswith('make ')}
    assert {'demo', 'test'} <= named
    run = re.findall(r'^make (.+)$', (ROOT / '.ci/run').read_text(encoding='utf-8'), re.MULTILINE)
    assert named <= {target for line in run for target in line.split()}


@pytest.fixture
def folder(tmp_path):
    (table,) = simulate_census(5000, seed=1).data.values()
    table.to_csv(tmp_path / 'people.csv', index=False)
    return tmp_path


def test_the_command_line_leads_from_a_file_to_a_report(folder):
    """The person in the middle, who fills in ranges and roles, is the simulation's own."""
    script = Path(sys.executable).with_name('sdv-prefair')
    lines = [command for command in commands() if command.startswith('sdv-prefair')]
    assert [line.split()[1] for line in lines] == [
        'domain', 'check', 'plan', 'fit', 'sample', 'report', 'evaluate',
    ]  # fmt: skip
    for line in lines:
        run = subprocess.run(
            [script, *line.split()[1:]], cwd=folder, capture_output=True, text=True
        )
        assert run.returncode == 0, f'{line}\n{run.stderr}'
        if ' domain ' in line:
            _fill_in(folder / 'metadata.json')
    assert len(pd.read_csv(folder / 'synthetic.csv')) == 5000
    assert '<html' in (folder / 'report.html').read_text(encoding='utf-8')[:500]


def _fill_in(path: Path) -> None:
    skeleton, _ = load_metadata(path)
    census = simulate_census(1)
    assert set(skeleton.tables['people'].columns) == set(census.metadata.tables['census'].columns)
    census.metadata.tables['people'] = census.metadata.tables.pop('census')
    path.unlink()
    save_metadata(census.metadata, census.roles, path)
