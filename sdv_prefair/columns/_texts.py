"""Texts: how values look when they are written, which words are null, and made-up ones."""

import datetime
import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from re import _parser  # type: ignore[attr-defined]  # the one that re has
from string import ascii_letters, digits
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from faker import Faker

from sdv_prefair.columns._cells import is_null
from sdv_prefair.errors import DomainError, shown

# -- One key for each value that may be learnt, computed from the value alone ----------------------
#
# Python treats many different values as equal: 1, True and 1.0, Decimal('1.0') and
# Decimal('1.00'), noon in Paris and eleven in London. As dictionary keys, the first one would
# represent all of them, and leak the order of rows. A canonical value includes its type and its
# string, so that the result is a function of the counts.

_EXACT_FLOAT = 2**53
_LARGEST_BITS = 1023


class CanonicalValue(NamedTuple):
    """A value determined by type and string.

    Attributes:
        kind: Name of its type.
        text: How it is written.
        value: The value, of exactly that type.
    """

    kind: str
    text: str
    value: Any

    def __str__(self) -> str:
        return f'{self.kind} {self.text}'


def canonical_value(cell: Any, typed: bool = False) -> CanonicalValue | None:
    """Return the canonical form of a cell; None if it is null or cannot be learnt.

    Args:
        cell: Anything.
        typed: Whether the column's type is that of its cells. If not, as in columns of objects and
            in categories, integral floats are integers: one cell with a half would otherwise
            turn all numbers of a category into floats.
    """
    try:
        value = None if is_null(cell) else _plain(cell)
        if value is None:
            return None
        if not typed and type(value) is float and value.is_integer():
            value = int(value) if abs(value) < _EXACT_FLOAT else value
        return CanonicalValue(type(value).__name__, _text(value), value)
    except Exception:  # whatever an arbitrary object raises, it is not a value
        return None


def distinct_values(canonical: Iterable[CanonicalValue]) -> list[Any]:
    """Return learnt values, only the first of those that Python treats as equal; True and 1 both.

    If one number is a float, all are.

    Privacy: post-processing of values that were released.
    """
    values: dict[tuple[bool, Any], Any] = {}
    for _, _, value in canonical:
        values.setdefault((isinstance(value, bool), value), value)
    has_float = any(type(value) is float for value in values.values())
    return [
        float(value) if has_float and type(value) is int and abs(value) < _EXACT_FLOAT else value
        for value in values.values()
    ]


def _plain(cell: Any) -> Any:
    """Return a cell as exactly one of the known types, without calling its own methods."""
    for kinds, read in _READERS:
        if isinstance(cell, kinds):
            return read(cell)
    return None


def _text(value: Any) -> str:
    if type(value) is tuple:
        return repr([(type(item).__name__, _text(item)) for item in value])
    return value if type(value) is str else repr(value)


def _read_text(cell: str) -> str | None:
    text = str.__str__(cell)
    text.encode('utf-8')  # a lone surrogate raises
    return text


def _read_integer(cell: Any) -> int | None:
    number = cell.item() if isinstance(cell, np.generic) else int.__add__(cell, 0)
    return number if number.bit_length() <= _LARGEST_BITS else None


def _read_float(cell: Any) -> float:
    number = cell.item() if isinstance(cell, np.generic) else cell
    return float.__add__(number, 0.0)  # the positive one of the two zeros


def _read_decimal(cell: Decimal) -> Decimal | None:
    return Decimal(cell) if cell.is_finite() else None


def _read_moment(cell: Any) -> pd.Timestamp:
    """Return a timestamp, in UTC if it has a time zone, in nanoseconds only if it needs them."""
    moment = pd.Timestamp(cell)
    zone = None if moment.tzinfo is None else 'UTC'
    if zone is not None:
        moment = moment.tz_convert('UTC').tz_localize(None)
    moment = moment.as_unit('ns' if moment.nanosecond else 'us')
    return pd.Timestamp(moment.to_datetime64()).tz_localize(zone)


def _read_time(cell: datetime.time) -> datetime.time | None:
    if cell.tzinfo is not None:
        return None
    return datetime.time(cell.hour, cell.minute, cell.second, cell.microsecond)


def _read_interval(cell: pd.Interval) -> pd.Interval:
    return pd.Interval(_plain(cell.left), _plain(cell.right), cell.closed)


def _read_tuple(cell: tuple[Any, ...]) -> tuple[Any, ...] | None:
    items = tuple(map(_plain, cell))
    return None if any(item is None for item in items) else items


_READERS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, _read_text),
    ((bool, np.bool_), bool),
    (
        (datetime.timedelta, np.timedelta64),  # numpy's is an integer too
        lambda cell: pd.Timedelta(cell).as_unit('ns'),
    ),
    ((int, np.integer), _read_integer),
    ((float, np.floating), _read_float),
    (Decimal, _read_decimal),
    ((datetime.datetime, np.datetime64), _read_moment),
    (datetime.date, lambda cell: datetime.date(cell.year, cell.month, cell.day)),
    (datetime.time, _read_time),
    (bytes, lambda cell: bytes.__add__(cell, b'')),
    (uuid.UUID, lambda cell: uuid.UUID(int=cell.int)),
    (pd.Interval, _read_interval),
    (pd.Period, lambda cell: pd.Period(ordinal=cell.ordinal, freq=cell.freqstr)),
    (tuple, _read_tuple),
)

# -- How a value looks in a written table: two that look the same are one value to its readers -----
#
# A CSV file has no types. In it 1 and '1' are one value, and so are '' and null; and True equals 1
# for pandas, SQL and Parquet. Declared values that look the same could not determine their codes.

NULL_TEXT = ''
_END = re.compile('[\0\r]')
_LINE_END = re.compile('\r\n?')


def seen(cell: str) -> tuple[str, str]:
    """Return what readers see of a cell.

    For many readers a cell ends at a NUL or a carriage return. Those that open a file in text mode,
    Python's default, see all kinds of line ends as one.
    """
    return _END.split(cell, maxsplit=1)[0], _LINE_END.sub('\n', cell)


def ends_within(value: Any) -> bool:
    """Whether readers of a file may end the cell, or the line, in the middle of a value."""
    return isinstance(value, str) and bool(_END.search(value))


def looks_of(value: Any) -> set[str]:
    """Return the strings that a value may be taken for: the cell that ``to_csv`` writes, above all.

    Parquet makes one of strings and bytes, and of dates and timestamps that mean the same in UTC.
    """
    looks = {*seen(str(value))}
    if isinstance(value, bytes):
        looks.add(value.decode('utf-8', 'replace'))
    if isinstance(value, datetime.datetime):
        looks.add(_in_utc(value))
    return looks


def _in_utc(moment: datetime.datetime) -> str:
    """Return the text of a timestamp without its zone, and without the time at midnight."""
    if moment.tzinfo is not None:
        moment = moment.astimezone(datetime.UTC).replace(tzinfo=None)
    is_midnight = moment.time() == datetime.time.min and not getattr(moment, 'nanosecond', 0)
    return str(moment.date() if is_midnight else moment)


def lookalikes(values: Sequence[Any], nullable: bool) -> dict[int, Any]:
    """Return the positions of values that look like one before them, and that value.

    Args:
        values: Values that can be hashed; None stands for null.
        nullable: Whether null is among them anyway: '' looks like it.
    """
    texts: dict[str, Any] = {NULL_TEXT: None} if nullable or None in values else {}
    equals: dict[Any, Any] = {}
    alike = {}
    for position, value in enumerate(values):
        if value is None:
            continue
        looks = looks_of(value)
        taken = [equals[value]] if value in equals else [texts[t] for t in looks if t in texts]
        if taken:
            alike[position] = taken[0]
        else:
            equals[value] = value
            texts |= dict.fromkeys(looks, value)
    return alike


def told_apart(values: Sequence[Any], nullable: bool) -> tuple[Any, ...]:
    """Return the values without those that look like null or like one before them."""
    alike = lookalikes(values, nullable)
    return tuple(value for position, value in enumerate(values) if position not in alike)


# -- Words that tables have in place of a value, such as NA: which of them count as null is
# public.


MISSING_VALUES = 'missing_values'
"""The key of the metadata that lists the words of a column."""

# All that pandas reads as null in a CSV file, so that a value like them would be lost there anyway;
# and two marks that official tables have.
USUAL_WORDS = (
    *('', '?', '-', '#N/A', '#N/A N/A', '#NA', '-1.#IND', '-1.#QNAN', '-NaN', '-nan'),
    *('1.#IND', '1.#QNAN', '<NA>', 'N/A', 'NA', 'NULL', 'NaN', 'None', 'n/a', 'nan', 'null'),
)


def as_words(given: Any) -> tuple[str, ...]:
    """Return the words that a column's metadata lists; raise ``DomainError`` for anything else."""
    is_list = isinstance(given, list | tuple)
    if not is_list or not all(isinstance(word, str) for word in given):
        raise DomainError(
            f"{MISSING_VALUES} ({shown(given)}) must be a list of texts, as in ['NA', '?']. "
            'Numbers such as -9 are values: make them null before a fit.'
        )
    return tuple(dict.fromkeys(given))


def missing_words(about: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the words that count as null in a column: declared, or the usual ones.

    The usual ones are those of a column whose values are to be learnt.

    Args:
        about: The metadata of the column.
    """
    given = about.get(MISSING_VALUES)
    if given is not None:
        return as_words(given)
    is_learnt = about['sdtype'] != 'boolean' and about.get('range_values') is None
    return USUAL_WORDS if is_learnt and not isinstance(about.get('range_groups'), Mapping) else ()


def check_no_value(words: Sequence[str], values: Sequence[Any]) -> None:
    """Raise if a word for a missing value is listed as a value too."""
    both = [value for value in values if isinstance(value, str) and value in words]
    if both:
        raise DomainError(
            f'{MISSING_VALUES} lists {shown(both[0])}, and so does range_values. Leave it out of '
            'one of them.'
        )


# -- Random strings of a public form: those that a regular expression matches ----------------------


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


# -- Strings that Faker generates: towns, names, addresses, by SDV's sdtypes for them --------------

# By sdtype, as RDT names them; each generates one short string and needs no arguments.
_FUNCTIONS = {
    **{
        name: name
        for name in (
            *('address', 'city', 'company', 'country', 'country_code', 'email', 'first_name'),
            *('job', 'last_name', 'license_plate', 'mac_address', 'name', 'phone_number'),
            *('postcode', 'ssn', 'state', 'street_address', 'street_name', 'url', 'user_name'),
        )
    },
    'administrative_unit': 'administrative_unit',
    'ipv4_address': 'ipv4',
    'ipv6_address': 'ipv6',
    'user_agent_string': 'user_agent',
}
_LOCALE = 'en_US'
_SEEDS = 2**53


class FakerForm:
    """The strings of an sdtype, as Faker generates them.

    Args:
        sdtype: One of SDV's sdtypes for strings, such as ``'city'``.

    Raises:
        DomainError: If strings of that sdtype cannot be generated.
    """

    def __init__(self, sdtype: str):
        if not isinstance(sdtype, str) or sdtype not in _FUNCTIONS:
            raise DomainError(
                f'rare_sdtype ({shown(sdtype)}) must be the sdtype of texts that can be made up. '
                "Use 'city', 'postcode', 'email', 'company' or another that docs/choosing.md lists."
            )
        self.sdtype = sdtype

    def __eq__(self, another: object) -> bool:
        return isinstance(another, FakerForm) and another.sdtype == self.sdtype

    def __hash__(self) -> int:
        return hash(self.sdtype)

    def __repr__(self) -> str:
        return f'FakerForm({self.sdtype!r})'

    def allows(self, text: str) -> bool:
        """Whether a string can be of the sdtype; no string is ruled out."""
        return bool(text)

    def draw(self, number: int, generator: np.random.Generator) -> list[str]:
        """Return independently generated strings."""
        faker = Faker(_LOCALE)
        faker.seed_instance(int(generator.random() * _SEEDS))
        make: Any = getattr(faker, _FUNCTIONS[self.sdtype])
        return [str(make()) for _ in range(number)]
