"""What a model promises: statements of independence, and the one predicate they are asked by."""

from sdv_prefair.fairness.predicate import is_justifiably_fair, keeps, unblocked_path
from sdv_prefair.fairness.statements import Independent, Statements

__all__ = ['Independent', 'Statements', 'is_justifiably_fair', 'keeps', 'unblocked_path']
