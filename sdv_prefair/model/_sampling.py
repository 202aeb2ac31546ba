"""Ancestral sampling from a junction tree, with or without evidence.

Works on plain tables and does not use measurements. Every column is sampled given columns sampled
before it, all rows at once: the cumulative distributions of all parent values are in one array,
and a guide table says where in it to search for a uniform draw.

Sampling is systematic: the uniform draws of rows with the same parent values are evenly spaced and
randomly permuted. Each row then follows the model as if it were sampled alone, and a column as a
whole depends on its parents as a whole and on nothing else, so the model's independences hold for
whole tables too; but the counts of a chunk of rows differ from the model by less than one row for
each value, where independent draws differ by the square root of the count. Such rows are not
independent: statistics of several tables vary far less than the formulas for independent rows say.
Independent rows are available as well, see `AncestralSampler.draw`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdv_prefair._arrays import Floats

# Rows sampled together: the working arrays of a chunk stay in the processor's cache.
_CHUNK = 1 << 16
# Weight of the independent product that is mixed in before conditioning, see `soften`.
_FLOOR = 1e-12


@dataclass(frozen=True, eq=False)
class CliqueTable:
    """A node of a junction tree with the joint distribution of its columns.

    Args:
        columns: The clique, one column for each axis of ``table``.
        separator: Those of its columns that nodes before this one also have.
        parent: Position of the node that holds the separator; None for an empty separator.
        table: Probabilities, or any multiple of them for each value of the separator.
    """

    columns: tuple[str, ...]
    separator: tuple[str, ...]
    parent: int | None
    table: Floats

    def sum_to(self, columns: Sequence[str]) -> Floats:
        """Return the table summed to some of its columns, in the order requested."""
        return sum_to(self.table, self.columns, columns)

    def conditional(self) -> Floats:
        """Return the distribution given the separator; zeros where that has probability zero."""
        axes = tuple(a for a, column in enumerate(self.columns) if column not in self.separator)
        mass = self.table.sum(axis=axes, keepdims=True)
        given = np.zeros_like(self.table)
        np.divide(self.table, mass, out=given, where=mass > 0)
        return given


def condition(
    nodes: Sequence[CliqueTable],
    evidence: Mapping[str, int],
    likelihood: Mapping[str, Floats] | None = None,
) -> list[CliqueTable]:
    """Return the junction tree given the values of some columns.

    Exact, by one pass of messages from the last node to the first; nothing is rejected. The axis
    of a column with evidence keeps one cell. Tables of the result are proportional to the
    conditional distributions given their separators, which is what sampling needs.

    Args:
        nodes: Parents before children.
        evidence: The code of each column that is known.
        likelihood: For columns with other evidence, its likelihood given each code.

    Raises:
        ValueError: If the evidence has probability zero under the tables.
    """
    likelihood = {c: v for c, v in (likelihood or {}).items() if c not in evidence}
    if not evidence and not likelihood:
        return list(nodes)
    weights = [_restrict(node, evidence, likelihood) for node in nodes]
    for position in reversed(range(len(nodes))):
        node, weight = nodes[position], weights[position]
        message = sum_to(weight, node.columns, node.separator)
        largest = message.max()
        if not largest > 0:
            raise ValueError(
                f'The evidence on {sorted({*evidence, *likelihood})} has probability zero under '
                'the model. Condition on fewer columns, or on other values.'
            )
        if node.parent is not None:
            parent = nodes[node.parent]
            weights[node.parent] = weights[node.parent] * broadcast_to(
                message / largest, node.separator, parent.columns
            )
    return [replace(node, table=weight) for node, weight in zip(nodes, weights, strict=True)]


def soften(nodes: Sequence[CliqueTable]) -> list[CliqueTable]:
    """Mix in a trace of the independent product of the columns.

    Estimation sets cells to zero where noise was negative, so a value that the user declared can
    end up with probability zero, alone or together with another. Conditioning on it must still give
    an answer: with weight 10^-12, columns are assumed to be independent and uniform. The mixture is
    consistent and has the same Markov graph, so fairness is unaffected; so is evidence that the
    model considers possible.
    """
    columns = {c: node.sum_to([c]) for node in nodes for c in node.columns}
    columns = {c: (1 - _FLOOR) * p + _FLOOR / p.size for c, p in columns.items()}
    return [
        replace(
            node,
            table=(1 - _FLOOR) * node.table
            + _FLOOR * math.prod(np.ix_(*(columns[c] for c in node.columns))),
        )
        for node in nodes
    ]


class AncestralSampler:
    """Samples rows from a junction tree.

    Args:
        nodes: Parents before children.
    """

    def __init__(self, nodes: Sequence[CliqueTable]):
        self._steps = [step for node in nodes for step in _steps(node)]

    def draw(
        self, num_rows: int, rng: np.random.Generator, independent_rows: bool = False
    ) -> dict[str, np.ndarray]:
        """Return codes of all columns for a number of rows, in random order.

        Args:
            num_rows: Number of rows.
            rng: The random generator.
            independent_rows: Whether rows are sampled independently. Otherwise values are assigned
                by systematic sampling, so that counts deviate less from the model's than those of
                independent rows.
        """
        spread = _spread_at_random if independent_rows else spread_evenly
        rows = {step.column: np.empty(num_rows, dtype=np.int32) for step in self._steps}
        for start in range(0, num_rows, _CHUNK):
            chunk: dict[str, np.ndarray] = {}
            length = min(_CHUNK, num_rows - start)
            for step in self._steps:
                chunk[step.column] = step.draw(chunk, length, rng, spread)
                rows[step.column][start : start + _CHUNK] = chunk[step.column]
        return rows


class _Step:
    """One column given some columns before it, by inversion of the cumulative distribution.

    The interval [0, 1) is divided into ``buckets``, a power of two of at least twice the number of
    codes; for every bucket and parent value, the guide holds the first code that a uniform draw in
    the bucket can give. A few draws then move on by one code or more.
    """

    def __init__(self, column: str, given: tuple[str, ...], table: Floats):
        self.column, self._given = column, given
        self._given_sizes, self._size = table.shape[:-1], table.shape[-1]
        cumulative = np.cumsum(table.reshape(-1, self._size), axis=1)
        mass = cumulative[:, -1:]
        # Ends at exactly 1, and reaches it at the last code of positive probability. A parent value
        # of probability zero is never sampled; its row only has to be well formed.
        cumulative = np.divide(cumulative, mass, out=np.ones_like(cumulative), where=mass > 0)
        self._buckets = 2 << (self._size - 1).bit_length()
        self._guide = _guide(cumulative, self._buckets)
        self._cumulative = cumulative.ravel()

    def draw(
        self,
        drawn: Mapping[str, np.ndarray],
        num_rows: int,
        rng: np.random.Generator,
        spread: Callable[[np.ndarray, np.random.Generator], np.ndarray],
    ) -> np.ndarray:
        """Return a code for every row, given the codes of the columns sampled before."""
        if self._size == 1:
            return np.zeros(num_rows, dtype=np.intp)
        row = np.zeros(num_rows, dtype=np.intp)
        if self._given:
            row = np.ravel_multi_index([drawn[c] for c in self._given], self._given_sizes)
        uniform = spread(row, rng)
        bucket = (uniform * self._buckets).astype(np.intp)
        bucket += row * self._buckets
        place = self._search(self._guide[bucket], uniform)
        place -= row * self._size
        return place

    def _search(self, place: np.ndarray, uniform: np.ndarray) -> np.ndarray:
        late = np.flatnonzero(self._cumulative[place] <= uniform)
        while late.size:
            place[late] += 1
            late = late[self._cumulative[place[late]] <= uniform[late]]
        return place


def spread_evenly(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a uniform draw for every row, evenly spread over the rows of a group.

    The n rows of a group get the points (offset + 0, 1, ..., n - 1) / n in random order, with
    one random offset: each point alone is uniform on [0, 1), and an interval of length p holds
    n p of them, rounded up or down.

    Args:
        group: A small number for each row.
        rng: The random generator of offsets and order.
    """
    order = rng.permutation(group.size)
    kinds = group.astype(np.min_scalar_type(int(group.max(initial=0))))  # sorts 16 bits at once
    order = order[np.argsort(kinds[order], kind='stable')]
    counts = np.bincount(group)
    points = np.arange(group.size) - np.repeat(np.cumsum(counts) - counts, counts)
    points = points + np.repeat(rng.random(counts.size), counts)
    uniform = np.empty(group.size)
    uniform[order] = points / np.repeat(counts, counts)
    return np.minimum(uniform, np.nextafter(1.0, 0.0), out=uniform)


def _spread_at_random(group: np.ndarray, rng: np.random.Generator) -> Floats:
    """Return a uniform draw for every row, independent of all others."""
    return rng.random(group.size)


def _guide(cumulative: Floats, buckets: int) -> np.ndarray:
    """Return the position of the first code above the lower end of every bucket, for every row."""
    rows, size = cumulative.shape
    # Powers of two multiply without rounding, so a code and a bucket compare as they should.
    passed = np.ceil(cumulative * buckets).astype(np.intp)
    passed += np.arange(rows)[:, None] * (buckets + 1)
    counts = np.bincount(passed.ravel(), minlength=rows * (buckets + 1))
    below = np.cumsum(counts.reshape(rows, buckets + 1)[:, :buckets], axis=1)
    places: np.ndarray = (below + np.arange(rows)[:, None] * size).ravel()
    return places


def _steps(node: CliqueTable) -> list[_Step]:
    """Return one step for each column of a node that is not in its separator."""
    steps, given = [], node.separator
    for column in node.columns:
        if column not in node.separator:
            steps.append(_Step(column, given, node.sum_to((*given, column))))
            given = (*given, column)
    return steps


def sum_to(table: Floats, columns: Sequence[str], wanted: Sequence[str]) -> Floats:
    """Return a table over ``columns`` summed to some of them, in the order requested."""
    axes = tuple(axis for axis, column in enumerate(columns) if column not in wanted)
    left = [column for column in columns if column in wanted]
    summed: Floats = table.sum(axis=axes)
    return summed.transpose([left.index(column) for column in wanted])


def _restrict(
    node: CliqueTable, evidence: Mapping[str, int], likelihood: Mapping[str, Floats]
) -> Floats:
    cells = [
        slice(evidence[column], evidence[column] + 1) if column in evidence else slice(None)
        for column in node.columns
    ]
    table = node.conditional()
    for column in set(likelihood) & set(node.columns) - set(node.separator):
        # Once for each column: in the node in which it is sampled.
        table = table * broadcast_to(likelihood[column], (column,), node.columns)
    return table[tuple(cells)]


def broadcast_to(message: Floats, columns: Sequence[str], target: Sequence[str]) -> Floats:
    """Give a message the axes of another table, of length one where it has none."""
    order = [columns.index(column) for column in target if column in columns]
    absent = [axis for axis, column in enumerate(target) if column not in columns]
    return np.expand_dims(message.transpose(order), absent)


# -- Conditional sampling with different evidence in each row: messages for all rows at once -------
#
# `sampling.condition` conditions a whole model on one set of values, for many rows with the same
# evidence. Here every row has its own, so the messages are matrices with a line for each
# row. On trees a message is one matrix product.

# Rows sampled together, so that the messages of a chunk take some megabytes.
_CHUNK_OF_EVIDENCE = 8192
# A column, the column that it is sampled given, and a table with a line for each value of that.
Step = tuple[str, str | None, Floats]


def draw_given(
    nodes: Sequence[CliqueTable],
    evidence: Mapping[str, np.ndarray],
    rng: np.random.Generator,
    likelihood: Mapping[str, Floats] | None = None,
    num_rows: int | None = None,
) -> dict[str, np.ndarray]:
    """Sample one row for every line of the evidence, from the model given that line.

    Exact: nothing is rejected. Values of probability zero have an answer too, see
    `sampling.soften`. Rows are independent of each other given their lines.

    Args:
        nodes: The junction tree, parents before children.
        evidence: Codes of some columns, an array for each, all of the same length.
        rng: The random generator.
        likelihood: For other columns, the likelihood of evidence common to all lines, given each
            code.
        num_rows: Number of lines, if there is no evidence to determine it.
    """
    nodes, likelihood = soften(nodes), likelihood or {}
    if num_rows is None:
        num_rows = len(next(iter(evidence.values())))
    if any(len(node.columns) > 2 for node in nodes):
        return _draw_each_kind(nodes, num_rows, evidence, likelihood, rng)
    chunks = [
        _draw_on_tree(
            nodes,
            min(_CHUNK_OF_EVIDENCE, num_rows - start),
            {c: codes[start : start + _CHUNK_OF_EVIDENCE] for c, codes in evidence.items()},
            likelihood,
            rng,
        )
        for start in range(0, max(num_rows, 1), _CHUNK_OF_EVIDENCE)
    ]
    return {column: np.concatenate([chunk[column] for chunk in chunks]) for column in chunks[0]}


def _draw_on_tree(
    nodes: Sequence[CliqueTable],
    num_rows: int,
    evidence: Mapping[str, np.ndarray],
    known: Mapping[str, Floats],
    rng: np.random.Generator,
) -> dict[str, np.ndarray]:
    steps = [step for node in nodes for step in _steps_of_evidence(node)]
    likelihood = _collect(steps, num_rows, evidence, known)
    rows: dict[str, np.ndarray] = {}
    for column, given, table in steps:
        prior = table if given is None else table[rows[given]]
        rows[column] = _draw_codes(prior * likelihood[column], rng)
    return rows


def _steps_of_evidence(node: CliqueTable) -> list[Step]:
    """Return the steps in which the columns of a node are sampled."""
    first = (node.separator or node.columns)[0]
    steps: list[Step] = [] if node.separator else [(first, None, node.sum_to([first]))]
    for column in node.columns:
        if column != first:
            joint = node.sum_to([first, column])
            steps.append((column, first, joint / joint.sum(axis=1, keepdims=True)))
    return steps


def _collect(
    steps: Sequence[Step],
    num_rows: int,
    evidence: Mapping[str, np.ndarray],
    known: Mapping[str, Floats],
) -> dict[str, Floats]:
    """Return for every column and row how likely the evidence at and below it is, by code."""
    likelihood = {}
    for column, _, table in steps:
        likelihood[column] = np.ones((num_rows, table.shape[-1])) * known.get(column, 1.0)
        if column in evidence:
            likelihood[column][:] = 0.0
            likelihood[column][np.arange(num_rows), evidence[column]] = 1.0
    for column, given, table in reversed(steps):
        if given is not None:
            message = likelihood[column] @ table.T
            # Only ratios matter, and in long trees products of small numbers would underflow.
            likelihood[given] *= message / message.max(axis=1, keepdims=True)
    return likelihood


def _draw_codes(weights: Floats, rng: np.random.Generator) -> NDArray[np.int32]:
    cumulative = np.cumsum(weights, axis=1)
    draws = rng.random(len(weights)) * cumulative[:, -1]
    # The first code whose cumulative weight exceeds the draw, so never one of weight zero.
    codes: NDArray[np.int32] = np.argmax(cumulative > draws[:, None], axis=1).astype(np.int32)
    return codes


def _draw_each_kind(
    nodes: Sequence[CliqueTable],
    num_rows: int,
    evidence: Mapping[str, np.ndarray],
    likelihood: Mapping[str, Floats],
    rng: np.random.Generator,
) -> dict[str, np.ndarray]:
    """Sample from models with larger cliques: one conditioned model for each kind of line."""
    lines = np.zeros((num_rows, 0), int)
    if evidence:
        lines = np.stack(list(evidence.values()), axis=1)
    kinds, kind_of = np.unique(lines, axis=0, return_inverse=True)
    rows = {c: np.empty(num_rows, dtype=np.int32) for node in nodes for c in node.columns}
    for number, kind in enumerate(kinds):
        members = np.flatnonzero(kind_of == number)
        given = dict(zip(evidence, kind.tolist(), strict=True))
        sampler = AncestralSampler(condition(nodes, given, likelihood))
        drawn = sampler.draw(members.size, rng, independent_rows=True)
        for column, codes in drawn.items():
            rows[column][members] = given.get(column, codes)
    return rows
