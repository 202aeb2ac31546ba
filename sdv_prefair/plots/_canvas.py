"""Lanes in pixels: boxes for columns, and curves between them.

Text does not shrink with a figure, so the drawing has a fixed size, as large as its columns need.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from sdv_prefair.plots._lanes import Lane, lanes_of, rows_of

Node = Hashable
Line = tuple[list[float], list[float]]

MOST_LETTERS = 24
_LETTER, _SYMBOL_ROOM, _PADDING = 7.2, 30, 10
_ROW, _BOX_HEIGHT = 38, 26
_GAP_IN_LANE, _GAP_OF_LANES, _LANE_MARGIN = 48, 56, 44
_LEAST_LANE, _LEAST_WIDTH = 120, 860
_HEAD, _FOOT, _LINE_UNDER = 52, 18, 9
_STEPS_OF_CURVE = 16


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


def lay_out(graph: nx.Graph, lines_under: int = 0) -> Canvas:
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
