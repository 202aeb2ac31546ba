"""Does an outcome depend on the protected columns given the admissible ones, in this table?

Justifiable fairness requires O independent of P given A; demographic parity the same given
nothing, separation for a decision given the label, sufficiency for a label given the decision. The
verdict is that of the joint test. The measure is the conditional mutual information I(O; P | A) of
the table's own frequencies, in nats. On a finite table that number is above zero even under
independence, so it is compared with its null distribution: the same number after shuffling the
outcomes among rows that agree on A.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdv_prefair._arrays import Flags, Floats, Integers
from sdv_prefair.fairness._joint_test import ComparableRows, Values, as_values, joint_codes
from sdv_prefair.fairness._statements import Independent, check_disjoint
from sdv_prefair.fairness._verdicts import LIMIT, Verdict, judge_rows
from sdv_prefair.metrics._codes import NUM_BINS, SINGLE_VALUES
from sdv_prefair.metrics._groups import Compared, RowEncoder, compare, labels
from sdv_prefair.metrics._tables import Described, Frames, TableMetric, Tables, read_tables


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


def conditional_mutual_information(outcome: Values, protected: Values, strata: Values) -> float:
    """Return the plug-in estimate of I(outcome; protected | strata) in nats.

    Args:
        outcome: One value per row, of any type.
        protected: One value per row.
        strata: One value per row: rows with equal values agree on the admissible columns.
    """
    return _Informative(outcome, protected, strata).information()


def independence_test(
    outcome: Values,
    protected: Values,
    strata: Values,
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
    found = _Informative(outcome, protected, strata)
    estimate = found.information()
    if not permutations:
        return Independence(estimate, np.nan, (np.nan, np.nan), np.nan, found.coverage)
    null = np.array([
        found.information(found.rows.shuffled(rng)) for _ in range(permutations)
    ])  # fmt: skip
    low, high = np.quantile(null, [0.025, 0.975]).tolist()
    p_value = (1 + int((null >= estimate - 1e-12).sum())) / (1 + permutations)
    return Independence(estimate, float(null.mean()), (low, high), p_value, found.coverage)


class _Informative:
    """The rows of the strata that can show dependence: with two outcomes and two groups.

    n I = sum f(n_opa) - sum f(n_oa) - sum f(n_pa) + sum f(n_a) with f(x) = x log x; a shuffle
    within strata changes the first sum only, so the other three are computed once.
    """

    def __init__(self, outcome: Values, protected: Values, strata: Values) -> None:
        outcome, protected, strata = (
            pd.factorize(as_values(values), use_na_sentinel=False)[0]
            for values in (outcome, protected, strata)
        )
        kept = _varies(outcome, strata) & _varies(protected, strata)
        self.num_rows = len(strata)
        self.coverage = float(kept.mean()) if self.num_rows else 0.0
        self.rows = rows = ComparableRows(protected[kept], outcome[kept], strata[kept])
        numbers = np.arange(len(rows.outcome) + 1, dtype=float)
        self.x_log_x: Floats = numbers * np.log(np.maximum(numbers, 1.0))
        of_outcomes = rows.outcomes_of.data.astype(np.int64)
        self.fixed = (
            self._sum(rows.rows_of.astype(np.int64))
            - self._sum(rows.cell_rows.astype(np.int64))
            - self._sum(of_outcomes)
        )

    def information(self, outcome: Integers | None = None) -> float:
        """Return I(O; P | A) with these outcomes in place of the table's own."""
        counts = self.rows.joint_counts(self.rows.outcome if outcome is None else outcome)
        return max(0.0, (self._sum(counts) + self.fixed) / max(1, self.num_rows))

    def _sum(self, counts: Integers) -> float:
        return float(self.x_log_x[counts].sum())


def _varies(values: Integers, strata: Integers) -> Flags:
    """Whether a row's stratum holds at least two different values."""
    size = int(strata.max(initial=0)) + 1
    least = np.full(size, np.iinfo(np.int64).max)
    most = np.full(size, -1)
    np.minimum.at(least, strata, values)
    np.maximum.at(most, strata, values)
    varies: Flags = (least < most)[strata]
    return varies


class ConditionalMutualInformation(TableMetric):
    """I(outcome; protected | admissible) of a synthetic table, in nats; zero is fair.

    Several protected or outcome columns are taken jointly. Rows are compared if they agree on the
    admissible columns. With ``synthesizer`` they agree if the model gives them the same codes,
    which is what its guarantee is about. Without it numbers and dates are put in ``num_bins`` bins
    of the metric's own, and a fair table can then score above its null: two codes of the model
    in one bin look like a dependence. The breakdown's ``strata`` says which it was. Fine strata
    hold few rows each: read ``null_interval`` and ``coverage`` with the score.

    The real table is not measured. It gives the bins' ranges where the metadata has none, and may
    be ``None``.
    """

    max_value = float('inf')
    real_rows = 'optional'
    score_alone = {'permutations': 0}

    @classmethod
    def measure(
        cls,
        tables: Tables,
        *,
        protected: str | Sequence[str],
        admissible: str | Sequence[str] = (),
        outcome: str | Sequence[str],
        num_bins: int | None = NUM_BINS,
        single_values: int = SINGLE_VALUES,
        permutations: int = 200,
        seed: int | np.random.Generator | None = None,
        synthesizer: RowEncoder | None = None,
    ) -> dict[str, Any]:
        """Compute the score with its distribution under independence.

        Args:
            tables: The synthetic table; a real table can be measured as well.
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
        named = {'protected': protected, 'admissible': admissible, 'outcome': outcome}
        roles = {
            role: tables.select(role, names, may_be_empty=role == 'admissible')
            for role, names in named.items()
        }
        check_disjoint(roles)
        sides = roles['protected'], roles['outcome'], roles['admissible']
        rows, told = compare(tables, *sides, synthesizer, num_bins, single_values)
        result = tested(rows[-1], permutations, seed)
        found = result._asdict()
        scores = {'score': found.pop('estimate'), 'excess': result.excess}
        return scores | found | {'strata': told}


def tested(
    rows: Compared, permutations: int, seed: int | np.random.Generator | None
) -> Independence:
    """Return the test of rows as they are compared."""
    left, right = (joint_codes(list(codes.values())) for codes in (rows.left, rows.right))
    return independence_test(right, left, rows.strata, permutations, seed)


def judge(
    data: Frames,
    statement: Independent,
    metadata: Described | None = None,
    table_name: str | None = None,
    synthesizer: RowEncoder | None = None,
    limit: float = LIMIT,
) -> Verdict:
    """Return the verdict about a statement in the rows of any table, real or synthetic.

    Groups are all combinations of the left columns, outcomes all of the right ones, and they are
    compared within strata of the given columns. `str` of the verdict is a sentence.

    Args:
        data: The rows.
        statement: The statement, `Independent(['sex'], ['hired'], given=['grade'])`.
        metadata: SDV ``Metadata``, its ``dict``, or ``None``.
        table_name: Which table, where there are several.
        synthesizer: The fitted synthesizer, or opened release, that the rows are from: they are
            then compared by its codes.
        limit: The largest gap with which rows count as fair; .1 is 10 percentage points.
    """
    tables = read_tables(None, data, metadata, table_name)
    tables.select('statement', statement.columns())
    return judge_tables(tables, statement, synthesizer, limit)[-1]


def judge_tables(
    tables: Tables, statement: Independent, synthesizer: RowEncoder | None, limit: float = LIMIT
) -> list[Verdict]:
    """Return the verdicts about the real rows, if there are any, and about the synthetic ones."""
    sides = statement.left, statement.right, statement.given
    compared, _ = compare(tables, *sides, synthesizer)
    return judge_compared(tables, compared, limit)


def judge_compared(
    tables: Tables, compared: Sequence[Compared], limit: float = LIMIT
) -> list[Verdict]:
    """Return the verdicts about rows as they are compared, each with its frame of the tables."""
    return [
        judge_rows(
            labels(frame, tables.columns, rows.left),
            labels(frame, tables.columns, rows.right),
            rows.strata,
            limit,
        )
        for frame, rows in zip(tables.frames, compared, strict=True)
    ]
