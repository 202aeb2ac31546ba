"""Measures of fairness and quality for any synthetic table, as SDMetrics classes."""

from sdv_prefair.metrics.column_figures import plot_column_pair
from sdv_prefair.metrics.described import describe_numbers
from sdv_prefair.metrics.fairness import (
    ConditionalDemographicParity,
    ConditionalTrueNegativeRateBalance,
    ConditionalTruePositiveRateBalance,
    DemographicParity,
    TrueNegativeRateBalance,
    TruePositiveRateBalance,
    demographic_parity,
    true_negative_rate_balance,
    true_positive_rate_balance,
)
from sdv_prefair.metrics.group_rates import RateGap, rate_gap, rate_gaps_given
from sdv_prefair.metrics.independence import (
    ConditionalMutualInformation,
    Independence,
    conditional_mutual_information,
    independence_test,
)
from sdv_prefair.metrics.quality import (
    AverageCorrelationDifference,
    DownstreamAccuracy,
    OneWayTotalVariation,
    TwoWayTotalVariation,
)
from sdv_prefair.metrics.rates_in_rows import (
    Separation,
    Sufficiency,
    false_positive_rate_balance,
    positive_predictive_value_balance,
)
from sdv_prefair.metrics.report import FairnessReport
from sdv_prefair.metrics.unbinned import FrequentValueDifference, KolmogorovSmirnovDistance

__all__ = [
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
    'conditional_mutual_information',
    'demographic_parity',
    'describe_numbers',
    'false_positive_rate_balance',
    'independence_test',
    'plot_column_pair',
    'positive_predictive_value_balance',
    'rate_gap',
    'rate_gaps_given',
    'true_negative_rate_balance',
    'true_positive_rate_balance',
]
