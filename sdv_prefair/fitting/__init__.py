"""The pipeline behind every way to fit: its input, its steps and its result."""

from sdv_prefair.fitting._explanation import FairnessExplanation, Finding
from sdv_prefair.fitting._fitted import Fitted, Prepared
from sdv_prefair.fitting._pipeline import fit_pipeline
from sdv_prefair.fitting._settings import Settings

__all__ = ['FairnessExplanation', 'Finding', 'Fitted', 'Prepared', 'Settings', 'fit_pipeline']
