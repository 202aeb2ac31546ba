"""The pipeline behind every way to fit: its input, its steps and its result."""

from sdv_prefair.fitting.fitted import Fitted, Prepared
from sdv_prefair.fitting.pipeline import fit_pipeline
from sdv_prefair.fitting.settings import Settings

__all__ = ['Fitted', 'Prepared', 'Settings', 'fit_pipeline']
