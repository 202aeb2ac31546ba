"""The check that a fit asks first, for the owner of the rows: what it says is not private.

Privacy: whether a fit is stopped here depends on the rows. So nothing has been released by then,
nothing is stored, and whoever lets others see whether a fit fails passes ``check=False``: then no
row is looked at.
"""

import warnings
from collections.abc import Iterable

import pandas as pd

from sdv_prefair._users_line import users_line
from sdv_prefair.before_fit._findings import NOT_PRIVATE, Remark, TableCheck
from sdv_prefair.before_fit._table_check import check_table, encoder_of
from sdv_prefair.before_fit._unreadable_texts import OTHER_FORMAT, why_no_date
from sdv_prefair.columns._cells import read_cell
from sdv_prefair.columns._facts import Datetimes, Undeclared
from sdv_prefair.counting import Encoder, Source
from sdv_prefair.errors import OwnerWarning, PrivateDataError
from sdv_prefair.fitting._settings import Settings
from sdv_prefair.learning._ranges import month_cells, size_cells

# More rows are looked at only in columns in which all of these would be lost.
_MOST_ROWS = 5_000
_MOST_TEXTS = 1_000


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
        texts = [text for text in texts if read_cell(text, None) is None][:_MOST_TEXTS]
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
