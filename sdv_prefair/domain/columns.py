"""What one column may hold: frozen descriptions that contain nothing but public facts."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from numbers import Integral, Number
from typing import Any, Literal, overload

import numpy as np
import pandas as pd

from sdv_prefair.errors import DomainError
from sdv_prefair.values.shown_text import told_apart
from sdv_prefair.values.timestamps import as_timestamp, within_format


@dataclass(frozen=True)
class Categories:
    """A public list of values; anything else a row holds counts as one "other" value.

    Args:
        values: The values, in the order of their codes.
        nullable: Whether a row may hold no value.
        ordered: Whether the order of the values means something (sdtype ordinal).
        complete: Whether nothing else can occur, so that no "other" is needed (booleans).
    """

    values: tuple[Any, ...]
    nullable: bool = True
    ordered: bool = False
    complete: bool = False

    def __post_init__(self) -> None:
        values = tuple(_plain(value) for value in self.values)
        object.__setattr__(self, 'values', values)
        try:  # True equals 1 and has its hash, but is another value
            distinct = {(isinstance(value, bool), value) for value in values}
        except TypeError:
            raise DomainError('range_values must be single values such as strings.') from None
        if any(pd.api.types.is_scalar(value) and pd.isna(value) for value in values):
            raise DomainError('range_values must hold no null. Use range_is_nullable for nulls.')
        if len(distinct) < len(values):
            raise DomainError('range_values must not repeat a value. List every value once.')


@dataclass(frozen=True)
class Numbers:
    """All numbers from ``low`` to ``high`` with at most ``decimal_places`` decimals.

    Args:
        low: Smallest value.
        high: Largest value.
        decimal_places: Number of decimals, 0 for whole numbers, None for any real number.
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
        """Return the whole numbers ``n`` for which ``n / 10**decimal_places`` is in the range."""
        first, last = (
            int(Decimal(repr(bound)).scaleb(decimal_places).to_integral_value(rounding))
            for bound, rounding in ((self.low, ROUND_CEILING), (self.high, ROUND_FLOOR))
        )
        return range(first, last + 1)


@dataclass(frozen=True)
class Datetimes:
    """All moments from ``low`` to ``high``.

    Args:
        low: First moment; a string in ``datetime_format``, or anything pandas calls a timestamp.
        high: Last moment.
        datetime_format: How moments are written, and thereby how fine they are.
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
        low: Lower end of the range, if that alone is declared.
        high: Upper end of the range, if that alone is declared.
        decimal_places: As in ``Numbers``.
        datetime_format: As in ``Datetimes``.
        ordered: As in ``Categories``.
    """

    kind: Literal['categories', 'numbers', 'datetimes']
    nullable: bool = True
    low: Any = None
    high: Any = None
    decimal_places: int | None = None
    datetime_format: str | None = None
    ordered: bool = False

    def with_values(self, values: Iterable[Any]) -> Categories:
        """Return the domain made of the values that were learnt, as far as they look different.

        Of values that look the same once they are written the first is kept, and '' is left out
        beside null: what looks like null comes back as null.
        """
        kept = told_apart([_plain(value) for value in values], self.nullable)
        return Categories(kept, self.nullable, self.ordered)

    @overload
    def with_bounds(self, low: float, high: float) -> Numbers: ...

    @overload
    def with_bounds(self, low: pd.Timestamp, high: pd.Timestamp) -> Datetimes: ...

    def with_bounds(self, low: Any, high: Any) -> Numbers | Datetimes:
        """Return the domain between the bounds that were learnt, cut to what is declared."""
        if self.kind == 'numbers':
            low, high = _outward(low, high, self.decimal_places)
            learnt: Numbers | Datetimes = Numbers(low, high, self.decimal_places, self.nullable)
        else:
            low, high = within_format(low, high, self.datetime_format)
            learnt = Datetimes(low, high, self.datetime_format, self.nullable)
        low = learnt.low if self.low is None else max(learnt.low, self.low)
        high = learnt.high if self.high is None else min(learnt.high, self.high)
        if low > high:  # what was learnt lies wholly outside what is declared
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
        raise DomainError('decimal_places must be a whole number, 0 or more.')
    return int(value)


def _outward(low: float, high: float, decimal_places: int | None) -> tuple[float, float]:
    if decimal_places is None:
        return low, high
    scale = 10**decimal_places
    return math.floor(low * scale) / scale, math.ceil(high * scale) / scale


def _plain(value: Any) -> Any:
    if isinstance(value, np.datetime64):
        return pd.Timestamp(value)
    return value.item() if isinstance(value, np.generic) else value
