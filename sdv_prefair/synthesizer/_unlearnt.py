"""Known values that a fit has not learnt, in rows whose other columns are sampled.

The domain of a column that is not public was learnt, without rare values. One such value among
thousands of rows is no reason to refuse all of them. Its code is all that the model has about it:
that it is a rare value, or outside a learnt range. If it has no code that can be sampled, nothing
is known about it, and its row is sampled without it. The row shows it as it was given.

A column that a statement is conditioned on is different. Sampled without it, rows with one value
would have several codes, and given that value both sides of the statement would depend on each
other. There a value without a code gets a permanent one: sampled from the model, determined by the
value alone.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair._arrays import Flags, Floats
from sdv_prefair.columns import CategoryCodes, ColumnCodes
from sdv_prefair.columns._cells import are_null, is_null
from sdv_prefair.columns._dtypes import with_columns
from sdv_prefair.columns._facts import Undeclared
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.model import GraphicalModel


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
