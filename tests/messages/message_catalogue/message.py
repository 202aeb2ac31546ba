"""One message of the package: how it is provoked, and what it says word for word."""

import functools
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sdv.errors import InvalidDataError

_KEPT = tempfile.TemporaryDirectory(prefix='messages-')
FOLDER = Path(_KEPT.name)
"""Where cases write files. It is written FOLDER in the texts."""

_SDV_HEADING = 'The provided data does not match the metadata:\n'


@dataclass(frozen=True, eq=False)
class Message:
    """What is compared is the whole text: what is wrong, a space, what to do about it.

    Args:
        provoke: Does what a user does; raises the error. A warning is turned into an error.
        kind: The class of the error or warning, exactly.
        wrong: The first part of the text, which names the thing.
        remedy: The rest of it, which says what must be, or what to do.
    """

    provoke: Callable[[], object]
    kind: type[BaseException]
    wrong: str
    remedy: str

    @property
    def text(self) -> str:
        heading = _SDV_HEADING if issubclass(self.kind, InvalidDataError) else ''
        return f'{heading}{self.wrong} {self.remedy}'


@dataclass(frozen=True)
class Provoked:
    """What came of it.

    Attributes:
        kind: The class of what was raised.
        text: Its text.
        lines: Where it was raised, and all it was raised for or from: files and lines.
    """

    kind: type[BaseException]
    text: str
    lines: frozenset[tuple[str, int]]


@functools.cache
def provoked(message: Message) -> Provoked:
    """Return what a message is in truth; it is provoked once in a process."""
    error = _raised(message)
    text = str(error).replace(str(FOLDER), 'FOLDER')
    return Provoked(type(error), text, frozenset(_lines(error)))


def _raised(message: Message) -> BaseException:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        if issubclass(message.kind, Warning):
            warnings.simplefilter('error', message.kind)
        try:
            message.provoke()
        except Exception as error:
            return error
    raise AssertionError(f'nothing was raised that says: {message.text}')


def chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and all that it was raised for or from, shown in a traceback or not."""
    waiting, seen = [error], set()
    while waiting:
        one = waiting.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            waiting += [one.__cause__, one.__context__]
            yield one


def _lines(error: BaseException) -> Iterator[tuple[str, int]]:
    for one in chain(error):
        for frame, line in traceback.walk_tb(one.__traceback__):
            yield frame.f_code.co_filename, line
