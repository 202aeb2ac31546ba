"""The layout of a model's columns: lanes from the protected to the outcome side.

The proof of the guarantee removes the admissible columns and looks at the connected components.
So does the drawing: components with an outcome are on the right, everything else on the left, and
the admissible columns are a wall between the two. A lane with many columns is divided into several
stacks. Nothing depends on the order in which columns or edges were added.

Lanes are in pixels, with boxes for columns, and curves between them. Text does not shrink with a
figure, so the drawing has a fixed size, as large as its columns need.
"""

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import networkx as nx

from sdv_prefair.fairness._statements import ADMISSIBLE, OUTCOME, PROTECTED, SEVERAL, UNLABELLED

Node = Hashable
Line = tuple[list[float], list[float]]

MOST_LETTERS = 24
_LETTER, _SYMBOL_ROOM, _PADDING = 7.2, 30, 10
_ROW, _BOX_HEIGHT = 38, 26
_GAP_IN_LANE, _GAP_OF_LANES, _LANE_MARGIN = 48, 56, 44
_LEAST_LANE, _LEAST_WIDTH = 120, 860
_HEAD, _FOOT, _LINE_UNDER = 52, 18, 9
_STEPS_OF_CURVE = 16
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


def lanes_of(graph: 'nx.Graph[Any]') -> list[Lane]:
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


def _sides(graph: 'nx.Graph[Any]') -> list[tuple[str, list[Node]]]:
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
    graph: 'nx.Graph[Any]', to: Collection[Node], than: Collection[Node], without: Iterable[Node]
) -> set[Node]:
    """Return the nodes that are nearer to one group than to another, around some nodes."""
    rest = graph.copy()
    rest.remove_nodes_from(without)
    near, far = (nx.multi_source_dijkstra_path_length(rest, set(group)) for group in (to, than))
    return {node for node, steps in near.items() if steps < far.get(node, math.inf)}


def _levels(graph: 'nx.Graph[Any]') -> list[list[Node]]:
    """Return the nodes in order of distance from the centre of their component."""
    levels: dict[int, list[Node]] = {}
    for nodes in nx.connected_components(graph):
        part = graph.subgraph(nodes)
        root = min(nx.center(part), key=lambda node: (-part.degree(node), str(node)))
        for node, steps in nx.single_source_shortest_path_length(part, root).items():
            levels.setdefault(steps, []).append(node)
    return [sorted(levels[steps], key=str) for steps in sorted(levels)]


def _stacks(
    graph: 'nx.Graph[Any]', nodes: list[Node], place: Mapping[Node, int], most_rows: int
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


def _untangled(graph: 'nx.Graph[Any]', lanes: list[Lane]) -> list[Lane]:
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


@dataclass(frozen=True)
class Box:
    """The position of a column: the middle of its box, and its width."""

    x: float
    y: float
    width: float

    @property
    def left(self) -> float:
        """The left end."""
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        """The right end."""
        return self.x + self.width / 2

    @property
    def outline(self) -> Line:
        """The corners, the first one again at the end."""
        low, high = self.y - _BOX_HEIGHT / 2, self.y + _BOX_HEIGHT / 2
        return [self.left, self.right, self.right, self.left, self.left], [
            low,
            low,
            high,
            high,
            low,
        ]


@dataclass(frozen=True)
class Canvas:
    """A drawing before it has colours.

    Attributes:
        lanes: From left to right, each with its two ends.
        boxes: The position of each column.
        width: In pixels.
        height: In pixels, with a line for the lanes' names at the top.
        room_below: The part of the height for lines that pass under a lane.
    """

    lanes: tuple[tuple[Lane, float, float], ...]
    boxes: dict[Node, Box]
    width: float
    height: float
    room_below: float

    @cached_property
    def lane_of(self) -> dict[Node, int]:
        """The number of each column's lane."""
        return {
            node: number
            for number, (lane, _, _) in enumerate(self.lanes)
            for stack in lane.stacks
            for node in stack
        }

    def curve(self, one: Node, other: Node) -> Line:
        """Return the line of an edge, from side to side of its boxes."""
        first, last = sorted((self.boxes[one], self.boxes[other]), key=lambda box: (box.x, box.y))
        if first.x == last.x:
            return self._bow(first, last)
        start, end = (first.right, first.y), (last.left, last.y)
        middle = (start[0] + end[0]) / 2
        return _bezier([start, (middle, start[1]), (middle, end[1]), end])

    def curve_under(self, one: Node, other: Node, depth: int) -> Line:
        """Return the line of an edge that passes under the lanes between its two columns.

        Args:
            one: One column.
            other: The other one, in a lane that is not next to it.
            depth: How many such lines are above it.
        """
        first, last = sorted((self.boxes[one], self.boxes[other]), key=lambda box: box.x)
        here, there = sorted((self.lane_of[one], self.lane_of[other]))
        begin, end = self.lanes[here + 1][1], self.lanes[there - 1][2]
        low = self.room_below - _LINE_UNDER * (depth + 1)
        down, up = (first.right + begin) / 2, (last.left + end) / 2
        fall = _bezier([(first.right, first.y), (down, first.y), (down, low), (begin, low)])
        rise = _bezier([(end, low), (up, low), (up, last.y), (last.left, last.y)])
        return fall[0] + rise[0], fall[1] + rise[1]

    def is_past_a_lane(self, one: Node, other: Node) -> bool:
        """Whether there is a lane between two columns."""
        return abs(self.lane_of[one] - self.lane_of[other]) > 1

    def _bow(self, first: Box, last: Box) -> Line:
        """A line beside a stack: on its left in the first lane, else on its right."""
        out = min(_LANE_MARGIN - 4, 14 + 0.1 * (last.y - first.y)) * 4 / 3
        is_first = first.x == min(box.x for box in self.boxes.values())
        side = min(first.left, last.left) - out if is_first else max(first.right, last.right) + out
        ends = [(box.left if is_first else box.right, box.y) for box in (first, last)]
        return _bezier([ends[0], (side, first.y), (side, last.y), ends[1]])


def _bezier(points: Sequence[tuple[float, float]]) -> Line:
    times = [step / _STEPS_OF_CURVE for step in range(_STEPS_OF_CURVE + 1)]
    weights = [((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3) for t in times]
    across, up = (
        [sum(w * p[axis] for w, p in zip(weight, points, strict=True)) for weight in weights]
        for axis in (0, 1)
    )
    return across, up


def lay_out(graph: 'nx.Graph[Any]', lines_under: int = 0) -> Canvas:
    """Return lanes and boxes of a graph whose nodes have a ``'role'``.

    Args:
        graph: The graph.
        lines_under: How many lines need room to pass under a lane.
    """
    lanes = lanes_of(graph)
    stacks = [stack for lane in lanes for stack in lane.stacks]
    most = max(map(len, stacks), default=0)
    widths = [[_stack_width(stack) for stack in lane.stacks] for lane in lanes]
    stretch = max(0.0, _LEAST_WIDTH - _natural_width(widths)) / max(len(lanes), 1)
    room_below = _LINE_UNDER * (lines_under + 1) if lines_under else 0
    height = _HEAD + _ROW * max(most, 3) + _FOOT + room_below
    middle = (height - _HEAD + _FOOT + room_below) / 2
    placed, boxes, x = [], {}, 0.0
    for lane, of_stacks in zip(lanes, widths, strict=True):
        start, inner = x, _inner_width(of_stacks)
        at = start + (max(inner, _LEAST_LANE) - inner) / 2 + _LANE_MARGIN + stretch / 2
        # Stacks of one lane are offset by half a row, so that lines pass between boxes.
        for number, (stack, width) in enumerate(zip(lane.stacks, of_stacks, strict=True)):
            half = _ROW / 4 * (-1) ** number if len(lane.stacks) > 1 else 0
            for node, row in rows_of(stack, most).items():
                boxes[node] = Box(at + width / 2, middle - _ROW * row + half, width)
            at += width + _GAP_IN_LANE
        x = start + max(inner, _LEAST_LANE) + 2 * _LANE_MARGIN + stretch
        placed.append((lane, start, x))
        x += _GAP_OF_LANES
    return Canvas(
        tuple(placed), boxes, x - _GAP_OF_LANES if lanes else _LEAST_WIDTH, height, room_below
    )


def _natural_width(widths: list[list[float]]) -> float:
    lanes = [max(_inner_width(stacks), _LEAST_LANE) + 2 * _LANE_MARGIN for stacks in widths]
    return sum(lanes) + _GAP_OF_LANES * (len(lanes) - 1)


def _inner_width(stacks: list[float]) -> float:
    return sum(stacks) + _GAP_IN_LANE * (len(stacks) - 1)


def _stack_width(stack: Sequence[Node]) -> float:
    letters = max((len(label_of(node)) for node in stack), default=0)
    return _LETTER * letters + _SYMBOL_ROOM + _PADDING


def label_of(node: Node) -> str:
    """Return the name of a column, shortened if it is very long."""
    name = str(node)
    return name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + '…'
