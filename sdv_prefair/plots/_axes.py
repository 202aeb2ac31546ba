"""Axes of a figure in pixels: where a value is, which ticks there are, and what they are called."""

import html
import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

LETTERS = 12  # the size of letters, in pixels
_WIDTH = 0.62  # of a letter, as a part of its size
_TICKS = 5
MOST_LETTERS = 60
"""Of a tick."""


def lines_of(text: object) -> list[tuple[str, bool]]:
    """Return the lines of a text in plotly's notation, each with whether it is bold."""
    return [
        (html.unescape(re.sub(r'<[^>]*>', '', line)), '<b>' in line)
        for line in re.split(r'<br ?/?>', str(text))
    ]


def width_of(text: str, size: float = LETTERS) -> float:
    """Return about how many pixels a line of text takes."""
    wide = sum(unicodedata.east_asian_width(letter) in 'WF' for letter in text)
    return size * (_WIDTH * (len(text) - wide) + wide)


def as_list(values: Any) -> list[Any]:
    """Return what a trace holds as a list; one value if there is only one."""
    if values is None:
        return []
    if isinstance(values, str) or not isinstance(values, Iterable):
        return [values]
    return list(values)


@dataclass(frozen=True)
class Axis:
    """An axis: ``x`` if it goes to the right, else ``y``.

    Attributes:
        kind: ``'category'``, ``'date'`` or ``'number'``.
        names: The categories, in order.
        low: The value at its start, in its own units: places of categories, days, numbers.
        high: The value at its end.
        start: Where it starts, in pixels.
        end: Where it ends.
        asked: Its layout in plotly.
    """

    kind: str
    names: tuple[str, ...]
    low: float
    high: float
    start: float
    end: float
    asked: dict[str, Any]

    @property
    def is_shown(self) -> bool:
        """Whether it has ticks and a name."""
        return self.asked.get('visible') is not False

    @property
    def step(self) -> float:
        """How many pixels a unit takes."""
        return abs(self.end - self.start) / max(abs(self.high - self.low), 1e-300)

    def number(self, value: Any) -> float:
        """Return a value in units of the axis."""
        return _number(value, self.kind, self.names)

    def at(self, value: Any) -> float:
        """Return the pixel of a value; NaN if it has none."""
        share = (self.number(value) - self.low) / ((self.high - self.low) or 1.0)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Return the pixel and the text of each tick."""
        if 'tickvals' in self.asked:
            texts = as_list(self.asked['ticktext'])
            return [
                (self.at(value), lines_of(text)[0][0])
                for value, text in zip(as_list(self.asked['tickvals']), texts, strict=True)
            ]
        if self.kind == 'category':
            return [(self.at(name), shortened(lines_of(name)[0][0])) for name in self.names]
        return [(self.at(_value(tick, self.kind)), self._called(tick)) for tick in self._round()]

    def _round(self) -> list[float]:
        """Return round numbers between the ends."""
        low, high = sorted((self.low, self.high))
        rough = (high - low) / _TICKS or 1.0
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * n for n in (1, 2, 5, 10) if unit * n >= rough * 0.999)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        return [step * n for n in range(first, last + 1)]

    def _called(self, tick: float) -> str:
        if self.kind == 'date':
            return str(_value(tick, 'date').date())
        if self.asked.get('tickformat') == '.0%':
            return f'{tick:.0%}'
        return f'{round(tick, 12):.10g}{self.asked.get("ticksuffix") or ""}'


def axis_of(asked: dict[str, Any], values: Sequence[Any], has_zero: bool) -> Axis:
    """Return an axis for values, before it has a place.

    Args:
        asked: Its layout in plotly.
        values: All values that are drawn along it.
        has_zero: Whether it begins at zero: bars do.
    """
    known = [value for value in values if not _is_missing(value)]
    kind = _kind(asked, known)
    wanted = [str(name) for name in as_list(asked.get('categoryarray'))] if kind[0] == 'c' else []
    names = tuple(dict.fromkeys([*wanted, *map(str, known)])) if kind == 'category' else ()
    low, high = _ends(asked, kind, names, known, has_zero)
    if asked.get('autorange') == 'reversed':
        low, high = high, low
    return Axis(kind, names, low, high, 0.0, 1.0, asked)


def _ends(
    asked: dict[str, Any], kind: str, names: tuple[str, ...], known: list[Any], has_zero: bool
) -> tuple[float, float]:
    if asked.get('range') is not None:
        low, high = (_number(end, kind, names) for end in asked['range'])
        return low, high
    if kind == 'category':
        return -0.5, max(len(names), 1) - 0.5
    numbers = [_number(value, kind, names) for value in known] or [0.0, 1.0]
    low, high = min(numbers), max(numbers)
    if has_zero or asked.get('rangemode') == 'tozero':
        low, high = min(low, 0.0), max(high, 0.0)
    room = 0.05 * ((high - low) or 1.0)
    return (low - room if low else 0.0), (high + room if high else 0.0)


def _kind(asked: dict[str, Any], known: list[Any]) -> str:
    if asked.get('type') == 'category' or any(isinstance(value, str) for value in known):
        return 'category'
    is_date = any(isinstance(value, pd.Timestamp | np.datetime64) for value in known)
    return 'date' if is_date else 'number'


def _is_missing(value: Any) -> bool:
    return value is None or (not isinstance(value, str) and bool(pd.isna(value)))


def _number(value: Any, kind: str, names: tuple[str, ...]) -> float:
    if _is_missing(value):
        return math.nan
    if kind == 'category':
        return float(names.index(str(value))) if str(value) in names else float(value)
    if kind == 'date':
        return (pd.Timestamp(value) - pd.Timestamp(0)) / pd.Timedelta(days=1)
    return float(value)


def _value(number: float, kind: str) -> Any:
    return pd.Timestamp(0) + pd.Timedelta(days=number) if kind == 'date' else number


def shortened(text: str, letters: int = MOST_LETTERS) -> str:
    """Return a text with at most so many letters."""
    return text if len(text) <= letters else text[: letters - 1] + '…'


def wrapped(text: str, width: float) -> list[str]:
    """Return a text in lines of at most so many pixels, as far as its words allow."""
    letters = max(4, int(width / (LETTERS * _WIDTH)))
    return textwrap.wrap(text, letters, break_long_words=False) or ['']
