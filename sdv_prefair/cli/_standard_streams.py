"""``-`` in place of a path: a table from standard input, rows to standard output.

Commands read a table several times, so standard input is kept in a file that only its owner may
read, and which is deleted with the command.
"""

import argparse
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_STANDARD = Path('-')
_TABLES = ('data', 'synthetic')
_PARQUET = b'PAR1'


@contextmanager
def standard_streams(options: argparse.Namespace) -> Generator[bool]:
    """Put files in the places of standard input and output; yield whether rows go to the latter."""
    named = [name for name in _TABLES if getattr(options, name, None) == _STANDARD]
    writes = getattr(options, 'out', None) == _STANDARD and hasattr(options, 'rows')
    if not named and not writes:
        yield False
        return
    with TemporaryDirectory(prefix='sdv-prefair-') as folder:
        for name in named:
            setattr(options, name, _kept_input(Path(folder)))
        if writes:
            options.out = Path(folder, 'standard output.csv')
        yield writes
        if writes and options.out.exists():
            with options.out.open('rb') as rows:
                shutil.copyfileobj(rows, sys.stdout.buffer)
            sys.stdout.flush()


def _kept_input(folder: Path) -> Path:
    path = folder / 'standard input.csv'
    with path.open('wb') as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
    with path.open('rb') as kept:
        is_parquet = kept.read(len(_PARQUET)) == _PARQUET
    return path.rename(path.with_suffix('.parquet')) if is_parquet else path
