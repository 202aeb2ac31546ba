"""Brings files from outside ``docs/`` to the site: notebooks, proofs, contributing, changelog.

Links in all files are those of the repository, so that they work where the repository is read.
Here they are turned into links between pages of the site. What is in the repository but not on
the site becomes plain text; what is in neither stays as it is, and mkdocs complains.
"""

import os
import re
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from nbconvert import MarkdownExporter
from traitlets.config import Config

_ROOT = Path(__file__).parents[1]
_OUTSIDE = {
    'README.md': 'index.md',
    'CONTRIBUTING.md': 'contributing.md',
    'CHANGELOG.md': 'changelog.md',
    'benchmarks/results/speed.md': 'speed.md',
    'benchmarks/results/coverage.md': 'coverage_tables.md',
    'benchmarks/results/replicates.md': 'replicates.md',
    'benchmarks/results/paper.md': 'paper_tables.md',
    'benchmarks/results/numbers.md': 'numbers_tables.md',
    'benchmarks/results/almost_no_noise/paper.md': 'almost_no_noise.md',
    'tutorials/README.md': 'tutorials/index.md',
} | {
    path.relative_to(_ROOT).as_posix(): f'proofs/{path.name}'
    for path in sorted(_ROOT.glob('sdv_prefair/privacy/proofs/*.md'))
}
# A picture first: the same figure as a script would fetch its library from another host.
_KINDS = ['image/png', 'image/svg+xml', 'text/html', 'text/markdown', 'text/plain']
_LINK = re.compile(r'(?<!!)\[([^\]]+)\]\((?![\w+.-]+:|#)([^)\s#]+)(#[^)\s]*)?\)')


def on_config(config: MkDocsConfig) -> None:
    """List the notebooks, in the order of their names."""
    for section in config.nav:
        if 'Tutorials' in section:
            section['Tutorials'] += [_page_of(path) for path in _notebooks()]


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the pages that are not in ``docs/``, and the pictures of the notebooks."""
    for path in _notebooks():
        text, pictures = _as_markdown(_ROOT / path)
        files.append(File.generated(config, _page_of(path), content=text))
        for name, content in pictures.items():
            files.append(File.generated(config, f'tutorials/{name}', content=content))
    for path, page in _OUTSIDE.items():
        if files.get_file_from_path(page) is None:
            text = (_ROOT / path).read_text('utf-8')
            files.append(File.generated(config, page, content=text))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files of the repository into links between pages of the site."""
    here = page.file.src_uri
    folder = PurePosixPath(_source_of(here)).parent

    def on_site(link: re.Match) -> str:
        text, target, anchor = link.groups(default='')
        path = os.path.normpath(folder / target)
        if not (_ROOT / path).exists():
            return link[0]
        if files.get_file_from_path(_page_of(path)) is None:
            return text
        return f'[{text}]({os.path.relpath(_page_of(path), PurePosixPath(here).parent)}{anchor})'

    return _LINK.sub(on_site, markdown)


def _notebooks() -> list[str]:
    return sorted(path.relative_to(_ROOT).as_posix() for path in _ROOT.glob('tutorials/*.ipynb'))


def _page_of(path: str) -> str:
    """Return the page of the site that shows a file of the repository."""
    if path in _OUTSIDE:
        return _OUTSIDE[path]
    return path.removeprefix('docs/').replace('.ipynb', '.md')


def _source_of(page: str) -> str:
    """Return the file of the repository that a page of the site shows."""
    outside = {_page_of(path): path for path in (*_OUTSIDE, *_notebooks()) if path != 'README.md'}
    return outside.get(page, f'docs/{page}')


def _as_markdown(notebook: Path) -> tuple[str, dict[str, bytes]]:
    """Return a notebook with its stored outputs as Markdown, and the pictures in it."""
    config = Config({'NbConvertBase': {'display_data_priority': _KINDS}})
    text, resources = MarkdownExporter(config=config).from_filename(
        str(notebook), resources={'output_files_dir': f'{notebook.stem}_files'}
    )
    return text, resources['outputs']
