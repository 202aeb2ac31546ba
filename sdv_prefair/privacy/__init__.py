"""Privacy: the accounts, the noise, and the one object that holds counts."""

from sdv_prefair.privacy.account import Account, Attempt
from sdv_prefair.privacy.accounting import Debit, Ledger, epsilon_of, rho_of
from sdv_prefair.privacy.entropy import Entropy, SeededEntropy, SystemEntropy
from sdv_prefair.privacy.private_table import PrivateTable, Score

__all__ = [
    'Account',
    'Attempt',
    'Debit',
    'Entropy',
    'Ledger',
    'PrivateTable',
    'Score',
    'SeededEntropy',
    'SystemEntropy',
    'epsilon_of',
    'rho_of',
]
