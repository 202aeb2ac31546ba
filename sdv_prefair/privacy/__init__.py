"""Privacy: the accounts, the noise, and the objects that answer from counts."""

from sdv_prefair.privacy.account import Account, Attempt
from sdv_prefair.privacy.accounting import Ledger, epsilon_of, rho_of
from sdv_prefair.privacy.debit import Debit
from sdv_prefair.privacy.entropy import Entropy, SeededEntropy, SystemEntropy
from sdv_prefair.privacy.gaussian_conversion import gaussian_epsilon_of, gaussian_rho_of
from sdv_prefair.privacy.private_table import PrivateTable
from sdv_prefair.privacy.private_values import PrivateValues
from sdv_prefair.privacy.score import Score

__all__ = [
    'Account',
    'Attempt',
    'Debit',
    'Entropy',
    'Ledger',
    'PrivateTable',
    'PrivateValues',
    'Score',
    'SeededEntropy',
    'SystemEntropy',
    'epsilon_of',
    'gaussian_epsilon_of',
    'gaussian_rho_of',
    'rho_of',
]
