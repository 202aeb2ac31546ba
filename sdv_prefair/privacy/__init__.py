"""Privacy: the accounts, the noise, and the objects that answer from counts."""

from sdv_prefair.privacy._account import Account, Attempt
from sdv_prefair.privacy._accounting import (
    Debit,
    Ledger,
    epsilon_of,
    gaussian_epsilon_of,
    gaussian_rho_of,
    rho_of,
)
from sdv_prefair.privacy._answers import Score
from sdv_prefair.privacy._curve import PrivacyCurve, Risk, risk
from sdv_prefair.privacy._private_table import PrivateTable, PrivateValues
from sdv_prefair.privacy._samplers import Entropy, SeededEntropy, SystemEntropy

__all__ = [
    'Account',
    'Attempt',
    'Debit',
    'Entropy',
    'Ledger',
    'PrivacyCurve',
    'PrivateTable',
    'PrivateValues',
    'Risk',
    'Score',
    'SeededEntropy',
    'SystemEntropy',
    'epsilon_of',
    'gaussian_epsilon_of',
    'gaussian_rho_of',
    'rho_of',
    'risk',
]
