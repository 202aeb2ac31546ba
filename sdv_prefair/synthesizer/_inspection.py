"""Inspecting a fit: guarantee, graph, proof, codes, figure.

Everything here is a function of public arguments, the ledger and noisy measurements, so it may be
shown to anyone.
"""

from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.columns._processor import one_frame
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.errors import UnfairModelError
from sdv_prefair.fairness import Statements
from sdv_prefair.fairness._predicate import markov_graph
from sdv_prefair.fitting._explanation import FairnessExplanation, edge_strengths, explain
from sdv_prefair.fitting._fitted import Fitted, Settings
from sdv_prefair.fitting._pipeline import assert_separated, assert_told
from sdv_prefair.plots import plot_fair_graph
from sdv_prefair.plots._fair_graph import heading_of
from sdv_prefair.plots._style import plain_text
from sdv_prefair.privacy import Account, PrivacyCurve
from sdv_prefair.privacy._curve import loss_in_short
from sdv_prefair.synthesizer import _arguments as arguments

# How many statements are shown.
_FEW_STATEMENTS = 3


def privacy_promised(settings: Settings, fitted: Fitted | None) -> dict[str, Any]:
    """Return the guarantee of a fit, or of the next one."""
    if fitted is None:
        promise: Any = settings
        seeded = settings.seed is not None
    else:
        promise, seeded = fitted.ledger, fitted.ledger.seeded
    return {
        'epsilon': promise.epsilon,
        'delta': promise.delta,
        'is_private': not seeded,
        'accounting': None if fitted is None else fitted.ledger.accounting,
    }


def risk_in_numbers(curve: PrivacyCurve) -> dict[str, float | None]:
    """Return the risk of a person in a few numbers, for the footer of a ledger."""
    return {
        'mu': curve.mu if curve.all_gaussian else None,
        'guess': curve.guess(),
        'advantage': curve.advantage(),
    }


def ranges_in_words(public_ranges: bool | None, plan: ConstraintPlan, given: bool) -> str:
    """Return how ranges are treated, those in the metadata and those in ``domain``."""
    if given:
        inside = {None: 'assumed public', True: 'said to be public', False: 'not used'}
        return f'said to be public in domain, {inside[public_ranges]} in the metadata'
    if public_ranges is False:
        return 'not used: domains are learnt within the budget'
    if not arguments.declares_ranges(plan.original_domains):
        return 'none were declared'
    return 'said to be public' if public_ranges else 'assumed public'


def in_words(name: str, settings: Settings, fitted: Fitted | None, account: Account) -> str:
    """Return the guarantee of a synthesizer, its spending, and whether it is fitted.

    Privacy: a function of arguments, the number of attempts and what they spent.

    Args:
        name: Name of its class.
        settings: The input of the next fit.
        fitted: The last finished fit, if there is one.
        account: All attempts.
    """
    statements = [str(one) for one in settings.promise.roles.statements]
    if not settings.promise.is_fair:
        statements = ['no fairness with this structure']
    told, more = '; '.join(statements[:_FEW_STATEMENTS]), len(statements) - _FEW_STATEMENTS
    seeded = ', not private: a seed was given' if settings.seed is not None else ''
    curve = settings.curve if fitted is None else PrivacyCurve.of(fitted.ledger)
    lines = [
        f'{name} for table {settings.table_name!r}: {len(settings.columns)} columns, '
        f'{len(settings.plan.original_domains)} of them modelled',
        f'  promises: {told}{f"; and {more} more" if more > 0 else ""}',
        f'  budget: epsilon = {settings.epsilon:g}, delta = {settings.delta:g}{seeded}',
        f'  risk: {loss_in_short(curve)}',
        f'  structure: {settings.mechanism.name}',
        f'  state: {_state(fitted, account)}',
    ]
    return '\n'.join(lines)


def _state(fitted: Fitted | None, account: Account) -> str:
    attempts = len(account.to_frame())
    if fitted is None:
        return 'not fitted' if not attempts else f'not fitted after {_times(attempts)}'
    spent = f'spent epsilon = {fitted.ledger.epsilon:g}, delta = {fitted.ledger.delta:g}'
    more = f'; {_times(attempts)}, and budgets add up' if attempts > 1 else ''
    return f'fitted, {spent}{more}'


def _times(attempts: int) -> str:
    return '1 attempt' if attempts == 1 else f'{attempts} attempts'


def fair_graph(fitted: Fitted) -> 'nx.Graph[str]':
    """Return the Markov graph of the model, with roles and edge attributes."""
    graph: nx.Graph[str] = nx.Graph(private=not fitted.ledger.seeded)
    roles = fitted.settings.roles
    graph.add_nodes_from((column, {'role': roles.of(column)}) for column in fitted.plan.domains)
    graph.add_edges_from(markov_graph(fitted.model.cliques).edges)
    joined = nx.utils.UnionFind(graph)
    for measurement in fitted.model.measurements:
        sigma, cells = float(np.max(measurement.stddev)), measurement.values.size
        for edge in combinations(measurement.columns, 2):
            if 'sigma' in graph.edges[edge]:  # a smaller clique, measured earlier, is more precise
                continue
            graph.add_edge(*edge, sigma=sigma, cells=cells)
            if len({joined[column] for column in edge}) == 1:
                graph.edges[edge]['beyond_tree'] = True
            joined.union(*edge)
    edges = list(graph.edges)
    for edge, tells in zip(edges, edge_strengths(fitted.model, edges), strict=True):
        graph.edges[edge]['tells'] = round(tells, 4)
    return graph


def explanation(fitted: Fitted) -> FairnessExplanation:
    """Return the explanation of the statements; empty for a fit without a guarantee."""
    roles = fitted.settings.roles if fitted.settings.promise.is_fair else Statements()
    return FairnessExplanation(explain(fitted.model, roles, fitted.looks))


def assert_fair(fitted: Fitted) -> None:
    """Raise, and name the offending path, unless the fit satisfies every promised statement."""
    roles = fitted.settings.promise.roles
    if not roles:
        raise UnfairModelError(
            'This synthesizer has no roles: there is nothing to verify. Name protected, '
            'admissible and outcome columns when you construct one.'
        )
    assert_separated(fitted.model, fitted.plan, roles)
    assert_told(fitted.encoding)


def encode_rows(fitted: Fitted, data: pd.DataFrame | dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the codes of rows, except for columns that a constraint touches.

    Privacy: codes of real rows are as private as the rows. Nothing is learnt or kept.
    """
    name = fitted.settings.table_name
    table = one_frame({name: data} if isinstance(data, pd.DataFrame) else data, name)
    touched = {column for columns in fitted.plan.tied for column in columns}
    return pd.DataFrame(
        {
            column: codes.encode(table[column])
            for column, codes in fitted.encoding.transformers.items()
            if column in table and column not in touched
        },
        index=table.index,
    )


def picture(fitted: Fitted) -> go.Figure:
    """Return the model's graph in lanes, from the protected to the outcome side."""
    ledger, statements = fitted.ledger, fitted.settings.roles
    promise = f'epsilon = {ledger.epsilon:g}, delta = {ledger.delta:g}'
    if ledger.seeded:
        promise = 'not private: a seed was given'
    graph = fair_graph(fitted)
    table = plain_text(fitted.settings.table_name)
    title = f'{table}: {heading_of(graph, statements)}<br><sup>{promise}</sup>'
    return plot_fair_graph(graph, title, statements)
