"""What a model promises: statements of independence, and the one predicate they are asked by."""

from sdv_prefair.fairness.broken import Broken, broken_statements
from sdv_prefair.fairness.predicate import is_justifiably_fair, keeps, unblocked_path
from sdv_prefair.fairness.statements import Independent, Statements

__all__ = [
    'Broken',
    'Independent',
    'Statements',
    'broken_statements',
    'is_justifiably_fair',
    'keeps',
    'unblocked_path',
]
