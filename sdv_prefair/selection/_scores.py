"""The score of a pair of columns, in fixed point, and private access to it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from sdv_prefair._arrays import Floats, Integers
from sdv_prefair.counting import Clique
from sdv_prefair.errors import BudgetError, StructureError
from sdv_prefair.privacy import PrivateTable, Score
from sdv_prefair.privacy._accounting import SELECT_TREE
from sdv_prefair.selection._strategy import Pair

AnyClique = TypeVar('AnyClique', bound=Clique)

_COUNT_BITS = 10
_LARGEST_BITS = 58


def independence_gap(
    expected: Mapping[str, np.ndarray], discount: Mapping[Pair, float] = MappingProxyType({})
) -> Score:
    """Return q(i, j): the L1 distance of the true 2-way counts from what independence predicts.

    Paper: q_ij = ||M_ij(D) - Mbar_ij||, line 4 of Algorithm 1 and line 2 of Algorithm 2.
    Privacy: made of released values; the counts are read by a ``PrivateTable`` alone.

    Args:
        expected: The one-way model: expected counts of each column, all of one total.
        discount: What to take off a pair's score, in rows; pairs not named lose nothing.
    """
    share_bits = _bits_beside(max(float(values.sum()) for values in expected.values()))
    rows = {c: _fixed_point(v, _COUNT_BITS) for c, v in expected.items()}
    shares = {c: _fixed_point(v / v.sum(), share_bits) for c, v in expected.items()}
    predictions: dict[Clique, tuple[Integers, ...]] = {
        (i, j): (rows[i], shares[j]) for i, j in permutations(expected, 2)
    }
    unit = 2 ** (_COUNT_BITS + share_bits)
    return Score(unit, predictions, _in_units(discount, unit))


def model_gap(expected: Mapping[AnyClique, Floats], discount: Mapping[AnyClique, float]) -> Score:
    """Return the L1 distance of the true counts of cliques from what a released model predicts.

    Nothing, ``()``, can be chosen as well, for a score of zero: a clique is worth measuring if
    it is further from the model than its discount.

    Privacy: made of released values; the counts are read by a ``PrivateTable`` alone.

    Args:
        expected: The model's counts of each clique that may be chosen.
        discount: What to take off a clique's score, in rows; those not named lose nothing.
    """
    bits = _bits_beside(max((float(table.sum()) for table in expected.values()), default=1.0))
    predictions: dict[Clique, tuple[Integers, ...]] = {
        clique: (_fixed_point(table, bits).ravel(),) for clique, table in expected.items()
    }
    return Score(2**bits, predictions, _in_units(discount, 2**bits))


def noisy_scores(
    table: PrivateTable,
    pairs: Sequence[Pair],
    score: Score,
    rho: Fraction,
    step: str,
    most: Floats,
) -> Floats:
    """Return the scores of pairs in rows, drawn to what they share as far as the rest is noise.

    Privacy: spends rho on all scores at once; the rest is post-processing.

    Args:
        table: Answers and debits.
        pairs: The pairs.
        score: The score of a pair.
        rho: What the answers cost.
        step: The step in the ledger.
        most: The largest score that each pair can have.
    """
    answers, sigma = table.score(pairs, score, rho, step)
    noisy = np.array([float(answer) for answer in answers]) / score.unit
    return drawn_to_share(noisy, sigma, most)


def drawn_to_share(values: Floats, sigma: float, most: Floats) -> Floats:
    """Return noisy values, each moved to one share of its limit, as far as the rest is noise.

    A value is taken for a draw around that share, with a spread in proportion to its limit. The
    mean of all would make pairs of columns that are nearly constant seem to hold what they cannot.
    If few of very many values are large, their spread is small, and shrinkage would erase those
    few. So none is lowered by more than the largest noise that so many values are expected to have
    (limited translation, Efron and Morris 1972).

    Args:
        values: With Gaussian noise.
        sigma: The standard deviation of the noise.
        most: How large each can be.
    """
    squares = float(most @ most) or 1.0
    share = max(0.0, float(values @ most) / squares)
    rest = values - share * most
    spread = max(0.0, float(rest @ rest) - len(values) * sigma**2) / squares * most**2
    kept: Floats = spread / (spread + sigma**2)
    largest_noise = sigma * math.sqrt(2 * math.log(max(2, len(values))))
    moved = np.maximum(rest * kept, rest - largest_noise)
    drawn: Floats = np.minimum(share * most + moved, most)
    return drawn


def _bits_beside(total: float) -> int:
    """Return how many bits of fraction are left beside counts of this total."""
    bits = min(22, _LARGEST_BITS - _COUNT_BITS - math.ceil(math.log2(max(1.0, total))))
    if bits < 1:
        raise BudgetError(
            'The counts, or the noise on them, are too large to score in 64-bit fixed point. '
            'Raise epsilon, or fit a sample of the rows.'
        )
    return bits


def _fixed_point(values: Floats, bits: int) -> Integers:
    return np.rint(values * 2.0**bits).astype(np.int64)


def _in_units(discount: Mapping[AnyClique, float], unit: int) -> dict[Clique, int]:
    return {clique: round(Fraction(rows) * unit) for clique, rows in discount.items()}


class PrivateScores:
    """Lets a strategy see scores only through a mechanism, within the selection budget.

    The table is in no attribute, so a strategy cannot ask it anything else.

    Args:
        table: Answers and debits.
        score: The score of a pair.
        rho: The selection budget.
        oversized: Declared pairs that were not counted, as they are too large to measure.
    """

    __slots__ = ('_choose', '_oversized', '_release')

    def __init__(
        self,
        table: PrivateTable,
        score: Score,
        rho: Fraction,
        oversized: Iterable[Pair] = (),
    ):
        left = [rho]  # whole until the first choice says how many there are to be

        def choose(candidates: Sequence[Pair], rounds: int) -> Pair:
            if left == [rho]:
                left[:] = table.ledger.shares(rho, [1] * rounds)
            _check_any(left)
            return table.choose(candidates, score, left.pop(), SELECT_TREE)

        def release(pairs: Sequence[Pair]) -> dict[Pair, float]:
            _check_any(left if left == [rho] else [])
            noisy, _ = table.score(pairs, score, left.pop(), SELECT_TREE)
            return {pair: value / score.unit for pair, value in zip(pairs, noisy, strict=True)}

        self._choose, self._release = choose, release
        self._oversized = frozenset(oversized)

    def measurable(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return those of the pairs that are not too large to measure."""
        return [pair for pair in pairs if pair not in self._oversized]

    def choose(self, candidates: Sequence[Pair], rounds: int) -> Pair:
        """Choose a pair by the exponential mechanism, with one of ``rounds`` equal shares."""
        # Without any left the table refuses, and names the pair.
        return self._choose(self.measurable(candidates) or candidates, rounds)

    def release(self, pairs: Sequence[Pair]) -> dict[Pair, float]:
        """Return noisy scores of all pairs, in rows, for the whole selection budget."""
        return self._release(self.measurable(pairs))


def _check_any(shares: Sequence[Fraction]) -> None:
    if not shares:
        raise StructureError(
            'The structure asks for more scores than the selection budget pays for. Its select() '
            'may call scores.choose() no more often than the rounds of its first call say, or '
            'scores.release() once and nothing before or after.'
        )
