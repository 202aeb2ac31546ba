"""Noisy answers from exact counts: each is debited in the ledger before it is computed."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from sdv_prefair._arrays import Floats, Integers
from sdv_prefair.counting import Clique, Counts
from sdv_prefair.counting._kernel import Spread
from sdv_prefair.privacy._accounting import Ledger
from sdv_prefair.privacy._debit import Debit
from sdv_prefair.privacy._entropy import Entropy
from sdv_prefair.privacy._ledger_words import (
    EXPONENTIAL,
    GAUSSIAN,
    GAUSSIAN_ON_SCORES,
    ROUNDED,
    ROUNDED_ON_SCORES,
)
from sdv_prefair.privacy._mechanisms import (
    exponential,
    exponential_epsilon,
    gaussian,
    gaussian_variance,
    rounded_gaussian,
)
from sdv_prefair.privacy._score import ExactScores, Score


class Answers:
    """The exact counts and the only code that answers from them.

    Privacy: holds exact counts unprotected, so it stays in the closures of a ``PrivateTable``,
    whose methods document the queries and their costs.

    Proof: proofs/composition.md, proofs/gaussian_composition.md
    """

    def __init__(self, counts: Counts, ledger: Ledger, entropy: Entropy):
        self.counts = counts
        self._ledger, self._entropy = ledger, entropy
        self._rows = ledger.max_rows_per_person
        self._scores: ExactScores | None = None
        self._unmerged: Counts | None = None

    def measure(self, clique: Clique, rho: Fraction, step: str) -> tuple[Integers, float]:
        """See ``PrivateTable.measure``."""
        clique = tuple(clique)
        self._ledger.check(step, rho)
        variance = gaussian_variance(rho, self._rows**2)
        kind = ROUNDED if self._ledger.all_gaussian else GAUSSIAN
        self._debit(step, kind, clique, rho, math.sqrt(variance))
        return self._noisy(self.counts.project(clique), variance), math.sqrt(variance)

    def measure_codes(self, column: str, rho: Fraction, step: str) -> tuple[Integers, float]:
        """See ``PrivateTable.measure_codes``."""
        merged, self.counts = self.counts, self._unmerged or self.counts
        try:
            return self.measure((column,), rho, step)
        finally:
            self.counts = merged

    def choose(self, candidates: Sequence[Clique], score: Score, rho: Fraction, step: str) -> int:
        """Return the position of the chosen candidate, see ``PrivateTable.choose``."""
        cliques = [tuple(clique) for clique in candidates]
        self._ledger.check(step, rho)
        epsilon = exponential_epsilon(rho)
        self._debit(step, EXPONENTIAL, _columns(cliques), rho, float(epsilon))
        exact = self._exact_scores(score)
        sensitivity = exact.unit * self._rows
        return exponential([exact(c) for c in cliques], epsilon, sensitivity, self._entropy)

    def score(
        self, cliques: Sequence[Clique], score: Score, rho: Fraction, step: str
    ) -> tuple[list[int], float]:
        """See ``PrivateTable.score``."""
        cliques = [tuple(clique) for clique in cliques]
        self._ledger.check(step, rho)
        exact = self._exact_scores(score)
        variance = gaussian_variance(rho, len(cliques) * (exact.unit * self._rows) ** 2)
        sigma = math.sqrt(variance) / exact.unit
        kind = ROUNDED_ON_SCORES if self._ledger.all_gaussian else GAUSSIAN_ON_SCORES
        self._debit(step, kind, _columns(cliques), rho, sigma)
        scores = np.array([exact(clique) for clique in cliques], dtype=np.int64)
        return self._noisy(scores, variance).tolist(), sigma

    def measure_groups(
        self, column: str, group_of: np.ndarray, rho: Fraction, step: str
    ) -> tuple[Integers, float]:
        """See ``PrivateTable.measure_groups``."""
        merged = self.counts.only((column,)).regroup({column: np.array(group_of)})
        return Answers(merged, self._ledger, self._entropy).measure((column,), rho, step)

    def regroup(
        self, group_of: Mapping[str, np.ndarray], spread: Mapping[str, tuple[int, Floats]]
    ) -> None:
        """See ``PrivateTable.regroup``."""
        self._unmerged = self._unmerged or _of_single_columns(self.counts)
        groups = {c: np.array(group) for c, group in group_of.items()}
        # Made here, from plain numbers, so that no foreign code is applied to exact counts.
        spreads = {c: Spread(int(code), np.array(shares)) for c, (code, shares) in spread.items()}
        self.counts = self.counts.regroup(groups, spreads)
        self._scores = None

    def _noisy(self, values: Integers, variance: Fraction) -> Integers:
        """Add the noise that the ledger can add up."""
        draw = rounded_gaussian if self._ledger.all_gaussian else gaussian
        return draw(values, variance, self._entropy)

    def _debit(
        self, step: str, mechanism: str, columns: Clique, rho: Fraction, scale: float
    ) -> None:
        self._ledger.debit(Debit(step, mechanism, columns, rho, scale=scale))

    def _exact_scores(self, score: Score) -> ExactScores:
        if self._scores is None or not self._scores.describes(score):
            self._scores = ExactScores(self.counts, score)
        return self._scores


def _of_single_columns(counts: Counts) -> Counts:
    """Return only the one-way histograms, so that the others can be freed."""
    single = [clique for clique in counts.cliques if len(clique) == 1]
    return Counts(counts.domain, {clique: counts.observed(clique) for clique in single})


def _columns(cliques: Sequence[Clique]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column for clique in cliques for column in clique))
