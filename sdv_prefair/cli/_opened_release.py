"""Releases on the command line: files that ``fit`` wrote, and rows sampled from one.

The command ``sample`` returns any rows, or rows that meet conditions.
"""

import argparse
import contextlib
import io
import math
import re
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from numbers import Real
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.sampling import Condition

from sdv_prefair._sdv_versions import by_name
from sdv_prefair.columns import CategoryCodes, ColumnCodes, NumberBins
from sdv_prefair.columns._dtypes import with_columns
from sdv_prefair.errors import ReleaseError
from sdv_prefair.inference._estimates import FAIR_MODEL, MODEL, estimate_query
from sdv_prefair.inference._replication import Replicates
from sdv_prefair.release import load_release
from sdv_prefair.synthesizer import PreFairSynthesizer
from sdv_prefair.synthesizer._arguments import check_seed, check_whole_number
from sdv_prefair.synthesizer._conditions import askable_columns
from sdv_prefair.synthesizer._written_rows import ROWS_AT_A_TIME, drawn_parts

# -- Escaping strings that a spreadsheet would run as formulas -------------------------------------
#
# A program that opens a CSV file runs cells that begin with certain characters. OWASP's advice is a
# single quotation mark in front, which spreadsheets read as "this is text".

# A leading quotation mark gets one more: otherwise '=1 and =1 would become the same.
_FORMULA = re.compile("'*[=+@\t\r-]")


def escape_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with a quotation mark before every string that begins like a formula.

    Numbers, also negative ones, timestamps and booleans stay as they are.
    """
    return with_columns(table, {column: _escape(table[column]) for column in table.columns})


def _escape(column: pd.Series) -> pd.Series:
    types = pd.api.types
    is_category = isinstance(column.dtype, pd.CategoricalDtype)
    if not is_category and not types.is_object_dtype(column) and not types.is_string_dtype(column):
        return column
    return pd.Series([_harmless(value) for value in column], column.index, dtype=object)


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


# -- ``--where COLUMN=VALUE``: from a string to a value of the release -----------------------------
#
# The values are part of the release, so messages may list them.


_TRUTH = {'true': True, 'false': False}
# A longer list does not help to find one value.
_MOST_LISTED = 20


def read_conditions(
    texts: Iterable[str],
    columns: Mapping[str, dict[str, Any]],
    transformers: Mapping[str, ColumnCodes],
) -> dict[str, Any]:
    """Return the requested value of each column.

    Args:
        texts: The strings given, one for each ``--where``.
        columns: The metadata of each column.
        transformers: Those of the modelled columns, with the values that were learnt.
    """
    asked = {}
    for text in texts:
        column, value = _split(text, columns)
        if column in asked:
            raise ValueError(
                f"--where '{text}' asks for column '{column}' a second time. Ask for it once."
            )
        asked[column] = _value(text, value, columns[column], transformers.get(column))
    return asked


def _split(text: str, columns: Iterable[str]) -> tuple[str, str]:
    """Return column and value; the longest matching name, as names may contain a '=' too."""
    named = [column for column in columns if text.startswith(f'{column}=')]
    if not named:
        raise ValueError(
            f"--where '{text}' must be COLUMN=VALUE, with one of the columns {list(columns)}."
        )
    column = max(named, key=len)
    return column, text[len(column) + 1 :]


def _value(condition: str, text: str, column: dict[str, Any], codes: ColumnCodes | None) -> Any:
    if isinstance(codes, CategoryCodes):
        return _category(condition, text, codes)
    if not text:
        return _missing(condition, codes)
    if isinstance(codes, NumberBins) or column['sdtype'] == 'numerical':
        return _number(condition, text, codes)
    return text


def _category(condition: str, text: str, codes: CategoryCodes) -> Any:
    """Return the value with this string, or the boolean or number that it denotes."""
    for value, label in zip(codes.shown, codes.labels(), strict=False):
        if label == text:
            return value
    for value in codes.shown:
        if isinstance(value, bool):
            if _TRUTH.get(text.lower()) is value:
                return value
        elif isinstance(value, Real) and _is_written(text, value):
            return value
    if text or not codes.nullable:
        raise ValueError(f"--where '{condition}' must ask for {_offer(codes)}.")
    return None


def _offer(codes: CategoryCodes) -> str:
    missing = ', or nothing for a missing one' if codes.nullable else ''
    if len(codes.shown) > _MOST_LISTED:
        return f'one of the {len(codes.shown)} values in the release{missing}'
    return f'one of {codes.labels()[: len(codes.shown)]}{missing}'


def _missing(condition: str, codes: ColumnCodes | None) -> None:
    if codes is None or not codes.nullable:
        raise ValueError(
            f"--where '{condition}' must have a value after the '=': the column is never missing."
        )


def _number(condition: str, text: str, codes: ColumnCodes | None) -> int | float:
    number = _float(text)
    if not math.isfinite(number):
        raise ValueError(
            f"--where '{condition}' must have a number after the '=': the column is numerical."
        )
    exact = Decimal(text)
    value = int(exact) if exact == exact.to_integral_value() else number
    if isinstance(codes, NumberBins):
        _check_number(condition, text, value, codes)
        value = _in_column(condition, text, value, codes)
    return value


def _in_column(condition: str, text: str, value: int | float, codes: NumberBins) -> int | float:
    """Return the number in the column's type; a short float is written with fewer digits."""
    if isinstance(value, int):
        return value
    written: list[int | float] = [value, *codes.hold([value])]
    for number in written:
        if _is_written(text, number) and codes.is_declared([number]).all():
            return number
    raise ValueError(f"--where '{condition}' must have a number of as many digits as a float has.")


def _check_number(condition: str, text: str, value: int | float, codes: NumberBins) -> None:
    if not codes.low <= value <= codes.high:
        raise ValueError(
            f"--where '{condition}' must have a number from {codes.low} to {codes.high}."
        )
    if codes.places is not None and _decimals(text) > codes.places:
        raise ValueError(
            f"--where '{condition}' must have a number of at most {codes.places} decimals."
        )


def _decimals(text: str) -> int:
    return max(0, -int(Decimal(text).normalize().as_tuple().exponent))


def _is_written(text: str, value: Any) -> bool:
    """Whether a string is a number with exactly these digits."""
    try:
        return Decimal(text) == Decimal(str(value))
    except InvalidOperation:
        return False


def _float(text: str) -> float:
    try:
        return float(Decimal(text))
    except (InvalidOperation, OverflowError):
        return math.nan


# -- Answers with intervals, as lines of text ------------------------------------------------------


_NOTES = {
    MODEL: 'model: no measured table answers this, so the interval is valid if the model is.',
}
_NOT_ABOUT_PEOPLE = (
    'NOT about the private table or its population: how outcomes depend on protected columns was',
    'left out on purpose. This is so in the fair table, and the interval is for that alone.',
)


def estimate_of(synthesizer: PreFairSynthesizer, options: argparse.Namespace) -> pd.DataFrame:
    """Return the answer to the query of a command."""
    check_whole_number('--replicates', options.replicates, 2)
    check_seed(options.seed)

    def drawn() -> Replicates:
        return synthesizer.replicates(options.replicates, options.seed, not options.quiet)

    return estimate_query(
        synthesizer.fitted,
        options.query,
        drawn,
        options.level,
        not options.private_table,
        options.in_the_fair_table,
    )


def estimate_lines(found: pd.DataFrame) -> Iterator[str]:
    """Yield the lines of an answer, and its basis unless that is a measured table."""
    if (found['basis'] == FAIR_MODEL).any():
        yield from _NOT_ABOUT_PEOPLE
    yield from as_text(found).splitlines()
    for basis, note in _NOTES.items():
        if (found['basis'] == basis).any():
            yield note


def as_text(found: pd.DataFrame) -> str:
    """Return an answer as a text table with all lines, numbers with four digits."""
    shown = found.rename(columns={'standard_error': 'std. error'})
    if not isinstance(found.index, pd.RangeIndex):  # a column may be called 'estimate'
        values = found.index.to_frame(index=False)
        shown = pd.concat([values, shown.reset_index(drop=True)], axis=1)
    return shown.to_string(index=False, float_format='{:.4g}'.format)


# -- Releases on the command line: files that ``fit`` wrote, and rows sampled from one -------------


def open_file(path: Path) -> PreFairSynthesizer:
    """Return the contents of a release; errors name its path."""
    if not path.exists():
        raise FileNotFoundError(f"There is no file '{path}'. Give a release that fit wrote.")
    try:
        return load_release(path)
    except ReleaseError as error:
        in_our_words = str(error).replace(
            'a file that save_release wrote', 'a release that fit wrote'
        )
        raise ReleaseError(f"'{path}': {in_our_words}") from error


@contextlib.contextmanager
def without_bars() -> Generator[None, None, None]:
    """Hide the progress bars that SDV always shows; warnings come afterwards."""
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter('always')
        yield
    for one in caught:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def draw_parts(
    synthesizer: PreFairSynthesizer, options: argparse.Namespace
) -> Iterator[pd.DataFrame]:
    """Yield synthetic rows in chunks that surely fit in memory.

    Args:
        synthesizer: Opened from a release.
        options: Of the command. Rows that meet conditions are always independent.
    """
    (described,) = synthesizer.get_metadata().tables.values()
    asked = read_conditions(options.where, described.columns, askable_columns(synthesizer.fitted))
    name = synthesizer.fitted.settings.table_name

    def draw(num_rows: int) -> pd.DataFrame:
        if asked:
            sampled = synthesizer.sample_from_conditions([Condition(asked, num_rows)])
        else:
            sampled = synthesizer.sample(num_rows, independent_rows=options.independent_rows)
        table: pd.DataFrame = by_name(sampled, name)[name]
        return escape_formulas(table) if options.escape_formulas else table

    synthesizer.fitted.prepared.processor.check_room(options.rows, ROWS_AT_A_TIME)
    return drawn_parts(draw, options.rows, ROWS_AT_A_TIME, not options.quiet)
