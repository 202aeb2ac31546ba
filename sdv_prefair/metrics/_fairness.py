"""The paper's six fairness measures, by the name of the notion.

Each is a difference between groups of a rate: how often a value is predicted (demographic
parity), predicted where it is true (true positive rate), or not predicted where it is not true
(true negative rate). The conditional ones compare groups within strata of the admissible
columns; `sdv_prefair.metrics._group_rates` says how groups and strata are aggregated.

The functions take arrays and so any model's predictions. The classes train a classifier on the
synthetic table and measure its predictions on the real one. They follow SDMetrics.

Paper: table "Fairness measures" (DP, TPRB, TNRB, CDP, CTPRB, CTNRB).
"""

from collections.abc import Hashable

import numpy as np
import pandas as pd
from sdmetrics.goal import Goal
from sdmetrics.single_table.base import SingleTableMetric

from sdv_prefair.errors import SynthesizerInputError, shown
from sdv_prefair.metrics._downstream import only_outcome, predict_real, with_known
from sdv_prefair.metrics._group_rates import RateGap, rate_gap
from sdv_prefair.metrics._groups import STRATA_BINS, group_names, strata_of
from sdv_prefair.metrics._groups import strata_codes as strata_codes  # beside the functions above
from sdv_prefair.metrics._strata import RowEncoder, Strata
from sdv_prefair.metrics._table_pair import Tables, read_tables

MIN_ROWS = 30
"""Default number of rows that each of two groups must have to be compared."""


def demographic_parity(
    prediction: np.ndarray,
    group: np.ndarray,
    positive: Hashable,
    strata: np.ndarray | None = None,
    **options,
) -> RateGap:
    """Difference of Pr(O = positive | S) between groups; with ``strata``, given A.

    Args:
        prediction: The predicted outcome of each row.
        group: The group of each row.
        positive: The outcome whose rate is compared.
        strata: The stratum of each row, for the conditional measure.
        **options: ``min_rows``, ``bootstraps``, ``confidence``, ``seed`` of `rate_gap`.
    """
    return rate_gap(np.asarray(prediction) == positive, group, strata, **options)


def true_positive_rate_balance(
    prediction: np.ndarray,
    label: np.ndarray,
    group: np.ndarray,
    positive: Hashable,
    strata: np.ndarray | None = None,
    **options,
) -> RateGap:
    """Difference of Pr(O = positive | S, Y = positive) between groups; with ``strata``, given A.

    Args:
        prediction: The predicted outcome O of each row.
        label: The true outcome Y of each row.
        group: The group of each row.
        positive: The outcome whose rate is compared.
        strata: The stratum of each row, for the conditional measure.
        **options: ``min_rows``, ``bootstraps``, ``confidence``, ``seed`` of `rate_gap`.
    """
    rows = np.asarray(label) == positive
    event = np.asarray(prediction)[rows] == positive
    return rate_gap(event, np.asarray(group)[rows], _of(strata, rows), **options)


def true_negative_rate_balance(
    prediction: np.ndarray,
    label: np.ndarray,
    group: np.ndarray,
    positive: Hashable,
    strata: np.ndarray | None = None,
    **options,
) -> RateGap:
    """Difference of Pr(O != positive | S, Y != positive) between groups; arguments as above."""
    rows = np.asarray(label) != positive
    event = np.asarray(prediction)[rows] != positive
    return rate_gap(event, np.asarray(group)[rows], _of(strata, rows), **options)


def _of(strata: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    return None if strata is None else np.asarray(strata)[rows]


class _GroupDifference(SingleTableMetric):
    """Base of the six measures; subclasses define the rate, and whether strata are used."""

    goal = Goal.MINIMIZE
    min_value = 0.0
    max_value = 1.0
    conditional = False

    @staticmethod
    def _gap(prediction, label, group, positive, strata, **options) -> RateGap:
        raise NotImplementedError()

    @classmethod
    def compute_breakdown(
        cls,
        real_data,
        synthetic_data,
        metadata=None,
        table_name=None,
        *,
        outcome: str,
        protected,
        admissible=None,
        positive: Hashable | None = None,
        model='linear',
        num_bins: int | None = STRATA_BINS,
        min_rows: int = MIN_ROWS,
        bootstraps: int = 200,
        confidence: float = 0.95,
        seed: int | None = None,
        synthesizer: RowEncoder | None = None,
    ) -> dict:
        """Train on the synthetic table, predict the real rows, compare the groups.

        Args:
            real_data: The rows to predict.
            synthetic_data: The rows to train on.
            metadata: SDV ``Metadata``, its ``dict``, or ``None``.
            table_name: Which table, where there are several.
            outcome: The column to predict.
            protected: The column that makes the groups; several make a group of each
                combination. Numbers and dates are binned.
            admissible: The columns that make the strata; conditional measures only.
            positive: The outcome value that counts as positive. ``None`` takes the greater of
                two values; of more than two each in turn, and keeps the largest difference.
            model: ``'linear'``, ``'forest'``, ``'mlp'`` or a scikit-learn classifier; for
                several measures of one classifier, `predict_real` once and the functions above.
            num_bins: Bins of a number or a date among the groups or strata; ``None`` keeps
                every value apart.
            min_rows: Two groups are compared if each has at least so many rows in the strata
                that hold both.
            bootstraps: Resamples of the real rows for the interval. The classifier is not
                retrained: the interval is about the rows, not about the training.
            confidence: Level of the interval.
            seed: Seed of training and resampling.
            synthesizer: The fitted synthesizer, or opened release, that the synthetic table is
                from: strata are then made of its codes; conditional measures only.

        Returns:
            ``score`` and ``positive``, the groups that differ most (``first``, ``second``),
            the ``interval`` of their signed difference, the ``rates`` of all groups, and the
            ``coverage``: the share of rows in strata that hold at least two groups. In the score,
            differences in opposite directions cancel, as in the paper; in ``unsigned`` (with
            ``unsigned_interval``) they do not. Conditional
            measures say as ``strata`` what rows of one stratum agree on: with ``'own bins'``,
            people in one bin may still differ in admissible columns.
        """
        tables = read_tables(real_data, synthetic_data, metadata, table_name)
        outcome = only_outcome(outcome, tables)
        tables = with_known(outcome, tables)
        group = group_names(tables, protected, num_bins)
        strata = cls._strata(tables, admissible, num_bins, synthesizer)
        prediction = predict_real(tables, outcome, model, seed)
        label = tables.real[outcome].to_numpy(dtype=object)
        if positive is not None:
            check_positive(outcome, positive, label)
        breakdown = cls.compare_groups(
            prediction, label, group, strata and strata.codes[0], positive,
            min_rows=min_rows, bootstraps=bootstraps, confidence=confidence, seed=seed,
        )  # fmt: skip
        return breakdown | ({'strata': strata.told} if strata else {})

    @classmethod
    def compare_groups(
        cls,
        prediction: np.ndarray,
        label: np.ndarray,
        group: np.ndarray,
        strata: np.ndarray | None = None,
        positive: Hashable | None = None,
        **options,
    ) -> dict:
        """Compare groups by existing predictions, from any model.

        Args:
            prediction: The predicted outcome of each row.
            label: The true outcome of each row.
            group: The group of each row.
            strata: The stratum of each row; conditional measures only.
            positive: As in ``compute_breakdown``, which also says what is returned.
            **options: ``min_rows``, ``bootstraps``, ``confidence``, ``seed`` of `rate_gap`.
        """
        values = positive_values(np.asarray(label)) if positive is None else [positive]
        gaps = [
            (value, cls._gap(prediction, label, group, value, strata, **options))
            for value in values
        ]
        value, worst = max(gaps, key=lambda pair: np.nan_to_num(pair[1].gap, nan=-1.0))
        breakdown = worst._asdict()
        return {'score': breakdown.pop('gap'), 'positive': value} | breakdown

    @classmethod
    def compute(cls, real_data, synthetic_data, metadata=None, table_name=None, **options) -> float:
        """Return the score alone; arguments as in ``compute_breakdown``."""
        tables = real_data, synthetic_data, metadata, table_name
        return cls.compute_breakdown(*tables, **(options | {'bootstraps': 0}))['score']

    @classmethod
    def _strata(cls, tables: Tables, admissible, num_bins, synthesizer) -> Strata | None:
        if cls.conditional:
            return strata_of(tables, admissible or (), num_bins, synthesizer)
        if admissible is not None:
            raise SynthesizerInputError(
                f'{cls.__name__} has no admissible columns. Use Conditional{cls.__name__}.'
            )
        return None


def check_positive(outcome: str, positive: Hashable, label: np.ndarray) -> None:
    """Raise unless the positive value occurs: otherwise all groups have the same rate, zero."""
    if len(label) and not (np.asarray(label, dtype=object) == positive).any():
        raise SynthesizerInputError(
            f"positive ({shown(positive)}) must be a value that the outcome '{outcome}' has in the "
            'real table, and of its type.'
        )


def positive_values(label: np.ndarray) -> list[Hashable]:
    """Return the values to take as positive: the greater of two, or all if there are more.

    Taking both of two would make the true positive and the true negative rate the same thing.
    scikit-learn, too, takes the greater one as positive.
    """
    values = sorted(pd.unique(label), key=lambda value: (str(type(value)), value))
    return values[1:] if len(values) == 2 else values


def _parity(prediction, label, group, positive, strata, **options) -> RateGap:
    return demographic_parity(prediction, group, positive, strata, **options)


# The conditional classes do not derive from the others: SDMetrics lists classes without children.


class DemographicParity(_GroupDifference):
    """DP: the largest difference between groups of Pr(O = positive | S)."""

    name = 'DemographicParity'
    _gap = staticmethod(_parity)


class TruePositiveRateBalance(_GroupDifference):
    """TPRB: the largest difference between groups of Pr(O = positive | S, Y = positive)."""

    name = 'TruePositiveRateBalance'
    _gap = staticmethod(true_positive_rate_balance)


class TrueNegativeRateBalance(_GroupDifference):
    """TNRB: the largest difference between groups of Pr(O != positive | S, Y != positive)."""

    name = 'TrueNegativeRateBalance'
    _gap = staticmethod(true_negative_rate_balance)


class ConditionalDemographicParity(_GroupDifference):
    """CDP: demographic parity within strata of the admissible columns."""

    name = 'ConditionalDemographicParity'
    conditional = True
    _gap = staticmethod(_parity)


class ConditionalTruePositiveRateBalance(_GroupDifference):
    """CTPRB: true positive rate balance within strata of the admissible columns."""

    name = 'ConditionalTruePositiveRateBalance'
    conditional = True
    _gap = staticmethod(true_positive_rate_balance)


class ConditionalTrueNegativeRateBalance(_GroupDifference):
    """CTNRB: true negative rate balance within strata of the admissible columns."""

    name = 'ConditionalTrueNegativeRateBalance'
    conditional = True
    _gap = staticmethod(true_negative_rate_balance)


MEASURES = {
    'DP': DemographicParity,
    'TPRB': TruePositiveRateBalance,
    'TNRB': TrueNegativeRateBalance,
    'CDP': ConditionalDemographicParity,
    'CTPRB': ConditionalTruePositiveRateBalance,
    'CTNRB': ConditionalTrueNegativeRateBalance,
}
"""The six, under the paper's abbreviations and in its order."""
