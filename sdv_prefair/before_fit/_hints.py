"""What columns of a table look like to those who describe it: numbers or dates kept as text.

Privacy: not private, and not stored. It is for whoever writes the metadata of the table.
"""

import json
from collections.abc import Iterator

import pandas as pd
from sdv.metadata import Metadata

from sdv_prefair.before_fit._findings import NOT_PRIVATE
from sdv_prefair.before_fit._unreadable_texts import another_kind, looks_missing
from sdv_prefair.columns._texts import MISSING_VALUES

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
