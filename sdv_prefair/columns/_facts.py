"""The public facts about a column: frozen descriptions, given by people or learnt."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from numbers import Integral, Number
from typing import Any, Literal, overload

import numpy as np
import pandas as pd

from sdv_prefair.columns._dtypes import holds_value
from sdv_prefair.columns._moments import as_timestamp, within_format
from sdv_prefair.columns._texts import (
    FakerForm,
    TextForm,
    canonical_value,
    check_no_value,
    ends_within,
    told_apart,
)
from sdv_prefair.errors import DomainError, shown

# -- Public groups of values: a known hierarchy of a column with very many values ------------------
#
# Values too rare to distinguish from noise are modelled together with those of their group:
# postal codes by their first digits, diagnoses by chapters, towns by countries. ``range_groups``
# defines the groups: lists of values by the names of groups, or the length of the prefix that
# strings of a group share.

RANGE_GROUPS = 'range_groups'
RARE_SDTYPE = 'rare_sdtype'


def check_groups(groups: Any) -> None:
    """Raise unless groups are a number of characters, or lists of values by name."""
    if isinstance(groups, Mapping) and groups:
        if all(isinstance(values, list | tuple) for values in groups.values()):
            return
    elif isinstance(groups, int) and not isinstance(groups, bool) and groups > 0:
        return
    raise DomainError(
        f'range_groups ({shown(groups)}) must be lists of values by groups, as in '
        "{'north': ['Oslo', 'Malmo'], 'south': ['Rome']}, or a number of characters, 1 or more, "
        'that values of a group have in common at their beginning.'
    )


def grouped_values(groups: Any) -> list[Any] | None:
    """Return all values that groups list; None if they list none."""
    if not isinstance(groups, Mapping):
        return None
    return [value for values in groups.values() for value in values]


def prefix_of(value: Any, length: int) -> str | None:
    """Return the prefix of a string that determines its group; None if there is none."""
    return value[:length] if isinstance(value, str) and len(value) >= length else None


def tail_label(prefix: str) -> str:
    """Return the replacement of all rare strings with a prefix, if none are generated."""
    return f'{prefix}*'


def group_numbers(values: Sequence[Any], groups: Any) -> tuple[int, ...]:
    """Return the number of the group that each value belongs to, -1 for none.

    Args:
        values: The declared values.
        groups: Groups that `check_groups` has accepted.

    Raises:
        DomainError: If groups list a value twice, or one that is not declared.
    """
    if isinstance(groups, Mapping):
        return _listed_numbers(values, groups)
    names = [prefix_of(value, groups) for value in values]
    number = {name: i for i, name in enumerate(dict.fromkeys(names)) if name is not None}
    return tuple(-1 if name is None else number[name] for name in names)


def _listed_numbers(values: Sequence[Any], groups: Mapping[Any, Sequence[Any]]) -> tuple[int, ...]:
    number: dict[tuple[bool, Any], int] = {}
    declared = {_key(value) for value in values}
    for place, members in enumerate(groups.values()):
        for value in members:
            if _key(value) in number or _key(value) not in declared:
                raise DomainError(
                    f'range_groups lists {shown(value)} twice, or though range_values does not '
                    'have it. List every declared value once at most.'
                )
            number[_key(value)] = place
    return tuple(number.get(_key(value), -1) for value in values)


def _key(value: Any) -> tuple[bool, Any]:
    # True equals 1 and has its hash, but is another value. A list is no value at all.
    return isinstance(value, bool), value if isinstance(value, Hashable) else repr(value)


# -- The domain of one column: frozen descriptions that contain only public facts ------------------


@dataclass(frozen=True)
class Categories:
    """A public list of values; anything else counts as one "other" value.

    Args:
        values: The values, in the order of their codes.
        nullable: Whether a row may hold no value.
        ordered: Whether the order of the values is meaningful (sdtype ordinal).
        complete: Whether nothing else can occur, so that no "other" is needed (booleans).
        other: The value that "other" comes back as; None if it is not shown.
        shared: Whether rows of an "other" that is not shown are redistributed over all values;
            otherwise they count as null where that is declared.
        groups: The number of the public group that each value belongs to, -1 for none; empty
            without groups.
        tails: Prefixes of strings that were too rare to be learnt and share a code.
        prefix: The length of these prefixes.
        form: The generator of strings in place of those that were too rare to be learnt.
        missing: Words that count as null.
    """

    values: tuple[Any, ...]
    nullable: bool = True
    ordered: bool = False
    complete: bool = False
    other: Any = None
    shared: bool = False
    groups: tuple[int, ...] = ()
    tails: tuple[str, ...] = ()
    prefix: int | None = None
    form: TextForm | FakerForm | None = None
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        values = tuple(_plain(value) for value in self.values)
        object.__setattr__(self, 'values', values)
        try:  # True equals 1 and has its hash, but is another value
            distinct = {(isinstance(value, bool), value) for value in values}
        except TypeError:
            raise DomainError('range_values must be single values such as strings.') from None
        if any(pd.api.types.is_scalar(value) and pd.isna(value) for value in values):
            raise DomainError('range_values must not contain null. Use range_is_nullable.')
        if len(distinct) < len(values):
            raise DomainError('range_values must not repeat a value. List every value once.')
        check_no_value(self.missing, values)
        if self.groups and len(self.groups) != len(values):
            raise DomainError('groups must be one integer for every value, or none at all.')
        if self.other is not None:
            object.__setattr__(self, 'other', _plain(self.other))
            self._check_other()

    @property
    def shown(self) -> tuple[Any, ...]:
        """The values that come back in the order of their codes, or their replacements."""
        others = () if self.other is None else (self.other,)
        return (*self.values, *map(tail_label, self.tails), *others)

    def showing_other(self, is_shown: bool) -> 'Categories':
        """Return the domain in which "other" has a value only if it is shown."""
        return self if is_shown or not self.values else replace(self, other=None)

    def _check_other(self) -> None:
        check_no_value(self.missing, (self.other,))
        if len(told_apart(self.shown, self.nullable)) < len(self.shown):
            raise DomainError(
                f'other ({shown(self.other)}) must look different from null and from every value '
                'of range_values. Name a value that the column does not have.'
            )


@dataclass(frozen=True)
class Numbers:
    """All numbers from ``low`` to ``high`` with at most ``decimal_places`` decimals.

    Args:
        low: Smallest value.
        high: Largest value.
        decimal_places: Number of decimals, 0 for integers, None for any real number.
        nullable: Whether a row may hold no value.
    """

    low: float
    high: float
    decimal_places: int | None = None
    nullable: bool = True

    def __post_init__(self) -> None:
        for side, key in (('low', 'range_min'), ('high', 'range_max')):
            object.__setattr__(self, side, as_number(getattr(self, side), key))
        object.__setattr__(self, 'decimal_places', as_decimal_places(self.decimal_places))
        if self.low > self.high:
            raise DomainError('range_min must not be above range_max. Swap or correct them.')
        if not math.isfinite(float(self.high) - float(self.low)):
            raise DomainError('range_max - range_min is too large for a float. Narrow the range.')
        if self.decimal_places is not None and not self.grid(self.decimal_places):
            raise DomainError(
                f'no number with {self.decimal_places} decimal places lies between range_min and '
                'range_max. Widen the range or raise decimal_places.'
            )

    def grid(self, decimal_places: int) -> range:
        """Return the integers ``n`` for which ``n / 10**decimal_places`` is in the range."""
        first, last = (
            int(Decimal(repr(bound)).scaleb(decimal_places).to_integral_value(rounding))
            for bound, rounding in ((self.low, ROUND_CEILING), (self.high, ROUND_FLOOR))
        )
        return range(first, last + 1)


@dataclass(frozen=True)
class Datetimes:
    """All timestamps from ``low`` to ``high``.

    Args:
        low: First timestamp; a string in ``datetime_format``, or anything pandas calls a timestamp.
        high: Last timestamp.
        datetime_format: How timestamps are written, and thereby how fine they are.
        nullable: Whether a row may hold no value.
    """

    low: pd.Timestamp
    high: pd.Timestamp
    datetime_format: str | None = None
    nullable: bool = True

    def __post_init__(self) -> None:
        for side, key in (('low', 'range_min'), ('high', 'range_max')):
            moment = as_timestamp(getattr(self, side), self.datetime_format, key)
            object.__setattr__(self, side, moment)
        if (self.low.tzinfo is None) != (self.high.tzinfo is None):
            raise DomainError('range_min and range_max must both name an offset, or neither.')
        if self.low > self.high:
            raise DomainError('range_min must not be after range_max. Swap or correct them.')


@dataclass(frozen=True)
class Undeclared:
    """A column whose values are not public: its domain has to be learnt, and paid for.

    Args:
        kind: What will be learnt.
        nullable: Whether a row may hold no value.
        low: Lower bound of the range, if only that is declared.
        high: Upper bound of the range, if only that is declared.
        decimal_places: As in ``Numbers``.
        datetime_format: As in ``Datetimes``.
        ordered: As in ``Categories``.
        other: The replacement of values too rare to be learnt, if the column can hold it and has
            values of its type; None if they are redistributed over the learnt ones.
        learns_nulls: Whether nullability is not public and must be learnt.
        named_other: Whether ``other`` was given for this column alone, so that it must hold it.
        prefix: The length of the common prefix of strings of one public group, if known.
        form: The generator of strings in place of those that are too rare to be learnt.
        many: Whether it is public that there are very many values.
        missing: Words that count as null.
    """

    kind: Literal['categories', 'numbers', 'datetimes']
    nullable: bool = True
    low: Any = None
    high: Any = None
    decimal_places: int | None = None
    datetime_format: str | None = None
    ordered: bool = False
    other: Any = None
    learns_nulls: bool = False
    named_other: bool = False
    prefix: int | None = None
    form: TextForm | FakerForm | None = None
    many: bool = False
    missing: tuple[str, ...] = ()

    def with_values(
        self, values: Iterable[Any], dtype: Any = None, tails: Sequence[str] = ()
    ) -> Categories:
        """Return the domain of the learnt values, without those that look the same when written.

        The first of several values that look the same is kept, and words for missing values are
        left out, as is '' if there is null: what looks like null comes back as null. Strings with
        a carriage return or a NUL, which end a cell for readers of CSV files, count as "other". A
        string that replaces all others is changed until it differs from all values; for other
        types a row with it counts as "other".

        Args:
            values: The learnt values.
            dtype: The column's dtype, which may not be able to hold the replacement.
            tails: Prefixes of strings that are too rare, if they share a code.
        """
        tails = [tail for tail in tails if not ends_within(tail)]
        labels = told_apart([tail_label(tail) for tail in tails], self.nullable)
        whole = [v for v in map(_plain, values) if not ends_within(v) and v not in self.missing]
        told = told_apart((*labels, *whole), self.nullable)
        kept = told[len(labels) :]
        other = self._other_beside(told, dtype)
        if other is not None:
            kept = told_apart((other, *told), self.nullable)[1 + len(labels) :]
        return Categories(
            kept,
            self.nullable,
            self.ordered,
            other=other,
            shared=True,
            tails=tuple(tail for tail in tails if tail_label(tail) in labels),
            prefix=self.prefix,
            form=self.form,
            missing=tuple(word for word in self.missing if word != other),
        )

    def _other_beside(self, values: Sequence[Any], dtype: Any) -> Any:
        other = _plain(self.other)
        kinds = {kind_of(value) for value in values} or {kind_of(other)}
        if other is None or kinds != {kind_of(other)} or not holds_value(dtype, other):
            return None
        while isinstance(other, str) and self._looks_taken(other, values):
            other += '_'
        return other

    def _looks_taken(self, other: str, values: Sequence[Any]) -> bool:
        return len(told_apart((*values, other), self.nullable)) <= len(values)

    @overload
    def with_bounds(self, low: float, high: float) -> Numbers: ...

    @overload
    def with_bounds(self, low: pd.Timestamp, high: pd.Timestamp) -> Datetimes: ...

    def with_bounds(self, low: Any, high: Any) -> Numbers | Datetimes:
        """Return the domain between the learnt bounds, clipped to the declared ones."""
        if self.kind == 'numbers':
            low, high = _outward(low, high, self.decimal_places)
            learnt: Numbers | Datetimes = Numbers(low, high, self.decimal_places, self.nullable)
        else:
            low, high = within_format(low, high, self.datetime_format)
            learnt = Datetimes(low, high, self.datetime_format, self.nullable)
        low = learnt.low if self.low is None else max(learnt.low, self.low)
        high = learnt.high if self.high is None else min(learnt.high, self.high)
        if low > high:  # the learnt range lies entirely outside the declared one
            low = high = high if self.low is None else low
        return replace(learnt, low=low, high=high)


ColumnDomain = Categories | Numbers | Datetimes | Undeclared


def as_number(value: Any, name: str) -> int | float:
    """Return a finite bound as Python's int or float; raise ``DomainError`` for anything else."""
    if isinstance(value, bool) or not isinstance(value, Number) or isinstance(value, complex):
        raise DomainError(f'{name} must be a number.')
    try:
        if isinstance(value, Integral):
            number: int | float = int(value)
        else:
            number = float(value)  # type: ignore[arg-type]  # complex ones are refused above
        finite = math.isfinite(number)
    except (OverflowError, ValueError):
        finite = False
    if not finite:
        raise DomainError(f'{name} must be finite. Declare a bound that no value can exceed.')
    return number


def as_decimal_places(value: Any) -> int | None:
    """Return a number of decimals, or None; raise ``DomainError`` for anything else."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        raise DomainError('decimal_places must be an integer, 0 or more.')
    return int(value)


def kind_of(value: Any) -> str:
    """Return the kind of a value: two of one kind can be in one column of any file."""
    if isinstance(value, Number) and not isinstance(value, bool):
        return 'number'
    return type(value).__name__


def _outward(low: float, high: float, decimal_places: int | None) -> tuple[float, float]:
    if decimal_places is None:
        return low, high
    scale = 10**decimal_places
    return math.floor(low * scale) / scale, math.ceil(high * scale) / scale


def _plain(value: Any) -> Any:
    if isinstance(value, np.datetime64):
        return pd.Timestamp(value)
    return value.item() if isinstance(value, np.generic) else value


# -- The replacement of values without a code of their own: too rare to be learnt, or not
# declared.


OTHER = 'other'
"""The default replacement of values of a text column that are too rare to be learnt."""


def name_others(
    domains: Mapping[str, ColumnDomain], other: str | Mapping[str, Any] | None
) -> dict[str, ColumnDomain]:
    """Return the domains with the replacement of values outside them.

    Args:
        domains: The public domains of the modelled columns.
        other: A string for all columns whose values have to be learnt, or a value by column, also
            for declared values; None for a column whose rows are to be redistributed.

    Raises:
        DomainError: If it is neither, or its column cannot hold it.
    """
    for_all: str | None = OTHER
    by_column: Mapping[str, Any] = {}
    if isinstance(other, Mapping):
        _check_columns(domains, other)
        by_column = other
    elif other is None or (isinstance(other, str) and other):
        for_all = other
    else:
        raise DomainError(
            f'other ({shown(other)}) must be a string, or a dictionary from columns to values, as '
            "in {'country': 'elsewhere'}."
        )
    return {
        column: _named(column, domain, by_column[column])
        if column in by_column
        else _with_text(domain, for_all)
        for column, domain in domains.items()
    }


def _check_columns(domains: Mapping[str, ColumnDomain], other: Mapping[str, Any]) -> None:
    for column, value in other.items():
        domain = domains.get(column)
        is_list = isinstance(domain, Categories) and not domain.complete
        if not is_list and getattr(domain, 'kind', None) != 'categories':
            raise DomainError(
                f'other names {shown(column)}, which is not a modelled categorical or ordinal '
                'column. Correct the name, or take it out.'
            )
        if value is not None and (canonical_value(value) is None or value == ''):
            raise DomainError(
                f"other of '{column}' must be a single value such as a string or a number. Name "
                'one, or leave the column out.'
            )


def _named(column: str, domain: ColumnDomain, value: Any) -> ColumnDomain:
    if isinstance(domain, Undeclared):
        return replace(domain, other=value, named_other=value is not None)
    if not isinstance(domain, Categories):
        return domain
    try:
        return replace(domain, other=value, shared=value is None)
    except DomainError as error:
        raise DomainError(f"Column '{column}': {error}") from None


def _with_text(domain: ColumnDomain, text: str | None) -> ColumnDomain:
    if isinstance(domain, Undeclared) and domain.kind == 'categories':
        return replace(domain, other=text)
    return domain
