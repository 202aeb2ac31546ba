"""The only holder of exact counts: it debits the ledger before it answers."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NoReturn, Protocol

import numpy as np

from sdv_prefair.counts import Clique, Counts
from sdv_prefair.privacy.accounting import Debit, Ledger
from sdv_prefair.privacy.entropy import Entropy
from sdv_prefair.privacy.mechanisms import (
    exponential,
    exponential_epsilon,
    gaussian,
    gaussian_variance,
)
from sdv_prefair.privacy.privtree import noise_scale, pure_epsilon, split_intervals
from sdv_prefair.privacy.samplers import discrete_laplace


class Score(Protocol):
    """A score of a clique: an integer, ``unit`` of which one row can change it by at most."""

    unit: int

    def __call__(self, counts: Counts, clique: Clique) -> int:
        """Return the exact score. Only a ``PrivateTable`` calls this."""


class PrivateTable:
    """Answers noisy questions about counts, each paid for first.

    The counts cannot be reached from outside, copied, pickled or printed. Sensitivities are
    for one person: ``max_rows_per_person`` rows, all of which may fall in one cell.

    Args:
        counts: The exact histograms; the caller must not keep them.
        ledger: Where every answer is debited.
        entropy: Where the noise comes from.
    """

    def __init__(self, counts: Counts, ledger: Ledger, entropy: Entropy):
        self.__counts = counts
        self.__scores: dict[Clique, int] = {}
        self.__score: Score | None = None
        self._ledger = ledger
        self._entropy = entropy

    @property
    def domain(self) -> dict[str, int]:
        """Number of codes of each column, which is public."""
        return dict(self.__counts.domain)

    @property
    def ledger(self) -> Ledger:
        """Where every answer is debited."""
        return self._ledger

    def measure(self, clique: Clique, rho: Fraction, step: str) -> tuple[np.ndarray, float]:
        """Return the noisy histogram of a clique, in integers, and its sigma.

        Privacy: one row changes one cell by one, so the L2 sensitivity for a person is
        ``max_rows_per_person``.
        """
        self._ledger.check(step, rho)
        variance = gaussian_variance(rho, self._ledger.max_rows_per_person**2)
        self._debit(step, 'discrete Gaussian', tuple(clique), rho, math.sqrt(variance))
        return gaussian(self.__counts.project(clique), variance, self._entropy), math.sqrt(variance)

    def choose(
        self, candidates: Sequence[Clique], score: Score, rho: Fraction, step: str
    ) -> Clique:
        """Return one of the candidates by the exponential mechanism.

        Privacy: the candidates must depend on public facts and earlier answers only.
        """
        self._ledger.check(step, rho)
        epsilon = exponential_epsilon(rho)
        columns = tuple(dict.fromkeys(column for clique in candidates for column in clique))
        self._debit(step, 'exponential', columns, rho, float(epsilon))
        scores = [self._evaluate(score, clique) for clique in candidates]
        sensitivity = score.unit * self._ledger.max_rows_per_person
        return candidates[exponential(scores, epsilon, sensitivity, self._entropy)]

    def score(
        self, cliques: Sequence[Clique], score: Score, rho: Fraction, step: str
    ) -> tuple[list[int], float]:
        """Return the noisy scores of all cliques, in ``score.unit``, and sigma in rows.

        Privacy: r scores, each changed by at most one unit per row, have L2 sensitivity
        sqrt(r): the variance is r/(2 rho) in squared units.

        Departs: Algorithm 1 prints sigma = sqrt(rho/(2r)), which is not private.
        """
        self._ledger.check(step, rho)
        sensitivity_squared = len(cliques) * (score.unit * self._ledger.max_rows_per_person) ** 2
        variance = gaussian_variance(rho, sensitivity_squared)
        columns = tuple(dict.fromkeys(column for clique in cliques for column in clique))
        sigma = math.sqrt(variance) / score.unit
        self._debit(step, 'discrete Gaussian on scores', columns, rho, sigma)
        exact = np.array([self._evaluate(score, clique) for clique in cliques], dtype=np.int64)
        return gaussian(exact, variance, self._entropy).tolist(), sigma

    def split(
        self, column: str, bar: int, rho: Fraction, step: str, ordered: int | None = None
    ) -> list[int]:
        """Return the first codes of PrivTree's intervals over an ordered column.

        Privacy: epsilon-DP with epsilon^2/2 = rho, see ``split_intervals``.

        Args:
            column: The column.
            bar: What a noisy count must exceed to be split.
            rho: What the noise costs.
            step: The step in the ledger.
            ordered: How many codes are split; later ones, as that of null, are left out.
        """
        self._ledger.check(step, rho)
        epsilon = pure_epsilon(rho)
        self._debit(step, 'PrivTree', (column,), rho, float(epsilon))
        scale = noise_scale(epsilon, self._ledger.max_rows_per_person)
        cells = self.__counts.project((column,))[:ordered]
        return split_intervals(cells, bar, scale, lambda: discrete_laplace(scale, self._entropy))

    def regroup(self, group_of: Mapping[str, np.ndarray]) -> None:
        """Merge codes, as earlier answers or public facts suggest; nothing is answered."""
        self.__counts = self.__counts.regroup(group_of)
        self.__scores.clear()

    def _debit(self, step, mechanism, columns, rho, scale) -> None:
        self._ledger.debit(Debit(step, mechanism, columns, rho, scale=scale))

    def _evaluate(self, score: Score, clique: Clique) -> int:
        if score is not self.__score:
            self.__scores.clear()
            self.__score = score
        key = tuple(clique)
        if key not in self.__scores:
            self.__scores[key] = score(self.__counts, key)
        return self.__scores[key]

    def __repr__(self) -> str:
        return f'PrivateTable(columns={list(self.domain)})'

    def _refuse(self, *_) -> NoReturn:
        raise TypeError('A PrivateTable holds exact counts: it cannot be copied, saved or listed.')

    __reduce__ = __reduce_ex__ = __getstate__ = __copy__ = __deepcopy__ = __len__ = _refuse
    __iter__ = __getitem__ = __contains__ = _refuse
