"""Which pairs of columns to measure: a fair spanning tree, or more, selected by a strategy.

To add a strategy, write one file with one small class (``_greedy.py`` is the shortest) and add the
class to ``STRATEGIES`` in ``_resolve.py``: users can then use its name, and the tests run over it.
"""

from sdv_prefair.fairness._predicate import is_justifiably_fair, unblocked_path
from sdv_prefair.selection._adaptive import AdaptiveStrategy
from sdv_prefair.selection._aim import AimStrategy
from sdv_prefair.selection._apart import with_unlabelled
from sdv_prefair.selection._bayes_network import PrivBayesStrategy
from sdv_prefair.selection._declared import declared_pairs
from sdv_prefair.selection._decomposable import affordable_chords
from sdv_prefair.selection._exact import ExactStrategy
from sdv_prefair.selection._fixed import FixedStrategy
from sdv_prefair.selection._greedy import GreedyStrategy
from sdv_prefair.selection._known import KnownScores
from sdv_prefair.selection._kruskal import private_kruskal
from sdv_prefair.selection._none import UnconstrainedStrategy
from sdv_prefair.selection._planned import PlannedStrategy
from sdv_prefair.selection._problem import fair_spanning_tree
from sdv_prefair.selection._resolve import STRATEGIES, resolve_strategy
from sdv_prefair.selection._tree import (
    ExtendingStrategy,
    FairTree,
    Pair,
    Scores,
    Strategy,
    all_pairs,
)
from sdv_prefair.selection._worst_cliques import MwemStrategy

PAPER = {
    'Algorithm 1 (Exponential-PreFair)': ExactStrategy,
    'Algorithm 2 (Greedy-PreFair)': GreedyStrategy,
    'Definition (Marginals-MST)': UnconstrainedStrategy,
    'Definition (Fair Marginals-MST)': is_justifiably_fair,
    'Definition (The FDPSynth Problem)': fair_spanning_tree,
    'Extensions (PrivBayes)': PrivBayesStrategy,
    'Extensions (MWEM-PGM)': MwemStrategy,
}
"""Where each item of the paper, called as it is printed there, lives in the code."""

__all__ = [
    'PAPER',
    'STRATEGIES',
    'AdaptiveStrategy',
    'AimStrategy',
    'ExactStrategy',
    'ExtendingStrategy',
    'FairTree',
    'FixedStrategy',
    'GreedyStrategy',
    'KnownScores',
    'MwemStrategy',
    'Pair',
    'PlannedStrategy',
    'PrivBayesStrategy',
    'Scores',
    'Strategy',
    'UnconstrainedStrategy',
    'affordable_chords',
    'all_pairs',
    'declared_pairs',
    'fair_spanning_tree',
    'is_justifiably_fair',
    'private_kruskal',
    'resolve_strategy',
    'unblocked_path',
    'with_unlabelled',
]
