"""Answers with intervals: from measured tables where possible, otherwise from replicates."""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from sdv_prefair.columns._dtypes import plain_number
from sdv_prefair.errors import QueryError, shown
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.inference._asked_queries import Asked, Query, Share
from sdv_prefair.inference._measured_answers import BOUNDED, MEASURED, Found, MeasuredAnswers
from sdv_prefair.inference._measured_forms import MeasuredCounts
from sdv_prefair.inference._model_answers import answers_of, tables_asked_for, tables_of_model
from sdv_prefair.inference._model_errors import model_intervals
from sdv_prefair.inference._query_text import read_query
from sdv_prefair.inference._questions import (
    Atom,
    Line,
    Question,
    Rank,
    RanksApart,
    atoms_of,
    ratios_of,
    take_apart,
)
from sdv_prefair.inference._ratio_interval import Interval, difference, quantile_of
from sdv_prefair.inference._replication import Replicates
from sdv_prefair.inference._values_of_codes import shown_codes, shown_columns

MODEL, FAIR_MODEL = 'model', 'fair model'
"""The basis of an interval without a measured table: the model, or one constrained to be fair."""
_FROM_STRONG_TO_WEAK = (MEASURED, BOUNDED, MODEL, FAIR_MODEL)


def estimate_query(
    fitted: Fitted,
    query: Query | Asked,
    replicates: Callable[[], Replicates],
    level: float = 0.95,
    sampling: bool = True,
    in_the_fair_table: bool = False,
) -> pd.DataFrame:
    """Answer a query, with an interval for every number.

    Privacy: post-processing of released values.

    Args:
        fitted: The fit.
        query: A query, columns, or a string.
        replicates: Returns replicates of the fit; called if some line needs them.
        level: Confidence level of the intervals.
        sampling: Whether the truth is the population that the rows were sampled from, or the
            private table.
        in_the_fair_table: Whether to answer for the fair model what was left out of it on purpose.

    Returns:
        A line for each number, identified by the index, with ``estimate``, ``standard_error``,
        ``lower``, ``upper`` and ``basis``.

    Raises:
        QueryError: If the query asks for what was left out without saying so.
    """
    level = checked_level(level)
    columns, model = shown_columns(fitted.encoding), fitted.model
    names, lines = take_apart(_as_query(query, list(columns)), columns)
    questions = [question for _, question in lines]
    tables = tables_of_model(model, tables_asked_for(questions, model.domain))
    counts = MeasuredCounts(model, shown_codes(columns))
    measured = MeasuredAnswers(counts, tables, model.total, level, sampling)
    atoms = [atom for question in questions for atom in atoms_of(question)]
    found = {id(atom): measured.find(atom) for atom in atoms}
    others = [atom for atom in atoms if found[id(atom)] is None]
    if not in_the_fair_table:
        _refuse_left_out(others, fitted.settings.roles)
    if others:
        intervals = model_intervals(others, replicates(), level, sampling)
        for atom, interval in zip(others, intervals, strict=True):
            found[id(atom)] = interval, _basis(atom, fitted.settings.roles)
    known = {atom: answer for atom, answer in found.items() if answer is not None}
    answers = [_put_together(question, known, level) for question in questions]
    return _as_frame(names, lines, answers, answers_of(questions, tables).tolist())


def _as_query(query: Query | Asked, columns: Sequence[str]) -> Query:
    if isinstance(query, str):
        return read_query(query, columns)
    return query if isinstance(query, Query) else Share(query)


def checked_level(level: float) -> float:
    """Return a confidence level as a float; raise unless it is valid."""
    level = plain_number(level)
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise QueryError(f'level ({shown(level)}) must be between 0 and 1, as 0.95.')
    return level


def _basis(atom: Atom, roles: Statements) -> str:
    """Return the basis of replicates: for protected and outcome columns, the fair model."""
    columns = {column for ratio in ratios_of(atom) for column in ratio.columns}
    crosses = columns.intersection(roles.protected) and columns.intersection(roles.outcome)
    return FAIR_MODEL if crosses else MODEL


def _refuse_left_out(atoms: Collection[Atom], roles: Statements) -> None:
    """Raise if an answer would be about a dependence that the model leaves out on purpose."""
    for atom in atoms:
        if _basis(atom, roles) == FAIR_MODEL:
            columns = {column for ratio in ratios_of(atom) for column in ratio.columns}
            outcome = sorted(columns.intersection(roles.outcome))
            protected = sorted(columns.intersection(roles.protected))
            raise QueryError(
                f'The query asks how {outcome} depends on {protected}. The model leaves that out '
                'on purpose, apart from what admissible columns explain, so it does not say how '
                'it is in the private table. For the fair table, ask with in_the_fair_table=True, '
                'or --in-the-fair-table.'
            )


def _put_together(question: Question, found: Mapping[int, Found], level: float) -> Found:
    if isinstance(question, Rank):
        return _rank(question, found, level)
    if not isinstance(question, RanksApart):
        return found[id(question)]
    first, second = (_rank(rank, found, level) for rank in (question.first, question.second))
    return difference(first[0], second[0]), _weakest([first[1], second[1]])


def _rank(rank: Rank, found: Mapping[int, Found], level: float) -> Found:
    """Return between which codes a share is reached, given the intervals of the shares."""
    shares = [found[id(ratio)][0] for ratio in rank.up_to]
    last = len(shares) - 1
    may_pass = (place for place, share in enumerate(shares) if share.upper >= rank.share)
    must_pass = (place for place, share in enumerate(shares) if share.lower >= rank.share)
    lower = float(rank.lower[next(may_pass, last)])
    upper = float(rank.upper[next(must_pass, last)])
    error = (upper - lower) / (2 * quantile_of(level))
    basis = _weakest([found[id(ratio)][1] for ratio in rank.up_to])
    return Interval((lower + upper) / 2, error, lower, upper), basis


def _weakest(bases: Collection[str]) -> str:
    return max(bases, key=_FROM_STRONG_TO_WEAK.index)


def _as_frame(
    names: list[str], lines: Sequence[Line], answers: Sequence[Found], estimates: Sequence[float]
) -> pd.DataFrame:
    """Return the answers; intervals contain the model's own estimates, widened if necessary."""
    rows = []
    for (interval, basis), estimate in zip(answers, estimates, strict=True):
        held = interval if np.isnan(estimate) else interval.holding(estimate)
        rows.append((*held, basis))
    labels = [labels for labels, _ in lines]
    index: pd.Index = pd.RangeIndex(len(labels))
    if len(names) == 1:
        index = pd.Index([label for (label,) in labels], name=names[0])
    elif names:
        index = pd.MultiIndex.from_tuples(labels, names=names)
    return pd.DataFrame(rows, index, [*Interval._fields, 'basis'])
