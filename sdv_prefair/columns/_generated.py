"""Columns that are generated, not modelled: keys, ids and personal values."""

import datetime
import itertools
import re
import warnings
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import reduce
from itertools import chain, count, islice
from re import _parser  # type: ignore[attr-defined]  # as RDT does
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from faker.providers import BaseProvider
from pandas.api import types
from rdt.transformers import AnonymizedFaker, BaseTransformer, RegexGenerator
from rdt.transformers.utils import _CATEGORIES, strings_from_regex
from sdv.data_processing.data_processor import DataProcessor
from sdv.errors import SamplingError

from sdv_prefair._users_line import users_line
from sdv_prefair.columns import single_table
from sdv_prefair.columns._moments import is_temporal, zone_of
from sdv_prefair.errors import PrivateDataError

# -- Which strings RDT generates from a regular expression, determined without generating them -----
#
# RDT enumerates all ways to match the expression. A string that matches in two ways comes twice,
# such as ``aa`` for ``a+a+``, and different strings may be the same number, such as ``01`` and
# ``001``.

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


# -- The same values as Faker's, faster: the weights of its lists are summed once, not per value.
#
# Faker spends most of the time for a name, and so for an e-mail address, on its list of a
# thousand names: it copies the list and sums its weights for every single value. Here the sums
# are kept while values are generated. Everything else is Faker's: the same seed gives the same
# values, in the same order, with the same uniqueness.

# If there are more lists than this, they are made for single values and do not come again.
_MOST_LISTS = 512
_PATCHED = 'random_elements'


class _KeptLists:
    """Weighted lists with cumulative weights."""

    def __init__(self) -> None:
        # Holds each list itself too, so that no other list can reuse its address in memory.
        self._known: dict[int, tuple[Any, tuple[Any, ...], list[float]]] = {}

    def get(self, elements: 'OrderedDict[Any, float]') -> tuple[tuple[Any, ...], list[float]]:
        """Return the elements of a list and their cumulative weights."""
        known = self._known.get(id(elements))
        if known is None:
            weights = list(itertools.accumulate(elements.values()))
            known = (elements, tuple(elements), weights)
            if len(self._known) < _MOST_LISTS:
                self._known[id(elements)] = known
        return known[1:]


def _chooser(provider: BaseProvider, lists: _KeptLists) -> Callable[..., Sequence[Any]]:
    """Return a function that chooses elements as the provider does."""
    choose = provider.random_elements

    def choose_quickly(
        elements: Any = ('a', 'b', 'c'),
        length: int | None = None,
        unique: bool = False,
        use_weighting: bool | None = None,
    ) -> Sequence[Any]:
        is_weighted = provider.__use_weighting__ if use_weighting is None else use_weighting
        if length is None or unique or not is_weighted or not isinstance(elements, OrderedDict):
            return choose(elements, length, unique, use_weighting)
        values, weights = lists.get(elements)
        chosen: list[Any] = provider.generator.random.choices(values, cum_weights=weights, k=length)
        return chosen

    return choose_quickly


@contextmanager
def _quick(provider: BaseProvider, lists: _KeptLists) -> Generator[None, None, None]:
    # Patches only this instance, which nobody else uses, and only while values are generated: a
    # pickle of the transformer does not contain it.
    setattr(provider, _PATCHED, _chooser(provider, lists))
    try:
        yield
    finally:
        delattr(provider, _PATCHED)


@contextmanager
def quick_fakers(transformers: Iterable[BaseTransformer | None]) -> Generator[None, None, None]:
    """Make Faker generate the same values in less time, inside a ``with``.

    Args:
        transformers: Generators about to be used; those that do not use Faker stay unchanged.
    """
    lists = _KeptLists()
    fakers = [t for t in transformers if isinstance(t, AnonymizedFaker)]
    providers = {
        id(provider): provider
        for transformer in fakers
        for factory in transformer.faker.factories
        for provider in factory.get_providers()
        if type(provider).random_elements is BaseProvider.random_elements
    }
    with ExitStack() as stack:
        for provider in providers.values():
            stack.enter_context(_quick(provider, lists))
        yield


# -- Generators for columns of sdtype ``unknown`` whose dtype holds neither text nor plain
# numbers.
#
# SDV generates strings or digits for every such column. A column of booleans or timestamps cannot
# hold them, so sampling would fail or lose the dtype; these generators make values of the dtype.


_FIRST_DAY, _LAST_DAY = datetime.date(1970, 1, 1), datetime.date(2020, 1, 1)


def generators_of_unknown(
    processor: DataProcessor, frame: pd.DataFrame
) -> dict[str, AnonymizedFaker]:
    """Return a generator for each ``unknown`` column that SDV's own generators do not suit.

    Args:
        processor: SDV's processor; only its metadata is read.
        frame: A frame with the columns' dtypes.
    """
    unknown = [c for c, sdtype in processor.get_sdtypes().items() if sdtype == 'unknown']
    made = {column: _generator(frame[column].dtype) for column in unknown}
    return {column: generator for column, generator in made.items() if generator is not None}


def _generator(dtype: Any) -> AnonymizedFaker | None:
    if pd.api.types.is_bool_dtype(dtype):
        return AnonymizedFaker(provider_name='misc', function_name='boolean')
    if is_temporal(dtype):
        zone = None if zone_of(dtype) is None else datetime.UTC
        return AnonymizedFaker(
            provider_name='date_time',
            function_name='date_time_between',
            function_kwargs={'start_date': _FIRST_DAY, 'end_date': _LAST_DAY, 'tzinfo': zone},
        )
    return None


# -- Keys and ids that follow a regular expression, in the dtype of their column -------------------
#
# SDV generates strings and casts them. In a column of numbers, ``001`` and ``0001`` become one key,
# letters turn the column into strings, and numbers beyond the dtype cause one or the other. Here a
# format that the dtype cannot hold is refused before a row is read, and no key is generated twice.


_DIGITS = frozenset('0123456789')
_MOST_OF_SDV = 2**24  # its number generator has this bound for every dtype


class RegexKeys(RegexGenerator):
    """Strings of a regular expression, none of them twice until sampling is reset.

    Once the expression has no more strings, others follow that do not match it, as in SDV: numbers
    with more digits in a column of numbers, elsewhere strings with a number appended.

    Args:
        regex_format: The expression.
        most: The largest number that the column holds, if it holds numbers.
    """

    generator: Iterator[str]

    def __init__(self, regex_format: str = '[A-Za-z]{5}', most: int | None = None):
        super().__init__(regex_format, 'unique', 'scrambled')
        self.most = most

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for a pickle: how many keys were generated, not the generator."""
        return {name: value for name, value in vars(self).items() if name != 'generator'}

    def __setstate__(self, kept: Mapping[str, Any]) -> None:
        """Restore the generator at the key after the last one generated."""
        self.__dict__ = dict(kept)
        self.generator = islice(self._texts(), self.generated, None)

    def reset_randomization(self) -> None:
        """Start again with the first key."""
        super().reset_randomization()
        self.generator = self._texts()

    def warn_of_end(self, num_rows: int) -> None:
        """Warn once, in RDT's words, if the expression does not have enough strings left."""
        if self.generated <= self.generator_size < self.generated + num_rows:
            warnings.warn(
                f"The regex for '{self.get_input_column()}' can only generate "
                f'{int(self.generator_size)} unique values. Additional values may not exactly '
                'follow the provided regex.',
                stacklevel=users_line(),
            )

    @property
    def left(self) -> int | None:
        """How many keys are left; None if there is no limit."""
        if self.most is None:
            return None
        beyond = max(self.most - self._first_beyond + 1, 0)
        found: int | None = int(self.generator_size) + beyond - self.generated
        return found

    @property
    def _first_beyond(self) -> int:
        return int(10 ** texts_of(self.regex_format).longest)

    def _texts(self) -> Iterator[str]:
        if self.most is None:
            return chain(distinct_texts(self.regex_format), texts_beyond(self.regex_format))
        numbers = range(self._first_beyond, self.most + 1)
        return chain(distinct_texts(self.regex_format), map(str, numbers))

    def _reverse_transform(self, data: Any) -> np.ndarray:
        made = list(islice(self.generator, len(data)))
        self.generated += len(made)
        np.random.shuffle(made)  # noqa: NPY002  # RDT seeds it, and restores it afterwards
        return np.array(made, dtype=object)


def key_columns(table_metadata: Any) -> list[str]:
    """Return the columns that are keys on their own."""
    table = single_table(table_metadata)
    return [key for key in (table.primary_key, *table.alternate_keys) if isinstance(key, str)]


def check_keys(dtypes: Mapping[str, Any] | pd.Series, table_metadata: Any) -> None:
    """Raise unless keys and ids can be generated in the dtypes of their columns.

    Args:
        dtypes: The table's dtypes by column.
        table_metadata: SDV's ``Metadata`` with one table, or that table's metadata.
    """
    described, keys = single_table(table_metadata).columns, key_columns(table_metadata)
    problems = []
    for column, dtype in dtypes.items():
        about = described[column]
        if about['sdtype'] == 'id':
            problem = _problem(dtype, about.get('regex_format'), column in keys)
            problems += [f"Column '{column}' {problem}"] if problem else []
    if problems:
        raise PrivateDataError(problems)


def check_room(transformers: Mapping[str, BaseTransformer], num_rows: int) -> None:
    """Raise if a column has too few keys left; warn if its format alone has too few.

    Args:
        transformers: The generators of keys, by column.
        num_rows: The number of rows requested.
    """
    for column, transformer in transformers.items():
        left = _left(transformer)
        if left is not None and num_rows > left:
            raise SamplingError(
                f"Column '{column}' is a key, and its dtype and format allow only {max(left, 0)} "
                f'keys, fewer than {num_rows} rows. Sample fewer rows, call reset_sampling to '
                'start again, or fit with a wider format or dtype.'
            )
        if isinstance(transformer, RegexKeys):
            transformer.warn_of_end(num_rows)


def check_each_once(transformers: Mapping[str, BaseTransformer]) -> None:
    """Raise unless a key never comes twice, however many rows are made up at a time.

    Args:
        transformers: What makes up keys, by column.
    """
    for column, transformer in transformers.items():
        if getattr(transformer, 'cardinality_rule', 'unique') != 'unique':
            raise SamplingError(
                f"Column '{column}' is a key, but its transformer may make a value twice in rows "
                "that are sampled in parts. Use one with cardinality_rule='unique', or none of "
                'your own.'
            )


def check_distinct(keys: pd.Series) -> None:
    """Raise if a generator, not one of this package, made a key twice."""
    if not keys.is_unique:
        raise SamplingError(
            f"Column '{keys.name}' is a key, but its transformer made a value twice. Use one that "
            "makes each value once, as RegexGenerator with cardinality_rule='unique', or none of "
            'your own.'
        )


def id_generators(
    table_metadata: Any, dtypes: Mapping[str, Any] | pd.Series
) -> dict[str, BaseTransformer]:
    """Return generators for the keys and ids that SDV's own generators do not suit.

    Args:
        table_metadata: SDV's ``Metadata`` with one table, or that table's metadata.
        dtypes: The table's dtypes by column.
    """
    described, keys = single_table(table_metadata).columns, key_columns(table_metadata)
    made = {
        column: _generator_of_form(about.get('regex_format'), dtypes[column], column in keys)
        for column, about in described.items()
        if about['sdtype'] == 'id'
    }
    return {column: generator for column, generator in made.items() if generator is not None}


def _generator_of_form(regex: str | None, dtype: Any, is_key: bool) -> BaseTransformer | None:
    most = largest_whole_number(dtype)
    if regex:
        return RegexKeys(regex, most) if is_key else None
    if most is None or most >= _MOST_OF_SDV:
        return None
    return AnonymizedFaker(
        function_name='random_int',
        function_kwargs={'min': 0, 'max': most},
        cardinality_rule='unique' if is_key else None,
    )


def largest_whole_number(dtype: Any) -> int | None:
    """Return the largest integer up to which a numeric dtype holds all; None for other dtypes."""
    if types.is_bool_dtype(dtype) or not types.is_numeric_dtype(dtype):
        return None
    if types.is_integer_dtype(dtype):
        return int(np.iinfo(getattr(dtype, 'numpy_dtype', dtype)).max)
    if isinstance(dtype, pd.ArrowDtype) and pa.types.is_decimal(dtype.pyarrow_dtype):
        return int(10 ** (dtype.pyarrow_dtype.precision - dtype.pyarrow_dtype.scale) - 1)
    return int(2 ** (np.finfo(getattr(dtype, 'numpy_dtype', dtype)).nmant + 1))


def _problem(dtype: Any, regex: str | None, is_key: bool) -> str | None:
    most = largest_whole_number(dtype)
    if most is None:
        return _problem_of_text(dtype, regex, is_key)
    return _problem_of_numbers(most, regex, is_key) if regex else None


def _problem_of_text(dtype: Any, regex: str | None, is_key: bool) -> str | None:
    if types.is_bool_dtype(dtype) or is_temporal(dtype):
        is_lost = bool(regex) or is_key
        return f'is an id, which dtype {str(dtype)!r} cannot hold. Convert it to text.' * is_lost
    if regex and next(iter(distinct_texts(regex)), None) is None:
        return 'has a regex_format that generates no text. Correct it in the metadata.'
    return None


def _problem_of_numbers(most: int, regex: str, is_key: bool) -> str | None:
    texts = texts_of(regex)
    if not texts.letters <= _DIGITS or not texts.longest:
        return (
            'holds numbers, but its regex_format generates characters other than digits. Convert '
            'the column to text, or correct the regex_format in the metadata.'
        )
    if texts.longest > len(str(most)) or 10**texts.longest - 1 > most:
        return (
            f'has a regex_format of up to {texts.longest} digits, which its dtype cannot hold. '
            'Convert the column to text or a wider dtype, or allow fewer digits.'
        )
    if is_key and '0' in texts.first:
        return (
            'is a key that holds numbers, but its regex_format allows leading zeros, so two keys '
            'may be the same number. Convert the column to text, or begin with [1-9].'
        )
    if is_key and not texts.once:
        return (
            'is a key that holds numbers, but its regex_format generates some of them in two '
            'ways. Convert the column to text, or write it with one part of varying length, as '
            '[1-9][0-9]{0,5}.'
        )
    return None


def _left(transformer: BaseTransformer) -> int | None:
    if isinstance(transformer, RegexKeys):
        return transformer.left
    if isinstance(transformer, RegexGenerator):
        return int(transformer.generator_size)
    if getattr(transformer, 'function_name', None) == 'random_int':
        bounds = transformer.function_kwargs
        return int(bounds['max'] - bounds['min'] + 1)
    return None
