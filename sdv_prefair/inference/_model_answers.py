"""Queries answered from a distribution: that of a model, or that of rows."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from sdv_prefair._arrays import Floats
from sdv_prefair.errors import QueryError
from sdv_prefair.inference._questions import Question, Rank, Ratio, ratios_of
from sdv_prefair.inference._replication import Rows
from sdv_prefair.model import GraphicalModel

_MOST_CELLS = 1 << 22

Columns = tuple[str, ...]
Tables = Mapping[Columns, Floats]
"""The joint distribution of some columns, over codes."""


def tables_asked_for(questions: Iterable[Question], domain: Mapping[str, int]) -> list[Columns]:
    """Return the sets of columns whose joint distribution is needed.

    Raises:
        QueryError: If one of them has too many cells.
    """
    asked = {ratio.columns for question in questions for ratio in ratios_of(question)}
    if any(math.prod(domain[c] for c in columns) > _MOST_CELLS for columns in asked):
        raise QueryError(
            'The query names columns whose values have too many combinations. Name fewer columns.'
        )
    return sorted(asked)


def tables_of_model(model: GraphicalModel, asked: Sequence[Columns]) -> dict[Columns, Floats]:
    """Return the joint distributions of a model."""
    return {columns: model.marginal(columns) if columns else np.ones(()) for columns in asked}


def tables_of_rows(
    rows: Rows, asked: Sequence[Columns], expected: Tables, shrink: float
) -> dict[Columns, Floats]:
    """Return the joint distributions of rows.

    Args:
        rows: Their codes.
        asked: The columns of each.
        expected: The expected distributions.
        shrink: The factor for deviations from them.
    """
    tables = {}
    for columns in asked:
        shape = expected[columns].shape
        if not columns:
            tables[columns] = expected[columns]
            continue
        places = np.ravel_multi_index([rows[c] for c in columns], shape)
        counts = np.bincount(places, minlength=math.prod(shape)).reshape(shape)
        stray = counts / len(places) - expected[columns]
        tables[columns] = expected[columns] + shrink * stray
    return tables


def answer_of(question: Question, tables: Tables) -> float:
    """Return the answer; nan if there are no rows."""
    if isinstance(question, Ratio):
        return _ratio(question, tables)
    if isinstance(question, Rank):
        return _rank(question, tables)
    return answer_of(question.first, tables) - answer_of(question.second, tables)


def answers_of(questions: Sequence[Question], tables: Tables) -> Floats:
    """Return the answers to all questions."""
    return np.array([answer_of(question, tables) for question in questions], dtype=np.float64)


def moment(ratio: Ratio, vectors: Mapping[str, Floats], tables: Tables) -> float:
    """Return the mean of the product of vectors, over all rows."""
    table = tables[ratio.columns]
    for axis in reversed(range(table.ndim)):
        vector = vectors.get(ratio.columns[axis])
        table = table.sum(axis=axis) if vector is None else table @ vector
    return float(table)


def _ratio(ratio: Ratio, tables: Tables) -> float:
    below = moment(ratio, ratio.below, tables)
    return moment(ratio, ratio.above, tables) / below if below > 0 else math.nan


def _rank(rank: Rank, tables: Tables) -> float:
    reached = np.array([_ratio(ratio, tables) for ratio in rank.up_to])
    if np.isnan(reached).any():
        return math.nan
    place = min(int(np.searchsorted(reached, rank.share - 1e-12)), reached.size - 1)
    before = reached[place - 1] if place else 0.0
    inside = (rank.share - before) / max(reached[place] - before, 1e-300)
    span = rank.upper[place] - rank.lower[place]
    return float(rank.lower[place] + span * min(max(inside, 0.0), 1.0))
