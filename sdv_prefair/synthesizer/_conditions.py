"""Conditions of a sample: which values may be requested, and the effect on fairness."""

import hashlib
import os
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_scalar
from sdv.cag._errors import ConstraintNotMetError
from sdv.sampling import Condition, DataFrameCondition

from sdv_prefair._arrays import Flags, Floats
from sdv_prefair._users_line import users_line
from sdv_prefair.columns import CategoryCodes, ColumnCodes, transformer_for
from sdv_prefair.columns._cells import are_null, is_null
from sdv_prefair.columns._column_codes import cells, same_value
from sdv_prefair.columns._dtypes import with_columns
from sdv_prefair.columns._facts import ColumnDomain, Undeclared
from sdv_prefair.constraints._plan import AskedRows, Drawing
from sdv_prefair.errors import DomainWarning, FairnessWarning
from sdv_prefair.fairness._predicate import Broken, broken_statements
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.fitting._pipeline import tied_columns
from sdv_prefair.model import GraphicalModel
from sdv_prefair.roles import Roles

# -- Known values that a fit has not learnt, in rows whose other columns are sampled ---------------
#
# The domain of a column that is not public was learnt, without rare values. One such value among
# thousands of rows is no reason to refuse all of them. Its code is all that the model has about it:
# that it is a rare value, or outside a learnt range. If it has no code that can be sampled, nothing
# is known about it, and its row is sampled without it. The row shows it as it was given.
#
# A column that a statement is conditioned on is different. Sampled without it, rows with one
# value would have several codes, and given that value both sides of the statement would depend on
# each other. There a value without a code gets a permanent one: sampled from the model,
# determined by the value alone.


def learnt_columns(fitted: Fitted, askable: Mapping[str, ColumnCodes]) -> list[str]:
    """Return the columns whose domains were learnt and that no constraint connects to others."""
    tied = {column for columns in fitted.plan.tied for column in columns}
    domains = fitted.plan.original_domains
    return [c for c in askable if isinstance(domains.get(c), Undeclared) and c not in tied]


def unlearnt_values(values: pd.Series, codes: ColumnCodes) -> Flags:
    """Return which values were not learnt but are possible: all that the column can hold."""
    unlearnt: Flags = ~codes.is_declared(values)
    if not isinstance(codes, CategoryCodes):
        read = codes.encode(values) != codes.unread_code
        unlearnt &= read | are_null(values)
    return unlearnt


def with_given(values: pd.Series, codes: ColumnCodes) -> pd.Series:
    """Return values in their column's dtype, and those that were not learnt unchanged."""
    unlearnt = unlearnt_values(values, codes)
    kept = values.astype(object)
    kept[~unlearnt] = list(pd.Series(codes.hold(values[~unlearnt])).astype(object))
    return kept


def by_known_columns(
    lines: pd.DataFrame, transformers: Mapping[str, ColumnCodes]
) -> Iterator[tuple[np.ndarray, pd.DataFrame]]:
    """Yield the positions of lines in which the same columns have codes, and these columns.

    Args:
        lines: Given values.
        transformers: Those of columns in which values may have no code that can be sampled.
    """
    unknown = pd.DataFrame(
        {
            column: np.equal(codes.encode(lines[column]), _undrawn(codes))
            for column, codes in transformers.items()
            if column in lines
        },
        index=range(len(lines)),
    )
    if not unknown.to_numpy().any():
        yield np.arange(len(lines)), lines
        return
    for pattern, members in unknown.groupby(list(unknown.columns)).indices.items():
        flags = pattern if isinstance(pattern, tuple) else (pattern,)
        dropped = [c for c, is_unknown in zip(unknown.columns, flags, strict=True) if is_unknown]
        places = np.asarray(members)
        yield places, lines.iloc[places].drop(columns=dropped)


def with_stand_ins(
    lines: pd.DataFrame, transformers: Mapping[str, ColumnCodes], model: GraphicalModel
) -> pd.DataFrame:
    """Return lines in which a learnt value stands for each that has no code of its own.

    Which one depends on the value and the model, so all rows that show a value have one code, in
    every call.

    Args:
        lines: Given values.
        transformers: Those of columns in the conditioning set of a statement.
        model: What determines how likely each code is to stand for a value.
    """
    columns = {
        column: _stand_ins(lines[column], codes, model.marginal(column))
        for column, codes in transformers.items()
        if column in lines
    }
    return with_columns(lines, columns)


def _stand_ins(values: pd.Series, codes: ColumnCodes, shares: Floats) -> pd.Series:
    unknown = np.equal(codes.encode(values), _undrawn(codes))
    if not unknown.any():
        return values
    reached = np.cumsum(shares) / shares.sum()
    drawn = np.searchsorted(reached, [_share_of(v) for v in values[unknown]], side='right')
    known = values.astype(object)
    decoded = codes.decode(drawn, np.random.default_rng(0))
    known[unknown] = list(pd.Series(decoded).astype(object))
    return known


def _share_of(value: Any) -> float:
    """Return a number below 1 that follows from how a value looks."""
    text = '' if is_null(value) else str(value)
    digest = hashlib.sha256(text.encode('utf-8', 'surrogatepass')).digest()
    return int.from_bytes(digest[:6]) / 2**48


def _undrawn(codes: ColumnCodes) -> int:
    return -1 if codes.hidden_code is None else codes.hidden_code


# -- Conditions of a sample: which values may be requested, and the effect on fairness -------------

# Integers whose sums fit in 64 bits, and decimals that floats can distinguish.
_FARTHEST = (2**61, 10**12)
_CALENDAR = ('1700-01-01', '2200-01-01')


def check_values(
    conditions: pd.DataFrame, transformers: Mapping[str, ColumnCodes], learnt: Sequence[str] = ()
) -> None:
    """Raise ``ValueError`` for a value that its column cannot show unchanged.

    Args:
        conditions: The requested values.
        transformers: The transformers, which define the values of each column.
        learnt: Columns in which values that were not learnt may be requested.
    """
    for column in conditions.columns:
        if column not in transformers:
            continue
        outside = ~transformers[column].is_declared(conditions[column])
        if column in learnt:
            outside &= ~unlearnt_values(conditions[column], transformers[column])
        if outside.any():
            raise ValueError(
                f"Column '{column}' was requested with a value outside its domain. Request one "
                'within the declared range, or one of the learnt values, written as the column '
                'writes it: with its type, decimals and format.'
            )


def as_columns_hold_them(
    conditions: pd.DataFrame, transformers: Mapping[str, ColumnCodes], learnt: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the requested values of modelled columns in the columns' dtypes, others unchanged.

    Rows are conditioned on the codes of these values, and show these values.
    Arguments as for ``check_values``.
    """
    held = {
        column: _held(conditions[column], transformers[column], column in learnt)
        for column in conditions.columns
        if column in transformers
    }
    # Values of an equal dtype stay the same, but a category keeps the order of its list.
    return with_columns(
        conditions,
        {
            column: values
            for column, values in held.items()
            if values.dtype != conditions[column].dtype
        },
    )


def _held(values: pd.Series, codes: ColumnCodes, is_learnt: bool) -> Any:
    if is_learnt and unlearnt_values(values, codes).any():
        return with_given(values, codes).array
    return codes.hold(values)


def warn_of_unlearnt(columns: Sequence[str]) -> None:
    """Warn that given values were not learnt, if there are any."""
    if columns:
        warnings.warn(
            f'Some of the values given for {list(columns)} were not learnt: they are too rare, or '
            'outside the learnt range. Their rows are sampled as for all rare values together, as '
            'for the nearest or another learnt value, or as if nothing were given. If they are '
            'public, declare them in the metadata and fit again, which spends budget again.',
            DomainWarning,
            stacklevel=users_line(),
        )


def warn_if_unfair(columns: list[str], cliques: list[tuple[str, ...]], roles: Statements) -> None:
    """Warn if conditions on these columns re-create a forbidden dependence.

    A condition on a protected and an outcome column makes the two dependent, as if they were in
    one more clique; so do conditions on one in some rows and on the other in others. A statement
    that the model does not satisfy cannot be broken.
    """
    unkept = [broken.statement for broken in broken_statements(cliques, roles)]
    lost = [b for b in broken_statements([*cliques, columns], roles) if b.statement not in unkept]
    if lost:
        reason = _against_roles if isinstance(roles, Roles) else _against_statements
        warnings.warn(
            f'Conditions on {sorted(columns)} {reason(lost)}',
            FairnessWarning,
            stacklevel=users_line(),
        )


def _against_roles(lost: list[Broken]) -> str:
    return (
        'tie protected columns to outcomes past the admissible ones '
        f'({" - ".join(lost[0].path)}), so the fairness guarantee does not cover these rows. To '
        'stay covered, condition on columns of one side only, or on admissible ones.'
    )


def _against_statements(lost: list[Broken]) -> str:
    promises = '; nor that '.join(f'{broken.statement} ({broken})' for broken in lost)
    return (
        f'are not covered by the guarantee that {promises}. To stay covered, condition on columns '
        'of one side only, or on those that the statement is given.'
    )


def without_unknown_ends(domain: ColumnDomain) -> ColumnDomain | None:
    """Return a domain with very wide bounds where they are unknown; None if nothing is known."""
    if not isinstance(domain, Undeclared):
        return domain
    if domain.kind == 'categories':
        return None
    low: Any
    high: Any
    if domain.kind == 'numbers':
        low, high = (_FARTHEST[bool(domain.decimal_places)] * sign for sign in (-1, 1))
    else:
        zone = next((end.tzinfo for end in (domain.low, domain.high) if end is not None), None)
        low, high = (pd.Timestamp(end, tz=zone) for end in _CALENDAR)
    known: ColumnDomain = domain.with_bounds(low, high)
    return known


def in_dtype(values: pd.Series, dtype: Any) -> Any:
    """Return requested values as an array of a dtype; unchanged if it cannot hold their nulls.

    Raises:
        ValueError: If the dtype would change a value.
    """
    if values.dtype == dtype:
        return values.array
    if isinstance(dtype, pd.CategoricalDtype) and not values.dropna().isin(dtype.categories).all():
        return values.array  # a category can only hold learnt values
    try:
        cast = values.astype(dtype)
        same = all(map(_is_same, cells(values), cells(cast)))
    except (TypeError, ValueError, OverflowError):
        cast, same = values, bool(values.isna().any())
    if not same:
        raise ValueError(
            f"Column '{values.name}' was requested with a value that its dtype cannot hold. "
            f'Request one that a column of dtype {str(dtype)!r} can have.'
        )
    return cast.array


def _is_same(asked: Any, held: Any) -> bool:
    return same_value(asked, held) or bool(pd.isna(asked) and pd.isna(held))


# -- Conditional sampling: which values can be requested, and the rows that have them --------------


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
