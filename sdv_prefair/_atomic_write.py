"""Atomic file writes: a file is written next to its place first, then moved.

Errors name the path that the user gave, not that of the draft.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from tempfile import TemporaryDirectory


def check_place(path: Path) -> None:
    """Raise unless a file can be written at the path, before any work is done for it.

    A device or a folder must not be replaced by a file.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"There is no folder '{path.parent}' to write to. Make it, or correct the path."
        )
    if path.exists() and not path.is_file():
        raise FileExistsError(
            f"'{path}' exists and is not a file that could be replaced. Give the path of a file."
        )


@contextlib.contextmanager
def draft_of(path: Path) -> Generator[Path, None, None]:
    """Yield a path to write to; at the end, move the file written there to ``path``."""
    check_place(path)
    with (
        _ending_in_order(),
        naming(path),
        TemporaryDirectory(dir=path.parent, prefix='.prefair-') as folder,
    ):
        draft = Path(folder) / path.name
        yield draft
        os.replace(draft, path)


@contextlib.contextmanager
def _ending_in_order() -> Generator[None, None, None]:
    """Remove drafts before a process that receives SIGTERM ends.

    By default, SIGTERM ends Python at once. A program's own handler is left in place.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _end(number: int, frame: object) -> None:
    sys.exit(128 + number)  # the exit code that shells use


@contextlib.contextmanager
def naming(path: Path) -> Generator[None, None, None]:
    """Make errors of the system name ``path``: that of a full disk names no file, or the draft."""
    try:
        yield
    except OSError as error:
        reason = f' ({error.strerror})' if error.strerror else ''
        raise OSError(
            f"'{path}' cannot be written{reason}. Free disk space, or correct the path or its "
            'permissions.'
        ) from error


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically: at any time, the path has the whole file or its old contents."""
    with draft_of(path) as draft, open(draft, 'xb') as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
