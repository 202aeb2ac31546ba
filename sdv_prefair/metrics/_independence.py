"""Does an outcome depend on the protected columns given the admissible ones, in this table?

Justifiable fairness requires O independent of P given A; demographic parity the same given
nothing, separation for a decision given the label, sufficiency for a label given the decision. The
measure is the conditional mutual information I(O; P | A) of the table's own frequencies, in nats.
On a finite table that number is above zero even under independence, so it is compared with its
null distribution: the same number after shuffling the outcomes among rows that agree on A.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sdmetrics.goal import Goal
from sdmetrics.single_table.base import SingleTableMetric

from sdv_prefair.fairness._joint_test import joint_codes
from sdv_prefair.fairness._statements import check_disjoint
from sdv_prefair.metrics._codes import NUM_BINS, SINGLE_VALUES
from sdv_prefair.metrics._strata import RowEncoder, encode_groups, stratify
from sdv_prefair.metrics._table_pair import read_tables


class Independence(NamedTuple):
    """I(O; P | A) with its distribution under independence.

    Attributes:
        estimate: Plug-in estimate of I(O; P | A) in nats.
        null_mean: Its mean over shuffles of O within strata of A.
        null_interval: The 2.5 % and 97.5 % quantiles over shuffles.
        p_value: Share of shuffles that reach the estimate, the table itself counted as one;
            NaN without shuffles, like the other fields about them.
        coverage: Share of rows in strata with two outcomes and two groups. All others
            are uninformative about dependence and add zero.
    """

    estimate: float
    null_mean: float
    null_interval: tuple[float, float]
    p_value: float
    coverage: float

    @property
    def excess(self) -> float:
        """The estimate minus its mean under independence; zero if negative.

        NaN where nothing was shuffled.
        """
        return float(np.maximum(0.0, self.estimate - self.null_mean))


def conditional_mutual_information(
    outcome: np.ndarray, protected: np.ndarray, strata: np.ndarray
) -> float:
    """Return the plug-in estimate of I(outcome; protected | strata) in nats.

    Args:
        outcome: One value per row, of any type.
        protected: One value per row.
        strata: One value per row: rows with equal values agree on the admissible columns.
    """
    return _Strata(outcome, protected, strata).information()


def independence_test(
    outcome: np.ndarray,
    protected: np.ndarray,
    strata: np.ndarray,
    permutations: int = 200,
    seed: int | np.random.Generator | None = None,
) -> Independence:
    """Compare I(outcome; protected | strata) with its distribution under independence.

    Args:
        outcome: One value per row, of any type.
        protected: One value per row.
        strata: One value per row: rows with equal values agree on the admissible columns.
        permutations: How many times the outcomes are shuffled within strata.
        seed: Seed or generator of the shuffles.
    """
    rng = np.random.default_rng(seed)
    rows = _Strata(outcome, protected, strata)
    estimate = rows.information()
    null = np.array([rows.information(rows.shuffled(rng)) for _ in range(permutations)])
    low, high = np.quantile(null, [0.025, 0.975]) if permutations else (np.nan, np.nan)
    reached = int((null >= estimate - 1e-12).sum())
    return Independence(
        estimate,
        float(null.mean()) if permutations else np.nan,
        (float(low), float(high)),
        (1 + reached) / (1 + permutations) if permutations else np.nan,
        rows.coverage,
    )


class _Strata:
    """The rows of the strata that can show dependence, sorted by stratum.

    n I = sum f(n_opa) - sum f(n_oa) - sum f(n_pa) + sum f(n_a) with f(x) = x log x; a shuffle
    within strata changes the first sum only, so the other three are computed once.
    """

    def __init__(self, outcome, protected, strata):
        outcome, protected, strata = (
            pd.factorize(np.asarray(values), use_na_sentinel=False)[0]
            for values in (outcome, protected, strata)
        )
        self.num_rows = len(strata)
        kept = _varies(outcome, strata) & _varies(protected, strata)
        self.coverage = float(kept.mean()) if self.num_rows else 0.0
        order = np.flatnonzero(kept)[np.argsort(strata[kept], kind='stable')]
        self.outcome = outcome[order]
        self.num_outcomes = int(outcome.max(initial=0)) + 1
        self.stratum = pd.factorize(strata[order])[0]
        self.cell = joint_codes([self.stratum, protected[order]])
        self.x_log_x = _x_log_x(len(order))
        self.fixed = (
            self._sum(np.bincount(self.stratum))
            - self._sum(np.bincount(self.cell))
            - self._sum(self._counts(self.stratum, self.outcome))
        )

    def information(self, outcome: np.ndarray | None = None) -> float:
        """Return I(O; P | A) with these outcomes in place of the table's own."""
        outcome = self.outcome if outcome is None else outcome
        total = self._sum(self._counts(self.cell, outcome)) + self.fixed
        return max(0.0, float(total) / max(1, self.num_rows))

    def shuffled(self, rng: np.random.Generator) -> np.ndarray:
        """Return the outcomes shuffled within strata."""
        # Sorts one integer, stratum | random | outcome: quicker than a lexsort of three arrays.
        outcome_bits = self.num_outcomes.bit_length()
        stratum_bits = int(self.stratum.max(initial=0)).bit_length()
        random_bits = 63 - stratum_bits - outcome_bits
        packed = self.stratum << random_bits
        packed |= rng.integers(1 << random_bits, size=len(packed))
        packed <<= outcome_bits
        packed |= self.outcome
        packed.sort()
        return packed & ((1 << outcome_bits) - 1)

    def _counts(self, cell: np.ndarray, outcome: np.ndarray) -> np.ndarray:
        joint = cell * self.num_outcomes + outcome
        if len(cell) and (cell.max() + 1) * self.num_outcomes > 8 * len(cell):
            return np.unique(joint, return_counts=True)[1]
        return np.bincount(joint)

    def _sum(self, counts: np.ndarray) -> float:
        return self.x_log_x[counts].sum()


def _varies(values: np.ndarray, strata: np.ndarray) -> np.ndarray:
    """Whether a row's stratum holds at least two different values."""
    size = int(strata.max(initial=0)) + 1
    least = np.full(size, np.iinfo(np.int64).max)
    most = np.full(size, -1)
    np.minimum.at(least, strata, values)
    np.maximum.at(most, strata, values)
    return (least < most)[strata]


def _x_log_x(most: int) -> np.ndarray:
    numbers = np.arange(most + 1, dtype=float)
    return numbers * np.log(np.maximum(numbers, 1.0))


class ConditionalMutualInformation(SingleTableMetric):
    """I(outcome; protected | admissible) of a synthetic table, in nats; zero is fair.

    Several protected or outcome columns are taken jointly. Rows are compared if they agree on the
    admissible columns. With ``synthesizer`` they agree if the model gives them the same codes,
    which is what its guarantee is about. Without it numbers and dates are put in ``num_bins`` bins
    of the metric's own, and a fair table can then score above its null: two codes of the model
    in one bin look like a dependence. The breakdown's ``strata`` says which it was. Fine strata
    hold few rows each: read ``null_interval`` and ``coverage`` with the score.

    Attributes:
        name: Name to use when reports about this metric are printed.
        goal: Smaller is better.
        min_value: No dependence.
        max_value: Unbounded; at most the entropy of the outcome.
    """

    name = 'ConditionalMutualInformation'
    goal = Goal.MINIMIZE
    min_value = 0.0
    max_value = float('inf')

    @classmethod
    def compute_breakdown(
        cls,
        real_data,
        synthetic_data,
        metadata=None,
        table_name=None,
        *,
        protected,
        admissible=(),
        outcome,
        num_bins: int | None = NUM_BINS,
        single_values: int = SINGLE_VALUES,
        permutations: int = 200,
        seed: int | np.random.Generator | None = None,
        synthesizer: RowEncoder | None = None,
    ) -> dict:
        """Compute the score with its distribution under independence.

        Args:
            real_data: Not measured. Gives the bins' ranges where the metadata has none; may
                be ``None``.
            synthetic_data: The table to measure; a real table can be given here as well.
            metadata: SDV ``Metadata``, its ``dict``, or ``None``.
            table_name: Which table, where there are several.
            protected: Protected column or columns.
            admissible: Admissible column or columns, or the conditioning set of a statement;
                empty for demographic parity.
            outcome: Outcome column or columns.
            num_bins: Bins of a number or a date; ``None`` keeps every value apart. Columns that
                ``synthesizer`` has codes for are not binned.
            single_values: Numbers that can take at most so many values are not binned.
            permutations: Number of shuffles for the null distribution.
            seed: Seed or generator of the shuffles.
            synthesizer: The fitted synthesizer, or opened release, that the table is from: rows
                are then compared by its codes. Admissible columns that a constraint touches have
                no codes of their own; they are compared by their exact values.

        Returns:
            ``score`` (the estimate), ``excess`` (its excess over the null mean), the
            other fields of `Independence`, and ``strata``: ``'codes of the model'``,
            ``'exact values'``, ``'own bins'`` and of which columns, or ``'all rows'``. With bins
            of the metric's own a score above the interval may be an effect of the binning.
        """
        tables = read_tables(real_data, synthetic_data, metadata, table_name)
        named = {'protected': protected, 'admissible': admissible, 'outcome': outcome}
        groups = {
            role: tables.select(role, names, may_be_empty=role == 'admissible')
            for role, names in named.items()
        }
        check_disjoint(groups)
        frames = [frame for frame in (tables.real, tables.synthetic) if frame is not None]
        options = {
            'synthesizer': synthesizer, 'num_bins': num_bins, 'single_values': single_values
        }  # fmt: skip
        strata = stratify(frames, tables.columns, groups['admissible'], **options)
        outcomes, protecteds = (
            encode_groups(frames, tables.columns, groups[role], **options)[-1]
            for role in ('outcome', 'protected')
        )
        result = independence_test(outcomes, protecteds, strata.codes[-1], permutations, seed)
        found = result._asdict()
        scores = {'score': found.pop('estimate'), 'excess': result.excess}
        return scores | found | {'strata': strata.told}

    @classmethod
    def compute(cls, real_data, synthetic_data, metadata=None, table_name=None, **roles) -> float:
        """Return the score alone; arguments as in ``compute_breakdown``."""
        roles = {'permutations': 0} | roles
        return cls.compute_breakdown(real_data, synthetic_data, metadata, table_name, **roles)[
            'score'
        ]
