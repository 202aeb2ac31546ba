"""Verdicts about the rows of a table: fair within, unfair by at least, or cannot be told."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair.fairness._statements import Independent
from sdv_prefair.fairness._verdicts import LIMIT, Verdict, judge_rows
from sdv_prefair.metrics._strata import RowEncoder, encode_groups, stratify
from sdv_prefair.metrics._table_pair import Frames, Tables, read_tables

_BETWEEN = ', '


def judge(
    data: Frames,
    statement: Independent,
    metadata: Any = None,
    table_name: str | None = None,
    synthesizer: RowEncoder | None = None,
    limit: float = LIMIT,
) -> Verdict:
    """Return the verdict about a statement in the rows of any table, real or synthetic.

    Groups are all combinations of the left columns, outcomes all of the right ones, and they are
    compared within strata of the given columns. `str` of the verdict is a sentence.

    Args:
        data: The rows.
        statement: The statement, `Independent(['sex'], ['hired'], given=['grade'])`.
        metadata: SDV ``Metadata``, its ``dict``, or ``None``.
        table_name: Which table, where there are several.
        synthesizer: The fitted synthesizer, or opened release, that the rows are from: they are
            then compared by its codes.
        limit: The largest gap with which rows count as fair; .1 is 10 percentage points.
    """
    tables = read_tables(None, data, metadata, table_name)
    tables.select('statement', statement.columns())
    return judge_tables(tables, statement, synthesizer, limit)[-1]


def judge_tables(
    tables: Tables, statement: Independent, synthesizer: RowEncoder | None, limit: float = LIMIT
) -> list[Verdict]:
    """Return the verdicts about the real rows, if there are any, and about the synthetic ones."""
    frames = [frame for frame in (tables.real, tables.synthetic) if frame is not None]
    strata = stratify(frames, tables.columns, statement.given, synthesizer)
    sides = [
        encode_groups(frames, tables.columns, names, synthesizer)
        for names in (statement.left, statement.right)
    ]
    return [
        judge_rows(
            _labels(frame, statement.left, tables, left),
            _labels(frame, statement.right, tables, right),
            stratum,
            limit,
        )
        for frame, left, right, stratum in zip(frames, *sides, strata.codes, strict=True)
    ]


def _labels(
    frame: pd.DataFrame, names: Sequence[str], tables: Tables, codes: np.ndarray
) -> np.ndarray:
    """Return the group of each row as text: different texts for different codes."""
    number, kinds = pd.factorize(codes)
    parts = [_texts(frame[name].reset_index(drop=True), number, len(kinds)) for name in names]
    labels = [_BETWEEN.join(texts) for texts in zip(*parts, strict=True)]
    twice = {label for label in labels if labels.count(label) > 1} if len(labels) < 1000 else labels
    told = [f'{label} ({code})' if label in twice else label for code, label in enumerate(labels)]
    return np.array(told, dtype=object)[number]


def _texts(column: pd.Series, number: np.ndarray, kinds: int) -> list[str]:
    """Return the values of a column in each group: one, or the first and the last."""
    if column.dtype.kind in 'iufM':
        ends = column.groupby(number).agg(['min', 'max']).reindex(range(kinds))
        return [_between(low, high) for low, high in ends.itertuples(index=False)]
    first = column.groupby(number).head(1)
    by_kind = dict(zip(number[first.index], first, strict=True))
    return ['(null)' if pd.isna(by_kind[kind]) else str(by_kind[kind]) for kind in range(kinds)]


def _between(low: Any, high: Any) -> str:
    if pd.isna(low):
        return '(null)'
    low, high = (str(end.date()) if isinstance(end, pd.Timestamp) else f'{end:g}'
                 for end in (low, high))  # fmt: skip
    return low if low == high else f'{low} to {high}'
