"""The score of a pair of columns, in exact fixed point, and private access to it."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from sdv_prefair.counts import Counts
from sdv_prefair.errors import BudgetError
from sdv_prefair.privacy import PrivateTable
from sdv_prefair.structure.tree import Pair

_STEP = 'select the tree'
_COUNT_BITS = 10
_LARGEST_BITS = 58


class IndependenceGap:
    """q(i, j): the L1 distance of the true 2-way counts from what independence predicts.

    The prediction is a product of two integer vectors in fixed point, so a score is an exact
    integer, one row changes it by at most ``unit``, and only observed cells need a look: on
    all others the distance is the prediction itself, whose sum is known.

    Paper: q_ij = ||M_ij(D) - Mbar_ij||, line 4 of Algorithm 1 and line 2 of Algorithm 2.
    Privacy: reads exact counts; sensitivity one unit for one row added or removed. The
    discount is a constant for a pair, so it changes no sensitivity.

    Args:
        expected: The one-way model: expected counts of each column, all of one total.
        discount: What to take off a pair's score, in rows; pairs not named lose nothing.
    """

    def __init__(
        self,
        expected: Mapping[str, np.ndarray],
        discount: Mapping[Pair, float] | None = None,
    ):
        total = max(1.0, max(float(values.sum()) for values in expected.values()))
        share_bits = min(22, _LARGEST_BITS - _COUNT_BITS - math.ceil(math.log2(total)))
        if share_bits < 1:
            raise BudgetError(
                'The counts, or the noise on them, are too large to score in 64-bit fixed point. '
                'Raise epsilon, or fit a sample of the rows.'
            )
        self.unit = 2 ** (_COUNT_BITS + share_bits)
        self._largest_count = 2**61 // self.unit
        self._rows = {c: _fixed_point(v, _COUNT_BITS) for c, v in expected.items()}
        self._shares = {c: _fixed_point(v / v.sum(), share_bits) for c, v in expected.items()}
        self._discount = {
            pair: round(Fraction(rows) * self.unit) for pair, rows in (discount or {}).items()
        }

    def __call__(self, counts: Counts, pair: Pair) -> int:
        """Return the score of a pair in units of 1/``unit`` rows."""
        first, second = pair
        rows, shares = self._rows[first], self._shares[second]
        cells, observed = counts.observed(pair)
        predicted = rows[cells // shares.size] * shares[cells % shares.size]
        # A cap is 1-Lipschitz: no count can overflow, whatever the released total says.
        truth = np.minimum(observed, self._largest_count) * self.unit
        elsewhere = _exact_sum(rows) * _exact_sum(shares) - _exact_sum(predicted)
        return _exact_sum(np.abs(truth - predicted)) + elsewhere - self._discount.get(pair, 0)


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
    """

    def __init__(self, table: PrivateTable, score: IndependenceGap, rho: Fraction):
        self._table, self._score, self._rho = table, score, rho
        self._shares: list[Fraction] = []

    def choose(self, candidates: Sequence[Pair], rounds: int) -> Pair:
        """Choose a pair by the exponential mechanism, with one of ``rounds`` equal shares."""
        if not self._shares:
            self._shares = self._table.ledger.shares(self._rho, [1] * rounds)
        return self._table.choose(candidates, self._score, self._shares.pop(), _STEP)

    def release(self, pairs: Sequence[Pair]) -> dict[Pair, float]:
        """Return noisy scores of all pairs, in rows, for the whole selection budget."""
        noisy, _ = self._table.score(pairs, self._score, self._rho, _STEP)
        return {pair: value / self._score.unit for pair, value in zip(pairs, noisy, strict=True)}
