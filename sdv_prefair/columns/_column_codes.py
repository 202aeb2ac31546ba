"""Base of our transformers: a column is encoded as integer codes, and decoded.

Unlike RDT's own, they learn nothing. A transformer is built from a public domain; fitting it uses
the column's name and dtype only. RDT seeds its transformers with a hash of the first rows and one
constant for all columns; here the seed is a hash of the column's name, so that no row leaks through
it, and so that the values sampled within a bin are independent between columns. With one seed for
all they would be perfectly correlated, protected and outcome columns included, and fairness of the
codes would not carry over to the values.
"""

import abc
import hashlib
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

import numpy as np
import pandas as pd
from rdt.transformers import BaseTransformer

from sdv_prefair.columns._cells import are_null, boxed
from sdv_prefair.columns._dtypes import cast
from sdv_prefair.errors import DomainError

# -- Checks, cell by cell, that a requested value appears unchanged in the sample ------------------
#
# A model conditions on codes, and a column shows values. If two requested values were written as
# one, rows of two codes would be mixed under it. So a value is accepted only if the column can
# write it, and what it writes determines the code.

# From here on, floats are further apart than integers.
_EXACT_FLOAT = 2**53


def distinct(column: pd.Series) -> tuple[pd.Series, np.ndarray]:
    """Return the distinct values of a column without nulls, and which one each row holds.

    Objects are returned unchanged, because True would be merged with 1.
    """
    if column.dtype == object:
        return column, np.arange(len(column))
    position, _ = pd.factorize(column)
    return column.drop_duplicates(), position


def cells(values: Any) -> list[Any]:
    """Return the values of an array or a column as Python objects.

    numpy's scalars compare a float at their own precision: they equate 0.1 and its short float.
    """
    objects = pd.Series(values).astype(object).tolist()
    return [o.item() if isinstance(o, np.number | np.bool_) else o for o in objects]


def same_value(asked: Any, held: Any) -> bool:
    """Whether two cells are the same: equal, and both booleans, both strings, or neither."""
    try:
        for kind in (bool, str):
            if isinstance(asked, kind) != isinstance(held, kind):
                return False
        if (
            isinstance(asked, float)
            and isinstance(held, Integral)
            and abs(int(held)) >= _EXACT_FLOAT
        ):
            return False  # a float does not determine which integer is meant
        return bool(asked == held)
    except Exception:  # whatever an arbitrary object raises, it is not one of the values
        return False


def grid_point(asked: Any, places: int) -> int | None:
    """Return n if a number is n / 10**places, or the nearest float to it; otherwise None."""
    number = _as_fraction(asked)
    return None if number is None else round(number * 10**places)


def is_grid_point(asked: Any, held: Any, places: int, whole: bool) -> bool:
    """Whether a number has no more decimals than the grid, and the column holds exactly that point.

    Args:
        asked: The requested value.
        held: What the column writes for it.
        places: The number of decimals.
        whole: Whether the column has an integer dtype.
    """
    number, written = _as_fraction(asked), _as_fraction(held)
    if number is None or written is None:
        return False
    point = round(number * 10**places)
    if round(written * 10**places) != point or (places == 0 and written != point):
        return False
    if not isinstance(asked, float):
        found: bool = number * 10**places == point
        return found
    if whole and abs(asked) >= _EXACT_FLOAT:
        return False
    # As a short float, 0.1 is another number; that is fine if the column holds it as one too.
    return asked in (float(Fraction(point, 10**places)), float(written))


def same_number(asked: Any, held: Any) -> bool:
    """Whether a column of real numbers holds a number unchanged; a decimal judged by its digits."""
    number, written = _as_fraction(asked), _as_fraction(held)
    if number is None or written is None:
        return False
    by_digits = isinstance(asked, Decimal) and isinstance(held, float)
    return Fraction(str(held)) == number if by_digits else written == number


def same_moment(asked: Any, moment: pd.Timestamp | None, held: Any, instants: bool) -> bool:
    """Whether a column shows the requested timestamp.

    Args:
        asked: A string, a number such as 20240131, or a date or time.
        moment: The timestamp it denotes.
        held: What the column writes for it, equal to the microsecond.
        instants: Whether the column's bounds name offsets.
    """
    if moment is None or moment.nanosecond:
        return False
    has_offset, is_text = moment.tzinfo is not None, isinstance(held, str | Real)
    if is_text and isinstance(asked, str | Real):
        return same_value(asked, held)
    if is_text:
        return has_offset == instants
    held = pd.Timestamp(held)
    shows_offset = held.tzinfo is not None
    if has_offset and shows_offset:
        found: bool = moment == held
        return found
    # Without an offset, it is wall-clock time, or UTC if bounds are instants.
    return has_offset in (shows_offset, instants)


def as_float(asked: Any, otherwise: float) -> float:
    """Return a number as a float; ``otherwise`` if it is not a number or too large."""
    number = _as_fraction(asked)
    try:
        return otherwise if number is None else float(number)
    except OverflowError:
        return otherwise


def _as_fraction(cell: Any) -> Fraction | None:
    """Return a number without rounding; None for booleans, strings and anything not finite."""
    if isinstance(cell, bool) or not isinstance(cell, Real | Decimal):
        return None
    try:
        if isinstance(cell, Rational):
            return Fraction(int(cell)) if isinstance(cell, Integral) else Fraction(cell)
        return Fraction(cell) if isinstance(cell, Decimal) else Fraction(float(cell))
    except (ValueError, OverflowError):
        return None


# -- Base of our transformers: a column is encoded as integer codes, and decoded -------------------


class ColumnCodes(BaseTransformer, abc.ABC):
    """A column as codes 0, 1, ...; the last one is null if the column is nullable.

    Rows without a value that can be shown, because of an undeclared null or a value outside the
    domain, get a hidden code. It is counted, so that these rows do not distort others, but it is
    never sampled; their share is redistributed over all values in proportion.

    Subclasses set ``nullable`` and ``dtype``, and define how values other than null are handled:
    ``_num_values``, ``_read``, ``_write``, ``_nearest``, ``_is_held`` and ``_value_labels``.

    Privacy: codes are computed row by row, so adding or removing a row adds or removes one code.
    """

    def __init__(self) -> None:
        super().__init__()
        self.output_properties = {None: {'sdtype': 'integer', 'next_transformer': None}}
        self.random_states = None  # RDT then leaves numpy's global random state alone
        self.generator = np.random.default_rng(_seed_of_name(''))

    @property
    @abc.abstractmethod
    def _num_values(self) -> int:
        """Number of codes that are not the null code."""

    @abc.abstractmethod
    def _read(self, column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        """Return the codes and the nulls of a column that is not of category dtype."""

    @abc.abstractmethod
    def _write(self, codes: np.ndarray, generator: np.random.Generator) -> tuple[Any, np.ndarray]:
        """Return values for codes that are not null, and which values are null nevertheless."""

    @abc.abstractmethod
    def _nearest(self, column: pd.Series) -> Any:
        """Return values as ``_write`` would write them: unchanged if the column holds them.

        Args:
            column: Values, none of them null. A value outside the domain becomes any value inside
                it.
        """

    @abc.abstractmethod
    def _is_held(self, column: pd.Series, held: Any) -> list[bool]:
        """Return which values are shown unchanged.

        Args:
            column: Values, none of them null.
            held: What the column holds for them.
        """

    @abc.abstractmethod
    def _value_labels(self) -> list[str]:
        """Return a string for every code that is not the null code."""

    @abc.abstractmethod
    def _use_dtype(self, dtype: Any) -> None:
        """Prepare for a column of ``dtype``."""

    @property
    def num_codes(self) -> int:
        """Number of codes: the size of the column's domain."""
        return self._num_values + bool(self.nullable)

    @property
    def null_code(self) -> int | None:
        """The code of null, if the column is nullable."""
        return self._num_values if self.nullable else None

    @property
    def other_code(self) -> int | None:
        """The code of every value outside the domain, if there is one."""
        return None

    @property
    def hidden_code(self) -> int | None:
        """The code that is counted and never sampled, if there is one.

        It is the code of values outside the domain, unless they are shown as a value of their own;
        otherwise that of undeclared nulls, after all other codes.
        """
        if self.other_code is not None and not self.shows_other:
            return self.other_code
        return None if self.nullable else self.num_codes

    @property
    def shows_null(self) -> bool:
        """Whether null is a value that the column shows."""
        return self.nullable

    @property
    def shows_other(self) -> bool:
        """Whether values outside the domain are shown as a value of their own."""
        return False

    @property
    def stand_in_code(self) -> int | None:
        """The code that replaces the hidden one; None if its rows are redistributed over all."""
        return self.null_code

    @property
    def public_groups(self) -> np.ndarray | None:
        """The public group of each counted code, -1 for none; None if there are no groups."""
        return None

    @property
    def num_counted(self) -> int:
        """Number of codes that ``encode`` may return: ``num_codes``, and perhaps a hidden one."""
        return max(self.num_codes, 0 if self.hidden_code is None else self.hidden_code + 1)

    @property
    def unread_code(self) -> int:
        """The code of null: its own if the column is nullable, otherwise the hidden one."""
        code = self.null_code if self.nullable else self.hidden_code
        return 0 if code is None else code

    def labels(self) -> list[str]:
        """Return a string for every code, in the order of the codes."""
        return self._value_labels() + ['(null)'] * bool(self.nullable)

    def encode(self, values: Any) -> np.ndarray:
        """Return the codes of ``values`` as small unsigned integers.

        Values outside the domain are silently clipped, or get the "other" code: a
        warning would leak information about the rows. Nulls of a column that is not nullable
        get the hidden code.
        """
        column = values if isinstance(values, pd.Series) else pd.Series(values)
        small = np.min_scalar_type(max(self.num_counted - 1, 0))
        if isinstance(column.dtype, pd.CategoricalDtype):
            # Read as objects, because the type of the categories depends on the rows.
            of_category = self.encode(_categories(column))
            # The code of a null is -1, which takes the last entry.
            return np.append(of_category, self.unread_code).astype(small)[
                column.cat.codes.to_numpy()
            ]
        codes, nulls = self._read(column)
        codes = codes.astype(small)
        codes[nulls] = self.unread_code
        return codes

    def is_declared(self, values: Any) -> np.ndarray:
        """Return which of ``values`` can be requested: those that the column shows unchanged.

        Being in the domain is not enough: a number must have the column's decimals, a timestamp
        must be no finer than its format, and the dtype must be able to hold it.
        """
        column = _without_categories(values)
        nulls = are_null(column)
        different, position = distinct(column[~nulls])
        verdicts = np.full(len(column), self.shows_null)
        if len(different):
            nothing = np.zeros(len(different), dtype=bool)
            held = cast(self._nearest(different), nothing, self._dtype)
            verdicts[~nulls] = np.array(self._is_held(different, held), dtype=bool)[position]
        return verdicts

    def hold(self, values: Any) -> Any:
        """Return declared values as an array of the column's dtype, as it writes them."""
        column = _without_categories(values)
        nulls = are_null(column)
        different, position = distinct(column[~nulls])
        if nulls.all():
            return self.decode(np.full(len(column), self.null_code or 0), np.random.default_rng(0))
        place = np.zeros(len(column), dtype=np.intp)
        place[~nulls] = position
        dtype = self._dtype_beside_nulls() if nulls.any() else self._dtype
        return cast(self._nearest(different)[place], nulls, dtype)

    def decode(self, codes: Any, generator: np.random.Generator) -> Any:
        """Return values for ``codes``, as an array of the column's dtype.

        Args:
            codes: Integers from 0 to ``num_codes - 1``. A hidden code is decoded as any value.
            generator: The random generator for values within a bin.
        """
        codes = np.asarray(codes).astype(np.int64, copy=False)
        if len(codes) and not 0 <= codes.min() <= codes.max() < self.num_counted:
            raise ValueError(f'codes must be integers from 0 to {self.num_codes - 1}.')
        if self.num_counted > self.num_codes:
            hidden = codes == self.hidden_code
            drawn = generator.integers(0, self._num_values, np.count_nonzero(hidden))
            codes = codes.copy()
            codes[hidden] = drawn
        nulls = codes == self._num_values
        values, more_nulls = self._write(np.where(nulls, 0, codes), generator)
        nulls |= more_nulls
        return cast(values, nulls, self._dtype_beside_nulls() if nulls.any() else self._dtype)

    def _dtype_beside_nulls(self) -> Any:
        return self._dtype

    def reset_randomization(self) -> None:
        """Restart the random generator of ``reverse_transform``."""
        name = self.columns[0] if self.columns else ''
        self.generator = np.random.default_rng(_seed_of_name(name))
        self.random_seed = _seed_of_name(name) % (2**32 - 1)

    def _set_seed(self, data: pd.DataFrame) -> None:
        self.reset_randomization()

    def _fit(self, columns_data: pd.Series) -> None:
        try:
            self._use_dtype(columns_data.dtype)
        except DomainError as error:
            raise DomainError(f"Column '{self.columns[0]}': {error}") from None

    def _transform(self, columns_data: pd.Series) -> np.ndarray:
        return self.encode(columns_data)

    def _reverse_transform(self, columns_data: pd.Series) -> pd.Series:
        # Continuous models return real numbers between and around the codes.
        codes = columns_data.to_numpy(dtype=np.float64, na_value=np.nan)
        codes = np.where(np.isnan(codes), self.unread_code, codes)
        codes = np.clip(np.rint(codes), 0, self.num_counted - 1).astype(np.int64)
        return pd.Series(self.decode(codes, self.generator))


def _categories(column: pd.Series) -> pd.Series:
    return pd.Series(boxed(column.cat.categories), dtype=object)


def _without_categories(values: Any) -> pd.Series:
    column = values if isinstance(values, pd.Series) else pd.Series(values)
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    return column.infer_objects()  # as objects, timestamps of one zone would be read in UTC


def _seed_of_name(column: str) -> int:
    return int.from_bytes(hashlib.sha256(str(column).encode('utf-8')).digest())
