"""Counts of values nobody declared: only those too frequent to betray one person get out."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
from scipy.stats import norm

from sdv_prefair.privacy.accounting import Debit, Ledger
from sdv_prefair.privacy.entropy import Entropy
from sdv_prefair.privacy.mechanisms import gaussian, gaussian_variance


def threshold(sigma: float, delta: float, rows: int) -> float:
    """Return what a noisy count must exceed for its value to be released.

    Privacy: a person can bring at most ``rows`` values that nobody else has, each with a count
    of at most ``rows``. One of them passes with probability at most P(noise > threshold -
    rows) <= delta/rows, because P(X >= m) <= P(N(0, sigma^2) >= m - 1) for the discrete Gaussian
    (Canonne, Kamath, Steinke 2020, Proposition 25); so none does but with probability delta.
    """
    return rows + 1 + sigma * float(norm.isf(delta / rows))


def frequent_values(
    values: pd.Series, rho: Fraction, delta: float, step: str, ledger: Ledger, entropy: Entropy
) -> dict:
    """Return the values whose noisy count exceeds the threshold, with that noisy count.

    Privacy: delta-approximate rho-zCDP. Counts of values that both neighbouring tables have are
    protected by the noise, the rest by the threshold. Values come out ordered by their text,
    not by frequency or appearance.
    """
    variance = gaussian_variance(rho, ledger.max_rows_per_person**2)
    sigma = math.sqrt(variance)
    column = str(values.name)
    ledger.debit(Debit(step, 'discrete Gaussian, threshold', (column,), rho, delta, sigma))
    exact = values.dropna().value_counts(sort=False)
    noisy = gaussian(exact.to_numpy(dtype=np.int64), variance, entropy)
    least = threshold(sigma, delta, ledger.max_rows_per_person)
    kept = {
        value: int(count) for value, count in zip(exact.index, noisy, strict=True) if count > least
    }
    return dict(sorted(kept.items(), key=lambda item: (str(type(item[0])), str(item[0]))))
