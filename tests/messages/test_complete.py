"""Every place in the package that raises or warns is reached by the catalogue, or is internal.

A new ``raise`` that no message of the catalogue reaches makes this fail: add one to its area, or,
if no user can meet it, a line to ``INTERNAL`` that says why.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from message_catalogue import MESSAGES
from message_catalogue.message import provoked

import sdv_prefair

PACKAGE = Path(sdv_prefair.__file__).parent
INTERNAL = {
    '__init__.py __getattr__ AttributeError': "Python's own words for a name that is not there",
    'synthesizer/_sampling.py SampledBySdv.sample_to.draw KeyboardInterrupt': (
        "Python's own, without SDV's words"
    ),
    'columns/_generated.py check_distinct SamplingError': 'SDV shows it as the cause of an error',
    'counting/_kernel.py Counts.regroup ValueError': 'guards against mistakes in the package',
    'counting/_kernel.py _check_groups ValueError': 'guards against mistakes in the package',
    'counting/_databases.py _batch ValueError': 'no server sends half a row',
    'counting/_kernel.py Spread.__post_init__ ValueError': (
        'guards against mistakes in the package'
    ),
    'model/_forest_solver.py _round.after_iteration StopIteration': "scipy's way to stop iterating",
    'privacy/_accounting.py Ledger.__setattr__ AttributeError': 'only code that spends meets it',
    'privacy/_accounting.py Ledger.debit BudgetError': 'guards against mistakes in the package',
    'privacy/_accounting.py Ledger.put_aside BudgetError': 'guards against mistakes in the package',
    'privacy/_answers.py _add TypeError': 'guards against mistakes in the package',
    'privacy/_answers.py _checked_unit TypeError': 'guards against mistakes in the package',
    'privacy/_answers.py _constants ValueError': 'guards against mistakes in the package',
    'privacy/_private_table.py Sealed._refuse TypeError': 'no user gets hold of such an object',
    'columns/_processor.py CodesProcessor.reverse_transform NotFittedError': "SDV's own",
    'synthesizer/_arguments.py Argument.__get__ AttributeError': 'the constructor sets them all',
    'columns/_processor.py check_columns InvalidMetadataError': 'no synthesizer has none',
}
"""Places that no user can meet, by file, function and class, and why."""


class Site(NamedTuple):
    file: str
    function: str
    kind: str
    first: int
    last: int

    def __str__(self):
        return f'{self.place} (line {self.first})'

    @property
    def place(self):
        return f'{self.file} {self.function} {self.kind}'


def sites() -> Iterator[Site]:
    """Yield all places that raise or warn; a bare ``raise`` hands on what has a place already."""
    for path in sorted(PACKAGE.rglob('*.py')):
        yield from _sites_in(ast.parse(path.read_text('utf-8')), path.relative_to(PACKAGE))


def _sites_in(node: ast.AST, file: Path, inside: tuple[str, ...] = ()) -> Iterator[Site]:
    for child in ast.iter_child_nodes(node):
        if _raises(child) or _warns(child):
            lines = child.lineno, child.end_lineno
            yield Site(file.as_posix(), '.'.join(inside), _kind(child), *lines)
        is_scope = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        yield from _sites_in(child, file, (*inside, child.name) if is_scope else inside)


def _raises(node: ast.AST) -> bool:
    return isinstance(node, ast.Raise) and node.exc is not None


def _warns(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition('.')[2] in {
        'warn',
        'warn_explicit',
    }


def _kind(node: ast.AST) -> str:
    raised = node.exc if isinstance(node, ast.Raise) else node
    return ast.unparse(raised.func if isinstance(raised, ast.Call) else raised)


def reached() -> set[Site]:
    """Return the sites that the messages of the catalogue come from."""
    lines = {line for message in MESSAGES.values() for line in provoked(message).lines}
    return {
        site
        for site in sites()
        if any((str(PACKAGE / site.file), n) in lines for n in range(site.first, site.last + 1))
    }


def test_every_site_is_in_the_catalogue_or_internal():
    found = list(sites())
    assert len(found) > 250, 'the package is read'
    missing = [str(s) for s in set(found) - reached() if s.place not in INTERNAL]
    assert not missing, f'no message of the catalogue comes from: {sorted(missing)}'


def test_what_is_called_internal_is_not_met():
    unmet = {site.place for site in set(sites()) - reached()}
    assert set(INTERNAL) <= unmet, 'a line that is not needed any more'
    assert all(INTERNAL.values())
