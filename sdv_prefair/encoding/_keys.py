"""Keys and ids that follow a regular expression, in the dtype of their column.

SDV generates strings and casts them. In a column of numbers, ``001`` and ``0001`` become one key,
letters turn the column into strings, and numbers beyond the dtype cause one or the other. Here a
format that the dtype cannot hold is refused before a row is read, and no key is generated twice.
"""

import warnings
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api import types
from rdt.transformers import AnonymizedFaker, BaseTransformer, RegexGenerator
from sdv.errors import SamplingError

from sdv_prefair._users_line import users_line
from sdv_prefair.domain import single_table
from sdv_prefair.encoding._regex_texts import distinct_texts, texts_beyond, texts_of
from sdv_prefair.errors import PrivateDataError
from sdv_prefair.values._timestamps import is_temporal

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
        return int(self.generator_size) + beyond - self.generated

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
        column: _generator(about.get('regex_format'), dtypes[column], column in keys)
        for column, about in described.items()
        if about['sdtype'] == 'id'
    }
    return {column: generator for column, generator in made.items() if generator is not None}


def _generator(regex: str | None, dtype: Any, is_key: bool) -> BaseTransformer | None:
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
