"""Conditional sampling with different evidence in each row: messages for all rows at once.

`sampling.condition` conditions a whole model on one set of values, for many rows with the same
evidence. Here every row has its own, so the messages are matrices with a line for each
row. On trees a message is one matrix product.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sdv_prefair._arrays import Floats
from sdv_prefair.model._sampling import AncestralSampler, CliqueTable, condition, soften

# Rows sampled together, so that the messages of a chunk take some megabytes.
_CHUNK = 8192
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
            min(_CHUNK, num_rows - start),
            {c: codes[start : start + _CHUNK] for c, codes in evidence.items()},
            likelihood,
            rng,
        )
        for start in range(0, max(num_rows, 1), _CHUNK)
    ]
    return {column: np.concatenate([chunk[column] for chunk in chunks]) for column in chunks[0]}


def _draw_on_tree(
    nodes: Sequence[CliqueTable],
    num_rows: int,
    evidence: Mapping[str, np.ndarray],
    known: Mapping[str, Floats],
    rng: np.random.Generator,
) -> dict[str, np.ndarray]:
    steps = [step for node in nodes for step in _steps(node)]
    likelihood = _collect(steps, num_rows, evidence, known)
    rows: dict[str, np.ndarray] = {}
    for column, given, table in steps:
        prior = table if given is None else table[rows[given]]
        rows[column] = _draw_codes(prior * likelihood[column], rng)
    return rows


def _steps(node: CliqueTable) -> list[Step]:
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
