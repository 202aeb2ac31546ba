"""Factors of tables that share a column, shifted directly to their limit.

Two noisy tables that share a column never agree on it. In each sweep of proportional fitting, their
factors would drift apart a little, until the penalty on them compensates, while the model would
hardly change: what one factor gains along the column, the other loses. The limit is known in closed
form. Among all factors of the same model the dual of ``_max_entropy.py`` is lowest where all tables
``m`` with a column leave it the same rows ``R``:

    sum of Y_m - b_m f_m over all other columns of the table  =  R    for every m,

with ``b`` the penalty, and these rows adding up to the total. Shifting the factors there after
every sweep costs almost nothing, does not change the model, and saves most sweeps: on Adult at
epsilon 10, ten sweeps come closer than 160 steps of L-BFGS without it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdv_prefair._arrays import Floats
from sdv_prefair.model._junction import Clique


@dataclass(frozen=True)
class FittedTable:
    """A table to fit.

    Attributes:
        columns: Its columns, which some clique contains.
        values: The noisy counts that it is fitted to, in rows.
        penalty: The penalty of its factor, in the shape of ``values``.
        scaling: One over the unit in which the distance of a cell is measured.
        home: The position of a clique that contains it.
        inside: The position of a larger table that contains it, if there is one.
    """

    columns: Clique
    values: Floats
    penalty: Floats
    scaling: Floats
    home: int
    inside: int | None


class Settling:
    """The columns of some tables, along which their factors are shifted.

    Privacy: post-processing of released values.

    Args:
        tables: The tables to fit.
        total: Number of rows.
    """

    def __init__(self, tables: Sequence[FittedTable], total: float):
        self._tables, self._total = tables, total
        names = dict.fromkeys(column for table in tables for column in table.columns)
        self._columns = [_Column(tables, name) for name in names]

    def apply(self, factors: Sequence[Floats]) -> list[Floats]:
        """Return the factors, shifted along one column after the other."""
        shifted = list(factors)
        for column in self._columns:
            column.shift(shifted, self._total)
        return shifted


class _Column:
    """One column, the tables that contain it, and their sums over all other columns.

    Args:
        tables: All tables.
        name: The column.
    """

    def __init__(self, tables: Sequence[FittedTable], name: str):
        self._numbers = [number for number, table in enumerate(tables) if name in table.columns]
        own = [tables[number] for number in self._numbers]
        self._others = [
            tuple(axis for axis, column in enumerate(table.columns) if column != name)
            for table in own
        ]
        self._penalties = [np.broadcast_to(table.penalty, table.values.shape) for table in own]
        self._values = self._sums([table.values for table in own])
        self._penalty = self._sums(self._penalties)
        self._give = 1 / (1 / self._penalty).sum(axis=0)

    def shift(self, factors: list[Floats], total: float) -> None:
        """Shift the tables' factors along this column, in place."""
        pulls = [
            p * factors[number] for p, number in zip(self._penalties, self._numbers, strict=True)
        ]
        missing = self._values - self._sums(pulls)
        rows = (missing / self._penalty).sum(axis=0) * self._give
        rows -= self._give * ((rows.sum() - total) / self._give.sum())
        shifts = (missing - rows) / self._penalty
        for number, others, along in zip(self._numbers, self._others, shifts, strict=True):
            factors[number] = factors[number] + np.expand_dims(along, others)

    def _sums(self, of_tables: Sequence[Floats]) -> Floats:
        parts = zip(of_tables, self._others, strict=True)
        return np.array([values.sum(axis=others) for values, others in parts])
