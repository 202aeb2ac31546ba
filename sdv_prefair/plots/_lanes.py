"""The layout of a model's columns: lanes from the protected to the outcome side.

The proof of the guarantee removes the admissible columns and looks at the connected components.
So does the drawing: components with an outcome are on the right, everything else on the left, and
the admissible columns are a wall between the two. A lane with many columns is divided into several
stacks. Nothing depends on the order in which columns or edges were added.
"""

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx

from sdv_prefair.fairness._statements import ADMISSIBLE, OUTCOME, PROTECTED, SEVERAL, UNLABELLED

Node = Hashable
_FEWEST_ROWS = 9
_SWEEPS = 12
# Rows between two columns of a lane with few columns.
_WIDEST_SPACE = 2.0


@dataclass(frozen=True)
class Lane:
    """A group of columns in the drawing.

    Attributes:
        side: The role that the lane is for; ``''`` in a drawing without sides.
        stacks: Its columns, from left to right and from top to bottom.
    """

    side: str
    stacks: tuple[tuple[Node, ...], ...]


def lanes_of(graph: nx.Graph) -> list[Lane]:
    """Return the lanes from left to right, by the attribute ``'role'`` of the nodes."""
    sides = _sides(graph)
    rows = max(_FEWEST_ROWS, math.ceil(2 * math.sqrt(len(graph))))
    place = {node: number for number, (_, nodes) in enumerate(sides) for node in nodes}
    lanes = [Lane(side, _stacks(graph, nodes, place, rows)) for side, nodes in sides]
    return _untangled(graph, lanes)


def rows_of(stack: Sequence[Node], most_rows: int) -> dict[Node, float]:
    """Return how many rows each column of a stack is below the middle of the drawing."""
    space = min(_WIDEST_SPACE, most_rows / max(len(stack), 1))
    return {node: space * (i - (len(stack) - 1) / 2) for i, node in enumerate(stack)}


def _sides(graph: nx.Graph) -> list[tuple[str, list[Node]]]:
    by_role: dict[str, list[Node]] = {}
    for node in sorted(graph, key=str):
        by_role.setdefault(graph.nodes[node].get('role', UNLABELLED), []).append(node)
    left, right = by_role.get(PROTECTED, []), by_role.get(OUTCOME, [])
    several = by_role.get(SEVERAL, [])
    if not left or not right + several:
        return [('', nodes) for nodes in _levels(graph)]
    near_right = _nearer(graph, right + several, left, by_role.get(ADMISSIBLE, []))
    loose = by_role.get(UNLABELLED, [])
    sides = [
        (PROTECTED, [*left, *(node for node in loose if node not in near_right)]),
        (ADMISSIBLE, by_role.get(ADMISSIBLE, [])),
        (SEVERAL, several),
        (OUTCOME, [*right, *(node for node in loose if node in near_right)]),
    ]
    return [(side, nodes) for side, nodes in sides if nodes or side == ADMISSIBLE]


def _nearer(
    graph: nx.Graph, to: Collection[Node], than: Collection[Node], without: Iterable[Node]
) -> set[Node]:
    """Return the nodes that are nearer to one group than to another, around some nodes."""
    rest = graph.copy()
    rest.remove_nodes_from(without)
    near, far = (nx.multi_source_dijkstra_path_length(rest, set(group)) for group in (to, than))
    return {node for node, steps in near.items() if steps < far.get(node, math.inf)}


def _levels(graph: nx.Graph) -> list[list[Node]]:
    """Return the nodes in order of distance from the centre of their component."""
    levels: dict[int, list[Node]] = {}
    for nodes in nx.connected_components(graph):
        part = graph.subgraph(nodes)
        root = min(nx.center(part), key=lambda node: (-part.degree(node), str(node)))
        for node, steps in nx.single_source_shortest_path_length(part, root).items():
            levels.setdefault(steps, []).append(node)
    return [sorted(levels[steps], key=str) for steps in sorted(levels)]


def _stacks(
    graph: nx.Graph, nodes: list[Node], place: Mapping[Node, int], most_rows: int
) -> tuple[tuple[Node, ...], ...]:
    """Divide a lane; columns adjacent to a lane on the right go to the right."""
    count = max(1, math.ceil(len(nodes) / most_rows))

    def pulled(node: Node) -> tuple[int, float, str]:
        steps = [place[near] - place[node] for near in graph[node]]
        outwards = any(step > 0 for step in steps) - any(step < 0 for step in steps)
        return outwards, _mean(steps), str(node)

    ordered = sorted(nodes, key=pulled)
    cuts = [round(i * len(nodes) / count) for i in range(count + 1)]
    return tuple(tuple(ordered[a:b]) for a, b in zip(cuts, cuts[1:], strict=False))


def _untangled(graph: nx.Graph, lanes: list[Lane]) -> list[Lane]:
    """Order each stack by the positions of its neighbours, repeatedly: the barycentre method."""
    stacks = [list(stack) for lane in lanes for stack in lane.stacks]
    most = max(map(len, stacks), default=0)
    row = {node: where for stack in stacks for node, where in rows_of(stack, most).items()}
    for _ in range(_SWEEPS):
        for stack in stacks:
            stack.sort(key=lambda node: (round(_mean(row[n] for n in graph[node]), 6), str(node)))
            row |= rows_of(stack, most)
    ordered = iter(stacks)
    return [Lane(lane.side, tuple(tuple(next(ordered)) for _ in lane.stacks)) for lane in lanes]


def _mean(numbers: Iterable[float]) -> float:
    found = list(numbers)
    return sum(found) / len(found) if found else 0.0
