"""Heavy hitters: undeclared values are released only if too frequent to reveal one person."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.stats import norm

from sdv_prefair.privacy._accounting import Ledger
from sdv_prefair.privacy._debit import Debit
from sdv_prefair.privacy._entropy import Entropy
from sdv_prefair.privacy._ledger_words import ROUNDED_THRESHOLD, THRESHOLD
from sdv_prefair.privacy._mechanisms import gaussian, gaussian_variance, rounded_gaussian
from sdv_prefair.privacy._sealed import Sealed


class PrivateValues(Sealed):
    """Answers which values of a column are frequent, each answer paid for first.

    ``_sealed.py`` says how well the counts are protected from other code.

    Args:
        exact: For each column, how often each of its values occurs; the caller must not keep it.
        ledger: Where every answer is debited.
        entropy: Where the noise comes from.
    """

    __slots__ = ('_frequent',)

    def __init__(self, exact: Mapping[str, Mapping[Any, int]], ledger: Ledger, entropy: Entropy):
        self._frequent: Callable[[str, Fraction, float, str], dict[Any, int]] = (
            lambda column, rho, delta, step: frequent_values(
                column, exact[column], rho, delta, step, ledger, entropy
            )
        )

    def frequent(self, column: str, rho: Fraction, delta: float, step: str) -> dict[Any, int]:
        """Return the values of a column that occur often, with their noisy counts.

        Privacy: delta-approximate rho-zCDP, see ``frequent_values``.

        Proof: proofs/threshold.md
        """
        return self._frequent(column, rho, delta, step)


def threshold(sigma: float, delta: float, rows: int) -> float:
    """Return what a noisy count must exceed for its value to be released.

    Privacy: a person can bring at most ``rows`` values that nobody else has, each with a count
    of at most ``rows``. One of them passes with probability at most P(noise > threshold -
    rows) <= delta/rows, because P(X >= m) <= P(N(0, sigma^2) >= m - 1) for the discrete Gaussian
    (Canonne, Kamath, Steinke 2020, Proposition 25) and for the rounded one; so any passes with
    probability at most delta.

    Proof: proofs/threshold.md
    """
    return rows + 1 + sigma * float(norm.isf(delta / rows))


def frequent_values(
    column: str,
    exact: Mapping[Any, int],
    rho: Fraction,
    delta: float,
    step: str,
    ledger: Ledger,
    entropy: Entropy,
) -> dict[Any, int]:
    """Return the values whose noisy count exceeds the threshold, with that noisy count.

    Privacy: delta-approximate rho-zCDP; with the noise of an all-Gaussian ledger, delta-approximate
    mu-GDP with rho = mu^2/2. Counts of values that both neighbouring tables have are
    protected by the noise, the rest by the threshold. Values are returned in lexicographic order,
    not by frequency or appearance. The key None is null, which is queried for every table, even
    without nulls: its noisy count is always returned.

    Proof: proofs/threshold.md

    Args:
        column: Whose values they are.
        exact: How often each occurs. Values that are not the same must be different keys, see
            ``canonical``. None, if it is among them, must be so for every table.
        rho: What the noise costs.
        delta: What the threshold costs.
        step: The step in the ledger.
        ledger: Where both are debited.
        entropy: Where the noise comes from.
    """
    variance = gaussian_variance(rho, ledger.max_rows_per_person**2)
    sigma = math.sqrt(variance)
    kind, draw = (
        (ROUNDED_THRESHOLD, rounded_gaussian) if ledger.all_gaussian else (THRESHOLD, gaussian)
    )
    ledger.debit(Debit(step, kind, (column,), rho, delta, sigma))
    # Sorted before adding noise: the same counts get the same noise from every source.
    values = sorted(exact, key=lambda value: (str(type(value)), str(value)))
    counts = np.array([exact[value] for value in values], dtype=np.int64)
    noisy: list[int] = draw(counts, variance, entropy).tolist()
    least = threshold(sigma, delta, ledger.max_rows_per_person)
    return {
        value: count
        for value, count in zip(values, noisy, strict=True)
        if count > least or value is None
    }
