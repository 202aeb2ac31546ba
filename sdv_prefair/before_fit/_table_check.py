"""Checking the private table before a fit: what the fit will silently do to its rows.

A fit must not report what it finds in rows, because that would leak. Their owner may see it, and
should, before any budget is spent.

Privacy: nothing here is private or accounted for. It is for the owner only, and must not reach a
synthesizer.
"""

import copy
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import pandas as pd

from sdv_prefair.before_fit._column_check import CheckedColumn
from sdv_prefair.before_fit._findings import Remark, TableCheck
from sdv_prefair.columns import ColumnCodes, single_table, transformers_for
from sdv_prefair.columns._cells import are_null
from sdv_prefair.columns._facts import Undeclared
from sdv_prefair.columns._texts import MISSING_VALUES
from sdv_prefair.counting._frame import bound_rows_per_person
from sdv_prefair.fitting._settings import Settings


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
