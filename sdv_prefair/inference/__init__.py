"""How far off a number from a release may be: replicates of the fit, estimates, intervals.

Nothing in this package reads rows or exact counts. All of it is made of what a release holds, so
it spends nothing, and works as well on a release that was opened elsewhere.
"""

from sdv_prefair.inference.asked_queries import Difference, Mean, Quantile, Query, Share
from sdv_prefair.inference.combining import Combined, combine
from sdv_prefair.inference.estimates import estimate_query
from sdv_prefair.inference.replication import Replicates, replicate

__all__ = [
    'Combined',
    'Difference',
    'Mean',
    'Quantile',
    'Query',
    'Replicates',
    'Share',
    'combine',
    'estimate_query',
    'replicate',
]
