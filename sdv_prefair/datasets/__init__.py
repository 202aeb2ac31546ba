"""Example tables with public metadata and roles, simulated or loaded from files."""

from sdv_prefair.datasets.dataset import Dataset
from sdv_prefair.datasets.files import load_adult, load_census_kdd, load_compas
from sdv_prefair.datasets.simulated import simulate_census
from sdv_prefair.datasets.simulated_people import (
    simulate_careers,
    simulate_gains,
    simulate_loans,
)

__all__ = [
    'Dataset',
    'load_adult',
    'load_census_kdd',
    'load_compas',
    'simulate_careers',
    'simulate_census',
    'simulate_gains',
    'simulate_loans',
]
