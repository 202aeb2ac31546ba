"""The core problem of PreFair, without privacy: weights in, fair spanning tree out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from sdv_prefair.errors import StructureError, shown
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.selection._exact import ExactStrategy
from sdv_prefair.selection._resolve import rule_of
from sdv_prefair.selection._sides import UNDECIDED, SpanningTrees
from sdv_prefair.selection._strategy import FairTree, Pair, Strategy, usable_pairs


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


def fair_spanning_tree(
    weights: Mapping[Pair, float],
    roles: Statements,
    strategy: object = 'exact',
    columns: Sequence[str] | None = None,
    time_limit: float | None = None,
) -> FairTree:
    """Return a heavy spanning tree in which admissible columns separate protected from outcome.

    With statements that are not roles, it is a tree that satisfies all of them; if there is none, a
    forest.

    Privacy: none. The weights are used as they are; do not pass scores of private rows.

    Paper: Definition (The FDPSynth Problem), without noise.

    Args:
        weights: ``{(column, column): weight}``, columns in either order. Weights may be
            negative; absent pairs weigh 0.
        roles: Protected, admissible and outcome columns, or any ``Statements``.
        strategy: Anything ``structure=`` takes: ``'exact'``, ``'adaptive'``, ``'greedy'``,
            ``'none'``, a list of column pairs, a strategy object. For a strategy that goes beyond a
            tree, such as ``'aim'``, the result is its tree.
        columns: The nodes of the tree. By default the columns named in ``weights`` and in
            ``roles``, in order of appearance.
        time_limit: Seconds, for ``'exact'`` only; ``None`` leaves the strategy's own.

    Returns:
        The tree, with its ``weight`` and a ``gap``: no fair tree weighs more than
        ``weight + gap`` (for ``'none'``, no tree at all; of forests, none with as many edges).
        ``'exact'`` proves 0.0 when it finishes in time. For the others the bound is the heaviest
        spanning tree over the pairs that could be used, so a gap above 0.0 does not mean that
        there is a better tree.

    Raises:
        StructureError: If the weights or columns cannot be used as given, or there is no tree.
    """
    scores = KnownScores(weights)
    columns = _node_list(scores, roles, columns)
    chosen = _with_time_limit(rule_of(strategy), time_limit)
    tree = chosen.select(columns, roles, scores)
    weight = scores.total(tree.edges)
    if isinstance(chosen, ExactStrategy):
        return replace(tree, weight=weight)
    usable = {*usable_pairs(columns, roles), *chosen.declare(columns, roles)}
    return FairTree(
        tree.edges, weight, _heaviest(columns, usable, scores, len(tree.edges)) - weight
    )


def _node_list(scores: KnownScores, roles: Statements, columns: Sequence[str] | None) -> list[str]:
    named = list(dict.fromkeys((*scores.columns(), *roles.columns())))
    if columns is None:
        return named
    columns = list(columns)
    unknown = [column for column in named if column not in columns]
    if unknown:
        raise StructureError(
            f'weights or roles name {unknown}, which is not in columns. Add it to columns, or '
            'take it out of the weights and roles.'
        )
    if len(set(columns)) < len(columns):
        repeated = sorted({str(column) for column in columns if columns.count(column) > 1})
        raise StructureError(f'columns names {repeated} more than once. Name each column once.')
    return columns


def _with_time_limit(strategy: Strategy, time_limit: float | None) -> Strategy:
    if time_limit is None:
        return strategy
    if not isinstance(strategy, ExactStrategy):
        raise StructureError(
            f"time_limit is for strategy='exact'; {strategy.name!r} does not search. Leave it out."
        )
    return replace(strategy, time_limit=time_limit)


def _heaviest(columns: Sequence[str], pairs: set[Pair], scores: KnownScores, edges: int) -> float:
    """Return the weight of the heaviest forest with a number of edges."""
    position = {column: place for place, column in enumerate(columns)}
    ends = [(position[first], position[second]) for first, second in pairs]
    trees = SpanningTrees(len(columns), ends, [scores.weight(pair) for pair in pairs])
    # Edges are found from the heaviest to the lightest, so the first n are the best n.
    best = trees.best(np.full(len(columns), UNDECIDED)).edges[:edges]
    return math.fsum(trees.weights[best].tolist())
