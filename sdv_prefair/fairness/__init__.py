"""The fairness guarantee: statements of independence, and the one predicate that tests them."""

from sdv_prefair.fairness._broken import Broken, broken_statements
from sdv_prefair.fairness._implied import Forced, forced, implies
from sdv_prefair.fairness._predicate import (
    fair_additions,
    is_justifiably_fair,
    keeps,
    unblocked_path,
)
from sdv_prefair.fairness._presets import (
    demographic_parity,
    equalized_odds,
    justifiable,
    sufficiency,
)
from sdv_prefair.fairness._statements import Independent, Statements

__all__ = [
    'Broken',
    'Forced',
    'Independent',
    'Statements',
    'broken_statements',
    'demographic_parity',
    'equalized_odds',
    'fair_additions',
    'forced',
    'implies',
    'is_justifiably_fair',
    'justifiable',
    'keeps',
    'sufficiency',
    'unblocked_path',
]
