"""Checking the private table before a fit: what the fit will silently do to its rows.

A fit must not report what it finds in rows, because that would leak. Their owner may see it, and
should, before any budget is spent.

Privacy: nothing here is private or accounted for. It is for the owner only, and must not reach a
synthesizer.
"""

import copy
import json
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import pandas as pd
from sdv.metadata import Metadata

from sdv_prefair._users_line import users_line
from sdv_prefair.before_fit._column_check import (
    NOT_PRIVATE,
    OTHER_FORMAT,
    CheckedColumn,
    Remark,
    TableCheck,
    another_kind,
    looks_missing,
    why_no_date,
)
from sdv_prefair.columns import ColumnCodes, single_table, transformers_for
from sdv_prefair.columns._cells import are_null, read_cell
from sdv_prefair.columns._facts import Datetimes, Undeclared
from sdv_prefair.columns._texts import MISSING_VALUES
from sdv_prefair.counting import Encoder, Source
from sdv_prefair.counting._frame import bound_rows_per_person
from sdv_prefair.errors import OwnerWarning, PrivateDataError
from sdv_prefair.fitting._fitted import Settings
from sdv_prefair.learning._ranges import month_cells, size_cells

# -- What columns of a table look like to those who describe it: numbers or dates kept as text -----
#
# Privacy: not private, and not stored. It is for whoever writes the metadata of the table.

_MOST_TEXTS = 10_000


def hints(table: pd.DataFrame, detected: Metadata) -> Iterator[str]:
    """Yield which columns of categories look like something else, and what to write for each."""
    (described,) = detected.tables.values()
    found = [
        (column, hint)
        for column, about in described.columns.items()
        if about['sdtype'] in ('categorical', 'ordinal', 'unknown')
        and (hint := _hint(table[column])) is not None
    ]
    if found:
        yield NOT_PRIVATE
    for column, hint in found:
        yield f'- {column}: {hint}'


def _hint(column: pd.Series) -> str | None:
    texts = list(dict.fromkeys(cell for cell in column.dropna() if isinstance(cell, str)))
    texts = texts[:_MOST_TEXTS]
    words = [text for text in texts if looks_missing(text)]
    filled = [text for text in texts if text not in words]
    found = another_kind(filled)
    if found is None and filled and pd.to_numeric(pd.Series(filled), errors='coerce').notna().all():
        found = 'hold numbers kept as text', "Set the sdtype to 'numerical' if they are amounts."
    if found is None and not words:
        return None
    what, remedy = found or ('', '')
    told = f'its texts {what}. {remedy} ' if found else ''
    if words:
        listed = json.dumps(words, ensure_ascii=False)
        told += f'Words that look like a missing value: add "{MISSING_VALUES}": {listed}.'
    return told.strip()


# -- Checking the private table before a fit: what the fit will silently do to its rows ------------


def check_table(
    table: pd.DataFrame,
    settings: Settings,
    person_column: str | None = None,
    written: pd.DataFrame | None = None,
    columns: Collection[str] | None = None,
) -> TableCheck:
    """Return what a fit of a table would silently do to its rows.

    Privacy: not private.

    Args:
        table: The private table, with the names and types of the metadata.
        settings: The input of the fit. They are not modified.
        person_column: Identifies persons, if given.
        written: The cells as strings, if ``table`` was read from a text file.
        columns: The columns to check, each on its own; all columns and the table if None.
    """
    settings = copy.deepcopy(settings).for_table(table.dtypes)
    kept = bound_rows_per_person(table, person_column, settings.max_rows_per_person)
    written = kept if written is None else written.loc[kept.index]
    findings: list[Remark] = []
    if columns is None:
        findings += _dropped_rows(
            len(table), len(kept), person_column, settings.max_rows_per_person
        )
        findings += _repeated_keys(kept, settings, person_column)
        findings += _broken_constraints(kept, settings)
    described = single_table(settings.plan.original_metadata).columns
    for column, domain in settings.plan.original_domains.items():
        if columns is not None and column not in columns:
            continue
        codes = encoder_of(column, kept[column].dtype, settings)
        words = described[column].get(MISSING_VALUES)
        checked = CheckedColumn(column, domain, codes, kept[column], written[column], words)
        findings += checked.findings()
    return TableCheck(findings, len(kept))


def encoder_of(column: str, dtype: Any, settings: Settings) -> ColumnCodes | None:
    """Return the encoder of a column as a fit constructs it, with bins of equal width."""
    domain = settings.plan.original_domains[column]
    if column in settings.chosen:
        return settings.chosen[column]
    if isinstance(domain, Undeclared):
        return None
    bins, rounding = settings.numeric_bins, settings.enforce_rounding
    return transformers_for({column: domain}, bins, {column: dtype}, rounding)[column]


def _dropped_rows(before: int, after: int, column: str | None, most: int) -> Iterator[Remark]:
    if after < before:
        yield Remark(
            column or '',
            f'belong to a person with more than {most}',
            before - after,
            (before - after) / before,
            'A fit drops them. Raise max_rows_per_person, which means more noise, if they matter.',
        )


def _repeated_keys(
    table: pd.DataFrame, settings: Settings, person_column: str | None
) -> Iterator[Remark]:
    described = single_table(settings.plan.original_metadata)
    keys = _all_keys(described)
    for column, about in described.columns.items():
        if about['sdtype'] == 'id' and column not in keys and column != person_column:
            filled = table[~are_null(table[column])]
            repeated = int(_texts(filled, [column]).duplicated().sum())
            if repeated:
                yield Remark(
                    column,
                    'repeat the id of an earlier row',
                    repeated,
                    repeated / len(table),
                    'A fit protects single rows. If the id is that of a person, give it as '
                    'person_column, with max_rows_per_person.',
                )
    for key in (described.primary_key, *described.alternate_keys):
        columns = [key] if isinstance(key, str) else list(key or ())
        if not columns or columns == [person_column]:
            continue
        repeated = int(_texts(table, columns).duplicated().sum())
        if repeated:
            yield Remark(
                ', '.join(columns),
                'repeat the key of an earlier row',
                repeated,
                repeated / len(table),
                'A fit generates unique keys, and protects single rows. If a key identifies a '
                'person, give person_column and max_rows_per_person.',
            )


def _all_keys(described: Any) -> set[str]:
    keys = (described.primary_key, *described.alternate_keys)
    return {name for key in keys for name in ([key] if isinstance(key, str) else key or ())}


def _texts(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return cells as strings: cells may not be hashable."""
    return table[list(columns)].astype(object).map(str)


def _broken_constraints(table: pd.DataFrame, settings: Settings) -> Iterator[Remark]:
    for rule, holds in settings.plan.broken_rules(table):
        rows = int((~holds).sum())
        yield Remark(
            ', '.join(rule.columns),
            f'break the constraint {type(rule.constraint).__name__}',
            rows,
            rows / len(table),
            'A fit changes them to satisfy it. Correct the rows, or leave the constraint out.',
        )


# -- The check that a fit asks first, for the owner of the rows: what it says is not private -------
#
# Privacy: whether a fit is stopped here depends on the rows. So nothing has been released by then,
# nothing is stored, and whoever lets others see whether a fit fails passes ``check=False``: then no
# row is looked at.

# More rows are looked at only in columns in which all of these would be lost.
_MOST_ROWS = 5_000
_MOST_TEXTS_READ = 1_000


def look_first(table: pd.DataFrame, settings: Settings, person_column: str | None) -> None:
    """Warn the owner of what a fit would silently do to rows; raise where it would lose a column.

    Args:
        table: The private table.
        settings: Prepared for its dtypes.
        person_column: Identifies persons, if given.

    Raises:
        PrivateDataError: If a column would come back empty, or all in one code.
    """
    try:
        found = _found(table, settings, person_column)
    except Exception:
        # Of a cell that cannot be compared or printed. A fit goes on: it reads each cell apart.
        _warn_of_no_look()
        return
    _stop(remark for remark in found.findings if remark.stops)
    if found:
        told = [f'{r.column or "rows"}: {r.rows:,} rows {r.finding}' for r in found.findings]
        warnings.warn(
            f'{NOT_PRIVATE} Of {found.num_rows:,} rows looked at: {"; ".join(told)}. '
            'check() says what a fit does with them and what to do; check=False leaves this out.',
            OwnerWarning,
            stacklevel=users_line(),
        )


def _found(table: pd.DataFrame, settings: Settings, person_column: str | None) -> TableCheck:
    some = table.iloc[:: max(1, -(-len(table) // _MOST_ROWS))]
    found = check_table(some, settings, person_column)
    doubtful = {remark.column for remark in found.findings if remark.stops}
    doubtful |= _guessed_dates(table, settings)
    if doubtful and len(some) < len(table):
        whole = check_table(table, settings, person_column, columns=doubtful)
        kept = [remark for remark in found.findings if remark.column not in doubtful]
        found = TableCheck([*kept, *whole.findings], found.num_rows)
    return found


def _warn_of_no_look() -> None:
    warnings.warn(
        f'{NOT_PRIVATE} The rows could not be looked at before the fit: some cell cannot be '
        'compared or printed. The fit goes on without; check=False leaves this out.',
        OwnerWarning,
        stacklevel=users_line(),
    )


def look_first_at(source: Source, settings: Settings) -> None:
    """Raise where a fit of a table that is not in memory would lose a column.

    One pass over the rows counts what each column's encoder cannot parse or does not list. A table
    that can be read only once is not looked at.
    """
    if source.can_be_read_again:
        try:
            lost = _lost_columns(source, settings)
        except Exception:
            _warn_of_no_look()
            return
        _stop(lost)


def _lost_columns(source: Source, settings: Settings) -> list[Remark]:
    encoders = _encoders(source, settings)
    if not encoders:
        return []
    counts = source.count(encoders, [(column,) for column in encoders])
    lost: list[Remark] = []
    for column, encoder in encoders.items():
        rows = counts.project((column,))
        unread, other = encoder.unread_code, getattr(encoder, 'other_code', None)
        if not rows.sum():
            return []  # a fit says that there are no rows
        listed = rows.sum() - rows[unread] - (0 if other in (None, unread) else rows[other])
        is_date = _is_guessed_date(settings, column, source.dtypes)
        if listed == 0 or (is_date and rows[unread]):
            lost += _lost(source, column, int(rows.sum()), listed == 0, is_date)
    return lost


def _lost(source: Source, column: str, rows: int, is_lost: bool, is_date: bool) -> list[Remark]:
    """Return why a column would be lost."""
    if is_date:
        texts = [str(value.value) for value in source.value_counts([column])[column]]
        texts = [text for text in texts if read_cell(text, None) is None][:_MOST_TEXTS_READ]
        for finding, remedy, _ in why_no_date(texts):
            if finding == OTHER_FORMAT:
                return [Remark(column, finding, rows, 1.0, remedy, stops=True)]
    finding, remedy = 'hold nothing that the metadata describes', 'Correct the metadata; see check.'
    return [Remark(column, finding, rows, 1.0, remedy, stops=True)] if is_lost else []


def _encoders(source: Source, settings: Settings) -> dict[str, Encoder]:
    found: dict[str, Encoder] = {}
    for column, domain in settings.plan.original_domains.items():
        dtype = source.dtypes[column]
        codes = encoder_of(column, dtype, settings)
        if codes is not None:
            found[column] = codes
        elif isinstance(domain, Undeclared) and domain.kind == 'numbers':
            found[column] = size_cells(domain, dtype)
        elif isinstance(domain, Undeclared) and domain.kind == 'datetimes':
            found[column] = month_cells(domain, dtype)
    return found


def _guessed_dates(table: pd.DataFrame, settings: Settings) -> set[str]:
    return {c for c in settings.columns if _is_guessed_date(settings, c, table.dtypes)}


def _is_guessed_date(settings: Settings, column: str, dtypes: pd.Series) -> bool:
    """Whether a column holds dates in text that no format describes."""
    domain = settings.plan.original_domains.get(column)
    is_moments = isinstance(domain, Datetimes) or getattr(domain, 'kind', None) == 'datetimes'
    has_text = pd.api.types.is_object_dtype(dtypes[column]) or isinstance(
        dtypes[column], pd.StringDtype
    )
    return is_moments and has_text and getattr(domain, 'datetime_format', None) is None


def _stop(remarks: Iterable[Remark]) -> None:
    lines = [f"Column '{r.column}': its rows {r.finding}. {r.remedy}" for r in remarks]
    if lines:
        raise PrivateDataError(
            'NOT PRIVATE, for the owner of the rows only: columns would be lost, so nothing was '
            f'spent. check=False, or --unchecked, fits all the same. {" ".join(lines)}'
        )
