"""Which pairs of columns to measure: a fair spanning tree, or more, selected by a strategy.

To add a strategy, write one file with one small class (``greedy.py`` is the shortest) and add the
class to ``STRATEGIES`` in ``resolve.py``: users can then use its name, and the tests run over it.
"""

from sdv_prefair.fairness.predicate import is_justifiably_fair, unblocked_path
from sdv_prefair.structure.adaptive import AdaptiveStrategy
from sdv_prefair.structure.aim import AimStrategy
from sdv_prefair.structure.apart import with_unlabelled
from sdv_prefair.structure.bayes_network import PrivBayesStrategy
from sdv_prefair.structure.declared import declared_pairs
from sdv_prefair.structure.exact import ExactStrategy
from sdv_prefair.structure.fixed import FixedStrategy
from sdv_prefair.structure.greedy import GreedyStrategy
from sdv_prefair.structure.known import KnownScores
from sdv_prefair.structure.none import UnconstrainedStrategy
from sdv_prefair.structure.planned import PlannedStrategy
from sdv_prefair.structure.problem import fair_spanning_tree
from sdv_prefair.structure.resolve import STRATEGIES, resolve_strategy
from sdv_prefair.structure.tree import ExtendingStrategy, FairTree, Pair, Scores, Strategy
from sdv_prefair.structure.worst_cliques import MwemStrategy

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
    'declared_pairs',
    'fair_spanning_tree',
    'is_justifiably_fair',
    'resolve_strategy',
    'unblocked_path',
    'with_unlabelled',
]
