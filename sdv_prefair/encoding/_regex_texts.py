"""Which strings RDT generates from a regular expression, determined without generating them.

RDT enumerates all ways to match the expression. A string that matches in two ways comes twice, such
as ``aa`` for ``a+a+``, and different strings may be the same number, such as ``01`` and ``001``.
"""

import re
from collections.abc import Iterable
from functools import reduce
from itertools import count, islice
from re import _parser  # type: ignore[attr-defined]  # as RDT does
from typing import Any, NamedTuple

from rdt.transformers.utils import _CATEGORIES, strings_from_regex

MOST_REPEATS = 16
"""The number of repetitions that RDT uses for an unlimited one."""

_MOST_REPEATED = 2_000
_ANY = re.escape('.')  # stands for any character


class Texts(NamedTuple):
    """The strings of an expression.

    Attributes:
        letters: All characters in them.
        first: The characters that they begin with.
        shortest: Length of the shortest.
        longest: Length of the longest.
        once: Whether each is certain to come only once, judging by lengths.
    """

    letters: frozenset[str]
    first: frozenset[str]
    shortest: int
    longest: int
    once: bool

    @property
    def is_fixed(self) -> bool:
        """Whether all have the same length."""
        return self.shortest == self.longest


_NOTHING = Texts(frozenset(), frozenset(), 0, 0, True)


def texts_of(regex: str) -> Texts:
    """Return a description of the strings of an expression that RDT can parse."""
    return _sequence(_parser.parse(regex))


def distinct_texts(regex: str) -> Iterable[str]:
    """Yield the strings of an expression, each of them once."""
    made = _until_exhausted(strings_from_regex(regex)[0])
    return made if texts_of(regex).once else _each_once(made)


def texts_beyond(regex: str) -> Iterable[str]:
    """Yield an infinite number of distinct strings that do not match the expression."""
    made = texts_of(regex)
    # Longer than all of them, if they may hold parentheses. Matching could take exponential time.
    digits = 1 if made.letters.isdisjoint({'(', _ANY}) else made.longest
    for number in count():
        for text in islice(distinct_texts(regex), None if made.once else 1):
            yield f'{text}({number:0{digits}})'


def _each_once(texts: Iterable[str]) -> Iterable[str]:
    """Yield each text the first time it appears; stop once too many in a row have appeared before.

    An expression such as ``(a{1,2}){40}`` makes 41 texts, in 2^40 ways.
    """
    seen: set[str] = set()
    in_turn = 0
    for text in texts:
        in_turn = in_turn + 1 if text in seen else 0
        if in_turn > _MOST_REPEATED:
            return
        if not in_turn:
            seen.add(text)
            yield text


def _until_exhausted(texts: Iterable[str]) -> Iterable[str]:
    try:
        yield from texts
    except RuntimeError:  # RDT's signal that a part of the expression generates nothing
        return


def _sequence(parsed: Iterable[tuple[Any, Any]]) -> Texts:
    parts = [_part(kind, about) for kind, about in parsed if kind is not _parser.AT]
    return reduce(_followed, parts, _NOTHING)


def _followed(before: Texts, after: Texts) -> Texts:
    return Texts(
        before.letters | after.letters,
        before.first or after.first,
        before.shortest + after.shortest,
        before.longest + after.longest,
        before.once and after.once and (before.is_fixed or after.is_fixed),
    )


def _part(kind: Any, about: Any) -> Texts:
    if kind is _parser.SUBPATTERN:
        return _sequence(about[-1])
    if kind is _parser.MAX_REPEAT:
        return _repeated(*about)
    letters = _letters(kind, about)
    told = frozenset(letters)
    return Texts(told, told, 1, 1, len(told) == len(letters))


def _repeated(least: int, most: Any, parsed: Any) -> Texts:
    one = _part(*parsed[0])
    # RDT never leaves a part out.
    least, most = max(least, 1), MOST_REPEATS if most is _parser.MAXREPEAT else int(most)
    once = one.once and (one.is_fixed or least == most == 1)
    return Texts(one.letters, one.first, one.shortest * least, one.longest * most, once)


def _letters(kind: Any, about: Any) -> list[str]:
    if kind is _parser.LITERAL:
        return [chr(about)]
    if kind is _parser.RANGE:
        return [chr(code) for code in range(about[0], about[1] + 1)]
    if kind is _parser.CATEGORY:
        return list(_CATEGORIES[about])
    if kind is _parser.IN:
        return [letter for option in about for letter in _letters(*option)]
    return [_ANY]  # no digit, and no number
