"""Noisy answers from exact counts: each is debited in the ledger before it is computed."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sdv_prefair._arrays import Floats, Integers
from sdv_prefair.counting import Clique, Counts
from sdv_prefair.counting._kernel import Spread
from sdv_prefair.errors import BudgetError
from sdv_prefair.privacy import _samplers as samplers
from sdv_prefair.privacy._accounting import (
    EXPONENTIAL,
    GAUSSIAN,
    GAUSSIAN_ON_SCORES,
    ROUNDED,
    ROUNDED_ON_SCORES,
    Debit,
    Ledger,
)
from sdv_prefair.privacy._samplers import Entropy, bernoulli_exp, discrete_gaussian, integer_below

# -- The only noise in the package: two Gaussians on integers, and the exponential mechanism -------

_ROOT_BITS = 40
_LARGEST_SIGMA = 2.0**57


def gaussian_variance(rho: Fraction, sensitivity_squared: Fraction | int) -> Fraction:
    """Return the variance at which integer noise on a query costs ``rho``.

    Privacy: adding a discrete Gaussian of variance s to an integer vector whose L2 sensitivity
    is D is D^2/(2 s)-zCDP (Canonne, Kamath, Steinke 2020, Theorem 14); a rounded Gaussian of
    variance s is D/sqrt(s)-GDP. The variance is rounded up to 40 significant bits, so the true
    cost never exceeds ``rho``.

    Proof: proofs/histogram.md, proofs/gaussian_composition.md
    """
    exact = Fraction(sensitivity_squared) / (2 * rho)
    step = Fraction(2) ** (math.floor(math.log2(exact)) - _ROOT_BITS)
    return math.ceil(exact / step) * step


def gaussian(values: NDArray[np.integer], variance: Fraction, entropy: Entropy) -> Integers:
    """Return ``values`` (integers) plus independent discrete Gaussian noise, as integers.

    Proof: proofs/histogram.md
    """
    return _add(discrete_gaussian, values, variance, entropy)


def rounded_gaussian(values: NDArray[np.integer], variance: Fraction, entropy: Entropy) -> Integers:
    """Return ``values`` (integers) plus independent Gaussian noise, rounded to integers.

    Rounding the sum or the noise is the same, because values are integers.

    Proof: proofs/gaussian_composition.md
    """
    return _add(samplers.rounded_gaussian, values, variance, entropy)


def _add(
    draw: Callable[[Fraction, int, Entropy], Integers],
    values: NDArray[np.integer],
    variance: Fraction,
    entropy: Entropy,
) -> Integers:
    if not np.issubdtype(values.dtype, np.integer):
        raise TypeError('Noise is added to integers only: floating-point sums leak.')
    if math.sqrt(variance) > _LARGEST_SIGMA:
        raise BudgetError('The privacy budget is too small to calibrate noise. Raise epsilon.')
    noise = draw(variance, values.size, entropy)
    return values.astype(np.int64) + noise.reshape(values.shape)


def exponential_epsilon(rho: Fraction) -> Fraction:
    """Return the epsilon at which one exponential mechanism costs ``rho``, rounded down.

    Privacy: probability proportional to exp(epsilon q / (2 D)) has bounded range epsilon, hence
    is epsilon^2/8-zCDP (Cesar and Rogers 2021).

    Proof: proofs/exponential.md

    Departs: the theorem in the paper's preliminaries prints (2 epsilon D)^2/8.
    """
    exact = 8 * rho
    shift = max(0, _ROOT_BITS - math.floor(math.log2(exact)) // 2)
    return Fraction(math.isqrt(math.floor(exact * 4**shift)), 2**shift)


def exponential(
    scores: Sequence[int], epsilon: Fraction, sensitivity: int, entropy: Entropy
) -> int:
    """Return an index i with probability proportional to exp(epsilon scores[i] / (2 sensitivity)).

    Scores are integers in a fixed-point unit and ``sensitivity`` is in the same unit, so the
    distribution is exact: propose uniformly, accept with exp(-epsilon (best - score) / (2
    sensitivity)).

    Proof: proofs/exponential.md
    """
    best = max(scores)
    numerator, denominator = epsilon.numerator, 2 * sensitivity * epsilon.denominator
    while True:
        proposal = integer_below(entropy, len(scores)) if len(scores) > 1 else 0
        if bernoulli_exp(numerator * (best - scores[proposal]), denominator, entropy):
            return proposal


# -- The score of a clique, as data: predictions in fixed point, and a discount --------------------
#
# A score is not a function. A function would receive exact counts, which it could keep, and its
# sensitivity would have to be trusted. Whatever numbers a ``Score`` contains, one row changes it by
# at most one unit.

# Above this a sum of two terms might not fit into 64 bits.
_LARGEST = 2**61
# Noise is below 2^62, so the sum fits in 64 bits: no table can make a score overflow.
_LARGEST_SCORE = 2**62


@dataclass(frozen=True, eq=False)
class Score:
    """The L1 distance of a clique's true counts from predicted ones, minus a discount.

    The empty clique, ``()``, has a score of zero.

    Proof: proofs/scores.md

    Attributes:
        unit: All numbers are in units of 1/``unit`` rows.
        predictions: For each clique the prediction: arrays of int64 whose outer product it is,
            cell by cell in the order of the histogram. One array is the histogram itself.
        discount: What is subtracted from the distance of a clique; zero for those not named.
    """

    unit: int
    predictions: Mapping[Clique, tuple[Integers, ...]]
    discount: Mapping[Clique, int] = field(default_factory=dict)


class ExactScores:
    """The exact scores of cliques by one description, each computed once.

    Privacy: reads exact counts. One row changes one count by one, hence a score by at most
    ``unit``: predictions and discount are constants, and an L1 distance is 1-Lipschitz. The unit
    is read once, so evaluation and sensitivity cannot diverge.

    Proof: proofs/scores.md
    """

    def __init__(self, counts: Counts, score: Score):
        self.unit = _checked_unit(score)
        self._counts, self._score = counts, score
        self._known: dict[Clique, int] = {}

    def describes(self, score: Score) -> bool:
        """Whether these are the scores by this description."""
        return score is self._score

    def __call__(self, clique: Clique) -> int:
        """Return the score of a clique, or of the empty one, in units."""
        if clique not in self._known:
            self._known[clique] = self._evaluate(clique) if clique else 0
        return self._known[clique]

    def _evaluate(self, clique: Clique) -> int:
        """Sum over observed cells only: on all others the distance is the prediction itself."""
        cells, observed = self._counts.observed(clique)
        factors, discount = _constants(self._score, clique, self._counts.shape(clique))
        predicted = np.ones(cells.size, dtype=np.int64)
        places = np.unravel_index(cells, tuple(factor.size for factor in factors))
        for factor, place in zip(factors, places, strict=True):
            predicted *= factor[place]
        # Caps are 1-Lipschitz: no count can overflow, whatever the released total says.
        truth = np.minimum(observed, _LARGEST // self.unit) * self.unit
        elsewhere = math.prod(map(_exact_sum, factors)) - _exact_sum(predicted)
        exact = _exact_sum(np.abs(truth - predicted)) + elsewhere - discount
        return max(-_LARGEST_SCORE, min(exact, _LARGEST_SCORE))


def _checked_unit(score: Score) -> int:
    if type(score) is not Score or type(score.unit) is not int or not 1 <= score.unit <= _LARGEST:
        raise TypeError('A score must be a Score, and its unit an integer above 0.')
    return score.unit


def _constants(score: Score, clique: Clique, shape: tuple[int, ...]) -> tuple[list[Integers], int]:
    """Return copies, as plain numbers, of a clique's prediction and discount."""
    factors = [np.array(factor).ravel() for factor in score.predictions[clique]]
    discount = int(score.discount.get(clique, 0))
    if not (_are_counts(factors) and math.prod(map(np.size, factors)) == math.prod(shape)) or (
        max(math.prod(map(_exact_sum, factors)), abs(discount)) > _LARGEST
    ):
        raise ValueError(
            f'The prediction for {list(clique)} must be integers of at least 0, one for each '
            'cell, that fit into 64 bits.'
        )
    return factors, discount


def _are_counts(factors: Sequence[Integers]) -> bool:
    """Whether all are int64 of at least 0.

    With a negative prediction the first row in a cell could count for more than a unit.
    """
    return all(factor.dtype == np.int64 and (factor >= 0).all() for factor in factors)


def _exact_sum(values: Integers) -> int:
    """Sum non-negative int64 without overflow."""
    return (int((values >> 31).sum()) << 31) + int((values & (2**31 - 1)).sum())


# -- Noisy answers from exact counts: each is debited in the ledger before it is computed ----------


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
