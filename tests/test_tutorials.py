"""The tutorials run, show figures, leave nothing behind, and the notebooks are made from them."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import jupytext
import pytest

ROOT = Path(__file__).parents[1]
TUTORIALS = ROOT / 'tutorials'
SCRIPTS = sorted(TUTORIALS.glob('*.py'))
NOTEBOOKS = sorted(TUTORIALS.glob('*.ipynb'))
SMALL = '2000'
# Two for a pull request; the others at night.
DAILY = ('01_how_do_i_release_a_table', '06_can_i_keep_rules_and_ask_for_rows')
MOST_BYTES = 600_000
MEND = 'Run `make tutorials`, which makes every notebook again from its script.'
# The renderer `json` prints one such bundle for each figure that a plain script shows.
FIGURE = "{'application/json': {'data': "


def _name(path: Path) -> str:
    return path.stem


def _skip_without_data(script: Path) -> None:
    """Some tutorials need real tables, which are not part of the repository."""
    folder = Path(os.environ.get('PREFAIR_DATA', ROOT / '../shared/data'))
    if 'PREFAIR_DATA' in script.read_text(encoding='utf-8') and not folder.is_dir():
        pytest.skip(f'{script.name} needs real data: let PREFAIR_DATA name the folder')


def _files() -> dict[Path, int]:
    """When each file beside the tutorials, and at the top of the repository, was last written."""
    places = [*ROOT.glob('*'), *TUTORIALS.rglob('*')]
    return {path: path.stat().st_mtime_ns for path in places if path.is_file()}


def _notebook(script: Path):
    return jupytext.read(script.with_suffix('.ipynb'))


def _outputs(notebook) -> list:
    return [output for cell in notebook.cells for output in cell.get('outputs', [])]


def test_there_are_tutorials():
    assert SCRIPTS, f'no tutorial was found in {TUTORIALS}'


@pytest.mark.parametrize(
    'script',
    [
        pytest.param(script, marks=[] if script.stem in DAILY else pytest.mark.slow)
        for script in SCRIPTS
    ],
    ids=_name,
)
def test_it_runs_and_shows_figures(script, tmp_path):
    _skip_without_data(script)
    before = _files()
    environment = os.environ | {'TUTORIAL_ROWS': SMALL, 'PLOTLY_RENDERER': 'json'}
    run = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, (
        f'{script.name} fails with TUTORIAL_ROWS={SMALL}; mend the script, then {MEND}\n'
        f'{run.stderr[-3000:]}'
    )
    figures = run.stdout.count(FIGURE)
    assert figures, f'{script.name} shows no figure: call figure.show() at least once.'
    left = sorted(path.name for path in tmp_path.iterdir())
    assert not left, f'{script.name} leaves {left} where it is run: write to a temporary folder.'
    after = _files()
    written = sorted(path.name for path in before | after if before.get(path) != after.get(path))
    assert not written, f'{script.name} writes {written}: write to a temporary folder.'


@pytest.mark.parametrize('script', SCRIPTS, ids=_name)
def test_the_notebook_is_in_step(script):
    made, kept = jupytext.read(script), _notebook(script)
    expected = [(cell.cell_type, cell.source) for cell in made.cells]
    found = [(cell.cell_type, cell.source) for cell in kept.cells]
    differing = [
        f'cell {number}: {one[1][:60]!r}'
        for number, (one, other) in enumerate(zip(expected, found, strict=False))
        if one != other
    ]
    assert expected == found, (
        f'{script.stem}.ipynb has {len(found)} cells, {script.name} has {len(expected)}; those '
        f'that differ: {differing[:3]}. {MEND}'
    )


@pytest.mark.parametrize('script', SCRIPTS, ids=_name)
def test_the_notebook_was_executed_without_errors(script):
    notebook = _notebook(script)
    code = [cell for cell in notebook.cells if cell.cell_type == 'code']
    not_run = [cell.source[:60] for cell in code if cell.execution_count is None]
    assert not not_run, f'{script.stem}.ipynb has cells that were not run: {not_run}. {MEND}'
    errors = [output.evalue for output in _outputs(notebook) if output.output_type == 'error']
    assert not errors, f'{script.stem}.ipynb shows errors: {errors}. Mend {script.name}. {MEND}'
    pictures = [output for output in _outputs(notebook) if 'image/png' in output.get('data', {})]
    assert pictures, f'{script.stem}.ipynb has no PNG figure. {MEND}'


@pytest.mark.parametrize('script', SCRIPTS, ids=_name)
def test_the_notebook_is_fit_to_be_shown(script):
    path = script.with_suffix('.ipynb')
    assert path.stat().st_size <= MOST_BYTES, (
        f'{path.name} has {path.stat().st_size:,} bytes, more than {MOST_BYTES:,}: show fewer or '
        f'smaller figures in {script.name}. {MEND}'
    )
    # A warning that nobody caught prints the file of the kernel or of the package, a printed path
    # the machine's.
    machine = {tempfile.gettempdir(), str(Path.home()), str(ROOT)} - {'/', '.'}
    pattern = '|'.join([
        r'ipykernel_\d+',
        r'/\S+\.py:\d+',
        *(re.escape(f'{place}/') for place in machine),
    ])
    texts = [
        str(output.get('text', '')) + str(output.get('data', {}).get('text/plain', ''))
        for output in _outputs(_notebook(script))
    ]
    found = sorted({hit for text in texts for hit in re.findall(pattern, text)})
    assert not found, (
        f'{path.name} shows paths of the machine it was made on: {found}. Catch and print the '
        f'warning, or print path.name, in {script.name}. {MEND}'
    )


def test_every_script_has_a_notebook_and_every_notebook_a_script():
    scripts, notebooks = set(map(_name, SCRIPTS)), set(map(_name, NOTEBOOKS))
    assert not scripts - notebooks, f'no notebook for {sorted(scripts - notebooks)}. {MEND}'
    orphans = sorted(notebooks - scripts)
    assert not orphans, f'no script for the notebooks {orphans}: delete them, or add the scripts.'


def test_the_list_of_tutorials_names_each():
    listed = (TUTORIALS / 'README.md').read_text(encoding='utf-8')
    missing = [path.name for path in NOTEBOOKS if f'({path.name})' not in listed]
    assert not missing, f'tutorials/README.md does not link to {missing}: add a line for each.'
