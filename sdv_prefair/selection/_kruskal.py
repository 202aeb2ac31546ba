"""Private Kruskal: the loop shared by the strategies that add one edge at a time."""

from collections.abc import Callable, Sequence

import networkx as nx
from networkx.utils import UnionFind

from sdv_prefair.selection._tree import Pair, Scores, measurable_pairs

Filter = Callable[[list[Pair], list[Pair]], list[Pair]]


def _all_of(candidates: list[Pair], edges: list[Pair]) -> list[Pair]:
    return candidates


def private_kruskal(
    columns: Sequence[str], pairs: Sequence[Pair], scores: Scores, still_allowed: Filter = _all_of
) -> list[Pair]:
    """Grow a spanning tree, one chosen pair per round.

    Pairs that are too large to measure are not candidates. The rounds end once no more components
    can be joined. If pairs are too large, or statements rule out every tree, the result is a
    maximal forest.

    Privacy: reads scores through ``scores.choose`` only. The candidates of a round depend on the
    roles and on the pairs chosen before, never on counts, so the rounds compose. The number of
    rounds among which the budget is divided depends on the initial candidates, which are public;
    whether the last of them take place depends on the pairs chosen. What they do not spend stays in
    the ledger for whatever is measured next.

    Paper: Algorithm 2 (Greedy-PreFair), the loop.

    Args:
        columns: The nodes of the tree.
        pairs: The pairs that may be edges.
        scores: The scores by which pairs are chosen.
        still_allowed: Given the candidates and the edges so far, returns the candidates that may be
            added; all by default. A pair that is refused once is never a candidate again.
    """
    pairs, components = measurable_pairs(pairs, scores), UnionFind(columns)
    rounds = _most_edges(pairs)
    edges: list[Pair] = []
    for _ in range(rounds):
        # Departs: the paper's S contains every pair in different components; taken literally, that
        # brings removed edges back. So the next candidates are taken from the last ones.
        root = {column: components[column] for column in columns}
        pairs = [pair for pair in pairs if root[pair[0]] != root[pair[1]]]
        pairs = still_allowed(pairs, edges)
        if not pairs:
            break
        edges.append(scores.choose(pairs, rounds=rounds))
        components.union(*edges[-1])
    return edges


def _most_edges(pairs: Sequence[Pair]) -> int:
    """Return the maximum number of edges of a forest of these pairs."""
    graph = nx.Graph(pairs)
    return len(graph) - nx.number_connected_components(graph)
