"""The words of a ledger: the steps of a fit, and the kinds of noise each of them may use.

Ledger, release files, report and figures all read them here.
"""

GAUSSIAN = 'discrete Gaussian'
THRESHOLD = 'discrete Gaussian, threshold'
GAUSSIAN_ON_SCORES = 'discrete Gaussian on scores'
ROUNDED = 'rounded Gaussian'
ROUNDED_ON_SCORES = 'rounded Gaussian on scores'
ROUNDED_THRESHOLD = 'rounded Gaussian, threshold'
EXPONENTIAL = 'exponential'

THRESHOLDS = (THRESHOLD, ROUNDED_THRESHOLD)
"""Noise on the counts of unknown values, of which only the frequent ones are released."""

ROUNDED_NOISES = (ROUNDED, ROUNDED_ON_SCORES, ROUNDED_THRESHOLD)
"""The only noise of a fit that is one Gaussian mechanism as a whole, beside its thresholds."""

NOISES = (GAUSSIAN, THRESHOLD, GAUSSIAN_ON_SCORES, *ROUNDED_NOISES, EXPONENTIAL)
"""Every kind of noise there is."""

MEASURING_NOISES = (GAUSSIAN, ROUNDED)
"""Noise on a histogram that is released whole."""

SCORING_NOISES = (GAUSSIAN_ON_SCORES, ROUNDED_ON_SCORES)
"""Noise on many scores at once."""

HISTOGRAM_NOISES = (*MEASURING_NOISES, *THRESHOLDS)
"""Noise on a histogram, in which one row changes one cell."""

ZCDP = 'zCDP'
GDP = 'GDP'
RHO_OF = {ZCDP: 'rho of zCDP', GDP: 'rho = mu^2/2 of GDP'}
"""The accounting of a ledger: for any noise, or for rounded Gaussians only."""

LEARN_DOMAINS = 'learn domains'
DISCRETIZE = 'discretize'
MEASURE_ONE_WAYS = 'measure one-ways'
SELECT_TREE = 'select the tree'
SELECT_PAIRS = 'select more pairs'
MEASURE_TWO_WAYS = 'measure two-ways'
SELECT_CLIQUES = 'select cliques'
MEASURE_CLIQUES = 'measure cliques'
LOOK_FOR_COPIES = 'look for copies of outcomes'

STEPS = {
    LEARN_DOMAINS: (*MEASURING_NOISES, *THRESHOLDS),
    DISCRETIZE: MEASURING_NOISES,
    MEASURE_ONE_WAYS: MEASURING_NOISES,
    SELECT_TREE: (EXPONENTIAL, *SCORING_NOISES),
    SELECT_PAIRS: (EXPONENTIAL, *SCORING_NOISES),
    MEASURE_TWO_WAYS: MEASURING_NOISES,
    SELECT_CLIQUES: (EXPONENTIAL,),
    MEASURE_CLIQUES: MEASURING_NOISES,
    LOOK_FOR_COPIES: SCORING_NOISES,
}
"""The steps of this package's mechanisms; a third-party one may name its own."""

BEFORE_MEASURING = (LEARN_DOMAINS, DISCRETIZE)
"""The steps that encoders depend on: what they measure is not a marginal of the model."""
