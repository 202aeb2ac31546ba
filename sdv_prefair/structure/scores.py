"""The score of a pair of columns, in exact fixed point, and private access to it."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from sdv_prefair.counts import Counts
from sdv_prefair.errors import BudgetError
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.structure.tree import Pair

_STEP = 'select the tree'
_COUNT_BITS = 10
_LARGEST_BITS = 58


class _Gap(ABC):
    """The L1 distance of a pair's true counts from predicted ones, less a discount.

    Predictions are integers in fixed point, so a score is an exact integer, one row changes it by
    at most ``unit``, and only observed cells need a look: on all others the distance is the
    prediction itself, whose sum is known.

    Privacy: reads exact counts; sensitivity one unit for one row added or removed. Predictions
    and discounts are constants for a pair, so they change no sensitivity.
    """

    def __init__(self, unit: int, discount: Mapping[Pair, float]):
        self.unit = unit
        self._largest_count = 2**61 // unit
        self._discount = {pair: round(Fraction(rows) * unit) for pair, rows in discount.items()}

    def __call__(self, counts: Counts, pair: Pair) -> int:
        """Return the score of a pair in units of 1/``unit`` rows."""
        cells, observed = counts.observed(pair)
        predicted, total = self._predict(pair, cells)
        # A cap is 1-Lipschitz: no count can overflow, whatever the released total says.
        truth = np.minimum(observed, self._largest_count) * self.unit
        elsewhere = total - _exact_sum(predicted)
        return _exact_sum(np.abs(truth - predicted)) + elsewhere - self._discount.get(pair, 0)

    @abstractmethod
    def _predict(self, pair: Pair, cells: np.ndarray) -> tuple[np.ndarray, int]:
        """Return the predictions for some cells and their sum over all cells, in units."""


class IndependenceGap(_Gap):
    """q(i, j): the L1 distance of the true 2-way counts from what independence predicts.

    Paper: q_ij = ||M_ij(D) - Mbar_ij||, line 4 of Algorithm 1 and line 2 of Algorithm 2.
    Privacy: see ``_Gap``.

    Args:
        expected: The one-way model: expected counts of each column, all of one total.
        discount: What to take off a pair's score, in rows; pairs not named lose nothing.
    """

    def __init__(
        self,
        expected: Mapping[str, np.ndarray],
        discount: Mapping[Pair, float] | None = None,
    ):
        share_bits = _bits_beside(max(float(values.sum()) for values in expected.values()))
        super().__init__(2 ** (_COUNT_BITS + share_bits), discount or {})
        self._rows = {c: _fixed_point(v, _COUNT_BITS) for c, v in expected.items()}
        self._shares = {c: _fixed_point(v / v.sum(), share_bits) for c, v in expected.items()}

    def _predict(self, pair: Pair, cells: np.ndarray) -> tuple[np.ndarray, int]:
        rows, shares = self._rows[pair[0]], self._shares[pair[1]]
        predicted = rows[cells // shares.size] * shares[cells % shares.size]
        return predicted, _exact_sum(rows) * _exact_sum(shares)


class ModelGap(_Gap):
    """The L1 distance of the true 2-way counts from what a released model predicts.

    Nothing, ``()``, can be chosen as well, for a score of zero: a pair is worth measuring if it
    is further from the model than its discount.

    Privacy: see ``_Gap``.

    Args:
        expected: The model's counts of each pair that may be chosen.
        discount: What to take off a pair's score, in rows.
    """

    def __init__(self, expected: Mapping[Pair, np.ndarray], discount: Mapping[Pair, float]):
        largest = max((float(table.sum()) for table in expected.values()), default=1.0)
        super().__init__(2 ** _bits_beside(largest), discount)
        bits = self.unit.bit_length() - 1
        self._tables = {p: _fixed_point(table, bits).ravel() for p, table in expected.items()}

    def __call__(self, counts: Counts, pair: Pair | tuple[()]) -> int:
        """Return the score of a pair, or of nothing, in units of 1/``unit`` rows."""
        return super().__call__(counts, pair) if pair else 0

    def _predict(self, pair: Pair, cells: np.ndarray) -> tuple[np.ndarray, int]:
        table = self._tables[pair]
        return table[cells], _exact_sum(table)


def _bits_beside(total: float) -> int:
    """Return how many bits of fraction are left beside counts of this total."""
    bits = min(22, _LARGEST_BITS - _COUNT_BITS - math.ceil(math.log2(max(1.0, total))))
    if bits < 1:
        raise BudgetError(
            'The counts, or the noise on them, are too large to score in 64-bit fixed point. '
            'Raise epsilon, or fit a sample of the rows.'
        )
    return bits


def _fixed_point(values: np.ndarray, bits: int) -> np.ndarray:
    return np.rint(values * 2.0**bits).astype(np.int64)


def _exact_sum(values: np.ndarray) -> int:
    """Sum non-negative int64 without overflow."""
    return (int((values >> 31).sum()) << 31) + int((values & (2**31 - 1)).sum())


class PrivateScores:
    """Lets a strategy see scores only through a mechanism, within the selection budget.

    Args:
        table: Answers and debits.
        score: The score of a pair.
        rho: The selection budget.
        oversized: Declared pairs that were not counted, as they are too large to measure.
    """

    def __init__(
        self,
        table: PrivateTable,
        score: IndependenceGap,
        rho: Fraction,
        oversized: Iterable[Pair] = (),
    ):
        self._table, self._score, self._rho = table, score, rho
        self._oversized = frozenset(oversized)
        self._shares: list[Fraction] = []

    def measurable(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return those of the pairs that are not too large to measure."""
        return [pair for pair in pairs if pair not in self._oversized]

    def choose(self, candidates: Sequence[Pair], rounds: int) -> Pair:
        """Choose a pair by the exponential mechanism, with one of ``rounds`` equal shares."""
        # Without any left the table refuses, and names the pair.
        candidates = self.measurable(candidates) or candidates
        if not self._shares:
            self._shares = self._table.ledger.shares(self._rho, [1] * rounds)
        return self._table.choose(candidates, self._score, self._shares.pop(), _STEP)

    def release(self, pairs: Sequence[Pair]) -> dict[Pair, float]:
        """Return noisy scores of all pairs, in rows, for the whole selection budget."""
        pairs = self.measurable(pairs)
        noisy, _ = self._table.score(pairs, self._score, self._rho, _STEP)
        return {pair: value / self._score.unit for pair, value in zip(pairs, noisy, strict=True)}
