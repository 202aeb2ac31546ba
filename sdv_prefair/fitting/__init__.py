"""The pipeline behind every way to fit: what it rests on, its steps, and what it leaves behind."""

from sdv_prefair.fitting.fitted import Fitted, Prepared
from sdv_prefair.fitting.pipeline import fit_pipeline
from sdv_prefair.fitting.settings import Settings

__all__ = ['Fitted', 'Prepared', 'Settings', 'fit_pipeline']
