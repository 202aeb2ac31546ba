"""Columns as users see them: values for codes, codes for values, numbers to average."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair._arrays import Flags, Floats
from sdv_prefair.columns import CategoryCodes, ColumnCodes, NumberBins
from sdv_prefair.columns._processor import Encoding
from sdv_prefair.errors import QueryError


@dataclass(frozen=True)
class ShownColumn:
    """A modelled column.

    Attributes:
        name: Its name.
        transformer: The encoder of its values.
    """

    name: str
    transformer: ColumnCodes

    @cached_property
    def shown(self) -> Flags:
        """Which codes can be shown; the code for values outside the domain may not."""
        shown: Flags = np.ones(self.transformer.num_codes, dtype=bool)
        hidden = self.transformer.hidden_code
        if hidden is not None and hidden < shown.size and shown.size > 1:
            shown[hidden] = False
        return shown

    @cached_property
    def values(self) -> list[Any]:
        """What each code represents: a value, a bin in words, or None for null."""
        values: list[Any] = list(self.transformer.labels())
        if isinstance(self.transformer, CategoryCodes):
            values[: len(self.transformer.shown)] = self.transformer.shown
        elif isinstance(self.transformer, NumberBins):
            lower, upper = self.transformer.bin_ends()
            single = np.flatnonzero(lower == upper)
            for code in single.tolist():
                values[code] = lower[code].item()
        if self.transformer.null_code is not None:
            values[self.transformer.null_code] = None
        return values

    def code_of(self, value: Any) -> int:
        """Return the code of a value, or of a bin's label.

        Raises:
            QueryError: If the column cannot show it.
        """
        for code, own in enumerate(self.values):
            if self.shown[code] and (value is own or _same_text(value, own)):
                return code
        encoded = self._encoded(value)
        if encoded is None or encoded >= self.shown.size or not self.shown[encoded]:
            raise QueryError(
                f"The query asks for a value that column '{self.name}' cannot show. Ask for one "
                'of its domain, written as the column writes it, or for a bin as estimate shows it.'
            )
        return encoded

    def _encoded(self, value: Any) -> int | None:
        # On the command line numbers are strings.
        for candidate in (value, _as_number(value)):
            if candidate is None and value is not None:
                continue
            asked = pd.Series([candidate])
            try:
                if self.transformer.is_declared(asked)[0]:
                    return int(self.transformer.encode(asked)[0])
            except (TypeError, ValueError, OverflowError):
                continue
        return None

    def indicator(self, code: int) -> Floats:
        """Return 1 for one code and 0 for all others."""
        vector: Floats = np.zeros(self.transformer.num_codes)
        vector[code] = 1.0
        return vector

    @cached_property
    def has_value(self) -> Floats:
        """1 for codes that are shown and not null, 0 for others."""
        held: Floats = self.shown.astype(np.float64)
        if self.transformer.null_code is not None:
            held[self.transformer.null_code] = 0.0
        return held

    @cached_property
    def numbers(self) -> Floats:
        """The mean of the values sampled for each code; 0 for codes without a number."""
        return self._of_values(self._means)[0]

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """The smallest and the largest number sampled for each code."""
        if isinstance(self.transformer, NumberBins):
            lower, upper = self.transformer.bin_ends()
            first, second = self._of_values(lower, upper)
            return first, second
        return self.numbers, self.numbers

    @property
    def _means(self) -> Any:
        transformer = self.transformer
        if isinstance(transformer, NumberBins):
            return transformer.bin_means()
        values = transformer.shown if isinstance(transformer, CategoryCodes) else ()
        if not values or not all(isinstance(v, Real) and math.isfinite(v) for v in values):
            raise QueryError(
                f"Column '{self.name}' holds no numbers: it has no mean and no quantile. Ask for "
                'its shares, or for a column of numbers.'
            )
        return np.array(values, dtype=np.float64)

    def _of_values(self, *numbers: Any) -> list[Floats]:
        rest = self.transformer.num_codes - len(numbers[0])
        return [np.append(np.asarray(n, dtype=np.float64), np.zeros(rest)) for n in numbers]


def shown_columns(encoding: Encoding) -> dict[str, ShownColumn]:
    """Return all modelled columns by name."""
    return {c: ShownColumn(c, codes) for c, codes in encoding.transformers.items()}


def shown_codes(columns: Mapping[str, ShownColumn]) -> dict[str, Flags]:
    """Return for each column which codes can be shown."""
    return {name: column.shown for name, column in columns.items()}


def _same_text(value: Any, own: Any) -> bool:
    return isinstance(value, str) and own is not None and value == str(own)


def _as_number(value: Any) -> Any:
    if not isinstance(value, str):
        return None
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return None
