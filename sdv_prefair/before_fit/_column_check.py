"""One column of the private rows: what a fit can parse, and what it does with the rest.

The answers come from the encoders of the fit itself, so that the two cannot differ.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair._arrays import Flags
from sdv_prefair._notebook import as_html
from sdv_prefair.columns import CategoryCodes, ColumnCodes, DatetimeBins
from sdv_prefair.columns._cells import are_null, micros_of_timestamp
from sdv_prefair.columns._dtypes import read_numbers
from sdv_prefair.columns._facts import Categories, ColumnDomain, Datetimes, Numbers, Undeclared
from sdv_prefair.columns._moments import read_micros
from sdv_prefair.columns._texts import MISSING_VALUES

# -- Findings in the private rows, for their owner only --------------------------------------------

NOT_PRIVATE = (
    'NOT PRIVATE: computed on the real rows, for those who may see them. Do not publish it.'
)


@dataclass(frozen=True)
class Remark:
    """Something that a fit would silently do to rows.

    Attributes:
        column: The column, or several; empty if it is about the whole table.
        finding: What is wrong with the rows.
        rows: How many there are.
        share: Their share of all rows.
        remedy: What a fit does to them, and what to do about it.
        examples: A few of the affected strings, if there are any.
        stops: Whether a fit would lose the column, so that it asks first.
    """

    column: str
    finding: str
    rows: int
    share: float
    remedy: str
    examples: str = ''
    stops: bool = False

    def lines(self) -> Iterator[str]:
        """Yield the finding as a person reads it."""
        about = f'{self.column}, rows' if self.column else 'Rows'
        yield f'- {about} that {self.finding}: {self.rows:,} ({self.share:.2%}).'
        yield f'  {self.remedy}'
        if self.examples:
            yield f'  As in {self.examples}.'


@dataclass(frozen=True)
class TableCheck:
    """All findings about a table. It is true if there are any.

    Privacy: not private, and not stored in a synthesizer.

    Attributes:
        findings: What was found, in the order of the columns.
        num_rows: How many rows a fit would count.
    """

    findings: Sequence[Remark]
    num_rows: int

    def __bool__(self) -> bool:
        return bool(self.findings)

    def to_frame(self) -> pd.DataFrame:
        """Return a line for each finding: column, finding, rows, share, remedy, examples, stops."""
        names = [field.name for field in fields(Remark)]
        return pd.DataFrame([astuple(finding) for finding in self.findings], columns=names)

    def lines(self) -> Iterator[str]:
        """Yield what to print, with the caution first."""
        yield from self._summary()
        for finding in self.findings:
            yield from finding.lines()

    def _summary(self) -> Iterator[str]:
        yield NOT_PRIVATE
        if self.findings:
            yield f'A fit of these {self.num_rows:,} rows would silently do this:'
        else:
            yield f'{self.num_rows:,} rows, and nothing that a fit would silently change.'

    def __repr__(self) -> str:
        return '\n'.join(self.lines())

    def _repr_html_(self) -> str:
        return as_html('\n'.join(self._summary()), self.to_frame(), caution=True)


# -- Strings that differ only by case or spaces, which people take for one value -------------------


def as_said(value: Any) -> str | None:
    """Return a string without case and extra spaces; None for anything else."""
    return ' '.join(value.split()).casefold() if isinstance(value, str) else None


def spelled_otherwise(cells: pd.Series, values: Iterable[Any]) -> Flags:
    """Return which cells match one of the values except for case and spaces."""
    listed = set(values)
    heard = {as_said(value) for value in listed} - {None}
    return np.array(
        [isinstance(c, str) and c not in listed and as_said(c) in heard for c in cells], dtype=bool
    )


def spelled_several_ways(cells: pd.Series) -> Flags:
    """Return which cells match a more frequent string of the column except for case and spaces."""
    texts = [c if isinstance(c, str) else None for c in cells.where(~are_null(cells), None)]
    ranked = pd.Series(texts, dtype=object).value_counts()
    chief: dict[str | None, str] = {}
    for text in ranked.index:
        chief.setdefault(as_said(text), text)
    return np.array([t is not None and chief[as_said(t)] != t for t in texts], dtype=bool)


# -- Why a string is not a number or date of its column, and what it probably is -------------------


_WITH_COMMA = re.compile(r'\s*[-+]?(\d{1,3}([. \u00a0\u202f]\d{3})+|\d*),\d+\s*')
# '60,670' is 60670 to some and 60.67 to others: to write the wrong one is wrong a thousandfold.
_THOUSANDS = re.compile(r'\s*[-+]?[1-9]\d{0,2},\d{3}\s*')
_WHOLE = re.compile(r'\s*[-+]?\d+\s*')
_MISSING = {
    'na',
    'n/a',
    '#n/a',
    'nan',
    'nat',
    'null',
    'none',
    'nil',
    'missing',
    '?',
    '-',
    '--',
    '.',
}
_WITH_UNIT = re.compile(r"\s*[^\w\s.,+-]*\s*[-+]?[\d.,'\s]*\d\s*[^\d\s.,+-]*\s*")
_FORMATS = (
    *('%Y-%m-%d', '%d.%m.%Y', '%d/%m/%Y', '%m/%d/%Y', '%Y/%m/%d', '%d-%m-%Y', '%Y%m%d'),
    *('%Y-%m-%d %H:%M:%S', '%Y-%m-%dT%H:%M:%S', '%d.%m.%Y %H:%M', '%d/%m/%Y %H:%M'),
    *('%d %b %Y', '%d %B %Y', '%b %d, %Y', '%Y-%m', '%Y'),
)

LIKE_MISSING = 'look like a word for a missing value'
OTHER_FORMAT = 'have a date in another format'

# More words than anybody has for one thing are something else.
_MOST_WORDS = 5

Reason = tuple[str, str, Flags]
"""What is wrong, what to do about it, and which cells are affected."""


def looks_missing(text: str) -> bool:
    """Whether a text is a word that tables have for a missing value."""
    return text.strip().lower() in _MISSING


def how_to_declare(cells: Iterable[Any]) -> str:
    """Return how to say of words that they stand for a missing value, or that they do not."""
    words = list(dict.fromkeys(map(str, cells)))[:_MOST_WORDS]
    return (
        f'If they are missing, add "{MISSING_VALUES}": {json.dumps(words, ensure_ascii=False)} to '
        'the column in the metadata; if they are values, list all values in range_values.'
    )


def why_no_number(cells: Sequence[Any]) -> list[Reason]:
    """Return why cells are not numbers, each cell under one reason."""
    missing = how_to_declare(c for c in cells if looks_missing(str(c)))
    return _sorted_out(
        cells,
        [
            (LIKE_MISSING, missing, looks_missing),
            (
                'have an integer of more than 64 bits',
                'Is it a key or a code? Then use the sdtype id or categorical.',
                lambda text: _WHOLE.fullmatch(text) is not None,
            ),
            (
                'have a comma before three digits',
                'It separates thousands, or decimals: only you know. Write 60670 or 60.67.',
                lambda text: _THOUSANDS.fullmatch(text) is not None,
            ),
            (
                'have a number with a decimal comma',
                'Write a point, as in 1.5, or read the file with decimal=",".',
                lambda text: _WITH_COMMA.fullmatch(text) is not None,
            ),
            (
                'have a number with a unit or a separator',
                'Keep only digits, a sign and a decimal point.',
                lambda text: _WITH_UNIT.fullmatch(text) is not None,
            ),
            ('are not numbers', 'Correct them, or the sdtype.', lambda text: True),
        ],
    )


def why_no_date(cells: Sequence[Any]) -> list[Reason]:
    """Return why cells are not dates of the declared format, each cell under one reason."""
    texts = pd.Series([str(cell) for cell in cells], dtype=object)
    missing = np.array([looks_missing(text) for text in texts], dtype=bool)
    reasons: list[Reason] = []
    if missing.any():
        reasons.append((LIKE_MISSING, how_to_declare(texts[missing]), missing))
    left = ~missing
    for written in _FORMATS:
        read = pd.to_datetime(texts.where(left), format=written, errors='coerce').notna()
        found = read.to_numpy(dtype=bool)
        if found.any():
            remedy = f"Declare datetime_format '{written}', or write all dates in one format."
            reasons.append((OTHER_FORMAT, remedy, found))
            left &= ~found
    if left.any():
        reasons.append(('are not dates', 'Correct them, or datetime_format and sdtype.', left))
    return reasons


def another_kind(texts: Sequence[str]) -> tuple[str, str] | None:
    """Return what the texts of a column of categories are, and what to do about it, if not texts.

    Years and dates without separators are left alone: they may well be categories.
    """
    if not texts:
        return None
    if all(_WITH_COMMA.fullmatch(text) for text in texts):
        return (
            'hold numbers with decimal commas',
            "Write points, as in 1.5, and set the sdtype to 'numerical'.",
        )
    for written in _FORMATS:
        separated = sum(not letter.isalnum() for letter in written.replace('%', '')) >= 2
        if (
            separated
            and pd.to_datetime(pd.Series(texts), format=written, errors='coerce').notna().all()
        ):
            return (
                'hold dates',
                f"Set the sdtype to 'datetime' and datetime_format to '{written}'.",
            )
    return None


def _sorted_out(
    cells: Sequence[Any], tests: Sequence[tuple[str, str, Callable[[str], bool]]]
) -> list[Reason]:
    left = np.ones(len(cells), dtype=bool)
    reasons: list[Reason] = []
    for what, remedy, is_true in tests:
        found = left & np.array([is_true(str(cell)) for cell in cells], dtype=bool)
        if found.any():
            reasons.append((what, remedy, found))
        left &= ~found
    return reasons


# -- One column of the private rows: what a fit can parse, and what it does with the rest ----------


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
        if not words or pd.api.types.is_numeric_dtype(self.written.dtype):
            return np.zeros(len(self.written), dtype=bool)
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
