"""The score of a clique, as data: predictions in fixed point, and a discount.

A score is not a function. A function would receive exact counts, which it could keep, and its
sensitivity would have to be trusted. Whatever numbers a ``Score`` contains, one row changes it by
at most one unit.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sdv_prefair._arrays import Integers
from sdv_prefair.counting import Clique, Counts

# Above this a sum of two terms might not fit into 64 bits.
_LARGEST = 2**61
# Noise is below 2^62, so the sum fits in 64 bits: no table can make a score overflow.
_LARGEST_SCORE = 2**62


@dataclass(frozen=True, eq=False)
class Score:
    """The L1 distance of a clique's true counts from predicted ones, minus a discount.

    The empty clique, ``()``, has a score of zero.

    Proof: proofs/scores.md

    Attributes:
        unit: All numbers are in units of 1/``unit`` rows.
        predictions: For each clique the prediction: arrays of int64 whose outer product it is,
            cell by cell in the order of the histogram. One array is the histogram itself.
        discount: What is subtracted from the distance of a clique; zero for those not named.
    """

    unit: int
    predictions: Mapping[Clique, tuple[Integers, ...]]
    discount: Mapping[Clique, int] = field(default_factory=dict)


class ExactScores:
    """The exact scores of cliques by one description, each computed once.

    Privacy: reads exact counts. One row changes one count by one, hence a score by at most
    ``unit``: predictions and discount are constants, and an L1 distance is 1-Lipschitz. The unit
    is read once, so evaluation and sensitivity cannot diverge.

    Proof: proofs/scores.md
    """

    def __init__(self, counts: Counts, score: Score):
        self.unit = _checked_unit(score)
        self._counts, self._score = counts, score
        self._known: dict[Clique, int] = {}

    def describes(self, score: Score) -> bool:
        """Whether these are the scores by this description."""
        return score is self._score

    def __call__(self, clique: Clique) -> int:
        """Return the score of a clique, or of the empty one, in units."""
        if clique not in self._known:
            self._known[clique] = self._evaluate(clique) if clique else 0
        return self._known[clique]

    def _evaluate(self, clique: Clique) -> int:
        """Sum over observed cells only: on all others the distance is the prediction itself."""
        cells, observed = self._counts.observed(clique)
        factors, discount = _constants(self._score, clique, self._counts.shape(clique))
        predicted = np.ones(cells.size, dtype=np.int64)
        places = np.unravel_index(cells, tuple(factor.size for factor in factors))
        for factor, place in zip(factors, places, strict=True):
            predicted *= factor[place]
        # Caps are 1-Lipschitz: no count can overflow, whatever the released total says.
        truth = np.minimum(observed, _LARGEST // self.unit) * self.unit
        elsewhere = math.prod(map(_exact_sum, factors)) - _exact_sum(predicted)
        exact = _exact_sum(np.abs(truth - predicted)) + elsewhere - discount
        return max(-_LARGEST_SCORE, min(exact, _LARGEST_SCORE))


def _checked_unit(score: Score) -> int:
    if type(score) is not Score or type(score.unit) is not int or not 1 <= score.unit <= _LARGEST:
        raise TypeError('A score must be a Score, and its unit an integer above 0.')
    return score.unit


def _constants(score: Score, clique: Clique, shape: tuple[int, ...]) -> tuple[list[Integers], int]:
    """Return copies, as plain numbers, of a clique's prediction and discount."""
    factors = [np.array(factor).ravel() for factor in score.predictions[clique]]
    discount = int(score.discount.get(clique, 0))
    if not (_are_counts(factors) and math.prod(map(np.size, factors)) == math.prod(shape)) or (
        max(math.prod(map(_exact_sum, factors)), abs(discount)) > _LARGEST
    ):
        raise ValueError(
            f'The prediction for {list(clique)} must be integers of at least 0, one for each '
            'cell, that fit into 64 bits.'
        )
    return factors, discount


def _are_counts(factors: Sequence[Integers]) -> bool:
    """Whether all are int64 of at least 0.

    With a negative prediction the first row in a cell could count for more than a unit.
    """
    return all(factor.dtype == np.int64 and (factor >= 0).all() for factor in factors)


def _exact_sum(values: Integers) -> int:
    """Sum non-negative int64 without overflow."""
    return (int((values >> 31).sum()) << 31) + int((values & (2**31 - 1)).sum())
