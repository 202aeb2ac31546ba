"""Junction trees: the order of the cliques, and marginals of any few columns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from sdv_prefair._arrays import Floats
from sdv_prefair.model._sampling import CliqueTable, broadcast_to, sum_to

Clique = tuple[str, ...]


class Place(NamedTuple):
    """The place of a clique: the columns shared with cliques before it, and its parent."""

    clique: Clique
    separator: Clique
    parent: int | None


def arrange(cliques: Sequence[Clique]) -> list[Place]:
    """Arrange the maximal cliques of a chordal graph in an order suitable for sampling.

    A spanning tree of the cliques with the largest separators is a junction tree; it is walked
    from the first clique of every component.
    """
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(cliques)))
    for i, clique in enumerate(cliques):
        for j in range(i):
            if shared := len(set(clique) & set(cliques[j])):
                graph.add_edge(j, i, weight=shared)
    tree = nx.maximum_spanning_tree(graph)
    places: list[Place] = []
    position: dict[int, int] = {}
    for component in sorted(nx.connected_components(tree), key=min):
        root = min(component)
        parents = {child: parent for parent, child in nx.bfs_edges(tree, root)}
        for i in [root, *parents]:
            parent = parents.get(i)
            before = () if parent is None else cliques[parent]
            separator = tuple(column for column in cliques[i] if column in before)
            position[i] = len(places)
            above = None if parent is None else position[parent]
            places.append(Place(tuple(cliques[i]), separator, above))
    return places


def continues_tree(
    columns: Sequence[str], separator: Sequence[str], before: Sequence[CliqueTable]
) -> bool:
    """Whether a node shares exactly its separator with nodes before it, and has more columns."""
    seen = {column for node in before for column in node.columns}
    return seen.intersection(columns) == set(separator) and len(separator) < len(columns)


def is_junction_tree(nodes: Sequence[CliqueTable]) -> bool:
    """Whether rows sampled from the nodes, in order, have no dependence except within cliques."""
    return all(
        continues_tree(node.columns, node.separator, nodes[:place])
        and (node.parent is None or 0 <= node.parent < place)
        and set(node.separator) <= _columns_of(nodes, node.parent)
        for place, node in enumerate(nodes)
    )


def _columns_of(nodes: Sequence[CliqueTable], position: int | None) -> set[str]:
    return set() if position is None else set(nodes[position].columns)


class _Factor(NamedTuple):
    columns: Clique
    table: Floats


def marginal(nodes: Sequence[CliqueTable], columns: Sequence[str]) -> Floats:
    """Return the joint distribution of some columns.

    Columns of one clique are summed from its table; the rest are products along paths. Each clique
    passes to the one above it the distribution of the requested columns given their separator, with
    all others summed out at once.
    """
    for node in nodes:
        if set(columns) <= set(node.columns):
            return node.sum_to(columns)
    needed = _needed_nodes(nodes, columns)
    above: dict[int | None, list[_Factor]] = {}
    for position, node in reversed(needed.items()):
        factors = [_Factor(node.columns, node.conditional()), *above.pop(position, [])]
        known = dict.fromkeys(column for factor in factors for column in factor.columns)
        left = [column for column in known if column in columns or column in node.separator]
        above.setdefault(node.parent, []).append(_product(factors, left))
    return _product(above[None], columns).table


def _needed_nodes(nodes: Sequence[CliqueTable], columns: Sequence[str]) -> dict[int, CliqueTable]:
    """Return the positions of the smallest part of the junction tree that holds the columns.

    Nodes below that hold no requested column are left out: they sum to one. So are nodes above a
    node that holds all columns requested from them: it becomes the root. In the remaining nodes,
    columns that are neither requested nor shared with another node are summed out.
    """
    needed: set[int | None] = set()
    for position in reversed(range(len(nodes))):
        node = nodes[position]
        own = set(node.columns) - set(node.separator)
        if position in needed or own & set(columns):
            needed |= {position, node.parent}
    needed.discard(None)
    kept = [position for position in range(len(nodes)) if position in needed]
    roots = set()
    for position in list(kept):
        if nodes[position].parent in kept:
            continue
        below = [p for p in kept if nodes[p].parent == position]
        wanted = set(columns) & set(nodes[position].columns)
        if len(below) == 1 and wanted <= set(nodes[below[0]].columns):
            kept.remove(position)
        else:
            roots.add(position)
    rooted = {
        position: replace(nodes[position], separator=(), parent=None)
        if position in roots
        else nodes[position]
        for position in kept
    }
    return {
        position: _summed(node, {*columns, *_tied_below(position, rooted.values())})
        for position, node in rooted.items()
    }


def _tied_below(position: int, nodes: Iterable[CliqueTable]) -> Iterator[str]:
    """Yield the columns that a node shares with nodes below it."""
    return (column for node in nodes if node.parent == position for column in node.separator)


def _summed(node: CliqueTable, wanted: set[str]) -> CliqueTable:
    """Return a node without the columns that are neither requested nor in its separator."""
    columns = tuple(c for c in node.columns if c in wanted or c in node.separator)
    return replace(node, columns=columns, table=node.sum_to(columns))


def _product(factors: Sequence[_Factor], wanted: Sequence[str]) -> _Factor:
    """Return the product of factors, with all but the requested columns summed out."""
    known = dict.fromkeys(column for factor in factors for column in factor.columns)
    label = {column: number for number, column in enumerate(known)}
    # Numbers as labels, which are unlimited; numpy's type stubs accept letters only.
    operands: list[Any] = []
    for factor in factors:
        operands += [factor.table, [label[column] for column in factor.columns]]
    table = np.einsum(*operands, [label[column] for column in wanted], optimize=True)
    return _Factor(tuple(wanted), table)


# -- Belief propagation on a junction tree: from a product of factors to each clique's marginal.


def calibrate(places: Sequence[Place], logarithms: Sequence[Floats]) -> tuple[float, list[Floats]]:
    """Return the logarithm of the total mass, and each clique's share of it.

    Messages up the tree are logarithms, because factors of neighbours may differ by more than the
    largest float; messages down are probabilities.

    Args:
        places: The junction tree, parents before children.
        logarithms: Logarithms of non-negative factors, one for each clique, whose product is the
            distribution; minus infinity for zero.
    """
    logarithms, log_mass = list(logarithms), 0.0
    beliefs: dict[int, Floats] = {}
    for position in reversed(range(len(places))):
        clique, separator, parent = places[position]
        axes = tuple(axis for axis, column in enumerate(clique) if column not in separator)
        beliefs[position], message = _given_the_rest(logarithms[position], axes)
        if parent is None:
            log_mass += float(message)
        else:
            spread = broadcast_to(message, separator, places[parent].clique)
            logarithms[parent] = logarithms[parent] + spread
    for position, (clique, separator, parent) in enumerate(places):
        if parent is not None:
            above = sum_to(beliefs[parent], places[parent].clique, separator)
            beliefs[position] = beliefs[position] * broadcast_to(above, separator, clique)
    return log_mass, [beliefs[position] for position in range(len(places))]


def _given_the_rest(logarithm: Floats, axes: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return the distribution along some axes given the others, and the logarithm of its mass."""
    largest = logarithm.max(axis=axes, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0.0)  # minus infinity: no mass at all
    table = np.exp(logarithm - largest)
    mass = table.sum(axis=axes, keepdims=True)
    np.divide(table, mass, out=table, where=mass > 0)
    return table, (logarithm_of(mass) + largest).squeeze(axes)


def logarithm_of(table: Floats) -> Floats:
    """Return logarithms; minus infinity for zero."""
    with np.errstate(divide='ignore'):
        logarithm: Floats = np.log(table)
    return logarithm
