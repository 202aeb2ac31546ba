"""The house in order: what is private says so, names say something, tests sit beside their modules.

A file under ``tests/unit`` is called ``test_x.py`` after the module ``_x.py`` of its package, or
after a folder there. One that is about an idea of several modules names them in its docstring.
"""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE, UNIT = ROOT / 'sdv_prefair', ROOT / 'tests' / 'unit'
MODULES = sorted(PACKAGE.rglob('*.py'))
TESTS = sorted(UNIT.rglob('test_*.py'))
MOST_LINES = 600
PUBLIC_MODULES = {
    *('domain.py', 'errors.py', 'fair_metadata.py', 'roles.py', 'sdgym.py', 'structure.py'),
    'transformers.py',
}
SAYS_NOTHING = re.compile(r'(^|_)(utils?|helpers?|common|base|managers?|misc)(_|$)')


def _path(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def _folders(top: Path, pattern: str) -> set[str]:
    """Return the folders below ``top`` that hold such a file, as paths relative to it."""
    return {file.parent.relative_to(top).as_posix() for file in top.rglob(pattern)}


def _named_modules(test: Path) -> set[str]:
    """Return the modules that a test file says it is about, by its name or its docstring."""
    docstring = ast.get_docstring(ast.parse(test.read_text('utf-8'))) or ''
    return set(re.findall(r'``_?(\w+)\.py``', docstring)) or {test.stem.removeprefix('test_')}


def test_modules_that_are_not_for_users_have_an_underscore():
    public = {_path(module) for module in MODULES if not module.name.startswith('_')}
    assert len(MODULES) > 100, 'the package is read'
    assert public == {f'sdv_prefair/{name}' for name in PUBLIC_MODULES}


@pytest.mark.parametrize('room', sorted(PACKAGE.glob('*/**/__init__.py')), ids=_path)
def test_a_room_lists_what_it_exports(room):
    """What an ``__init__`` defines or imports is in ``__all__`` or has an underscore."""
    tree = ast.parse(room.read_text('utf-8'))
    exported = next(
        (ast.literal_eval(node.value) for node in tree.body
         if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == '__all__'), [],
    )  # fmt: skip
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert {name for name in defined if not name.startswith('_')} <= set(exported)


def test_every_name_says_something():
    parts = {part for module in MODULES for part in module.relative_to(PACKAGE).parts}
    assert not [part for part in parts if SAYS_NOTHING.search(part.removesuffix('.py'))]


def test_what_a_page_refers_to_is_there():
    there = [f'/{_path(module)}' for module in MODULES]
    missing = [
        (_path(module), named)
        for module in MODULES
        for named in re.findall(r'``([\w/]+\.py)``', module.read_text('utf-8'))
        if not any(path.endswith(f'/{named}') for path in there)
    ]
    assert not missing


@pytest.mark.parametrize('module', MODULES, ids=_path)
def test_a_page_is_not_too_long(module):
    assert len(module.read_text('utf-8').splitlines()) <= MOST_LINES, 'split it by its ideas'


def test_every_room_has_a_layer():
    settings = tomllib.loads((ROOT / 'pyproject.toml').read_text('utf-8'))
    layered, *_ = settings['tool']['importlinter']['contracts']
    rooms = {name for layer in layered['layers'] for name in re.split(r'\W+', layer)}
    found = {path.stem for path in PACKAGE.glob('*.py')} | {
        path.parent.name for path in PACKAGE.glob('*/__init__.py')
    }
    assert layered['exhaustive']
    assert found - {'__init__'} == rooms


def test_unit_tests_have_the_rooms_of_the_package():
    assert _folders(UNIT, 'test_*.py') == _folders(PACKAGE, '__init__.py')


@pytest.mark.parametrize('test', TESTS, ids=_path)
def test_a_unit_test_is_about_modules_of_its_room(test):
    room = PACKAGE / test.parent.relative_to(UNIT)
    named = _named_modules(test)
    missing = [
        n for n in named if not any((room / to).exists() for to in (f'_{n}.py', f'{n}.py', n))
    ]
    assert not missing, f'{_path(room)} has no {missing}: name the modules in the docstring'


def test_only_the_synthesizer_looks_into_a_synthesizer():
    """Releases, reports and the command line read its fit and its public methods."""
    outside = [m for m in MODULES if 'synthesizer' not in m.relative_to(PACKAGE).parts]
    reading = [
        (_path(module), found)
        for module in outside
        for found in re.findall(
            r'(?<!sdv_prefair\.)\bsynthesizer(?:_class)?\._\w+', module.read_text('utf-8')
        )
    ]
    assert not reading
