"""Measures of fairness and quality for any synthetic table, as SDMetrics classes."""

from sdv_prefair.fairness._verdicts import Verdict, judge_rows
from sdv_prefair.metrics._described import describe_numbers, plot_column_pair
from sdv_prefair.metrics._downstream import predict_real, with_known
from sdv_prefair.metrics._groups import group_names, strata_codes
from sdv_prefair.metrics._independence import (
    ConditionalMutualInformation,
    Independence,
    conditional_mutual_information,
    independence_test,
    judge,
)
from sdv_prefair.metrics._measures import (
    MEASURES,
    ConditionalDemographicParity,
    ConditionalTrueNegativeRateBalance,
    ConditionalTruePositiveRateBalance,
    DemographicParity,
    Separation,
    Sufficiency,
    TrueNegativeRateBalance,
    TruePositiveRateBalance,
)
from sdv_prefair.metrics._quality import (
    AverageCorrelationDifference,
    DownstreamAccuracy,
    FrequentValueDifference,
    KolmogorovSmirnovDistance,
    OneWayTotalVariation,
    TwoWayTotalVariation,
)
from sdv_prefair.metrics._rates import (
    RateGap,
    demographic_parity,
    false_positive_rate_balance,
    positive_predictive_value_balance,
    rate_gap,
    rate_gaps_given,
    true_negative_rate_balance,
    true_positive_rate_balance,
)
from sdv_prefair.metrics._report import FairnessReport, evaluate_fairness
from sdv_prefair.metrics._tables import read_tables

__all__ = [
    'MEASURES',
    'AverageCorrelationDifference',
    'ConditionalDemographicParity',
    'ConditionalMutualInformation',
    'ConditionalTrueNegativeRateBalance',
    'ConditionalTruePositiveRateBalance',
    'DemographicParity',
    'DownstreamAccuracy',
    'FairnessReport',
    'FrequentValueDifference',
    'Independence',
    'KolmogorovSmirnovDistance',
    'OneWayTotalVariation',
    'RateGap',
    'Separation',
    'Sufficiency',
    'TrueNegativeRateBalance',
    'TruePositiveRateBalance',
    'TwoWayTotalVariation',
    'Verdict',
    'conditional_mutual_information',
    'demographic_parity',
    'describe_numbers',
    'evaluate_fairness',
    'false_positive_rate_balance',
    'group_names',
    'independence_test',
    'judge',
    'judge_rows',
    'plot_column_pair',
    'positive_predictive_value_balance',
    'predict_real',
    'rate_gap',
    'rate_gaps_given',
    'read_tables',
    'strata_codes',
    'true_negative_rate_balance',
    'true_positive_rate_balance',
    'with_known',
]
