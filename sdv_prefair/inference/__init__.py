"""Error bars for numbers from a release: replicates of the fit, estimates, intervals.

Nothing in this package reads rows or exact counts. All of it is post-processing of a release, so
it spends nothing, and works equally on a release that was received from others.
"""

from sdv_prefair.inference._estimates import Combined, combine, estimate_query
from sdv_prefair.inference._query import Difference, Mean, Quantile, Query, Share
from sdv_prefair.inference._replication import Replicates, replicate

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
