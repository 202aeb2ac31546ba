"""Measures of fairness and quality for any synthetic table, as SDMetrics classes."""

from sdv_prefair.fairness._verdicts import Verdict, judge_rows
from sdv_prefair.metrics._column_figures import plot_column_pair
from sdv_prefair.metrics._described import describe_numbers
from sdv_prefair.metrics._downstream import predict_real, with_known
from sdv_prefair.metrics._evaluation import evaluate_fairness
from sdv_prefair.metrics._fairness import (
    MEASURES,
    ConditionalDemographicParity,
    ConditionalTrueNegativeRateBalance,
    ConditionalTruePositiveRateBalance,
    DemographicParity,
    TrueNegativeRateBalance,
    TruePositiveRateBalance,
    demographic_parity,
    group_names,
    strata_codes,
    true_negative_rate_balance,
    true_positive_rate_balance,
)
from sdv_prefair.metrics._group_rates import RateGap, rate_gap, rate_gaps_given
from sdv_prefair.metrics._independence import (
    ConditionalMutualInformation,
    Independence,
    conditional_mutual_information,
    independence_test,
)
from sdv_prefair.metrics._judged import judge
from sdv_prefair.metrics._quality import (
    AverageCorrelationDifference,
    DownstreamAccuracy,
    OneWayTotalVariation,
    TwoWayTotalVariation,
)
from sdv_prefair.metrics._rates_in_rows import (
    Separation,
    Sufficiency,
    false_positive_rate_balance,
    positive_predictive_value_balance,
)
from sdv_prefair.metrics._report import FairnessReport
from sdv_prefair.metrics._table_pair import read_tables
from sdv_prefair.metrics._unbinned import FrequentValueDifference, KolmogorovSmirnovDistance

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
