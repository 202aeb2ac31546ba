"""Separation and sufficiency of decisions that are columns of the table: no classifier is trained.

A decision D satisfies separation (equalised odds) if it is independent of the protected columns
given the true label Y: then true and false positive rates are the same in all groups. It satisfies
sufficiency if the label is independent of them given the decision: then the positive predictive
value of a decision is the same in all groups. Both are measured in the synthetic rows as they are.
"""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sdmetrics.goal import Goal
from sdmetrics.single_table.base import SingleTableMetric

from sdv_prefair.fairness._statements import check_disjoint
from sdv_prefair.metrics._downstream import with_known
from sdv_prefair.metrics._fairness import MIN_ROWS, check_positive, positive_values
from sdv_prefair.metrics._group_rates import RateGap, rate_gap, rate_gaps_given
from sdv_prefair.metrics._groups import STRATA_BINS, group_names
from sdv_prefair.metrics._table_pair import read_tables


def false_positive_rate_balance(
    prediction: np.ndarray, label: np.ndarray, group: np.ndarray, positive: Hashable, **options
) -> RateGap:
    """Difference of Pr(D = positive | S, Y != positive) between groups.

    Args:
        prediction: The decision D, or prediction, of each row.
        label: The true outcome Y of each row.
        group: The group of each row.
        positive: The outcome whose rate is compared.
        **options: ``min_rows``, ``bootstraps``, ``confidence``, ``seed`` of `rate_gap`.
    """
    rows = np.asarray(label) != positive
    return rate_gap(np.asarray(prediction)[rows] == positive, np.asarray(group)[rows], **options)


def positive_predictive_value_balance(
    prediction: np.ndarray, label: np.ndarray, group: np.ndarray, positive: Hashable, **options
) -> RateGap:
    """Difference of Pr(Y = positive | S, D = positive) between groups; arguments as above."""
    rows = np.asarray(prediction) == positive
    return rate_gap(np.asarray(label)[rows] == positive, np.asarray(group)[rows], **options)


class _RatesGiven(SingleTableMetric):
    """Base of the two; subclasses define the conditioning column, and the one with the rates."""

    goal = Goal.MINIMIZE
    min_value = 0.0
    max_value = 1.0

    @staticmethod
    def _rated_and_given(decision: str, label: str) -> tuple[str, str]:
        raise NotImplementedError()

    @classmethod
    def compute_breakdown(
        cls,
        real_data,
        synthetic_data,
        metadata=None,
        table_name=None,
        *,
        protected,
        decision: str,
        label: str,
        positive: Hashable | None = None,
        num_bins: int | None = STRATA_BINS,
        min_rows: int = MIN_ROWS,
        bootstraps: int = 200,
        confidence: float = 0.95,
        seed: int | None = None,
    ) -> dict:
        """Compare the rates of the groups for each value of the conditioning column.

        Args:
            real_data: Not measured; may be ``None``.
            synthetic_data: The table to measure; a real table can be given here as well.
            metadata: SDV ``Metadata``, its ``dict``, or ``None``.
            table_name: Which table, where there are several.
            protected: The column that makes the groups; several make a group of each
                combination. Numbers and dates are binned.
            decision: The column with the decision.
            label: The column with the true label.
            positive: The value whose rate is compared: of the decision for separation, of the
                label for sufficiency. ``None`` takes the greater of two values; with more than two
                it takes each in turn, and keeps the largest difference.
            num_bins: Bins of a number or a date among the groups.
            min_rows: Two groups are compared if each has at least so many rows.
            bootstraps: Resamples of the rows for the intervals.
            confidence: Level of the intervals.
            seed: Seed of the resampling.

        Returns:
            ``score``, the largest difference between two groups given any value; the ``positive``
            value; and by conditioning value ``gaps`` (`RateGap`) and ``rates`` (by group).
        """
        tables = read_tables(None, synthetic_data, metadata, table_name)
        named = {'protected': protected, 'decision': decision, 'label': label}
        check_disjoint({role: tables.select(role, names) for role, names in named.items()})
        rated, given = cls._rated_and_given(decision, label)
        rows = with_known(rated, replace(tables, real=tables.synthetic))
        group = group_names(rows, protected, num_bins)
        outcomes, values = (rows.real[c].to_numpy(dtype=object) for c in (rated, given))
        if positive is not None:
            check_positive(rated, positive, outcomes)
        positive, gaps = _worst(
            outcomes, group, values, positive, min_rows=min_rows, bootstraps=bootstraps,
            confidence=confidence, seed=seed,
        )  # fmt: skip
        rates = {value: gap.rates for value, gap in gaps.items()}
        return {'score': largest_gap(gaps), 'positive': positive, 'gaps': gaps, 'rates': rates}

    @classmethod
    def compute(cls, real_data, synthetic_data, metadata=None, table_name=None, **options) -> float:
        """Return the score alone; arguments as in ``compute_breakdown``."""
        tables = real_data, synthetic_data, metadata, table_name
        return cls.compute_breakdown(*tables, **(options | {'bootstraps': 0}))['score']


def _worst(
    outcomes: np.ndarray,
    group: np.ndarray,
    given: np.ndarray,
    positive: Hashable | None,
    **options,
) -> tuple[Hashable, dict[Hashable, RateGap]]:
    positives = positive_values(outcomes) if positive is None else [positive]
    found = [(p, rate_gaps_given(outcomes == p, group, given, **options)) for p in positives]
    return max(found, key=lambda pair: np.nan_to_num(largest_gap(pair[1]), nan=-1.0))


def largest_gap(gaps: Mapping[Any, RateGap]) -> float:
    """Return the largest difference given any value; NaN where no groups can be compared."""
    known = [gap.gap for gap in gaps.values() if np.isfinite(gap.gap)]
    return max(known, default=float('nan'))


class Separation(_RatesGiven):
    """The largest difference between groups of Pr(D = positive | S, Y = y), over all labels y.

    Given the positive label the rates are true positive rates, given the other of two labels
    false positive rates. It is zero in a table whose decisions satisfy equalised odds.

    Attributes:
        name: Name to use when reports about this metric are printed.
        goal: Smaller is better.
    """

    name = 'Separation'

    @staticmethod
    def _rated_and_given(decision: str, label: str) -> tuple[str, str]:
        return decision, label


class Sufficiency(_RatesGiven):
    """The largest difference between groups of Pr(Y = positive | S, D = d), over all decisions d.

    Given the positive decision the rates are positive predictive values, given the other of two
    decisions false omission rates. It is zero if a decision means the same in all groups.

    Attributes:
        name: Name to use when reports about this metric are printed.
        goal: Smaller is better.
    """

    name = 'Sufficiency'

    @staticmethod
    def _rated_and_given(decision: str, label: str) -> tuple[str, str]:
        return label, decision
