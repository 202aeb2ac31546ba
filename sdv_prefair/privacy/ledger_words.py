"""The words of a ledger: the steps of a fit, and the kinds of noise each of them may use.

Ledger, release files, report and figures all read them here.
"""

GAUSSIAN = 'discrete Gaussian'
THRESHOLD = 'discrete Gaussian, threshold'
GAUSSIAN_ON_SCORES = 'discrete Gaussian on scores'
EXPONENTIAL = 'exponential'
PRIVTREE = 'PrivTree'

NOISES = (GAUSSIAN, THRESHOLD, GAUSSIAN_ON_SCORES, EXPONENTIAL, PRIVTREE)
"""Every kind of noise there is."""

HISTOGRAM_NOISES = (GAUSSIAN, THRESHOLD)
"""Noise on a histogram, in which one row changes one cell."""

LEARN_DOMAINS = 'learn domains'
MEASURE_ONE_WAYS = 'measure one-ways'
SELECT_TREE = 'select the tree'
SELECT_PAIRS = 'select more pairs'
MEASURE_TWO_WAYS = 'measure two-ways'

STEPS = {
    LEARN_DOMAINS: (GAUSSIAN, THRESHOLD, PRIVTREE),
    MEASURE_ONE_WAYS: (GAUSSIAN,),
    SELECT_TREE: (EXPONENTIAL, GAUSSIAN_ON_SCORES),
    SELECT_PAIRS: (EXPONENTIAL, GAUSSIAN_ON_SCORES),
    MEASURE_TWO_WAYS: (GAUSSIAN,),
}
"""The steps of this package's mechanisms; one of somebody else's may name its own."""
