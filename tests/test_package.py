"""What would be uploaded: wheel and source hold all that is needed, and say what they are."""

import ast
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

import sdv_prefair

ROOT = Path(__file__).parents[1]
PARTS = (
    *(
        'pyproject.toml',
        'setup.py',
        'MANIFEST.in',
        'README.md',
        'LICENSE',
        'CHANGELOG.md',
        'CITATION.cff',
    ),
    *('SECURITY.md', 'constraints.txt'),
)
PYPROJECT = tomllib.loads((ROOT / 'pyproject.toml').read_text('utf-8'))
PROJECT, BUILD = PYPROJECT['project'], PYPROJECT['build-system']
DATA = re.compile(r'\.(css|j2|json|md|html|typed)$')


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    """Build both from a copy: what setuptools leaves beside the source is not left here."""
    pytest.importorskip('build', reason='build is not installed: pip install -e .[lint]')
    copy, out = tmp_path_factory.mktemp('source'), tmp_path_factory.mktemp('dist')
    for part in PARTS:
        shutil.copy(ROOT / part, copy)
    ignored = shutil.ignore_patterns('__pycache__')
    shutil.copytree(ROOT / 'sdv_prefair', copy / 'sdv_prefair', ignore=ignored)
    command = [sys.executable, '-m', 'build', '--no-isolation', '--outdir', str(out), str(copy)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    (wheel,), (source,) = out.glob('*.whl'), out.glob('*.tar.gz')
    return wheel, source


def needed():
    """Return the files of the package: modules, and data that they read."""
    files = [path for path in (ROOT / 'sdv_prefair').rglob('*') if path.is_file()]
    kept = [path for path in files if path.suffix == '.py' or DATA.search(path.name)]
    return {path.relative_to(ROOT).as_posix() for path in kept}


def test_the_wheel_holds_the_package_and_nothing_else(built):
    wheel, _ = built
    with zipfile.ZipFile(wheel) as opened:
        names = {name for name in opened.namelist() if '.dist-info/' not in name}
    assert names == needed()
    assert {'sdv_prefair/py.typed', 'sdv_prefair/report/templates/page.css'} <= names


def test_the_source_holds_what_a_build_needs(built):
    _, source = built
    with tarfile.open(source) as opened:
        names = {name.partition('/')[2] for name in opened.getnames()}
    assert needed() | set(PARTS) <= names
    assert not [name for name in names if re.match(r'(tests|docs|tutorials|benchmarks)/', name)]


def test_the_index_is_told_what_it_is(built):
    wheel, _ = built
    with zipfile.ZipFile(wheel) as opened:
        (place,) = (name for name in opened.namelist() if name.endswith('/METADATA'))
        told = message_from_bytes(opened.read(place))
        (points,) = (name for name in opened.namelist() if name.endswith('/entry_points.txt'))
        entry_points = opened.read(points).decode()
    assert (told['Name'], told['Version']) == ('sdv-prefair', sdv_prefair.__version__)
    assert told['License-Expression'] == 'MIT'
    assert told['Description-Content-Type'] == 'text/markdown'
    assert 'Typing :: Typed' in told.get_all('Classifier')
    assert len(told.get_all('Project-URL')) == len(PROJECT['urls'])
    assert 'sdv-prefair = sdv_prefair.cli:main' in entry_points
    assert 'sdv.single_table:PreFairSynthesizer' in entry_points


def test_the_index_gets_the_readme_without_links_that_lead_nowhere(built):
    wheel, _ = built
    with zipfile.ZipFile(wheel) as opened:
        (place,) = (name for name in opened.namelist() if name.endswith('/METADATA'))
        shown = message_from_bytes(opened.read(place)).get_payload(decode=True).decode('utf-8')
    readme = (ROOT / 'README.md').read_text('utf-8')
    assert _relative_links(readme)
    assert _relative_links(shown) == []
    assert 'The privacy guarantee (docs/privacy.md) fits on a page' in shown
    # Code and tables are as they were, and no sentence is lost.
    fences = re.compile(r'^```.*?^```$', re.DOTALL | re.MULTILINE)
    assert fences.findall(shown) == fences.findall(readme)
    assert shown.count('\n|') == readme.count('\n|')
    words = re.findall(r'\w+', re.sub(r'\]\([^)]*\)', '', readme))
    assert not set(words) - set(re.findall(r'\w+', shown))


def _relative_links(text):
    tokens = MarkdownIt().enable('table').parse(text)
    inner = [child for token in tokens for child in token.children or ()]
    found = [child.attrs.get('href') or child.attrs.get('src') for child in inner]
    return [link for link in found if link and not re.match(r'\w+:', link)]


def test_twine_takes_both(built):
    pytest.importorskip('twine', reason='twine is not installed: pip install -e .[lint]')
    run = subprocess.run(
        [sys.executable, '-m', 'twine', 'check', '--strict', *map(str, built)],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_conda_recipe_asks_for_the_same():
    recipe = yaml.safe_load((ROOT / 'recipe' / 'recipe.yaml').read_text('utf-8'))
    python = f'python{PROJECT["requires-python"]}'
    needs = {when: _without_spaces(asked) for when, asked in recipe['requirements'].items()}
    assert needs['run'] == {*PROJECT['dependencies'], python}
    assert needs['host'] == {*BUILD['requires'], python, 'pip'}
    assert recipe['context']['version'] == sdv_prefair.__version__
    assert recipe['build']['python']['entry_points'] == [
        f'{name} = {target}' for name, target in PROJECT['scripts'].items()
    ]
    about = {'summary': PROJECT['description'], 'license': PROJECT['license']}
    assert recipe['about'] == about | {'license_file': PROJECT['license-files'][0]}


def _without_spaces(lines):
    return {line.replace(' ', '') for line in lines}


def test_rattler_build_renders_the_conda_recipe():
    """It knows the format, and refuses keys and versions that it does not."""
    rattler_build = pytest.importorskip('rattler_build', reason='pip install py-rattler-build')
    recipe = (ROOT / 'recipe' / 'recipe.yaml').read_text('utf-8')
    (rendered,) = rattler_build.Stage0Recipe.from_yaml(recipe).render()
    assert "package='sdv-prefair', version='0.1.0'" in repr(rendered)
    with pytest.raises(rattler_build.RattlerBuildError):
        rattler_build.Stage0Recipe.from_yaml(recipe.replace('  host:', '  hosts:')).render()


def test_the_image_is_made_of_files_that_are_there():
    lines = (ROOT / 'Dockerfile').read_text('utf-8').splitlines()
    copied = [word for line in lines if line.startswith('COPY ') and '--from' not in line
              for word in line.split()[1:-1]]  # fmt: skip
    assert copied
    let_in = (ROOT / '.dockerignore').read_text('utf-8').splitlines()
    assert all((ROOT / name).exists() and f'!{name}' in let_in for name in copied)


@pytest.mark.parametrize('number', ['01', '02', '03', '04', '05', '06', '09', '10'])
def test_a_notebook_needs_nothing_but_what_pip_installs(number):
    """They are run by other tests, where far more is installed."""
    (script,) = (ROOT / 'tutorials').glob(f'{number}_*.py')
    tree = ast.parse(script.read_text('utf-8'))
    modules = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    modules |= {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    installed = {re.match(r'[\w-]+', line)[0] for line in PROJECT['dependencies']}
    known = {'sdv_prefair', 'sklearn', *sys.stdlib_module_names, *installed}
    assert {module.partition('.')[0] for module in modules} <= known
    assert 'data folder' not in script.read_text('utf-8')
