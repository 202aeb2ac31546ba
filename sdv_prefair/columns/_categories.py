"""Strings too rare to be learnt: grouped by public prefixes, generated from a public form.

A column whose values had to be learnt has codes for frequent ones. All others share a code, or, if
the prefix of a string determines its public group, one for each group with many rows. Such a code
is decoded as a random string of the column's form that differs from the frequent ones and depends
on nothing but the code. If it is encoded again, it gets the same code.
"""

from collections.abc import Sequence
from decimal import Decimal
from itertools import repeat
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from sdv_prefair.columns._cells import boxed, is_null
from sdv_prefair.columns._column_codes import ColumnCodes, cells, same_value
from sdv_prefair.columns._dtypes import cast, natural_array, public_dtype, read_numbers
from sdv_prefair.columns._facts import Categories, prefix_of, tail_label
from sdv_prefair.columns._texts import FakerForm, TextForm, as_words, looks_of, seen
from sdv_prefair.errors import DomainError

# -- Categories as codes of a public list of values ------------------------------------------------

# In place of a code: neither a value nor a word for a missing one, or such a word.
UNKNOWN, _MISSING = -1, -2


class CategoryCodes(ColumnCodes):
    """A categorical, ordinal or boolean column as codes of declared values.

    The declared values get codes 0, 1, ... in their order. Everything else gets one more code, the
    "other" code; it is decoded as ``other_value`` or, without one, as any of the declared values,
    so that a sample contains no others. Values are the same if Python treats them as equal, such as
    1 and 1.0; but if booleans and numbers are both declared, True is not 1. A string is never a
    number.

    Args:
        values: The declared values.
        nullable: Whether null gets a code of its own; otherwise it has the hidden code.
        other: Whether there is an "other" code; otherwise what is not declared counts as null.
            Without a code for null, null is "other" too.
        weights: How likely each declared value is to stand for "other"; all equal if None.
        dtype: The column's dtype, if known; otherwise that of the column it is fitted to.
        other_value: The value that "other" comes back as, which looks different from every
            declared one. A row with it is also "other".
        shared: Whether rows of "other" without a value are redistributed over all values in a fit,
            null or not; otherwise they count as null where there is a code for it.
        groups: The number of the public group that each declared value belongs to, -1 for none:
            values too rare to be modelled on their own are modelled with those of their group.
        missing: Words that count as null.
    """

    INPUT_SDTYPE = 'categorical'
    SUPPORTED_SDTYPES = ['categorical', 'ordinal', 'boolean']

    def __init__(
        self,
        values: Sequence[Any],
        nullable: bool = True,
        other: bool = True,
        weights: Sequence[float] | None = None,
        dtype: Any = None,
        other_value: Any = None,
        shared: bool = False,
        groups: Sequence[int] = (),
        missing: Sequence[str] = (),
    ):
        super().__init__()
        declared = Categories(
            tuple(values),
            nullable,
            other=other_value,
            groups=tuple(groups),
            missing=as_words(tuple(missing)),
        )
        self.groups, self.missing = declared.groups, declared.missing
        self.values, self.other_value = declared.values, declared.other
        self.shared = shared
        self.nullable = nullable
        self.other = other or other_value is not None
        self.weights = None if weights is None else tuple(map(float, weights))
        if not self.values and not other:
            raise DomainError('values must not be empty without an "other" code.')
        self.dtype = public_dtype(dtype, self.shown)
        self._cumulative = self._cumulate_weights()
        self._index_values()
        self._use_dtype(dtype)

    def _cumulate_weights(self) -> np.ndarray:
        weights = np.ones(len(self.values)) if self.weights is None else np.array(self.weights)
        usable = len(weights) == len(self.values) and (weights >= 0).all()
        if not usable or (len(weights) and not 0 < weights.sum() < np.inf):
            raise DomainError('weights must be one number, 0 or more, for every declared value.')
        return np.cumsum(weights) / weights.sum() if len(weights) else weights

    def _index_values(self) -> None:
        is_boolean = [isinstance(value, bool) for value in self.values]
        is_number = [isinstance(value, Real | Decimal) for value in self.values]
        self._booleans = np.flatnonzero(is_boolean)
        self._numbers = np.flatnonzero(np.array(is_number, bool) & ~np.array(is_boolean, bool))
        self._texts = np.flatnonzero([isinstance(value, str) for value in self.values])
        self._tell_booleans = bool(len(self._booleans) and len(self._numbers))
        self._code_of = {self._key(value): code for code, value in enumerate(self.values)}

    def _key(self, value: Any) -> Any:
        return (isinstance(value, bool | np.bool_), value) if self._tell_booleans else value

    @property
    def shown(self) -> tuple[Any, ...]:
        """The values that come back, in the order of their codes."""
        return self.values if self.other_value is None else (*self.values, self.other_value)

    @property
    def shows_null(self) -> bool:
        """Whether null is a value that the column shows; it is the only one if none was learnt."""
        return self.nullable or not self.shown

    @property
    def shows_other(self) -> bool:
        """Whether "other" comes back as a value of its own."""
        return self.other_value is not None

    @property
    def stand_in_code(self) -> int | None:
        """The code of null, unless rows of "other" are redistributed or shown as a value."""
        return None if self.shared or self.shows_other else self.null_code

    @property
    def public_groups(self) -> np.ndarray | None:
        """The public group of each code that is counted; null and "other" belong to none."""
        if not self.groups:
            return None
        of_codes = np.full(self.num_counted, -1)
        of_codes[: len(self.values)] = self.groups
        return of_codes

    def _use_dtype(self, dtype: Any) -> None:
        self._dtype = public_dtype(dtype, self.shown)
        shown = self.shown
        try:
            self._table = cast(natural_array(shown), np.zeros(len(shown), bool), self._dtype)
            held = np.array_equal(self.encode(self._table), np.arange(len(shown)))
        except (TypeError, ValueError, OverflowError, NotImplementedError, pa.ArrowException):
            held = False  # for example, pandas cannot look up half floats
        if not held:
            raise DomainError(
                f'a column of dtype {str(self._dtype)!r} cannot hold the declared values. Declare '
                "range_values of the column's own type, numbers or strings."
            )

    def _dtype_beside_nulls(self) -> Any:
        # pandas would use floats, which change integers above 2^53.
        dtype = self._table.dtype
        whole = isinstance(dtype, np.dtype) and dtype.kind in 'iu'
        if whole and any(float(value) != value for value in self.shown):
            return pd.UInt64Dtype() if dtype.kind == 'u' else pd.Int64Dtype()
        return self._dtype

    @property
    def _num_values(self) -> int:
        return len(self.values) + bool(self.other)

    @property
    def other_code(self) -> int | None:
        """The code of every value that is not declared, if there is one."""
        return len(self.values) if self.other else None

    def _read(self, column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        if pd.api.types.is_numeric_dtype(column.dtype):
            found, nulls = self._find_numbers(column)
        elif _is_arrow_text(column.dtype):
            found, nulls = self._find_arrow_texts(column)
        else:
            found, nulls = self._find_objects(boxed(column))
        unknown, nulls = found < 0, nulls | (found == _MISSING)
        if not self.other:
            return np.where(unknown, 0, found), nulls | unknown
        return np.where(unknown, len(self.values), found), nulls

    def _nearest(self, column: pd.Series) -> Any:
        if not self.shown:
            return np.full(len(column), None, dtype=object)
        codes, _ = self._read(column)
        return self._table[np.minimum(codes, len(self.shown) - 1).astype(np.intp)]

    def _is_held(self, column: pd.Series, held: Any) -> list[bool]:
        codes, nulls = self._read(column)
        codes, known = codes.astype(np.intp), ~nulls & (codes < len(self.shown))
        return [
            bool(is_known) and (same_value(asked, self.shown[code]) or same_value(asked, shown))
            for asked, shown, code, is_known in zip(
                cells(column), cells(held), codes, known, strict=True
            )
        ]

    def _find_numbers(self, column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        numbers, nulls = read_numbers(column)
        codes = self._numbers if len(self._numbers) else self._booleans
        if pd.api.types.is_bool_dtype(column.dtype):
            numbers = numbers.astype(np.int8)
            codes = self._booleans if len(self._booleans) else codes
        if numbers.dtype.kind == 'f':  # as a shorter float, 0.1 is another number
            declared = np.array([self.values[code] for code in codes]).astype(numbers.dtype)
        else:
            fits = [_fits(self.values[code], numbers.dtype) for code in codes]
            codes = codes[np.array(fits, dtype=bool)]
            declared = np.array([int(self.values[code]) for code in codes], dtype=numbers.dtype)
        declared, first = np.unique(declared, return_index=True)
        return np.append(np.take(codes, first), UNKNOWN)[
            pd.Index(declared).get_indexer(numbers)
        ], nulls

    def _find_arrow_texts(self, column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        known = [self.values[position] for position in self._texts]
        texts = pa.array([*known, *self.missing], pa.large_string())
        column_texts = pa.array(column.array).cast(pa.large_string())
        found = pc.fill_null(pc.index_in(column_texts, value_set=texts), -1)
        codes = np.concatenate([self._texts, np.full(len(self.missing), _MISSING), [UNKNOWN]])
        return codes[np.asarray(found)], column.isna().to_numpy()

    def _find_objects(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        texts = dict.fromkeys(self.missing, _MISSING)
        texts |= {self.values[code]: code for code in self._texts}
        listed = list(values)
        others = [place for place, value in enumerate(listed) if type(value) is not str]
        nulls = np.zeros(len(listed), dtype=bool)
        nulls[others] = [is_null(listed[place]) for place in others]
        codes = [self._find_one(listed[place]) for place in others]
        for place in others:  # an arbitrary object may not be hashable
            listed[place] = ''
        found = np.fromiter(map(texts.get, listed, repeat(UNKNOWN)), np.int64, len(listed))
        found[others] = codes
        return found, nulls

    def _find_one(self, value: Any) -> int:
        try:
            return self._code_of.get(self._key(value), UNKNOWN)
        except Exception:  # whatever an arbitrary object raises, it is not one of the values
            return UNKNOWN

    def _write(self, codes: np.ndarray, generator: np.random.Generator) -> tuple[Any, np.ndarray]:
        if not self.shown:  # there is no declared value to decode "other" as
            return np.full(len(codes), None, dtype=object), np.ones(len(codes), dtype=bool)
        if self.shows_other:
            return self._table[codes], np.zeros(len(codes), dtype=bool)
        is_other = codes == len(self.values)
        codes = codes.copy()
        draws = generator.random(np.count_nonzero(is_other))
        codes[is_other] = np.searchsorted(self._cumulative[:-1], draws, side='right')
        return self._table[codes], np.zeros(len(codes), dtype=bool)

    def _value_labels(self) -> list[str]:
        labels = [str(value) for value in self.shown]
        if len(set(labels)) < len(labels):  # '1' and 1
            labels = [repr(value) for value in self.shown]
        return labels + ['(other)'] * bool(self.other and not self.shows_other)


def _fits(value: Any, dtype: np.dtype) -> bool:
    """Whether a declared number can occur in a column of integers."""
    limits = np.iinfo(dtype)
    found: bool = limits.min <= value <= limits.max and value == int(value)
    return found


def _is_arrow_text(dtype: Any) -> bool:
    if isinstance(dtype, pd.ArrowDtype):
        kind = dtype.pyarrow_dtype
        found: bool = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        return found
    return isinstance(dtype, pd.StringDtype) and dtype.storage.startswith('pyarrow')


# -- Strings too rare to be learnt: grouped by public prefixes, generated from a public form -------

# How often a string with another code is sampled again before the fallback is used.
_TRIES = 30


class TailedCodes(CategoryCodes):
    """Frequent values, and groups of rare strings.

    A group without a form is decoded as its prefix and an asterisk, and so is one whose prefix no
    string of the form has; a column of category dtype lists its values, so no strings are generated
    for it.

    Args:
        values: The frequent values.
        nullable: As in ``CategoryCodes``.
        dtype: As in ``CategoryCodes``.
        other_value: The replacement of all strings in none of the groups, if they have a code.
        shared: As in ``CategoryCodes``.
        tails: The prefixes of the groups, all of the same length.
        form: The generator of strings, if known.
        missing: As in ``CategoryCodes``.
    """

    def __init__(
        self,
        values: Sequence[Any],
        nullable: bool = True,
        dtype: Any = None,
        other_value: Any = None,
        shared: bool = False,
        tails: Sequence[str] = (),
        form: TextForm | FakerForm | None = None,
        missing: Sequence[str] = (),
    ):
        self.tails, self.form = tuple(tails), form
        self._length = len(self.tails[0]) if self.tails else 0
        first = len(values)
        self._code_of_tail = {tail: first + place for place, tail in enumerate(self.tails)}
        super().__init__(
            (*values, *map(tail_label, self.tails)),
            nullable,
            dtype=dtype,
            other_value=other_value,
            shared=shared,
            missing=missing,
        )
        self._looks = set().union(*map(looks_of, self.shown))

    @property
    def heads(self) -> tuple[Any, ...]:
        """The frequent values."""
        return self.values[: len(self.values) - len(self.tails)]

    def _find_objects(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found, nulls = super()._find_objects(values)
        return self._with_tails(found, values), nulls

    def _find_arrow_texts(self, column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        found, nulls = super()._find_arrow_texts(column)
        return self._with_tails(found, column.astype(object).to_numpy()), nulls

    def _with_tails(self, found: np.ndarray, values: np.ndarray) -> np.ndarray:
        if not self.tails:
            return found
        found = found.copy()
        for place in np.flatnonzero(found == UNKNOWN):
            beginning = prefix_of(values[place], self._length)
            if beginning is not None:
                found[place] = self._code_of_tail.get(beginning, UNKNOWN)
        return found

    def _write(self, codes: np.ndarray, generator: np.random.Generator) -> tuple[Any, np.ndarray]:
        written, nulls = super()._write(codes, generator)
        made_up = codes >= len(self.heads)
        if not self.shows_other:
            made_up &= codes < len(self.values)
        if self.form is None or isinstance(self._dtype, pd.CategoricalDtype) or not made_up.any():
            return written, nulls
        texts = np.asarray(written, dtype=object).copy()
        places = np.flatnonzero(made_up)
        texts[places] = self._make_up(codes[places], texts[places], generator)
        return texts, nulls

    def _make_up(
        self, codes: np.ndarray, labels: np.ndarray, generator: np.random.Generator
    ) -> np.ndarray:
        """Return a string for each code; its label if no string found determines the code."""
        made, left = labels.copy(), np.arange(len(codes))
        beginnings = dict(zip(self._code_of_tail.values(), self._code_of_tail, strict=True))
        for _ in range(_TRIES):
            drawn = np.empty(left.size, dtype=object)
            drawn[:] = self._draw([beginnings.get(code, '') for code in codes[left]], generator)
            own = self._is_told(drawn, codes[left])
            made[left[own]] = drawn[own]
            left = left[~own]
            if not left.size:
                break
        return made

    def _draw(self, beginnings: list[str], generator: np.random.Generator) -> list[str]:
        form = self.form
        texts = form.draw(len(beginnings), generator) if form else beginnings
        return [start + text[len(start) :] for start, text in zip(beginnings, texts, strict=True)]

    def _is_told(self, texts: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return which strings have the form, look like no other and determine their codes."""
        form = self.form
        fits = [
            bool(text) and text not in self._looks and set(seen(text)) == {text}
            and (form is None or form.allows(text))
            for text in texts
        ]  # fmt: skip
        found: np.ndarray = np.array(fits, dtype=bool) & (
            self.encode(pd.Series(texts, dtype=object)) == codes
        )
        return found
