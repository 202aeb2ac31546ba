"""The share of rho that each table gets, according to its use.

A table is measured for the two-way marginals that are computed from it: its own pair or, for a
single column, all pairs of that column that are not measured. With noise of standard deviation
sigma, a table of n cells has an L1 error of about n sigma, so rho is best divided in proportion to
the 2/3 power of the cells times the weight of the pairs that depend on them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sdv_prefair.counts import Clique
from sdv_prefair.selection._strategy import Pair
from sdv_prefair.values._arrays import Floats, Integers

# One-ways are also estimated by sums of the tables, so they need less than their use suggests.
_BESIDE_TABLES = 0.7


@dataclass(frozen=True)
class Workload:
    """All pairs of columns, and how much the error of each counts.

    Attributes:
        domain: Number of codes of every column in a table, rare ones merged.
        codes: Number of codes of every column on its own.
        outcomes: Columns whose pairs have more weight.
        outcome_weight: The factor of that weight.
    """

    domain: Mapping[str, int]
    codes: Mapping[str, int]
    outcomes: Collection[str]
    outcome_weight: float

    @cached_property
    def columns(self) -> list[str]:
        """The columns, in order."""
        return list(self.domain)

    @cached_property
    def sizes(self) -> Floats:
        """Number of codes of every column in a table."""
        return np.array([float(size) for size in self.domain.values()])

    @cached_property
    def weights(self) -> Floats:
        """The weight of every pair, as a matrix with nothing on its diagonal."""
        heavy = np.array([column in self.outcomes for column in self.columns], dtype=bool)
        weights = np.where(heavy[:, None] | heavy, self.outcome_weight, 1.0)
        np.fill_diagonal(weights, 0.0)
        return weights

    def places(self, pairs: Sequence[Pair]) -> Integers:
        """Return the positions of the columns of each pair, one row per pair."""
        at = {column: place for place, column in enumerate(self.columns)}
        return np.array([[at[i], at[j]] for i, j in pairs], dtype=np.int64).reshape(-1, 2)

    def use_of_pairs(self, places: Integers) -> Floats:
        """Return the claim of each pair's table on rho."""
        first, second = places.T
        cells = self.sizes[first] * self.sizes[second]
        claims: Floats = (self.weights[first, second] * cells) ** (2 / 3)
        return claims

    def open_weights(self, places: Integers) -> Floats:
        """Return for each column the weight of its pairs that are not measured as tables."""
        left: Floats = self.weights.sum(axis=1)
        weights = self.weights[places[:, 0], places[:, 1]]
        for axis in (0, 1):
            np.subtract.at(left, places[:, axis], weights)
        return left

    def use_of_columns(self, places: Integers) -> Floats:
        """Return the claim of each one-way on rho, if some pairs are measured as tables."""
        codes = np.array([float(self.codes[column]) for column in self.columns])
        use = np.maximum(self.open_weights(places), 1.0) * codes
        claims: Floats = _BESIDE_TABLES * use ** (2 / 3)
        return claims

    def targets(self, pairs: Sequence[Pair], pool: float) -> dict[Clique, float]:
        """Return the amount of the pool for the table of each pair, and for each one-way.

        Args:
            pairs: The pairs that are measured.
            pool: All of rho that is spent on tables, including one-way marginals.
        """
        places = self.places(pairs)
        claims = np.concatenate([self.use_of_pairs(places), self.use_of_columns(places)])
        cliques: list[Clique] = [*pairs, *((column,) for column in self.columns)]
        return dict(zip(cliques, (pool * claims / claims.sum()).tolist(), strict=True))
