"""Fitting a chordal graph again: sweeps that start from the factors of an earlier fit.

A replicate is fitted to noisy tables of the same graph, with noise of the same size, so its factors
are those of the first fit but for noise. Most of the way from a cold start goes to something else:
two tables that share a column never agree on it, their factors drift apart sweep by sweep until the
penalty on them makes up for it, and the model hardly moves meanwhile. Where that ends is known
before: a table whose sums over a column are ``d`` rows above the average of all tables, by inverse
variance, ends with ``d`` over its summed penalty more in its factor. Over all tables these cancel,
so they change nothing but where sweeps start.

So an earlier fit is kept as its factors less those that its own tables' disagreement explains, and
a new fit starts from them and from what its own tables' disagreement explains.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sdv_prefair.model.junction import Clique
from sdv_prefair.model.proportional_fitting import FittedTable
from sdv_prefair.model.sampling import broadcast_to, sum_to
from sdv_prefair.values.arrays import Floats


@dataclass(frozen=True)
class WarmStart:
    """What an earlier fit hands on.

    Privacy: post-processing of released values.

    Attributes:
        factors: Of each table, the logarithms of its factor without what disagreement explains.
    """

    factors: Mapping[Clique, Floats]

    @classmethod
    def of(cls, tables: Sequence[FittedTable], factors: Sequence[Floats]) -> 'WarmStart':
        """Return what a fit hands on, of its tables and the factors it ended with."""
        settled = zip(tables, factors, settling_factors(tables), strict=True)
        return cls({table.columns: factor - own for table, factor, own in settled})

    def for_tables(self, tables: Sequence[FittedTable]) -> list[Floats]:
        """Return the factors to start from, for tables of the same columns."""
        settled = zip(tables, settling_factors(tables), strict=True)
        return [self.factors[table.columns] + own for table, own in settled]


def settling_factors(tables: Sequence[FittedTable]) -> list[Floats]:
    """Return the factors that tables end with for what they disagree by on single columns."""
    factors: list[Floats] = [np.zeros(table.values.shape) for table in tables]
    for column in dict.fromkeys(c for table in tables for c in table.columns):
        own = [number for number, table in enumerate(tables) if column in table.columns]
        sums = [_over(tables[number].values, tables[number], column) for number in own]
        penalties = [_over(tables[number].penalty, tables[number], column) for number in own]
        average = np.average(sums, axis=0, weights=1 / np.array(penalties))
        for number, rows, penalty in zip(own, sums, penalties, strict=True):
            apart = (rows - average) / penalty
            spread = broadcast_to(apart, (column,), tables[number].columns)
            factors[number] = factors[number] + spread
    return factors


def _over(values: Floats, table: FittedTable, column: str) -> Floats:
    """Return sums over all columns but one."""
    return sum_to(np.broadcast_to(values, table.values.shape), table.columns, (column,))
