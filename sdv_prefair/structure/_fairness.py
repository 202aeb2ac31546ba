"""The predicate under its former name; it is defined in ``fairness/_predicate.py``."""

from sdv_prefair.fairness._predicate import (
    fair_additions,
    is_justifiably_fair,
    markov_graph,
    unblocked_path,
)

__all__ = ['fair_additions', 'is_justifiably_fair', 'markov_graph', 'unblocked_path']
