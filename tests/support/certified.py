"""What an attacker can certify of epsilon from many runs with and without a canary."""

import numpy as np
from scipy.stats import beta

DELTA = 1e-3
CONFIDENCE = 0.999
_LEVELS = np.linspace(0.02, 0.98, 49)


def certified_epsilon(without, with_canary):
    """Return the best certified lower bound over thresholds chosen on the first half."""
    half = len(without) // 2
    best, threshold = -np.inf, 0.0
    for candidate in np.quantile(np.concatenate([without[:half], with_canary[:half]]), _LEVELS):
        bound = _bound(without[:half] > candidate, with_canary[:half] > candidate)
        if bound > best:
            best, threshold = bound, candidate
    return _bound(without[half:] > threshold, with_canary[half:] > threshold)


def _bound(false_alarms, hits):
    # Clopper-Pearson; at the ends, where the beta distribution is none, the bounds are 1 and 0.
    alarms, caught = false_alarms.sum(), hits.sum()
    false_rate = 1.0
    if not false_alarms.all():
        false_rate = beta.ppf(CONFIDENCE, alarms + 1, len(false_alarms) - alarms)
    hit_rate = beta.ppf(1 - CONFIDENCE, caught, len(hits) - caught + 1) if caught else 0.0
    return np.log(max(hit_rate - DELTA, 1e-12) / false_rate)
