"""Tables to try the synthesizer on, with public metadata and roles."""

from sdv_prefair.datasets.dataset import Dataset
from sdv_prefair.datasets.files import load_adult, load_census_kdd, load_compas
from sdv_prefair.datasets.simulated import simulate_census

__all__ = ['Dataset', 'load_adult', 'load_census_kdd', 'load_compas', 'simulate_census']
