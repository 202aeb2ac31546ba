"""The fairness guarantee: statements of independence, and the one predicate that tests them."""

from sdv_prefair.fairness._predicate import (
    Broken,
    Forced,
    broken_statements,
    fair_additions,
    forced,
    implies,
    is_justifiably_fair,
    keeps,
    unblocked_path,
)
from sdv_prefair.fairness._statements import (
    Independent,
    Statements,
    demographic_parity,
    equalized_odds,
    justifiable,
    sufficiency,
)

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
