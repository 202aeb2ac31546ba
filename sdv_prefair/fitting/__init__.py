"""The pipeline behind every way to fit: its input, its steps and its result."""

from sdv_prefair.fitting._explanation import FairnessExplanation, Finding
from sdv_prefair.fitting._fitted import Fitted, Prepared, Settings
from sdv_prefair.fitting._pipeline import fit_pipeline

__all__ = ['FairnessExplanation', 'Finding', 'Fitted', 'Prepared', 'Settings', 'fit_pipeline']
