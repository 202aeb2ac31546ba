"""How large the package is, and how far a reader must walk through it to follow a default fit.

Usage: house.py [FOLDER]

The fit is of Adult if a folder with ``adult/`` is given, of a simulated census otherwise. A reader
meets each function when it is first called; every time the next one is in another file, he has to
turn the page, and often back to one that he has left.
"""

import ast
import sys
import threading
import tokenize
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import sdv_prefair
from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import Dataset, load_adult, simulate_census

PACKAGE = Path(sdv_prefair.__file__).parent
_LAYOUT = (
    tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
    tokenize.COMMENT, tokenize.ENCODING,
)  # fmt: skip
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def lines_of(file: Path) -> Counter[str]:
    """Return how many lines a file has: all, of code, of imports, of docstrings."""
    text = file.read_text('utf-8')
    tree = ast.parse(text)
    words = set()
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            words |= _span(node.body[0])
    imports = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports |= _span(node)
    with file.open('rb') as stream:
        tokens = [t for t in tokenize.tokenize(stream.readline) if t.type not in _LAYOUT]
    code = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)} - words
    return Counter(
        files=1,
        lines=len(text.splitlines()),
        code=len(code),
        imports=len(imports),
        words=len(words),
    )


def _span(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def by_package(files: Iterable[Path]) -> dict[str, Counter[str]]:
    """Return the lines of each package, the largest first."""
    found: dict[str, Counter[str]] = {}
    for file in files:
        parts = file.relative_to(PACKAGE).parts
        package = parts[0] if len(parts) > 1 else '(top)'
        found[package] = found.get(package, Counter()) + lines_of(file)
    return dict(sorted(found.items(), key=lambda item: -item[1]['lines']))


@dataclass
class Walk:
    """The functions of the package in the order in which a call first enters them."""

    entered: list[tuple[str, str, int]] = field(default_factory=list)
    deepest: int = 0
    _seen: set[tuple[str, str, int]] = field(default_factory=set)
    _depth: dict[int, int] = field(default_factory=dict)

    def follow(self, call: Callable[[], Any]) -> Any:
        """Make the call, and note where it goes."""
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            return call()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        code, thread = frame.f_code, threading.get_ident()
        if event not in ('call', 'return') or not code.co_filename.startswith(str(PACKAGE)):
            return
        depth = self._depth.get(thread, 0) + (1 if event == 'call' else -1)
        self._depth[thread], self.deepest = depth, max(self.deepest, depth)
        met = code.co_filename, code.co_qualname, code.co_firstlineno
        if met not in self._seen:
            self._seen.add(met)
            self.entered.append(met)

    @property
    def files(self) -> set[str]:
        """The files that were entered."""
        return {file for file, *_ in self.entered}

    @property
    def turns(self) -> list[str]:
        """The file of each function, where it is not that of the one before."""
        files = [file for file, *_ in self.entered]
        return [
            now for before, now in zip([None, *files[:-1]], files, strict=True) if now != before
        ]

    def figures(self) -> dict[str, int]:
        """Return what a reader has to do."""
        return {
            'files': len(self.files),
            'lines of them': sum(lines_of(Path(file))['lines'] for file in self.files),
            'functions': len(self.entered),
            'turns of the page': len(self.turns),
            'returns': len(self.turns) - len(set(self.turns)),
            'deepest': self.deepest,
        }


def walks(data: Dataset) -> dict[str, Walk]:
    """Return the way of a construction, a fit and a sample, all with the defaults."""
    construct, fit, sample = Walk(), Walk(), Walk()
    roles = data.roles.as_dict()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer = construct.follow(
            lambda: PreFairSynthesizer(data.metadata, public_ranges=True, **roles)
        )
        fit.follow(lambda: synthesizer.fit(data.data))
        sample.follow(lambda: synthesizer.sample(500))
    return {'construct': construct, 'fit': fit, 'sample': sample}


def main() -> None:
    """Print the sizes and the walks."""
    packages = by_package(sorted(PACKAGE.rglob('*.py')))
    whole = sum(packages.values(), Counter())
    print(f'{len(packages)} packages\n')
    _print_table(packages | {'all': whole})
    data = load_adult(sys.argv[1]) if len(sys.argv) > 1 else simulate_census(5000)
    _print_table({name: walk.figures() for name, walk in walks(data).items()})


def _print_table(rows: dict[str, Any]) -> None:
    columns = list(next(iter(rows.values())))
    print(f'| | {" | ".join(columns)} |\n|---|{"---|" * len(columns)}')
    for name, row in rows.items():
        print(f'| {name} | {" | ".join(f"{row[column]:,}" for column in columns)} |')
    print()


if __name__ == '__main__':
    main()
