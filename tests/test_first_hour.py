"""The page of the first hour runs from top to bottom, and says what the commands say.

``docs/make_first_hour.py`` runs it as it is, in a new clone; here the parts that install are left
to CI, which does the same, and commands run in this process.
"""

import importlib.util
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from sdv_prefair.cli import main

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / 'docs' / 'first_hour.md').read_text('utf-8')
_found = importlib.util.spec_from_file_location('hour', ROOT / 'docs' / 'make_first_hour.py')
hour = importlib.util.module_from_spec(_found)
_found.loader.exec_module(hour)
STEPS = list(hour.STEP.finditer(PAGE))
FEWER_ROWS = {'make demo': 'sdv-prefair demo --rows 1500'}


def first_lines(body):
    """Return for each command of a block the first line that it has printed, if any."""
    blocks = re.split(r'^\$ ', body, flags=re.MULTILINE)[1:]
    return {line: next(iter(out), None) for line, *out in map(str.splitlines, blocks)}


def without_numbers(line):
    return re.sub(r'\d[\d.,]*', '#', line)


def run(command, capsys):
    """Run a command, ours in this process; return what it printed."""
    ours, _, then = command.partition(' || ')
    if not ours.startswith('sdv-prefair '):
        shell = subprocess.run(['bash', '-c', command], capture_output=True, text=True, check=True)
        return shell.stdout
    assert (main(shlex.split(ours)[1:]) != 0) == bool(then), ours
    printed = capsys.readouterr()
    return printed.out or printed.err


@pytest.mark.slow
def test_the_page_runs_and_says_what_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'docs').mkdir()
    shutil.copy(ROOT / 'docs' / 'people.json', tmp_path / 'docs')
    names = {}
    for step in STEPS:
        if step['kind'] == 'python':
            exec(compile(step['body'], 'first_hour.md', 'exec'), names)
            capsys.readouterr()
            continue
        for command, shown in first_lines(step['body']).items():
            if not f'$ {command}'.startswith(hour.INSTALLING):
                printed = run(FEWER_ROWS.get(command, command), capsys)
                wanted = without_numbers(shown) if shown else None
                lines = [without_numbers(line.rstrip()) for line in printed.splitlines()]
                assert wanted in [*lines, None], command
    for _, page, *_ in hour.PICTURES:
        assert (tmp_path / page).exists(), 'a picture is taken of it'


def test_every_step_has_its_time_and_every_picture_its_place():
    timed = re.findall(r'^\*\d+ s(?: of CPU|, of which \d+ s of CPU)?\*$', PAGE, re.MULTILINE)
    assert len(timed) == len(STEPS)
    named = set(re.findall(r'pictures/(first_hour_\w+\.png)', PAGE))
    assert named == {f'first_hour_{name}.png' for name, *_ in hour.PICTURES}
    for name in named:
        assert 5_000 < (ROOT / 'docs' / 'pictures' / name).stat().st_size < 200_000


def test_the_twelve_lines_are_those_of_the_readme():
    readme = (ROOT / 'README.md').read_text('utf-8')
    (twelve,) = re.findall(r'^```python\n(.*?)^```$', readme, re.DOTALL | re.MULTILINE)
    assert STEPS[3]['body'] == twelve
    assert (
        STEPS[2]['body'].replace(' -q', '').splitlines()[0] == '$ pip install -c constraints.txt .'
    )


@pytest.mark.parametrize('lines', [3, 18, 19, 60])
def test_long_outputs_are_shortened_and_say_so(lines):
    printed = ''.join(f'{i}\n' for i in range(lines))
    short = hour._shortened(printed, (14, 4)).splitlines()
    left_out = re.findall(r'^\.\.\. (\d+) more lines \.\.\.$', '\n'.join(short), re.MULTILINE)
    assert len(short) - len(left_out) + sum(map(int, left_out)) == lines
    assert short[-1] == str(lines - 1)
