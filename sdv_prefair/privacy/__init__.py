"""Privacy: the accounts, the noise, and the objects that answer from counts."""

from sdv_prefair.privacy._account import Account, Attempt
from sdv_prefair.privacy._accounting import Ledger, epsilon_of, rho_of
from sdv_prefair.privacy._curve import PrivacyCurve
from sdv_prefair.privacy._debit import Debit
from sdv_prefair.privacy._entropy import Entropy, SeededEntropy, SystemEntropy
from sdv_prefair.privacy._gaussian_conversion import gaussian_epsilon_of, gaussian_rho_of
from sdv_prefair.privacy._private_table import PrivateTable
from sdv_prefair.privacy._private_values import PrivateValues
from sdv_prefair.privacy._risk import Risk, risk
from sdv_prefair.privacy._score import Score

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
