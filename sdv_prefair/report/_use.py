"""What the synthetic table is good for: which reasons have an effect in it, in one sentence."""

from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from sdv_prefair.fairness._statements import Independent
from sdv_prefair.model import GraphicalModel
from sdv_prefair.model._noise import hidden_share, noise_of_pairs
from sdv_prefair.report._words import listed, percent


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
