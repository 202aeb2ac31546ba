"""What a fit shows of itself: promise, graph, proof, codes, picture.

Everything here is a function of public arguments, the ledger and noisy measurements, so it may be
shown to anybody.
"""

from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.constraints.plan import ConstraintPlan
from sdv_prefair.encoding.frame_schema import single_table
from sdv_prefair.errors import UnfairModelError
from sdv_prefair.fairness import Statements
from sdv_prefair.fairness.predicate import markov_graph
from sdv_prefair.fitting.explanation import FairnessExplanation, explain
from sdv_prefair.fitting.fitted import Fitted
from sdv_prefair.fitting.settings import Settings
from sdv_prefair.fitting.verification import assert_separated, assert_told
from sdv_prefair.plots import plot_fair_graph
from sdv_prefair.plots.style import plain_text
from sdv_prefair.synthesizer import arguments


def privacy_promised(settings: Settings, fitted: Fitted | None) -> dict[str, Any]:
    """Return the promise of a fit, or of the one to come."""
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


def ranges_in_words(public_ranges: bool | None, plan: ConstraintPlan, given: bool) -> str:
    """Return how ranges are treated, in the metadata and, if any were given, beside it."""
    if given:
        inside = {None: 'assumed public', True: 'said to be public', False: 'not used'}
        return f'said to be public in domain, {inside[public_ranges]} in the metadata'
    if public_ranges is False:
        return 'not used: domains are learnt within the budget'
    if not arguments.declares_ranges(plan.original_domains):
        return 'none were declared'
    return 'said to be public' if public_ranges else 'assumed public'


def fair_graph(fitted: Fitted) -> 'nx.Graph[str]':
    """Return the Markov graph of the model, with roles and what is known of each edge."""
    graph: nx.Graph[str] = nx.Graph(private=not fitted.ledger.seeded)
    roles = fitted.settings.roles
    graph.add_nodes_from((column, {'role': roles.of(column)}) for column in fitted.plan.domains)
    graph.add_edges_from(markov_graph(fitted.model.cliques).edges)
    joined = nx.utils.UnionFind(graph)
    for measurement in fitted.model.measurements:
        sigma, cells = float(np.max(measurement.stddev)), measurement.values.size
        for edge in combinations(measurement.columns, 2):
            if 'sigma' in graph.edges[edge]:  # a smaller clique, measured before, says more
                continue
            graph.add_edge(*edge, sigma=sigma, cells=cells)
            if len({joined[column] for column in edge}) == 1:
                graph.edges[edge]['beyond_tree'] = True
            joined.union(*edge)
    return graph


def explanation(fitted: Fitted) -> FairnessExplanation:
    """Return what stands behind the statements; of a fit that promises none, nothing."""
    roles = fitted.settings.roles if fitted.settings.promise.is_fair else Statements()
    return FairnessExplanation(explain(fitted.model, roles, fitted.looks))


def assert_fair(fitted: Fitted) -> None:
    """Raise, and name the offending path, unless the fit keeps every statement it promises."""
    roles = fitted.settings.promise.roles
    if not roles:
        raise UnfairModelError(
            'This synthesizer has no roles: there is nothing to verify. Name protected, '
            'admissible and outcome columns when you construct one.'
        )
    assert_separated(fitted.model, fitted.plan, roles)
    assert_told(fitted.encoding)


def encode_rows(fitted: Fitted, data: pd.DataFrame | dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the codes of rows, but of columns that a constraint touches.

    Privacy: codes of real rows are as private as the rows. Nothing is learnt or kept.
    """
    name = fitted.settings.table_name
    table = single_table({name: data} if isinstance(data, pd.DataFrame) else data, name)
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
    """Return the model's graph, coloured by role."""
    ledger, graph = fitted.ledger, fair_graph(fitted)
    promise = f'epsilon = {ledger.epsilon:g}, delta = {ledger.delta:g}'
    if ledger.seeded:
        promise = 'not private: a seed was given'
    graph = nx.relabel_nodes(graph, {column: plain_text(column) for column in graph})
    return plot_fair_graph(graph, title=f'{plain_text(fitted.settings.table_name)} ({promise})')
