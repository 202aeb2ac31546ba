"""One column of the private rows: what a fit can parse, and what it does with the rest.

The answers come from the encoders of the fit itself, so that the two cannot differ.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair._arrays import Flags
from sdv_prefair.before_fit._findings import Remark
from sdv_prefair.before_fit._spelling import spelled_otherwise, spelled_several_ways
from sdv_prefair.before_fit._unreadable_texts import (
    LIKE_MISSING,
    OTHER_FORMAT,
    another_kind,
    how_to_declare,
    looks_missing,
    why_no_date,
    why_no_number,
)
from sdv_prefair.columns import CategoryCodes, ColumnCodes, DatetimeBins
from sdv_prefair.columns._cells import are_null, micros_of_timestamp
from sdv_prefair.columns._dtypes import read_numbers
from sdv_prefair.columns._facts import Categories, ColumnDomain, Datetimes, Numbers, Undeclared
from sdv_prefair.columns._moments import read_micros

_NEARLY_CONSTANT, _NEARLY_UNIQUE = 0.99, 0.9
# With fewer rows, values may well be all the same, or all different.
_ENOUGH_ROWS = 50
_EXAMPLES, _MOST_LETTERS = 3, 30


@dataclass(frozen=True)
class CheckedColumn:
    """A column on its way into a fit.

    Privacy: contains private cells, and its findings are as private.

    Attributes:
        name: Name of the column.
        domain: Its public domain.
        codes: The encoder of the fit; None if the domain has to be learnt first.
        cells: What a fit reads.
        written: The original strings, some of which may have become null in ``cells``.
        words: The declared words for a missing value; None if none are declared.
    """

    name: str
    domain: ColumnDomain
    codes: ColumnCodes | None
    cells: pd.Series
    written: pd.Series
    words: tuple[str, ...] | None = None

    def findings(self) -> Iterator[Remark]:
        """Yield all findings about the column."""
        yield from self._undeclared_nulls()
        yield from self._unreadable()
        yield from self._outside()
        yield from self._too_fine()
        yield from self._not_listed()
        yield from self._spellings()
        other_kind = list(self._another_kind())
        yield from other_kind or self._constant_or_unique()

    @property
    def nulls(self) -> Flags:
        """Which cells were left empty, or hold a declared word for that."""
        found: Flags = are_null(self.written)
        return found | self._hold(self.words or ())

    def _hold(self, words: Collection[str]) -> Flags:
        return np.array([isinstance(c, str) and c in words for c in self.written], dtype=bool)

    @property
    def unread(self) -> Flags:
        """Which cells a fit cannot parse as a number, date or boolean."""
        cells, filled = self.cells, ~self.nulls
        if isinstance(self.codes, CategoryCodes):
            found = self.codes.encode(cells) == self.codes.unread_code
            unread: Flags = found & (not self.codes.other)
        elif self.codes is not None:
            unread = self.codes.encode(cells) == self.codes.unread_code
        elif self.kind != 'categories':
            unread = self._read()[1]
        else:
            unread = np.zeros(len(cells), dtype=bool)
        return filled & unread

    @property
    def kind(self) -> str:
        """What kind of values it holds."""
        if isinstance(self.domain, Undeclared):
            return self.domain.kind
        kinds = {Categories: 'categories', Numbers: 'numbers', Datetimes: 'datetimes'}
        return kinds[type(self.domain)]

    def _read(self) -> tuple[Any, Flags]:
        """Return numbers, timestamps in microseconds, and where there are none."""
        plain = self.cells
        if isinstance(plain.dtype, pd.CategoricalDtype):
            plain = plain.astype(object)
        if self.kind == 'numbers':
            return read_numbers(plain)
        written = getattr(self.domain, 'datetime_format', None)
        return read_micros(plain, written, self._instants)

    @property
    def _instants(self) -> bool:
        if isinstance(self.codes, DatetimeBins):
            return bool(self.codes.instants)
        low = getattr(self.domain, 'low', None)
        return low is not None and low.tzinfo is not None

    def _finding(
        self, which: Flags, finding: str, remedy: str, quote: bool = False, stops: bool = False
    ) -> Remark:
        rows = int(which.sum())
        examples = self._examples(which) if quote else ''
        return Remark(self.name, finding, rows, rows / len(which), remedy, examples, stops)

    def _are_all(self, which: Flags) -> bool:
        """Whether these are all cells that were filled in."""
        filled = int((~self.nulls).sum())
        return 0 < filled <= int(which.sum())

    def _examples(self, which: Flags) -> str:
        common = pd.Series([str(c) for c in self.written[which]], dtype=object).value_counts()
        texts = [text[:_MOST_LETTERS] for text in common.index[:_EXAMPLES]]
        return ', '.join(map(repr, texts))

    def _goes_missing(self) -> str:
        return (
            'A fit counts them as missing.'
            if self.domain.nullable
            else 'A fit redistributes them over all values.'
        )

    def _undeclared_nulls(self) -> Iterator[Remark]:
        if not self.domain.nullable and self.nulls.any():
            yield self._finding(
                self.nulls,
                'are missing although range_is_nullable is false',
                'A fit redistributes them over all values. Set range_is_nullable to true, or fill '
                'them in.',
            )

    def _unreadable(self) -> Iterator[Remark]:
        unread = self.unread
        if not unread.any():
            return
        places = np.flatnonzero(unread)
        if self.kind == 'categories':
            what, remedy = 'are not booleans', 'Write true or false.'
            reasons = [(what, remedy, np.ones(len(places), dtype=bool))]
        else:
            explain = why_no_number if self.kind == 'numbers' else why_no_date
            reasons = explain(list(self.written.iloc[places]))
        is_lost = self._are_all(unread)
        for what, remedy, inside in reasons:
            which = np.zeros(len(unread), dtype=bool)
            which[places[inside]] = True
            # Without a format, a date of another one may be any of several.
            is_guess = what == OTHER_FORMAT and self._has_no_format
            yield self._finding(
                which, what, f'{self._goes_missing()} {remedy}', True, is_lost or is_guess
            )

    @property
    def _has_no_format(self) -> bool:
        return getattr(self.domain, 'datetime_format', None) is None

    def _outside(self) -> Iterator[Remark]:
        low, high = (getattr(self.domain, end, None) for end in ('low', 'high'))
        if self.kind == 'categories' or (low is None and high is None):
            return
        read, nulls = self._read()
        below = ~nulls & (read < self._as_read(low)) if low is not None else nulls & False
        above = ~nulls & (read > self._as_read(high)) if high is not None else nulls & False
        for which, key in ((below, 'below range_min'), (above, 'above range_max')):
            if which.any():
                yield self._finding(
                    which,
                    f'are {key}',
                    'A fit clips them. Widen the range, or correct the rows.',
                    stops=self._are_all(which),
                )

    def _as_read(self, bound: Any) -> Any:
        return micros_of_timestamp(bound) if self.kind == 'datetimes' else bound

    def _too_fine(self) -> Iterator[Remark]:
        places = getattr(self.domain, 'decimal_places', None)
        if self.kind != 'numbers' or places is None:
            return
        numbers, nulls = self._read()
        with np.errstate(invalid='ignore', over='ignore'):
            scaled = np.where(nulls, 0.0, numbers.astype(np.float64)) * 10.0**places
            finer = np.abs(scaled - np.rint(scaled)) > 1e-6 * np.maximum(1.0, np.abs(scaled))
        if finer.any():
            yield self._finding(
                finer,
                'have more decimals than decimal_places allows',
                'A fit rounds them. Raise decimal_places if the decimals matter.',
            )

    def _not_listed(self) -> Iterator[Remark]:
        codes = self.codes
        if not isinstance(codes, CategoryCodes) or not codes.other:
            return
        outside: Flags = ~self.nulls & (codes.encode(self.cells) == codes.other_code)
        if codes.shows_other:
            outside &= self.cells.astype(object).ne(codes.other_value).to_numpy(dtype=bool)
        is_lost = self._are_all(outside)
        spelled = outside & spelled_otherwise(self.cells, codes.values)
        missing = outside & ~spelled & self._like_missing
        if missing.any():
            yield self._finding(
                missing,
                LIKE_MISSING,
                f'{self._goes_outside(codes)} {how_to_declare(self.written[missing])}',
                quote=True,
                stops=is_lost,
            )
        outside &= ~missing
        if spelled.any():
            yield self._finding(
                spelled,
                'differ from a value of range_values only by case or space',
                f'{self._goes_outside(codes)} Write them as range_values does.',
                quote=True,
                stops=is_lost,
            )
        if (outside & ~spelled).any():
            yield self._finding(
                outside & ~spelled,
                'have a value that range_values does not list',
                f'{self._goes_outside(codes)} List all values that can occur, or name other=.',
                quote=True,
                stops=is_lost,
            )

    def _goes_outside(self, codes: CategoryCodes) -> str:
        if codes.shows_other:
            return 'A fit turns them into the value of other=.'
        if codes.stand_in_code is not None:
            return 'A fit counts them as missing.'
        return 'A fit redistributes them over all values.'

    @property
    def _like_missing(self) -> Flags:
        like = [isinstance(c, str) and looks_missing(c) for c in self.cells]
        return np.array(like, dtype=bool) & ~self.nulls

    def _spellings(self) -> Iterator[Remark]:
        if self.codes is None and self.kind == 'categories':
            yield from self._words_without_declaration()
            rarer = spelled_several_ways(self.cells) & ~self._like_missing
            if rarer.any():
                yield self._finding(
                    rarer,
                    'differ from a more frequent value only by case or space',
                    'A fit treats them as other values. Write each value in one way.',
                    quote=True,
                )

    def _words_without_declaration(self) -> Iterator[Remark]:
        """Yield words for a missing value in a column that declares neither values nor words."""
        if self.words is not None:
            return
        counted = self._hold(getattr(self.domain, 'missing', ())) & ~self.nulls
        for which, handled in (
            (counted, 'A fit counts them as missing.'),
            (self._like_missing & ~counted, 'A fit treats them as a value.'),
        ):
            if which.any():
                remedy = f'{handled} {how_to_declare(self.written[which])}'
                yield self._finding(which, LIKE_MISSING, remedy, quote=True)

    def _another_kind(self) -> Iterator[Remark]:
        """Yield that undeclared categories are numbers or dates that were not taken for such."""
        if self.codes is None and self.kind == 'categories':
            texts = self.written[~self.nulls].astype(str).unique().tolist()
            if found := another_kind(texts):
                what, remedy = found
                handled = 'A fit counts each as a category of its own.'
                yield self._finding(~self.nulls, what, f'{handled} {remedy}', quote=True)

    def _constant_or_unique(self) -> Iterator[Remark]:
        filled = self.written[~self.nulls].astype(str)
        if len(filled) < _ENOUGH_ROWS:
            return
        counts = filled.value_counts()
        known = len(self.written) if self.domain.nullable else len(filled)  # a null is a value too
        if counts.iloc[0] >= _NEARLY_CONSTANT * known:
            yield self._finding(
                ~self.nulls & (self.written.astype(str) == counts.index[0]).to_numpy(dtype=bool),
                'have the same value: the column is nearly constant',
                'A fit spends budget on it and finds little. Leave it out unless it is needed.',
            )
        is_whole = self.kind == 'categories' or filled.str.fullmatch(r'-?\d+(\.0)?').all()
        enough = _NEARLY_UNIQUE if self.kind == 'categories' else 1.0
        if is_whole and self.kind != 'datetimes' and len(counts) >= enough * len(filled):
            yield self._finding(
                ~self.nulls,
                'have nearly all different values',
                "A fit learns nothing about such a column. Is it a key? Then use the sdtype 'id'.",
            )
