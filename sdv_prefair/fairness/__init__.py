"""The fairness guarantee: statements of independence, and the one predicate that tests them."""

from sdv_prefair.fairness.broken import Broken, broken_statements
from sdv_prefair.fairness.implied import Forced, forced, implies
from sdv_prefair.fairness.predicate import is_justifiably_fair, keeps, unblocked_path
from sdv_prefair.fairness.presets import (
    demographic_parity,
    equalized_odds,
    justifiable,
    sufficiency,
)
from sdv_prefair.fairness.statements import Independent, Statements

__all__ = [
    'Broken',
    'Forced',
    'Independent',
    'Statements',
    'broken_statements',
    'demographic_parity',
    'equalized_odds',
    'forced',
    'implies',
    'is_justifiably_fair',
    'justifiable',
    'keeps',
    'sufficiency',
    'unblocked_path',
]
