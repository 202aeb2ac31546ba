"""Conditional sampling: which values can be requested, and the rows that have them."""

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_scalar
from sdv.cag._errors import ConstraintNotMetError
from sdv.sampling import Condition, DataFrameCondition

from sdv_prefair.columns import ColumnCodes, transformer_for
from sdv_prefair.columns._dtypes import with_columns
from sdv_prefair.constraints._plan import AskedRows, Drawing
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.fitting._verification import tied_columns
from sdv_prefair.synthesizer._conditions import (
    as_columns_hold_them,
    check_values,
    in_dtype,
    warn_if_unfair,
    warn_of_unlearnt,
    without_unknown_ends,
)
from sdv_prefair.synthesizer._unlearnt import (
    by_known_columns,
    learnt_columns,
    unlearnt_values,
    with_stand_ins,
)


def askable_columns(fitted: Fitted) -> dict[str, ColumnCodes]:
    """Return the object that determines which values can be requested, by original column.

    Columns that constraints replace have no codes of their own. Their public domain and their
    dtype still determine which values they can show.
    """
    plan, modelled = fitted.plan, fitted.encoding.transformers
    consumed = plan.consumed_dtypes(modelled)
    return {c: codes for c, codes in modelled.items() if c not in consumed} | {
        column: transformer_for(domain, fitted.settings.numeric_bins, dtype)
        for column, dtype in consumed.items()
        if (domain := without_unknown_ends(plan.original_domains[column])) is not None
    }


def in_cells(condition: Any) -> Any:
    """Return a condition with each value in one cell: SDV's would spread a tuple over the rows."""
    if not isinstance(condition, Condition):
        return condition
    asked, rows = condition.get_column_values(), range(condition.get_num_rows())
    listed = [name for name, value in asked.items() if not is_scalar(value)]
    if odd := [name for name in listed if not isinstance(asked[name], Hashable)]:
        raise ValueError(
            f'The columns {odd} were requested with several values in one condition. Give each '
            'value a condition of its own, or the rows as a DataFrameCondition.'
        )
    values = {name: pd.Series([asked[name]] * len(rows), dtype=object) for name in listed}
    return DataFrameCondition(pd.DataFrame(asked | values, index=rows)) if listed else condition


def check_lines(fitted: Fitted, conditions: pd.DataFrame, are_known: bool = False) -> None:
    """Raise for values that no row can have.

    Args:
        fitted: The fit to sample from.
        conditions: Values of existing columns, one line for each row.
        are_known: Whether these are the user's own rows, whose values may not have been learnt.
    """
    if not conditions.columns.is_unique:
        twice = conditions.columns[conditions.columns.duplicated()].unique().tolist()
        raise ValueError(f'The columns {twice} are given more than once. Give each of them once.')
    askable = askable_columns(fitted)
    learnt = learnt_columns(fitted, askable) if are_known else []
    check_values(conditions, askable, learnt)
    warn_of_unlearnt([
        c for c in learnt if c in conditions and unlearnt_values(conditions[c], askable[c]).any()
    ])
    conditions = as_columns_hold_them(conditions, askable, learnt)
    made_up = fitted.prepared.processor._dtypes.drop(list(askable), errors='ignore')
    for column in conditions.columns.intersection(made_up.index):
        in_dtype(conditions[column], made_up[column])
    _check_rules(fitted, conditions)
    for _, lines in _coded_lines(fitted, conditions, {c: askable[c] for c in learnt}):
        AskedRows(lines, _drawing(fitted))


def warn_of_ties(fitted: Fitted, columns: Sequence[str]) -> None:
    """Warn if conditions on these columns, in one table, re-create a forbidden dependence."""
    plan, roles = fitted.plan, fitted.settings.promise.roles
    asked = [column for column in dict.fromkeys(columns) if column in plan.original_domains]
    warn_if_unfair(asked, tied_columns(fitted.model, plan), roles)


def draw_lines(
    fitted: Fitted, conditions: pd.DataFrame, max_tries: int, batch_size: int | None
) -> pd.DataFrame:
    """Return a row for each line, under its index; lines without a matching row are left out."""
    askable = askable_columns(fitted)
    learnt = learnt_columns(fitted, askable)
    lines = as_columns_hold_them(conditions, askable, learnt)
    found = []
    for places, known in _coded_lines(fitted, lines, {c: askable[c] for c in learnt}):
        rows = AskedRows(known, _drawing(fitted)).draw(max_tries, batch_size)
        found.append(rows.set_axis(places[rows.index]))
    return _completed(fitted, pd.concat(found).sort_index(), lines)


def _coded_lines(
    fitted: Fitted, lines: pd.DataFrame, learnt: Mapping[str, ColumnCodes]
) -> Iterator[tuple[np.ndarray, pd.DataFrame]]:
    """Yield positions of lines, and the columns of them in which all values have codes."""
    statements = fitted.settings.promise.roles.statements
    given = {column for statement in statements for column in statement.given}
    conditioned = {column: codes for column, codes in learnt.items() if column in given}
    lines = with_stand_ins(lines, conditioned, fitted.model)
    yield from by_known_columns(lines, {c: v for c, v in learnt.items() if c not in given})


def append_rows(rows: pd.DataFrame, path: str) -> None:
    """Append rows to a CSV file, below those of conditions on other columns."""
    if len(rows):
        rows.to_csv(path, mode='a', header=not os.path.exists(path), index=False)


def _drawing(fitted: Fitted) -> Drawing:
    transformers, processor = fitted.encoding.transformers, fitted.prepared.processor
    return Drawing(fitted.plan, transformers, fitted.model, processor)


def _completed(fitted: Fitted, rows: pd.DataFrame, lines: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the generated columns, each under the index of its line."""
    lines = lines.iloc[rows.index]
    made_up = fitted.prepared.processor.complete(rows.set_axis(lines.index))
    rows = rows.set_axis(lines.index)
    rows = with_columns(rows, {c: made_up[c].array for c in made_up.columns if c not in rows})
    # Given values that were not learnt may have made objects of a column.
    dtypes = {**rows.dtypes, **fitted.prepared.processor._dtypes}
    held = {c: in_dtype(lines[c], dtypes[c]) for c in lines.columns if c in rows}
    rows = with_columns(rows, held)
    return rows[[c for c in fitted.settings.columns if c in rows]].sort_index(kind='stable')


def _check_rules(fitted: Fitted, conditions: pd.DataFrame) -> None:
    """Raise for conditions that no row satisfying the constraints can meet."""
    for rule, _ in fitted.plan.broken_rules(conditions):
        raise ConstraintNotMetError(
            'Provided conditions are not valid for the given constraints: no row that meets them '
            f'satisfies {type(rule.constraint).__name__} over {list(rule.columns)}. Ask for other '
            'values.'
        )
