"""Counts as measured: sums of noisy cells, unbiased and with known noise.

A model fits all tables at once, keeps counts positive and shrinks noisy tables towards
independence. This makes it better overall, but biased in single cells where noise is large. The
measurements are not biased: a sum over cells of a noisy table is the true sum plus normal noise,
whatever the rest of the model is like. So for everything that a measured table can answer,
intervals are computed from its noisy counts.

Privacy: post-processing of released values.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from sdv_prefair._arrays import Flags, Floats
from sdv_prefair.model import GraphicalModel, Measurement
from sdv_prefair.model._measurement import by_columns
from sdv_prefair.model._sampling import broadcast_to, sum_to

Vectors = Mapping[str, Floats]
Table = tuple[tuple[str, ...], tuple[int, ...]]
"""A measured table, by its columns and its shape: one column may also be measured in groups."""


@dataclass(frozen=True)
class Form:
    """A weighted sum of noisy cells.

    Attributes:
        value: The sum.
        weights: The weights of the cells, for each table involved.
        variances: The variances of the noise of these tables.
    """

    value: float
    weights: Mapping[Table, Floats]
    variances: Mapping[Table, Floats]

    @cached_property
    def variance(self) -> float:
        """The variance of the noise of the sum."""
        return self.covariance(self)

    def covariance(self, other: 'Form') -> float:
        """Return the covariance of the noise of two sums."""
        shared = self.weights.keys() & other.weights.keys()
        products = ((self.weights[t] * other.weights[t] * self.variances[t]).sum() for t in shared)
        return float(sum(products))


class MeasuredCounts:
    """All measurements, which answer queries for sums of counts.

    A query is a product of vectors, one for each of some columns with a number for each
    code: the sum over all rows of the product of the numbers of their codes.

    Args:
        model: Contains the measurements.
        shown: For each column, which codes can be shown. Rows are assumed to have no others.
    """

    def __init__(self, model: GraphicalModel, shown: Mapping[str, Flags]):
        self._model, self._shown = model, shown
        self._tables = list(by_columns(model.measurements).values())

    @cached_property
    def total(self) -> Form | None:
        """The number of rows, estimated from all measurements."""
        return self._of_groups({})

    def form(self, vectors: Vectors) -> Form | None:
        """Return the sum as measured; None if it was not."""
        vectors = self._telling(vectors)
        if not vectors:
            return self.total
        if len(vectors) == 1:
            ((column, vector),) = vectors.items()
            codes = self._codes_apart(column, vector)
            if codes is not None:
                return _sum_of([codes], {column: np.where(self._shown[column], vector, 0.0)})
        grouped = {c: self._by_group(c, vector) for c, vector in vectors.items()}
        found = {c: least for c, (least, most) in grouped.items() if np.array_equal(least, most)}
        return self._of_groups(found) if len(found) == len(grouped) else None

    def form_beside(self, vectors: Vectors, columns: Collection[str]) -> Form | None:
        """Return the sum from tables with some more columns; None if they cannot answer it.

        These tables are not the only source, so part of their error is known.
        """
        grouped = {c: self._by_group(c, v) for c, v in self._telling(vectors).items()}
        if not all(np.array_equal(least, most) for least, most in grouped.values()):
            return None
        return self._of_groups({c: ends[0] for c, ends in grouped.items()}, columns)

    def bounds(self, vectors: Vectors) -> tuple[Form, Form] | None:
        """Return lower and upper bounds of the sum, for nonnegative numbers.

        For a group of merged codes only the number of rows with any of them was measured, jointly
        with other columns.
        """
        vectors = self._telling(vectors)
        if any((vector < 0).any() for vector in vectors.values()):
            return None
        grouped = {c: self._by_group(c, vector) for c, vector in vectors.items()}
        least = self._of_groups({c: ends[0] for c, ends in grouped.items()})
        most = self._of_groups({c: ends[1] for c, ends in grouped.items()})
        return None if least is None or most is None else (least, most)

    def tells_codes_apart(self, vectors: Vectors) -> bool:
        """Whether the sum is over some but not all codes of a merged group."""
        ends = [self._by_group(c, vector) for c, vector in self._telling(vectors).items()]
        return not all(np.array_equal(least, most) for least, most in ends)

    def _telling(self, vectors: Vectors) -> dict[str, Floats]:
        """Return the vectors without those that are 1 for all codes that can be shown."""
        return {c: v for c, v in vectors.items() if (v[self._shown[c]] != 1).any()}

    def _codes_apart(self, column: str, vector: Floats) -> Measurement | None:
        """Return the measurement over codes, if the vector distinguishes merged codes."""
        compression = self._model.compressions.get(column)
        least, most = self._by_group(column, vector)
        if compression is None or np.array_equal(least, most):
            return None
        return compression.measured

    def _by_group(self, column: str, vector: Floats) -> tuple[Floats, Floats]:
        """Return the least and the largest number of each group."""
        compression = self._model.compressions.get(column)
        if compression is None:
            return vector, vector
        shown = self._shown[column]
        least = np.full(compression.num_groups, np.inf)
        most = np.full(compression.num_groups, -np.inf)
        np.minimum.at(least, compression.group_of[shown], vector[shown])
        np.maximum.at(most, compression.group_of[shown], vector[shown])
        empty = most < least
        return np.where(empty, 0.0, least), np.where(empty, 0.0, most)

    def _of_groups(self, vectors: Vectors, beside: Collection[str] = ()) -> Form | None:
        needed = {*vectors, *beside}
        holders = [t for t in self._tables if needed <= set(t.columns)]
        return _sum_of(holders, vectors) if holders else None


def _sum_of(tables: Sequence[Measurement], vectors: Vectors) -> Form:
    """Return the sum, averaged over tables by inverse variance in every cell."""
    columns = tuple(vectors)
    product: Floats = reduce(np.multiply.outer, vectors.values(), np.ones(()))
    precisions = [1 / sum_to(t.variance, t.columns, columns) for t in tables]
    whole = sum(precisions, np.zeros(product.shape))
    value, weights = 0.0, {}
    for table, precision in zip(tables, precisions, strict=True):
        share = product * precision / whole
        spread = np.broadcast_to(broadcast_to(share, columns, table.columns), table.values.shape)
        weights[table.columns, table.values.shape] = spread
        value += float((spread * table.values).sum())
    variances = {(t.columns, t.values.shape): t.variance for t in tables}
    return Form(value, weights, variances)
