"""What has an effect in the rows: reasons on outcomes, and groups, as far as a model lets them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from sdv_prefair.fairness._statements import Independent
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.inference import Difference, Replicates, Share, estimate_query
from sdv_prefair.model import GraphicalModel
from sdv_prefair.model._noise import hidden_share, noise_of_pairs
from sdv_prefair.report._words import listed, percent

_LEVEL = 0.95
# With more groups or values, no table of differences is computed.
_MOST_VALUES = 12
FEWEST_ROWS = 30
"""Smaller groups are not compared."""


@dataclass(frozen=True)
class GroupGap:
    """The largest difference between two groups in how often an outcome takes a value.

    Attributes:
        outcome: The outcome.
        value: Its value.
        protected: The column of the groups.
        groups: The two groups; the first has the value more often.
        gap: The difference of shares in the model.
        lower: Lower bound of its interval, for noise and sampling error.
        upper: Upper bound.
        is_tied: Whether the model connects the two columns at all.
    """

    outcome: str
    value: str
    protected: str
    groups: tuple[str, str]
    gap: float
    lower: float
    upper: float
    is_tied: bool

    @property
    def off(self) -> float:
        """How far off it may be."""
        return max(self.upper - self.gap, self.gap - self.lower)


def group_gaps(fitted: Fitted, replicates: Callable[[], Replicates]) -> tuple[GroupGap, ...]:
    """Return the largest demographic parity gap of each protected and outcome column.

    None if mbi has estimated the model: replicates would take minutes.

    Privacy: post-processing of released values.

    Args:
        fitted: The fit.
        replicates: Returns replicates of it; called if there are columns to compare.
    """
    pairs = list(_pairs(fitted)) if fitted.model.estimator == 'direct' else []
    found = (_largest(fitted, *pair, replicates) for pair in pairs)
    return tuple(gap for gap in found if gap is not None)


def _pairs(fitted: Fitted) -> Iterator[tuple[str, str]]:
    domain = fitted.model.domain
    few = {column for column, size in domain.items() if size <= _MOST_VALUES}
    pairs = dict.fromkeys(
        (protected, outcome)
        for statement in fitted.settings.roles.statements
        for protected in statement.left
        for outcome in statement.right
    )
    yield from (pair for pair in pairs if few.issuperset(pair))


def _largest(
    fitted: Fitted, protected: str, outcome: str, replicates: Callable[[], Replicates]
) -> GroupGap | None:
    query = Difference(Share(outcome), protected)
    rows = estimate_query(fitted, protected, replicates)['estimate'] * fitted.model.total
    groups = set(rows.index[rows >= FEWEST_ROWS])
    number = len(groups) * (len(groups) - 1) // 2 * fitted.model.domain[outcome]
    if not number:
        return None
    # The largest of many is selected, so each interval needs a higher level.
    level = 1 - (1 - _LEVEL) / number
    found = estimate_query(fitted, query, replicates, level, in_the_fair_table=True)
    compared = [set(line[1:]) <= groups for line in found.index]
    found = found[compared].dropna(subset=['estimate'])
    return _gap(found, protected, outcome) if len(found) else None


def _gap(found: pd.DataFrame, protected: str, outcome: str) -> GroupGap:
    # Two values have the same gap; the last one is reported, as fairness metrics do.
    found = found[::-1]
    place = int(np.argmax(found['estimate'].abs().round(9)))
    value, first, second = found.index[place]
    line = found.iloc[place]
    gap, lower, upper = (float(line[name]) for name in ('estimate', 'lower', 'upper'))
    if gap < 0:
        first, second, gap, lower, upper = second, first, -gap, -upper, -lower
    is_tied = not np.isnan(line['standard_error'])
    shown, one, other = (
        'null' if group is None else str(group) for group in (value, first, second)
    )
    return GroupGap(outcome, shown, protected, (one, other), gap, lower, upper, is_tied)


def use_in_words(
    statements: Iterable[Independent], ties: 'nx.Graph[Any]', model: GraphicalModel
) -> list[str]:
    """Return, for each outcome, which reasons it depends on in the model, and which it does not.

    Args:
        statements: The statements that hold.
        ties: The edges between the table's columns.
        model: The fitted model.
    """
    return [told for statement in statements for told in _of(statement, ties, model)]


def _of(statement: Independent, ties: 'nx.Graph[Any]', model: GraphicalModel) -> Iterator[str]:
    for outcome in filter(ties.has_node, statement.right):
        near = list(ties.neighbors(outcome))
        idle = [column for column in statement.given if column not in near]
        depends = f'depends on {listed(near)}' if near else 'depends on no other column'
        has_reasons = len(idle) < len(statement.given)
        yield f'In this table {outcome} {depends}{_idle(model, outcome, idle, has_reasons)}'


def _idle(model: GraphicalModel, outcome: str, idle: list[str], has_reasons: bool) -> str:
    if not idle:
        return '.'
    others, (plural, have) = 'other ' * has_reasons, ('s', 'have') if idle[1:] else ('', 'has')
    none = f'your {others}reason{plural}, {listed(idle)}, {have} no effect in it beyond that'
    return f'; {none}.{_needed(model, outcome, idle)}'


def _needed(model: GraphicalModel, outcome: str, idle: list[str]) -> str:
    """Return how strong an effect must be to be seen at this epsilon, and what would help."""
    domain, sigmas = model.domain, [noise.sigma for noise in noise_of_pairs(model)]
    known = [column for column in idle if column in domain]
    if not sigmas or not known:
        return ''
    cells = max(domain[outcome] * domain[column] for column in known)
    lost = hidden_share(float(np.median(sigmas)), cells, model.total)
    if lost >= 1:
        return ' At this epsilon and number of rows noise would hide any effect of theirs.'
    return (
        f' Noise can hide an effect that changes the outcome of fewer than about {percent(lost)} '
        'of rows; with twice the rows, or about twice the epsilon, of half as many.'
    )
