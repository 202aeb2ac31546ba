"""The hand-written spanning trees against networkx, and the bound against enumeration.

Of ``_sides.py``.
"""

from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest

from sdv_prefair.selection._sides import RelaxedTree, SpanningTrees


def draw(seed, size=9):
    """Return a graph, some sides and the admissible nodes."""
    rng = np.random.default_rng(seed)
    side = np.array([1, -1, 0, *rng.choice([1, -1, 0, 0], size=size - 3)], dtype=np.int8)
    admissible = {2, *(node for node in range(3, size) if not side[node] and rng.random() < 0.2)}
    pairs = [(i, j) for i, j in combinations(range(size), 2) if side[i] * side[j] != -1]
    weights = rng.integers(-20, 20, size=len(pairs)).astype(float).tolist()
    return SpanningTrees(size, pairs, weights), side, admissible


def heaviest(graph, side, without=None):
    """The weight of the maximum spanning tree, by networkx."""
    allowed = nx.Graph()
    for edge, (first, second) in enumerate(graph.ends):
        if side[first] * side[second] != -1 and edge != without:
            allowed.add_edge(first, second, weight=graph.weights[edge])
    return nx.maximum_spanning_tree(allowed).size(weight='weight')


def completions(side, admissible):
    undecided = [node for node in range(len(side)) if not side[node] and node not in admissible]
    for taken in product([1, -1], repeat=len(undecided)):
        complete = side.copy()
        complete[undecided] = taken
        yield complete


@pytest.mark.parametrize('seed', range(30))
def test_best_and_repaired_trees_weigh_what_networkx_says(seed):
    graph, side, admissible = draw(seed)
    tree = graph.best(side)
    assert tree.weight == heaviest(graph, side)
    for complete in list(completions(side, admissible))[::3]:
        repaired = graph.repair(tree, complete)
        assert repaired.weight == heaviest(graph, complete) == graph.best(complete).weight
        assert nx.is_tree(nx.Graph([graph.ends[edge] for edge in repaired.edges]))


@pytest.mark.parametrize('seed', range(30))
def test_replacement_losses_are_what_is_lost_without_the_edge(seed):
    graph, side, _ = draw(seed)
    tree = graph.best(side)
    losses = tree.replacement_losses(side)
    for edge in tree.edges:
        if edge in losses:
            assert losses[edge] == tree.weight - heaviest(graph, side, without=edge)
        else:
            ends = [end for e, end in enumerate(graph.ends) if e != edge and graph.allowed(side)[e]]
            assert not (len(nx.Graph(ends)) == graph.size and nx.is_connected(nx.Graph(ends)))


@pytest.mark.parametrize('seed', range(100))
def test_side_costs_are_never_more_than_what_fairness_really_costs(seed):
    graph, side, admissible = draw(seed)
    tree = graph.best(side)
    costs = RelaxedTree(tree, side, admissible).side_costs()
    real = [(complete, heaviest(graph, complete)) for complete in completions(side, admissible)]
    best = max(weight for _, weight in real)
    assert costs.least <= tree.weight - best
    if costs.hub is None:
        assert tree.weight == best
    for node, extra in costs.extra.items():
        for taken, cost in zip((1, -1), extra, strict=True):
            reachable = max(weight for complete, weight in real if complete[node] == taken)
            assert costs.least + cost <= tree.weight - reachable
    assert costs.preferred.tolist() in [complete.tolist() for complete, _ in real]


def test_side_costs_of_a_chain_are_those_of_its_cheapest_cut():
    """Protected 0 - 1 - 2 - outcome 3, with the admissible 4 at hand for nothing."""
    weights = {(0, 1): 10.0, (1, 2): 9.0, (2, 3): 12.0}
    pairs = [pair for pair in combinations(range(5), 2) if pair != (0, 3)]
    graph = SpanningTrees(5, pairs, [weights.get(pair, 0.0) for pair in pairs])
    side = np.array([1, 0, 0, -1, 0], dtype=np.int8)
    costs = RelaxedTree(graph.best(side), side, {4}).side_costs()
    assert costs.least == 9.0
    assert costs.extra == {1: (0.0, 1.0), 2: (3.0, 0.0)}
    assert costs.preferred.tolist() == [1, 1, -1, -1, 0]


def test_side_costs_count_every_edge_to_the_other_side():
    """Node 2 touches one of two protected ones; on the other side it loses both, not one."""
    weights = {(0, 2): 10.0, (1, 2): 8.0, (2, 3): 20.0, (0, 1): 30.0}
    pairs = [pair for pair in combinations(range(5), 2) if pair not in {(0, 3), (1, 3)}]
    graph = SpanningTrees(5, pairs, [weights.get(pair, 0.0) for pair in pairs])
    side = np.array([1, 1, 0, -1, 0], dtype=np.int8)
    costs = RelaxedTree(graph.best(side), side, {4}).side_costs()
    assert costs.least == 10.0
    assert costs.extra == {2: (10.0, 0.0)}
    assert costs.hub == 2
