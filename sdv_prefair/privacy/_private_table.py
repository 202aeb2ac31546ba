"""The only access to counts: a table that debits the ledger before it answers.

``_private_table.py`` says how well its counts are protected from other code.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

import numpy as np
from scipy.stats import norm

from sdv_prefair._arrays import Floats, HiddenCode, Integers
from sdv_prefair.counting import Clique, Counts
from sdv_prefair.privacy._accounting import ROUNDED_THRESHOLD, THRESHOLD, Debit, Ledger
from sdv_prefair.privacy._answers import (
    Answers,
    Score,
    gaussian,
    gaussian_variance,
    rounded_gaussian,
)
from sdv_prefair.privacy._samplers import Entropy

# -- Objects that answer from private counts without exposing them ---------------------------------
#
# The counts are not in an attribute but in the closures of the functions that answer. So no
# ordinary expression leads to them: not ``getattr``, ``vars`` or ``dir``, not a name that Python
# mangles, not a subclass, a copy, a pickle, ``repr`` or iteration.
#
# That prevents mistakes and carelessness. It does not prevent deliberate attacks, because Python
# has no isolation inside a process: ``__closure__`` of a function, the frames of a traceback,
# ``gc.get_referrers``, a debugger, or a function of this package that is replaced at run time all
# lead to the counts. Anyone who runs a third-party strategy must trust its author this far.


class Sealed:
    """An object that cannot be copied, saved or listed; see the module for the limits."""

    __slots__ = ()

    def _refuse(self, *_: object) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f'A {name} holds exact counts: it cannot be copied, saved or listed.')

    __reduce__ = __reduce_ex__ = __getstate__ = __copy__ = __deepcopy__ = __len__ = _refuse
    __iter__ = __getitem__ = __contains__ = _refuse


# -- Heavy hitters: undeclared values are released only if too frequent to reveal one person -------


class PrivateValues(Sealed):
    """Answers which values of a column are frequent, each answer paid for first.

    ``_private_table.py`` says how well the counts are protected from other code.

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


# -- The only access to counts: a table that debits the ledger before it answers -------------------


HiddenCodes = Mapping[str, HiddenCode]
AnyClique = TypeVar('AnyClique', bound=Clique)

_Measure = Callable[[Clique, Fraction, str], tuple[Integers, float]]
_MeasureCodes = Callable[[str, Fraction, str], tuple[Integers, float]]
_Choose = Callable[[Sequence[Clique], Score, Fraction, str], int]
_ScoreAll = Callable[[Sequence[Clique], Score, Fraction, str], tuple[list[int], float]]
_MeasureGroups = Callable[[str, np.ndarray, Fraction, str], tuple[Integers, float]]
_Regroup = Callable[[Mapping[str, np.ndarray], Mapping[str, tuple[int, Floats]]], None]


class PrivateTable(Sealed):
    """Answers queries on counts with noise, each paid for first.

    The counts cannot be reached from outside, copied, pickled or printed. Sensitivities are
    for one person: ``max_rows_per_person`` rows, all of which may fall in one cell.

    Args:
        counts: The exact histograms; the caller must not keep them.
        ledger: Where every answer is debited.
        entropy: Where the noise comes from.
        hidden_codes: For columns with a code that must not be sampled, the arguments ``other``
            and ``stand_in`` of `compress_rare_codes`.
        public_groups: For columns whose values belong to public groups, that of every code.
    """

    __slots__ = (
        *('_choose', '_domain', '_hidden_codes', '_ledger', '_measure', '_regroup', '_score'),
        *('_measure_codes', '_measure_groups', '_public_groups'),
    )

    def __init__(
        self,
        counts: Counts,
        ledger: Ledger,
        entropy: Entropy,
        hidden_codes: HiddenCodes = MappingProxyType({}),
        public_groups: Mapping[str, np.ndarray] = MappingProxyType({}),
    ):
        self._hidden_codes, self._public_groups = dict(hidden_codes), dict(public_groups)
        answers = Answers(counts, ledger, entropy)
        self._ledger = ledger
        self._domain: Callable[[], dict[str, int]] = lambda: dict(answers.counts.domain)
        # Not the bound methods, whose ``__self__`` would lead to the counts.
        self._measure: _Measure = lambda *question: answers.measure(*question)
        self._measure_codes: _MeasureCodes = lambda *question: answers.measure_codes(*question)
        self._choose: _Choose = lambda *question: answers.choose(*question)
        self._score: _ScoreAll = lambda *question: answers.score(*question)
        self._measure_groups: _MeasureGroups = lambda *question: answers.measure_groups(*question)
        self._regroup: _Regroup = lambda *groups: answers.regroup(*groups)

    @property
    def domain(self) -> dict[str, int]:
        """Number of codes of each column, which is public."""
        return self._domain()

    @property
    def hidden_codes(self) -> HiddenCodes:
        """Which codes must not be sampled, and what replaces them: public facts."""
        return self._hidden_codes

    @property
    def public_groups(self) -> Mapping[str, np.ndarray]:
        """The public groups of codes, -1 for none, of columns that have some: public facts."""
        return self._public_groups

    @property
    def ledger(self) -> Ledger:
        """Where every answer is debited."""
        return self._ledger

    def measure(self, clique: Clique, rho: Fraction, step: str) -> tuple[Integers, float]:
        """Return the noisy histogram of a clique, in integers, and its sigma.

        Privacy: one row changes one cell by one, so the L2 sensitivity for a person is
        ``max_rows_per_person``.

        Proof: proofs/histogram.md
        """
        return self._measure(clique, rho, step)

    def measure_codes(self, column: str, rho: Fraction, step: str) -> tuple[Integers, float]:
        """Return the noisy histogram of a column over its codes before any were merged.

        Privacy: as for ``measure``; a row is in one cell of this histogram too.

        Proof: proofs/histogram.md
        """
        return self._measure_codes(column, rho, step)

    def choose(
        self, candidates: Sequence[AnyClique], score: Score, rho: Fraction, step: str
    ) -> AnyClique:
        """Return one of the candidates by the exponential mechanism.

        Privacy: one row changes a score by one unit, whatever it predicts, see ``Score``. The
        candidates must depend on public facts and earlier answers only.

        Proof: proofs/exponential.md, proofs/scores.md
        """
        return candidates[self._choose(candidates, score, rho, step)]

    def score(
        self, cliques: Sequence[Clique], score: Score, rho: Fraction, step: str
    ) -> tuple[list[int], float]:
        """Return the noisy scores of all cliques, in ``score.unit``, and sigma in rows.

        Privacy: r scores, each changed by at most one unit per row, have L2 sensitivity
        sqrt(r): the variance is r/(2 rho) in squared units.

        Proof: proofs/scores.md

        Departs: Algorithm 1 prints sigma = sqrt(rho/(2r)), which is not private.
        """
        return self._score(cliques, score, rho, step)

    def measure_groups(
        self, column: str, group_of: np.ndarray, rho: Fraction, step: str
    ) -> tuple[Integers, float]:
        """Return the noisy histogram of a column whose codes are merged, and its sigma.

        Unlike ``regroup``, this does not change the table, so the next query may use smaller
        groups.

        Privacy: one row is in one group, so the L2 sensitivity for a person is
        ``max_rows_per_person``. The groups must depend on public facts and earlier answers only.

        Proof: proofs/histogram.md

        Args:
            column: The column.
            group_of: The group of each code, numbered from 0.
            rho: What the noise costs.
            step: The step in the ledger.
        """
        return self._measure_groups(column, group_of, rho, step)

    def regroup(
        self,
        group_of: Mapping[str, np.ndarray],
        spread: Mapping[str, tuple[int, Floats]] = MappingProxyType({}),
    ) -> None:
        """Merge codes, as earlier answers or public facts suggest; nothing is answered.

        Privacy: after merging and redistributing, one row still changes one cell by one.

        Proof: proofs/histogram.md

        Args:
            group_of: For some columns the new code of each code.
            spread: For some of these, a code whose rows are redistributed over the new codes, and
                the share of each.
        """
        self._regroup(group_of, spread)

    def __repr__(self) -> str:
        return f'PrivateTable(columns={list(self.domain)})'
