"""Random strings of a public form: those that a regular expression matches."""

import re
from collections.abc import Callable
from re import _parser  # type: ignore[attr-defined]  # the one that re has
from string import ascii_letters, digits
from typing import Any

import numpy as np

from sdv_prefair.errors import DomainError, shown

_MOST_LETTERS = 1_000
# The maximum number of repetitions of an unbounded quantifier.
_ENDLESS = 16
_CLASSES = {_parser.CATEGORY_DIGIT: digits, _parser.CATEGORY_WORD: ascii_letters + digits + '_'}


class TextForm:
    r"""Random strings that match a regular expression.

    Letters, digits, classes such as ``[A-Z]`` and ``\d``, repetitions, groups and alternatives can
    be used. Every letter of a class, every number of repetitions and every alternative is as likely
    as any other.

    Args:
        regex: The expression.

    Raises:
        DomainError: If it is not a regular expression, or uses anything else.
    """

    def __init__(self, regex: str):
        try:
            self._parsed = _parser.parse(regex)
            usable = len(regex) <= _MOST_LETTERS and 0 < _longest(self._parsed) <= _MOST_LETTERS
        except (re.error, TypeError, ValueError, OverflowError, RecursionError, KeyError):
            usable = False
        if not usable:
            raise DomainError(
                f'regex_format ({shown(regex)}) must be a regular expression of letters, digits, '
                'classes, repetitions, groups and alternatives, for strings of 1 to '
                f'{_MOST_LETTERS} letters. Use one such as [0-9]{{5}}.'
            )
        self.regex = regex

    def __eq__(self, another: object) -> bool:
        return isinstance(another, TextForm) and another.regex == self.regex

    def __hash__(self) -> int:
        return hash(self.regex)

    def __repr__(self) -> str:
        return f'TextForm({self.regex!r})'

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return TextForm, (self.regex,)

    def allows(self, text: str) -> bool:
        """Whether the expression allows a text."""
        return re.fullmatch(self.regex, text) is not None

    def draw(self, number: int, generator: np.random.Generator) -> list[str]:
        """Return independent random strings."""
        texts: list[str] = _sequence(self._parsed, number, generator).tolist()
        return texts


def _longest(parsed: Any) -> int:
    """Return the length of the longest string; raise if the expression cannot be sampled from."""
    total = 0
    for kind, about in parsed:
        if kind is _parser.SUBPATTERN:
            total += _longest(about[-1])
        elif kind is _parser.MAX_REPEAT:
            total += _most_repeats(about) * _longest(about[2])
        elif kind is _parser.BRANCH:
            total += max(map(_longest, about[1]))
        elif kind is not _parser.AT:
            total += bool(_letters(kind, about))
    return total


def _letters(kind: Any, about: Any) -> list[str]:
    return _LETTERS[kind](about)


_LETTERS: dict[Any, Callable[[Any], list[str]]] = {
    _parser.LITERAL: lambda code: [chr(code)],
    _parser.RANGE: lambda ends: [chr(code) for code in range(ends[0], ends[1] + 1)],
    _parser.CATEGORY: lambda name: list(_CLASSES[name]),
    _parser.IN: lambda options: [letter for option in options for letter in _letters(*option)],
}


def _most_repeats(about: Any) -> int:
    least, most, _ = about
    return max(int(least), _ENDLESS) if most is _parser.MAXREPEAT else int(most)


def _sequence(parsed: Any, number: int, generator: np.random.Generator) -> np.ndarray:
    made = np.full(number, '', dtype=object)
    for kind, about in parsed:
        if kind is not _parser.AT:
            made = made + _part(kind, about, number, generator)
    return made


def _part(kind: Any, about: Any, number: int, generator: np.random.Generator) -> np.ndarray:
    if kind is _parser.SUBPATTERN:
        return _sequence(about[-1], number, generator)
    if kind is _parser.MAX_REPEAT:
        return _repeated(about, number, generator)
    if kind is _parser.BRANCH:
        options = np.array([_sequence(p, number, generator) for p in about[1]], dtype=object)
        chosen: np.ndarray = options[_below(len(options), number, generator), np.arange(number)]
        return chosen
    letters = np.array(_letters(kind, about), dtype=object)
    drawn: np.ndarray = letters[_below(len(letters), number, generator)]
    return drawn


def _repeated(about: Any, number: int, generator: np.random.Generator) -> np.ndarray:
    least, most = int(about[0]), _most_repeats(about)
    times = least + _below(most - least + 1, number, generator)
    made = np.full(number, '', dtype=object)
    for turn in range(most):
        made = made + np.where(turn < times, _sequence(about[2], number, generator), '')
    return made


def _below(most: int, number: int, generator: np.random.Generator) -> np.ndarray:
    """Return integers from 0 up to another, exclusive."""
    return (generator.random(number) * most).astype(np.intp)
