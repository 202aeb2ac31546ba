"""Scores without noise: weights that are known, for the problem itself and for comparisons."""

import math
from collections.abc import Mapping, Sequence
from itertools import chain

from sdv_prefair.errors import StructureError, shown
from sdv_prefair.selection._tree import Pair


class KnownScores:
    """The noise-free ``Scores``: the heaviest candidate, and the weights themselves.

    Ties go to the first candidate. Nothing here is private: do not build it from the scores of
    private rows.

    Args:
        weights: ``{(column, column): weight}`` with the two columns in either order. Weights may be
            negative; absent pairs weigh 0.

    Raises:
        StructureError: If a key is not a pair of two columns, if a pair is given twice with
            different weights, or if a weight is not a finite number.
    """

    def __init__(self, weights: Mapping[Pair, float]):
        self._weights: dict[Pair, float] = {}
        for pair, weight in weights.items():
            self._add(pair, weight)

    def choose(self, candidates: Sequence[Pair], rounds: int) -> Pair:
        """Return the heaviest candidate; ``rounds`` is not used, because there is no budget."""
        return max(candidates, key=self.weight)

    def release(self, pairs: Sequence[Pair]) -> dict[Pair, float]:
        """Return the weight of each pair."""
        return {pair: self.weight(pair) for pair in pairs}

    def weight(self, pair: Pair) -> float:
        """Return the weight of a pair, 0 if it is unknown."""
        return self._weights.get(pair, 0.0)

    def total(self, pairs: Sequence[Pair]) -> float:
        """Return the sum of the pairs' weights."""
        return math.fsum(map(self.weight, pairs))

    def columns(self) -> list[str]:
        """Return the columns that have a weighted pair, in order of appearance."""
        return list(dict.fromkeys(chain.from_iterable(self._weights)))

    def _add(self, pair: Pair, weight: float) -> None:
        first, second = _two_columns(pair)
        weight = _finite(pair, weight)
        if self._weights.get((first, second), weight) != weight:
            raise StructureError(
                f'weights gives the pair {first!r}, {second!r} twice, in both orders, with '
                'different weights. Keep one of the two.'
            )
        self._weights[first, second] = self._weights[second, first] = weight


def _two_columns(pair: Pair) -> Pair:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise StructureError(
            f'weights has the key {shown(pair)}. Keys must be pairs of two columns.'
        )
    if pair[0] == pair[1]:
        raise StructureError(
            f'weights has the key {shown(pair)}, a column paired with itself. Leave it out.'
        )
    return pair


def _finite(pair: Pair, weight: float) -> float:
    try:
        weight = float(weight)
    except (TypeError, ValueError):
        weight = math.nan
    if not math.isfinite(weight):
        raise StructureError(f'weights[{shown(pair)}] must be a finite number.')
    return weight
