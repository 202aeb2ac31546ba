"""The documentation is true: its code runs, its links lead somewhere, its pages follow the code."""

import argparse
import importlib
import inspect
import io
import os
import re
import shutil
import subprocess
import sys
import tokenize
from importlib.util import find_spec
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import sdv_prefair
from sdv_prefair import PreFairSynthesizer, load_release
from sdv_prefair.cli._parser import make_parser
from sdv_prefair.datasets import simulate_census

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / 'docs').rglob('*.md'))
OUTSIDE = ('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'tutorials/README.md')
PROOFS = sorted((ROOT / 'sdv_prefair' / 'privacy' / 'proofs').glob('*.md'))
DOCUMENTS = [*map(ROOT.joinpath, OUTSIDE), *PAGES, *PROOFS]
SITE_PACKAGES = ('mkdocs', 'material', 'mkdocstrings_handlers', 'nbconvert')


def by_name(paths):
    return pytest.mark.parametrize('path', paths, ids=lambda path: str(path.relative_to(ROOT)))


def tokens(path):
    parsed = MarkdownIt().enable('table').parse(path.read_text('utf-8'))
    return [inner for token in parsed for inner in (token, *(token.children or ()))]


def python_blocks(path):
    return [t.content for t in tokens(path) if t.type == 'fence' and t.info == 'python']


def links(path):
    found = [t.attrs.get('href') or t.attrs.get('src') for t in tokens(path)]
    return [link for link in found if link and not re.match(r'\w+:', link)]


def anchors(path):
    """Return the names that the headings of a page can be linked by."""
    titles = re.findall(r'^#+ (.+)$', path.read_text('utf-8'), flags=re.MULTILINE)
    return {re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-') for title in titles}


# -- code --------------------------------------------------------------------------------------


# tests/test_first_hour.py runs that page, commands and all.
@by_name([p for p in PAGES if python_blocks(p) and p.name != 'first_hour.md'])
@pytest.mark.filterwarnings('ignore:We strongly recommend saving the metadata')
def test_the_code_of_a_page_runs_from_top_to_bottom(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace, blocks = {}, python_blocks(path)
    for block in blocks:
        exec(compile(block, path.name, 'exec'), namespace)
    assert bool(capsys.readouterr().out) == any('print(' in block for block in blocks)


def test_every_block_of_a_page_says_what_it_is():
    unmarked = [
        (path.name, token.content)
        for path in DOCUMENTS[1:]
        for token in tokens(path)
        if token.type == 'fence' and token.info not in {'python', 'text'}
    ]
    assert unmarked == []


def assert_a_fit_with_hubs_is_fair(structure, path):
    data, metadata, roles = simulate_census(num_rows=1000)
    synthesizer = PreFairSynthesizer(
        metadata, structure=structure, public_ranges=True, **roles.as_dict()
    )
    synthesizer.fit(data)
    assert synthesizer.verify_fairness()
    edges = synthesizer.get_fair_graph().edges
    assert len(edges) == len(synthesizer.get_fair_graph()) - 1
    assert all(set(edge) & set(roles.admissible) for edge in edges)
    ledger = synthesizer.get_privacy_ledger()
    assert ledger['rho'].sum() == ledger.attrs['rho']
    synthesizer.save_release(path)
    assert load_release(path).verify_fairness()


def test_the_strategy_in_contributing_fits_and_is_fair(tmp_path, monkeypatch):
    block, _ = python_blocks(ROOT / 'CONTRIBUTING.md')
    (tmp_path / 'hubs_of_contributing.py').write_text(block)
    monkeypatch.syspath_prepend(tmp_path)
    strategy = importlib.import_module('hubs_of_contributing').HubsStrategy()
    assert_a_fit_with_hubs_is_fair(strategy, tmp_path / 'hubs.prefair')


def run_in_a_copy(folder, edits, script):
    """Put lines into a copy of the package, each before a line that is there; run a script."""
    for path, before, lines in edits:
        file = folder / 'sdv_prefair' / path
        text = file.read_text('utf-8')
        assert text.count(before) == 1
        file.write_text(text.replace(before, lines + before), 'utf-8')
    places = os.pathsep.join([str(folder), str(ROOT / 'tests'), str(ROOT / 'tests' / 'support')])
    from_there = (
        'import sys, pathlib, sdv_prefair, test_docs\n'
        'assert str(pathlib.Path(sdv_prefair.__file__)).startswith(sys.argv[1])\n'
    )
    subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', from_there + script, str(folder)],
        env=os.environ | {'PYTHONPATH': places},
        cwd=folder,
        check=True,
    )


@pytest.mark.pull_request
def test_the_steps_in_contributing_make_it_part_of_the_package(tmp_path):
    """In a copy, each step as the page says it; then it is asked for by its name."""
    shutil.copytree(ROOT / 'sdv_prefair', tmp_path / 'sdv_prefair')
    block, imports = python_blocks(ROOT / 'CONTRIBUTING.md')
    own = re.sub(r'from sdv_prefair\.structure import .*\n', lambda _: imports, block)
    (tmp_path / 'sdv_prefair' / 'selection' / '_hubs.py').write_text(own)
    resolve, catalogue = 'selection/_resolve.py', 'selection/_catalogue.py'
    imported = 'from sdv_prefair.selection._hubs import HubsStrategy\n'
    edits = [
        (resolve, 'from sdv_prefair.selection._trees', imported),
        (resolve, '        GreedyStrategy,\n', '        HubsStrategy,\n'),
        (catalogue, "    'none': ", "    'hubs': 'tied to admissible columns only',\n"),
    ]
    fitted = "test_docs.assert_a_fit_with_hubs_is_fair('hubs', sys.argv[1] + '/hubs.prefair')"
    run_in_a_copy(tmp_path, edits, fitted)


@pytest.mark.pull_request
def test_the_steps_on_a_mechanism_make_it_part_of_the_package(tmp_path):
    """As extending.md says: one file, its class in a table, its words, its steps."""
    shutil.copytree(ROOT / 'sdv_prefair', tmp_path / 'sdv_prefair')
    text = (ROOT / 'tests' / 'support' / 'triple_loop.py').read_text('utf-8')
    three = "    columns: tuple[str, str, str] = ('education', 'hours', 'income')\n"
    text = re.sub(r'    columns: tuple\[str, str, str\]\n', three, text)
    (tmp_path / 'sdv_prefair' / 'selection' / '_triple_loop.py').write_text(text)
    resolve, catalogue = 'selection/_resolve.py', 'selection/_catalogue.py'
    imported = 'from sdv_prefair.selection._triple_loop import TripleLoop\n'
    steps = "    'choose a clique': (EXPONENTIAL,),\n    'measure a clique': MEASURING_NOISES,\n"
    edits = [
        (resolve, 'from sdv_prefair.selection._tree_first', imported),
        (resolve, '        PlannedStrategy,\n', '        TripleLoop,\n'),
        (catalogue, "    'none': ", "    'triple loop': 'of three columns',\n"),
        ('privacy/_accounting.py', '    SELECT_CLIQUES: (EXPONENTIAL,),\n', steps),
    ]
    fitted = 'test_docs.assert_a_fit_by_name_comes_back(sys.argv[1] + "/loop.prefair")'
    run_in_a_copy(tmp_path, edits, fitted)


def assert_a_fit_by_name_comes_back(path):
    data, metadata, roles = simulate_census(num_rows=1000)
    synthesizer = PreFairSynthesizer(
        metadata, structure='triple loop', public_ranges=True, **roles.as_dict()
    )
    synthesizer.fit(data)
    synthesizer.save_release(path)
    opened = load_release(path)
    assert opened.verify_fairness()
    assert opened.fitted.settings.mechanism == synthesizer.fitted.settings.mechanism


# -- links -------------------------------------------------------------------------------------


@by_name([path for path in DOCUMENTS if links(path)])
def test_links_lead_to_something(path):
    broken = []
    for link in links(path):
        target, _, anchor = link.partition('#')
        found = (path.parent / target).resolve() if target else path
        if not found.exists() or (anchor and anchor not in anchors(found)):
            broken.append(link)
    assert broken == []


def test_broken_links_and_anchors_are_noticed(tmp_path):
    """The check above is only as good as what it finds."""
    page = tmp_path / 'page.md'
    page.write_text('# A title, here\n\n[a](b.md#c) ![d](e.png) [f](https://g.org) `[h](i.md)`\n')
    assert links(page) == ['b.md#c', 'e.png']
    assert anchors(page) == {'a-title-here'}


def test_files_that_contributing_names_exist():
    """Paths are those of the package, or of the repository."""
    pages = ('CONTRIBUTING.md', 'docs/extending.md', 'docs/reviewing.md')
    text = ''.join((ROOT / page).read_text('utf-8') for page in pages)
    rooms = {path.name for path in (ROOT / 'sdv_prefair').iterdir()} | {
        'sdv_prefair',
        'tests',
        'docs',
    }
    named = re.findall(r'`((?:\w+/)+(?:\w+\.\w+)?|\w+\.(?:py|md|txt))`', text)
    missing = [
        path
        for path in named
        if path.split('/')[0] in rooms | {path}
        and not ((ROOT / path).exists() or (ROOT / 'sdv_prefair' / path).exists())
    ]
    assert len(named) > 50
    assert missing == ['sdv_prefair/selection/_hubs.py'], 'which a reader makes'


def test_contributing_has_every_room_of_the_package():
    text = (ROOT / 'CONTRIBUTING.md').read_text('utf-8')
    rooms = [path.parent.name for path in (ROOT / 'sdv_prefair').glob('*/__init__.py')]
    assert rooms
    assert [room for room in rooms if f'`{room}/' not in text] == []


# -- English ------------------------------------------------------------------------------------

# Phrases that the style sheet in docs/reviewing.md advises against, and what to write instead.
UNIDIOMATIC = {
    r'\bwhole numbers?\b': 'integer',
    r'\bmoments\b': 'timestamps',
    r'\bone-ways\b(?!`)': 'one-way marginals',
    r'\bdealt out\b': 'systematic sampling',
    r'\bknow of each other\b': 'are not independent',
    r'\b(?:not )?on offer\b': 'a candidate',
    r'\bstands?-in\b': 'proxy',
    r'\botherwise than\b': 'differs from',
    r'\bis no (?:file|release|JSON|array|number|strategy)\b': 'is not a ...',
    r'\b(?:of|by) which only some\b': 'a relative clause of its own',
    r'\btells? (?:its|their) codes?\b': 'determines its code',
    r'\bwhoever knows it\b': 'anyone who knows it',
    r'\bin earnest\b': 'in practice',
    r'\bshared out\b': 'redistributed',
    r'\bthe law\b.*\bsample': 'distribution',
    r'\bhangs? together\b': 'is connected',
    r'\bin vain\b': 'wasted',
    r'\bturn(?:s|ed)? (?:\w+ )?down\b': 'reject',
}
STYLE_SHEET = ROOT / 'docs' / 'reviewing.md'  # has what is advised against, too
EDITED = [ROOT / 'README.md', *(path for path in PAGES if path != STYLE_SHEET), *PROOFS]


def unidiomatic(prose):
    """Return the phrases that the style sheet advises against, with what to write instead."""
    prose = re.sub(r'`[^`\n]*`', '', prose).replace('\n# ', ' ').replace('\n', ' ')
    return {
        hit: better
        for phrase, better in UNIDIOMATIC.items()
        for hit in re.findall(f'.{{0,30}}{phrase}', prose)
    }


@by_name([*EDITED, *sorted((ROOT / 'tutorials').glob('*.py'))])
def test_pages_use_the_words_of_the_style_sheet(path):
    lines = path.read_text('utf-8').splitlines()
    text = '\n'.join(line for line in lines if path.suffix == '.md' or line.startswith('#'))
    found = unidiomatic(re.sub(r'^```.*?^```$', '', text, flags=re.DOTALL | re.MULTILINE))
    assert not found, f'the style sheet in docs/reviewing.md has other words: {found}'


def test_docstrings_and_comments_use_the_words_of_the_style_sheet():
    """Mechanisms say one-ways for short, as the ledger does."""
    found = {}
    for path in (ROOT / 'sdv_prefair').rglob('*.py'):
        for token in tokenize.generate_tokens(io.StringIO(path.read_text('utf-8')).readline):
            if token.type == tokenize.COMMENT or token.string.startswith('"""'):
                text = re.sub(r'\s+', ' ', token.string.replace('one-ways', ''))
                found |= {(path.name, hit): what for hit, what in unidiomatic(text).items()}
    assert not found, f'the style sheet in docs/reviewing.md has other words: {found}'


# -- pages that follow the code ----------------------------------------------------------------


def described_commands():
    """Return for each command on the page its options and their defaults, as written."""
    text = (ROOT / 'docs' / 'command_line.md').read_text('utf-8')
    sections = dict(re.findall(r'^## (\w+)\n(.*?)(?=^## |\Z)', text, re.MULTILINE | re.DOTALL))
    row = re.compile(r'^\| `([^`]+)` \| ([^|]+) \|', re.MULTILINE)
    return {command: dict(row.findall(section)) for command, section in sections.items()}


def commands_of_parser():
    (subparsers,) = (
        action
        for action in make_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return {
        command: [action for action in parser._actions if action.dest != 'help']
        for command, parser in subparsers.choices.items()
    }


def test_the_page_has_exactly_the_commands_of_the_parser():
    assert list(described_commands()) == list(commands_of_parser())


@pytest.mark.parametrize('command', commands_of_parser())
def test_the_page_has_exactly_the_options_of_a_command(command):
    expected = {}
    for action in commands_of_parser()[command]:
        expected[(action.option_strings or [action.dest])[-1]] = action
    described = described_commands()[command]
    assert list(described) == list(expected)
    for option, action in expected.items():
        assert (described[option] == 'required') == action.required, option
        assert (described[option] == 'off') == (action.default is False), option
        if action.default:
            assert described[option] == f'`{action.default}`', option


def test_the_api_pages_have_every_public_name():
    text = '\n'.join(path.read_text('utf-8') for path in (ROOT / 'docs' / 'api').glob('*.md'))
    shown = set(re.findall(r'^::: [\w.]+\.(\w+)$', text, flags=re.MULTILINE))
    public = set(sdv_prefair.__all__) - {'__version__'}
    for module in ('metrics', 'datasets', 'constraints'):
        public |= set(importlib.import_module(f'sdv_prefair.{module}').__all__)
    errors = vars(importlib.import_module('sdv_prefair.errors')).values()
    public |= {e.__name__ for e in errors if getattr(e, '__module__', '') == 'sdv_prefair.errors'
               and isinstance(e, type)}  # fmt: skip
    assert public - shown == set()


def test_the_page_of_the_synthesizer_has_every_method():
    text = (ROOT / 'docs' / 'api' / 'synthesizer.md').read_text('utf-8')
    methods = {
        name
        for name, _ in inspect.getmembers(PreFairSynthesizer, callable)
        if not name.startswith('_')
    }
    assert {name for name in methods if not re.search(rf'\b{name}\b', text)} == set()


# -- the site ----------------------------------------------------------------------------------


def _exported_for_docs():
    """Return the variables that `make docs` exports."""
    makefile = (ROOT / 'Makefile').read_text('utf-8')
    return dict(re.findall(r'^docs: export (\w+) = (.+)$', makefile, flags=re.MULTILINE))


@pytest.mark.skipif(
    any(find_spec(package) is None for package in SITE_PACKAGES),
    reason='mkdocs is not installed: pip install -e .[docs]',
)
def test_the_site_builds_without_a_warning_and_asks_no_other_host(tmp_path):
    command = [sys.executable, '-m', 'mkdocs', 'build', '--strict', '--site-dir', str(tmp_path)]
    environment = os.environ | _exported_for_docs()
    build = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )
    assert build.returncode == 0, build.stderr
    assert 'end of life' not in build.stdout + build.stderr
    pages = list(tmp_path.rglob('*.html'))
    assert len(pages) > len(PAGES)
    fetched = re.compile(r'<(?:script|img|link|iframe)\b[^>]*?(?:src|href)="?(?:https?:)?//[^">]+')
    for page in pages:
        assert fetched.findall(page.read_text('utf-8')) == [], page.name
