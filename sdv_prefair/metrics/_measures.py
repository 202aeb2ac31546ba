"""The paper's six fairness measures, and separation and sufficiency, as metrics of tables.

Each is a difference between groups of a rate: how often a value is predicted (demographic
parity), predicted where it is true (true positive rate), or not predicted where it is not true
(true negative rate). The conditional ones compare groups within strata of the admissible
columns; `sdv_prefair.metrics._rates` says how groups and strata are aggregated. They train a
classifier on the synthetic table and measure its predictions on the real one.

A decision D that is a column of the table satisfies separation (equalised odds) if it is
independent of the protected columns given the true label Y, and sufficiency if the label is
independent of them given the decision. Both are measured in the synthetic rows as they are.

Paper: table "Fairness measures" (DP, TPRB, TNRB, CDP, CTPRB, CTNRB).
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar

from sdv.errors import SynthesizerInputError
from sklearn.base import BaseEstimator

from sdv_prefair.fairness._joint_test import Values, as_values
from sdv_prefair.fairness._statements import check_disjoint
from sdv_prefair.metrics._downstream import only_outcome, predict_real, with_known
from sdv_prefair.metrics._groups import STRATA_BINS, RowEncoder, group_names, strata_of
from sdv_prefair.metrics._rates import (
    MIN_ROWS,
    RateGap,
    check_positive,
    demographic_parity,
    largest_gap,
    rate_gaps_given,
    true_negative_rate_balance,
    true_positive_rate_balance,
    worst_positive,
)
from sdv_prefair.metrics._tables import TableMetric, Tables

Names = str | Sequence[str]


class _GroupDifference(TableMetric):
    """Base of the six measures; subclasses declare the gap, and whether strata are used."""

    score_alone = {'bootstraps': 0}
    conditional: ClassVar[bool] = False
    gap: ClassVar[Callable[..., RateGap]]

    @classmethod
    def measure(
        cls,
        tables: Tables,
        *,
        outcome: Names,
        protected: Names,
        admissible: Names | None = None,
        positive: Hashable | None = None,
        model: str | BaseEstimator = 'linear',
        num_bins: int | None = STRATA_BINS,
        min_rows: int = MIN_ROWS,
        bootstraps: int = 200,
        confidence: float = 0.95,
        seed: int | None = None,
        synthesizer: RowEncoder | None = None,
    ) -> dict[str, Any]:
        """Train on the synthetic table, predict the real rows, compare the groups.

        Args:
            tables: Both tables; ``compute_breakdown`` reads them.
            outcome: The column to predict.
            protected: The column that makes the groups; several make a group of each
                combination. Numbers and dates are binned.
            admissible: The columns that make the strata; conditional measures only.
            positive: The outcome value that counts as positive. ``None`` takes the greater of
                two values; of more than two each in turn, and keeps the largest difference.
            model: ``'linear'``, ``'forest'``, ``'mlp'`` or a scikit-learn classifier; for
                several measures of one classifier, `predict_real` once and the functions below.
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
            ``unsigned_interval``) they do not. Conditional measures say as ``strata`` what rows
            of one stratum agree on: with ``'own bins'``, people in one bin may still differ in
            admissible columns.
        """
        outcome = only_outcome(outcome, tables)
        tables = with_known(outcome, tables)
        group = group_names(tables, protected, num_bins)
        strata = None
        if cls.conditional:
            strata = strata_of(tables, admissible or (), num_bins, synthesizer)
        elif admissible is not None:
            raise SynthesizerInputError(
                f'{cls.__name__} has no admissible columns. Use Conditional{cls.__name__}.'
            )
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
        prediction: Values,
        label: Values,
        group: Values,
        strata: Values | None = None,
        positive: Hashable | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Compare groups by existing predictions, from any model.

        Args:
            prediction: The predicted outcome of each row.
            label: The true outcome of each row.
            group: The group of each row.
            strata: The stratum of each row; conditional measures only.
            positive: As in ``measure``, which also says what is returned.
            **options: ``min_rows``, ``bootstraps``, ``confidence``, ``seed`` of `rate_gap`.
        """
        value, gaps = worst_positive(
            as_values(label),
            positive,
            lambda value: {'': cls.gap(prediction, label, group, value, strata, **options)},
        )
        breakdown = gaps['']._asdict()
        return {'score': breakdown.pop('gap'), 'positive': value} | breakdown


def _parity(
    prediction: Values, label: Values, group: Values, *arguments: Any, **options: Any
) -> RateGap:
    return demographic_parity(prediction, group, *arguments, **options)


# The conditional classes do not derive from the others: SDMetrics lists classes without children.


class DemographicParity(_GroupDifference):
    """DP: the largest difference between groups of Pr(O = positive | S)."""

    gap = staticmethod(_parity)


class TruePositiveRateBalance(_GroupDifference):
    """TPRB: the largest difference between groups of Pr(O = positive | S, Y = positive)."""

    gap = staticmethod(true_positive_rate_balance)


class TrueNegativeRateBalance(_GroupDifference):
    """TNRB: the largest difference between groups of Pr(O != positive | S, Y != positive)."""

    gap = staticmethod(true_negative_rate_balance)


class ConditionalDemographicParity(_GroupDifference):
    """CDP: demographic parity within strata of the admissible columns."""

    conditional = True
    gap = staticmethod(_parity)


class ConditionalTruePositiveRateBalance(_GroupDifference):
    """CTPRB: true positive rate balance within strata of the admissible columns."""

    conditional = True
    gap = staticmethod(true_positive_rate_balance)


class ConditionalTrueNegativeRateBalance(_GroupDifference):
    """CTNRB: true negative rate balance within strata of the admissible columns."""

    conditional = True
    gap = staticmethod(true_negative_rate_balance)


MEASURES = {
    'DP': DemographicParity,
    'TPRB': TruePositiveRateBalance,
    'TNRB': TrueNegativeRateBalance,
    'CDP': ConditionalDemographicParity,
    'CTPRB': ConditionalTruePositiveRateBalance,
    'CTNRB': ConditionalTrueNegativeRateBalance,
}
"""The six, under the paper's abbreviations and in its order."""


class _RatesGiven(TableMetric):
    """Base of the two; subclasses declare which column is rated, given the other."""

    real_rows = 'ignored'
    score_alone = {'bootstraps': 0}
    rated: ClassVar[str]

    @classmethod
    def measure(
        cls,
        tables: Tables,
        *,
        protected: Names,
        decision: str,
        label: str,
        positive: Hashable | None = None,
        num_bins: int | None = STRATA_BINS,
        min_rows: int = MIN_ROWS,
        bootstraps: int = 200,
        confidence: float = 0.95,
        seed: int | None = None,
    ) -> dict[str, Any]:
        """Compare the rates of the groups for each value of the conditioning column.

        Args:
            tables: The synthetic table; a real table can be measured as well.
            protected: The column that makes the groups; several make a group of each
                combination. Numbers and dates are binned.
            decision: The column with the decision.
            label: The column with the true label.
            positive: The value whose rate is compared: of the decision for separation, of the
                label for sufficiency. ``None`` takes the greater of two values; with more than two
                it takes each in turn, and keeps the largest difference.
            num_bins: Bins of a number or a date among the groups.
            min_rows: Two groups are compared if each has at least so many rows.
            bootstraps: Whether to compute intervals; 0 for none.
            confidence: Level of the intervals.
            seed: Has no effect: these intervals are Newcombe's.

        Returns:
            ``score``, the largest difference between two groups given any value; the ``positive``
            value; and by conditioning value ``gaps`` (`RateGap`) and ``rates`` (by group).
        """
        named = {'protected': protected, 'decision': decision, 'label': label}
        check_disjoint({role: tables.select(role, names) for role, names in named.items()})
        rated, given = (decision, label) if cls.rated == 'decision' else (label, decision)
        rows = with_known(rated, Tables(tables.synthetic, tables.synthetic, tables.columns))
        group = group_names(rows, protected, num_bins)
        outcomes, values = (rows.real[c].to_numpy(dtype=object) for c in (rated, given))
        if positive is not None:
            check_positive(rated, positive, outcomes)
        options = {
            'min_rows': min_rows, 'bootstraps': bootstraps, 'confidence': confidence, 'seed': seed
        }  # fmt: skip
        positive, gaps = worst_positive(
            outcomes, positive, lambda p: rate_gaps_given(outcomes == p, group, values, **options)
        )
        rates = {value: gap.rates for value, gap in gaps.items()}
        return {'score': largest_gap(gaps), 'positive': positive, 'gaps': gaps, 'rates': rates}


class Separation(_RatesGiven):
    """The largest difference between groups of Pr(D = positive | S, Y = y), over all labels y.

    Given the positive label the rates are true positive rates, given the other of two labels
    false positive rates. It is zero in a table whose decisions satisfy equalised odds.
    """

    rated = 'decision'


class Sufficiency(_RatesGiven):
    """The largest difference between groups of Pr(Y = positive | S, D = d), over all decisions d.

    Given the positive decision the rates are positive predictive values, given the other of two
    decisions false omission rates. It is zero if a decision means the same in all groups.
    """

    rated = 'label'
