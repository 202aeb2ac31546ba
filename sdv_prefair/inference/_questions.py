"""Queries compiled: each line of an answer is a ratio of two sums over codes, or several of them.

A sum is over all rows, of the product of a number for each column's code: 1 or 0 for a condition,
a bin's mean for a number. So a query is two dictionaries of vectors.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair._arrays import Flags, Floats
from sdv_prefair.columns import CategoryCodes, ColumnCodes, NumberBins
from sdv_prefair.columns._processor import Encoding
from sdv_prefair.errors import QueryError
from sdv_prefair.inference._query import ANY, Difference, Mean, Quantile, Query, Share

# -- Columns as users see them: values for codes, codes for values, numbers to average -------------


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


# -- Queries compiled ------------------------------------------------------------------------------


_MOST_LINES = 20_000
# A bin narrower than this fraction of its numbers has one number, up to rounding.
_NOTHING = 1e-9
MINUS = 'minus'

Columns = Mapping[str, ShownColumn]


@dataclass(frozen=True)
class Ratio:
    """A share or a mean.

    Attributes:
        above: The vectors of the numerator.
        below: The vectors of the denominator.
        limits: Bounds of its possible values.
        is_share: Whether the numerator counts a subset of the denominator's rows.
        ends: Lower and upper bounds of the numerator's vectors, if these are approximate:
            positions of rows within a bin are unknown.
    """

    above: Mapping[str, Floats]
    below: Mapping[str, Floats]
    limits: tuple[float, float] = (0.0, 1.0)
    is_share: bool = True
    ends: tuple[Mapping[str, Floats], Mapping[str, Floats]] | None = None

    def bounds(self) -> tuple['Ratio', 'Ratio']:
        """Return lower and upper bounds; this ratio twice if it is exact."""
        if self.ends is None:
            return self, self
        least, most = (replace(self, above=vectors, ends=None) for vectors in self.ends)
        return least, most

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it is about."""
        return tuple(dict.fromkeys([*self.above, *self.below]))


@dataclass(frozen=True)
class Rank:
    """A quantile: where the cumulative share of rows reaches a number.

    Attributes:
        up_to: The share of rows up to each code, in the order of the codes.
        share: The share to reach.
        lower: The smallest number of each code.
        upper: The largest number of each code.
    """

    up_to: tuple[Ratio, ...]
    share: float
    lower: Floats
    upper: Floats


@dataclass(frozen=True)
class Apart:
    """A difference of two ratios over disjoint rows."""

    first: Ratio
    second: Ratio


@dataclass(frozen=True)
class RanksApart:
    """A difference of two quantiles."""

    first: Rank
    second: Rank


Atom = Ratio | Apart
Question = Ratio | Rank | Apart | RanksApart
Line = tuple[tuple[Any, ...], Question]
PlainLine = tuple[tuple[Any, ...], Ratio | Rank]


def take_apart(query: Query, columns: Columns) -> tuple[list[str], list[Line]]:
    """Return the index names of the answer, and its lines.

    Raises:
        QueryError: If the query names columns or values that the model does not have.
    """
    if isinstance(query, Difference):
        return _differences(query, columns)
    names, lines = _plain(query, columns)
    return names, list(lines)


def _plain(query: Share | Mean | Quantile, columns: Columns) -> tuple[list[str], list[PlainLine]]:
    wanted = query.wanted if isinstance(query, Share) else {query.column: None}
    _check_known([*wanted, *query.conditions], columns)
    told = {**query.wanted, **query.conditions} if isinstance(query, Share) else query.conditions
    choices = [_codes(columns[c], value) for c, value in told.items()]
    _check_size(choices)
    lines: list[PlainLine] = []
    for codes in product(*choices):
        by_column = dict(zip(told, codes, strict=True))
        labels = tuple(columns[c].values[code] for c, code in by_column.items())
        lines.append((labels, _question(query, by_column, columns)))
    return list(told), lines


def _question(
    query: Share | Mean | Quantile, codes: Mapping[str, int], columns: Columns
) -> Ratio | Rank:
    given = {c: columns[c].indicator(codes[c]) for c in query.conditions}
    if isinstance(query, Share):
        of = {c: columns[c].indicator(codes[c]) for c in query.wanted}
        return Ratio({**of, **given}, given)
    column = columns[query.column]
    if isinstance(query, Mean):
        return _mean(column, given)
    return _rank(column, query.share, given)


def _mean(column: ShownColumn, given: Mapping[str, Floats]) -> Ratio:
    held = column.has_value
    mean, least, most = (
        {column.name: numbers * held, **given} for numbers in (column.numbers, *column.ends)
    )
    lower, upper = (ends[held > 0] for ends in column.ends)
    limits = (float(lower.min()), float(upper.max())) if held.any() else (0.0, 0.0)
    ends = None if np.allclose(lower, upper, _NOTHING, 0.0) else (least, most)
    return Ratio(mean, {column.name: held, **given}, limits, is_share=False, ends=ends)


def _rank(column: ShownColumn, share: float, given: Mapping[str, Floats]) -> Rank:
    (lower, upper), held = column.ends, np.flatnonzero(column.has_value)
    order = held[np.argsort(lower[held], kind='stable')]
    below = {column.name: column.has_value, **given}
    up_to, vector = [], np.zeros(column.has_value.size)
    for code in order:
        vector = vector.copy()
        vector[code] = 1.0
        up_to.append(Ratio({column.name: vector, **given}, below))
    return Rank(tuple(up_to), share, lower[order], upper[order])


def _differences(query: Difference, columns: Columns) -> tuple[list[str], list[Line]]:
    column, inner = query.column, query.of
    _check_known([column], columns)
    taken = inner.wanted if isinstance(inner, Share) else {inner.column: None}
    if column in taken or column in inner.conditions:
        raise QueryError(
            f"A difference between values of '{column}' must be of something that does not name "
            'that column. Take it out of the share, the mean or the quantile.'
        )
    shown = columns[column]
    pairs = list(combinations(_codes(shown, ANY), 2))
    if not isinstance(query.between, str):
        first, second = query.between[column]
        pairs = [(shown.code_of(first), shown.code_of(second))]
        if pairs[0][0] == pairs[0][1]:
            raise QueryError(
                f"Both groups of a difference are one value of '{column}', or in one bin. Name two "
                'that the model distinguishes.'
            )
    lines: list[Line] = []
    names: list[str] = []
    for pair in pairs:
        (names, ones), (_, others) = (
            _beside(inner, {column: shown.values[code]}, columns) for code in pair
        )
        lines += [
            ((*labels, of_other[-1]), _apart(one, other))
            for (labels, one), (of_other, other) in zip(ones, others, strict=True)
        ]
    return [*names, MINUS], lines


def _apart(first: Ratio | Rank, second: Ratio | Rank) -> Apart | RanksApart:
    if isinstance(first, Rank) and isinstance(second, Rank):
        return RanksApart(first, second)
    assert isinstance(first, Ratio) and isinstance(second, Ratio), 'both are of one query'
    return Apart(first, second)


def _beside(
    query: Share | Mean | Quantile, group: Mapping[str, Any], columns: Columns
) -> tuple[list[str], list[PlainLine]]:
    """Return the lines of a query for one group."""
    conditions = {**query.conditions, **group}
    if isinstance(query, Share):
        return _plain(Share(query.of, conditions), columns)
    if isinstance(query, Mean):
        return _plain(Mean(query.column, conditions), columns)
    return _plain(Quantile(query.column, query.share, conditions), columns)


def _codes(column: ShownColumn, value: Any) -> list[int]:
    if value is ANY:
        return [int(code) for code in np.flatnonzero(column.shown)]
    return [column.code_of(value)]


def _check_known(asked: Sequence[str], columns: Columns) -> None:
    unknown = [column for column in asked if column not in columns]
    if unknown:
        raise QueryError(
            f'The model does not have the columns {unknown}: it is of {list(columns)}. Ask for '
            'these; for columns that constraints make or that are made up, use estimate_statistic.'
        )


def _check_size(choices: Sequence[Sequence[int]]) -> None:
    if np.prod([float(len(codes)) for codes in choices], initial=1.0) > _MOST_LINES:
        raise QueryError(
            f'The answer would have more than {_MOST_LINES:,} lines. Name fewer columns, or give '
            'values for some of them.'
        )


def atoms_of(question: Question) -> Iterator[Atom]:
    """Yield the parts with intervals of their own, from which the query's is computed."""
    if isinstance(question, Rank):
        yield from question.up_to
    elif isinstance(question, RanksApart):
        yield from (*question.first.up_to, *question.second.up_to)
    else:
        yield question


def ratios_of(question: Question) -> Iterator[Ratio]:
    """Yield all ratios in a query."""
    for atom in atoms_of(question):
        if isinstance(atom, Apart):
            yield from (atom.first, atom.second)
        else:
            yield atom
