"""The columns of a table, and the values they can take: public, or learnt within the budget."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from sdv_prefair.columns import CategoryCodes, ColumnCodes
from sdv_prefair.report._words import counted

_MOST_VALUES = 30


@dataclass(frozen=True)
class Column:
    """One column of the released table, or one that the model uses in place of others.

    Attributes:
        name: Its name.
        role: Its role.
        kind: Its sdtype.
        source: Where its values come from, in words.
        is_learnt: Whether its values were learnt within the budget.
        labels: A text for each code, if it is modelled.
        other: The code without a value to show, which is never sampled.
        shown: The values of a column that is not binned.
        limits: The range of a number or a date, in words.
        nullable: Whether it can be missing; None if it is not modelled.
    """

    name: str
    role: str
    kind: str
    source: str
    is_learnt: bool
    labels: tuple[str, ...] = ()
    other: int | None = None
    shown: tuple[str, ...] = ()
    limits: str | None = None
    nullable: bool | None = None

    @property
    def codes(self) -> list[int]:
        """The codes that are shown; all of them if the only one stands for other values."""
        codes = [code for code in range(len(self.labels)) if code != self.other]
        return codes or list(range(len(self.labels)))

    @property
    def values_in_words(self) -> str:
        """The values that it can take."""
        if self.limits is not None:
            return self.limits
        first, more = self.shown[:_MOST_VALUES], len(self.shown) - _MOST_VALUES
        return ', '.join(first) + (f' and {counted(more, "value")} more' if more > 0 else '')


class ShownShare(NamedTuple):
    """The share of a value in the model, and the half of its 95 % interval."""

    label: str
    share: float
    off: float


def values_of(codes: ColumnCodes | None) -> dict[str, Any]:
    """Return values or limits of a column by its encoder, and whether it can be missing."""
    if codes is None:
        return {}
    about: dict[str, Any] = {'nullable': bool(codes.nullable)}
    if isinstance(codes, CategoryCodes):
        return about | {'shown': tuple(codes.labels()[: len(codes.shown)])}
    low, high = (getattr(codes, end, None) for end in ('low', 'high'))
    if low is None or high is None:  # a third-party encoder
        return about | {'shown': tuple(codes.labels()[: codes.num_codes - bool(codes.nullable)])}
    places = getattr(codes, 'decimal_places', None)
    decimals = f', {counted(places, "decimal")}' if places else ''
    return about | {'limits': f'{_limit(low)} to {_limit(high)}{decimals}'}


def _limit(value: Any) -> str:
    if isinstance(value, pd.Timestamp):
        return value.isoformat(sep=' ').removesuffix(' 00:00:00')
    return f'{value:,.10g}' if isinstance(value, int | float) else str(value)
