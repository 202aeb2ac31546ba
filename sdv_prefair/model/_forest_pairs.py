"""The two-way marginals of all pairs of columns of a forest: one matrix product each.

Pair by pair, ``junction.marginal`` would walk the path between two columns every time. Here the
table of a column with the next one along the path follows from that with the one before.
"""

from collections.abc import Iterable, Iterator, Mapping

import networkx as nx
import numpy as np

from sdv_prefair._arrays import Floats
from sdv_prefair.model._graphical_model import GraphicalModel

Pair = tuple[str, str]


def forest_pairs(model: GraphicalModel, pairs: Iterable[Pair]) -> Iterator[tuple[Pair, Floats]]:
    """Yield each pair of columns with its joint distribution, in groups of codes.

    Args:
        model: A model whose cliques have at most two columns and form a forest.
        pairs: Pairs of columns.
    """
    given = _conditionals(model)
    graph: nx.Graph[str] = nx.Graph(node.columns for node in model.nodes if len(node.columns) == 2)
    alone = {c: node.sum_to([c]) for node in model.nodes for c in node.columns}
    wanted: dict[str, list[str]] = {}
    for first, second in pairs:
        wanted.setdefault(first, []).append(second)
    for first, others in wanted.items():
        tables = _tables_with(first, graph, alone, given)
        for second in others:
            product = np.multiply.outer(alone[first], alone[second])
            yield (first, second), tables.get(second, product)


def _conditionals(model: GraphicalModel) -> dict[Pair, Floats]:
    """Return for both directions of every edge the second column given the first, by rows."""
    given = {}
    for node in model.nodes:
        if len(node.columns) == 2:
            first, second = node.columns
            given[first, second] = _by_rows(node.table)
            given[second, first] = _by_rows(node.table.T)
    return given


def _by_rows(table: Floats) -> Floats:
    mass = table.sum(axis=1, keepdims=True)
    rows: Floats = np.divide(table, mass, out=np.zeros_like(table), where=mass > 0)
    return rows


def _tables_with(
    column: str,
    graph: 'nx.Graph[str]',
    alone: Mapping[str, Floats],
    given: Mapping[Pair, Floats],
) -> dict[str, Floats]:
    tables = {column: np.diag(alone[column])}
    if column in graph:
        for before, after in nx.bfs_edges(graph, column):
            tables[after] = tables[before] @ given[before, after]
    return tables


def distance_from_independence(table: Floats) -> float:
    """Return the L1 distance of a distribution from the product of its columns'."""
    product = np.multiply.outer(table.sum(axis=1), table.sum(axis=0))
    return float(np.abs(table - product).sum())
