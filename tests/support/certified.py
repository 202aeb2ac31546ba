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
    false_rate = beta.ppf(
        CONFIDENCE, false_alarms.sum() + 1, len(false_alarms) - false_alarms.sum()
    )
    hit_rate = beta.ppf(1 - CONFIDENCE, hits.sum(), len(hits) - hits.sum() + 1) if hits.any() else 0
    return np.log(max(hit_rate - DELTA, 1e-12) / false_rate)
