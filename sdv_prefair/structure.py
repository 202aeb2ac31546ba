"""What ``structure=`` takes, and what strategies of one's own are made of.

The algorithms are in ``sdv_prefair.selection``; these are the names for users.
"""

from sdv_prefair.fairness._predicate import is_justifiably_fair, unblocked_path
from sdv_prefair.selection._aim import AimStrategy
from sdv_prefair.selection._exact import ExactStrategy
from sdv_prefair.selection._graphs import affordable_chords
from sdv_prefair.selection._mwem import MwemStrategy
from sdv_prefair.selection._planned import PlannedStrategy
from sdv_prefair.selection._privbayes import PrivBayesStrategy
from sdv_prefair.selection._problem import KnownScores, fair_spanning_tree
from sdv_prefair.selection._resolve import STRATEGIES, resolve_strategy, with_unlabelled
from sdv_prefair.selection._strategy import (
    ExtendingStrategy,
    FairTree,
    Pair,
    Scores,
    Strategy,
    all_pairs,
)
from sdv_prefair.selection._trees import (
    AdaptiveStrategy,
    FixedStrategy,
    GreedyStrategy,
    UnconstrainedStrategy,
    private_kruskal,
)

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
    'fair_spanning_tree',
    'is_justifiably_fair',
    'private_kruskal',
    'resolve_strategy',
    'unblocked_path',
    'with_unlabelled',
]
