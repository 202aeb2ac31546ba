"""From noisy measurements to a fitted graphical model.

Nothing in this package reads rows or exact counts: all of it is post-processing. JAX and mbi are
imported only if ``estimator='mbi'``, a graph that is not chordal, or an export needs them.
"""

from sdv_prefair.model._compression import Compression, compress_rare_codes
from sdv_prefair.model._estimation import estimate
from sdv_prefair.model._graphical_model import GraphicalModel
from sdv_prefair.model._measurement import (
    Domain,
    Measurement,
    minimum_variance_total,
    one_way_model,
)

__all__ = [
    'Compression',
    'Domain',
    'GraphicalModel',
    'Measurement',
    'compress_rare_codes',
    'estimate',
    'minimum_variance_total',
    'one_way_model',
]
