"""Example tables with public metadata and roles, simulated or loaded from files."""

from sdv_prefair.datasets._dataset import Dataset, public_metadata
from sdv_prefair.datasets._files import load_adult, load_census_kdd, load_compas
from sdv_prefair.datasets._simulated import (
    DISTRICTS,
    simulate_careers,
    simulate_census,
    simulate_gains,
    simulate_loans,
)

__all__ = [
    'DISTRICTS',
    'Dataset',
    'load_adult',
    'load_census_kdd',
    'load_compas',
    'public_metadata',
    'simulate_careers',
    'simulate_census',
    'simulate_gains',
    'simulate_loans',
]
