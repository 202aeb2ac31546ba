"""The only access to counts: a table that debits the ledger before it answers.

``_sealed.py`` says how well its counts are protected from other code.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from sdv_prefair._arrays import Floats, HiddenCode, Integers
from sdv_prefair.counting import Clique, Counts
from sdv_prefair.privacy._accounting import Ledger
from sdv_prefair.privacy._answers import Answers
from sdv_prefair.privacy._entropy import Entropy
from sdv_prefair.privacy._score import Score
from sdv_prefair.privacy._sealed import Sealed

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
