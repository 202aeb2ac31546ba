import numpy as np
import pytest
from fairlearn.metrics import (
    MetricFrame,
    demographic_parity_difference,
    true_negative_rate,
    true_positive_rate,
)
from hypothesis import given
from hypothesis import strategies as st
from sdmetrics.goal import Goal
from sdmetrics.single_table.base import SingleTableMetric
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from sdv_prefair import metrics
from sdv_prefair.datasets import simulate_census
from sdv_prefair.errors import RolesError, SynthesizerInputError
from sdv_prefair.metrics import (
    MEASURES,
    ConditionalDemographicParity,
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
from sdv_prefair.metrics._downstream import predict_real
from sdv_prefair.metrics._tables import read_tables

SIX = [
    metrics.DemographicParity,
    metrics.TruePositiveRateBalance,
    metrics.TrueNegativeRateBalance,
    metrics.ConditionalDemographicParity,
    metrics.ConditionalTruePositiveRateBalance,
    metrics.ConditionalTrueNegativeRateBalance,
]
RNGS = st.integers(0, 10_000).map(np.random.default_rng)
ADMISSIBLE = ['education', 'occupation', 'hours']
OUTCOME = {'outcome': 'income', 'positive': '>50K', 'seed': 0}


@given(RNGS)
def test_functions_agree_with_fairlearn(rng):
    label, prediction = rng.integers(2, size=(2, 120))
    group = rng.integers(3, size=120)
    expected = demographic_parity_difference(label, prediction, sensitive_features=group)
    assert demographic_parity(prediction, group, 1).gap == pytest.approx(expected)
    for ours, theirs in (
        (true_positive_rate_balance, true_positive_rate),
        (true_negative_rate_balance, true_negative_rate),
    ):
        frame = MetricFrame(
            metrics=theirs, y_true=label, y_pred=prediction, sensitive_features=group
        )
        gap = ours(prediction, label, group, 1).gap
        assert gap == pytest.approx(frame.difference())


@given(RNGS)
def test_conditional_true_positive_rate_agrees_with_fairlearn(rng):
    label, prediction, group = rng.integers(2, size=(3, 150))
    strata = rng.integers(3, size=150)
    frame = MetricFrame(
        metrics=true_positive_rate, y_true=label, y_pred=prediction,
        sensitive_features=group, control_features=strata,
    )  # fmt: skip
    rates = frame.by_group.unstack()
    positives = [((strata == s) & (label == 1)).sum() for s in rates.index]
    expected = np.average(rates[1] - rates[0], weights=positives)
    result = true_positive_rate_balance(prediction, label, group, 1, strata)
    assert result.gap == pytest.approx(abs(expected))


def test_true_negative_is_true_positive_of_the_other_value():
    rng = np.random.default_rng(0)
    label, prediction, group = rng.integers(2, size=(3, 200))
    one = true_negative_rate_balance(prediction, label, group, 1)
    assert one.gap == true_positive_rate_balance(prediction, label, group, 0).gap


def test_several_outcome_values_by_hand():
    prediction = np.array(['low', 'mid', 'high', 'low', 'low', 'high'])
    group = np.array(['a', 'a', 'a', 'b', 'b', 'b'])
    gaps = {value: demographic_parity(prediction, group, value).gap for value in set(prediction)}
    assert gaps == pytest.approx({'low': 1 / 3, 'mid': 1 / 3, 'high': 0.0})


@pytest.mark.parametrize('metric', SIX)
def test_is_a_well_formed_sdmetrics_metric(metric):
    assert SingleTableMetric.get_subclasses()[metric.name] is metric
    assert metric.goal is Goal.MINIMIZE
    assert metric.normalize(0.25) == pytest.approx(0.75)


@pytest.mark.parametrize('metric', SIX)
def test_direct_effect_is_found_by_every_measure(metric):
    options = {**OUTCOME, 'protected': 'sex', 'bootstraps': 50}
    options |= {'admissible': ADMISSIBLE} if metric.conditional else {}
    biased, metadata, _ = simulate_census(6000, 0)
    breakdown = metric.compute_breakdown(biased, biased, metadata, **options)
    assert breakdown['score'] > 0.15
    assert breakdown['interval'][0] > 0
    assert {breakdown['first'], breakdown['second']} == {'male', 'female'}
    assert 0.9 < breakdown['coverage'] <= 1
    assert metric.compute(biased, biased, metadata, **options) == breakdown['score']


def test_without_direct_effect_only_the_conditional_measure_is_small():
    data, metadata, _ = simulate_census(10_000, 0, direct_effect=0.0)
    options = {**OUTCOME, 'protected': 'sex'}
    parity = DemographicParity.compute(data, data, metadata, **options)
    conditional = ConditionalDemographicParity.compute(
        data, data, metadata, **options, admissible=ADMISSIBLE
    )
    assert conditional < 0.03 < 0.07 < parity


def test_training_rows_are_the_synthetic_ones():
    real, metadata, _ = simulate_census(4000, 0, direct_effect=0.0)
    biased = simulate_census(4000, 1).data
    options = {**OUTCOME, 'protected': 'sex'}
    assert (
        DemographicParity.compute(real, biased, metadata, **options)
        > DemographicParity.compute(real, real, metadata, **options) + 0.2
    )


def test_several_protected_columns_make_joint_groups():
    data, metadata, _ = simulate_census(5000, 0)
    breakdown = DemographicParity.compute_breakdown(
        data, data, metadata, **OUTCOME, protected=['sex', 'race'], bootstraps=10
    )
    assert len(breakdown['rates']) == 6
    assert breakdown['first'] == 'male, majority'
    assert breakdown['second'] == 'female, minority A'


def test_numbers_make_groups_by_bin():
    data, metadata, _ = simulate_census(3000, 0)
    breakdown = DemographicParity.compute_breakdown(
        data, data, metadata, **OUTCOME, protected='age', num_bins=4, bootstraps=10
    )
    ages = data['census']['age']
    named = [name.split(' to ') for name in breakdown['rates']]
    assert len(named) == 4
    assert {int(end) for ends in named for end in ends} <= set(ages)
    covered = sum(ages.between(int(low), int(high)).sum() for low, high in named)
    assert covered == len(ages)


def test_without_a_positive_value_the_greater_of_two_is_taken():
    data, metadata, _ = simulate_census(3000, 0)
    options = {'outcome': 'income', 'protected': 'sex', 'seed': 0}
    for measure in (TruePositiveRateBalance, TrueNegativeRateBalance):
        chosen = measure.compute(data, data, metadata, positive='>50K', **options)
        assert measure.compute(data, data, metadata, **options) == chosen


def test_without_a_positive_value_the_worst_of_several_is_kept():
    data, metadata, _ = simulate_census(3000, 0)
    options = {'outcome': 'education', 'protected': 'sex', 'seed': 0}
    scores = [
        TruePositiveRateBalance.compute(data, data, metadata, positive=value, **options)
        for value in data['census']['education'].unique()
    ]
    assert TruePositiveRateBalance.compute(data, data, metadata, **options) == np.nanmax(scores)


@pytest.mark.parametrize('positive', ['rich', 1])
def test_a_positive_value_that_does_not_occur_is_refused(positive):
    data, metadata, _ = simulate_census(300, 0)
    options = OUTCOME | {'protected': 'sex', 'positive': positive}
    with pytest.raises(SynthesizerInputError, match='must be a value that the outcome'):
        DemographicParity.compute(data, data, metadata, **options)


def test_the_outcome_may_come_as_a_list_of_one():
    data, metadata, _ = simulate_census(1000, 0)
    options = OUTCOME | {'protected': 'sex'}
    score = DemographicParity.compute(data, data, metadata, **options)
    listed = options | {'outcome': ['income']}
    assert DemographicParity.compute(data, data, metadata, **listed) == score > 0


def test_more_than_two_outcome_values():
    data, metadata, _ = simulate_census(3000, 0)
    options = {'outcome': 'occupation', 'protected': 'sex', 'seed': 0, 'bootstraps': 10}
    breakdown = DemographicParity.compute_breakdown(data, data, metadata, **options)
    assert breakdown['positive'] in set(data['census']['occupation'])
    assert breakdown['score'] > 0.1


def test_any_scikit_learn_classifier_can_be_given():
    data, metadata, _ = simulate_census(1000, 0)
    options = {**OUTCOME, 'protected': 'sex'}
    constant = DummyClassifier(strategy='most_frequent')
    tree = DecisionTreeClassifier(max_depth=4)
    assert DemographicParity.compute(data, data, metadata, model=constant, **options) == 0.0
    assert DemographicParity.compute(data, data, metadata, model=tree, **options) > 0.0
    assert not hasattr(tree, 'tree_')


def test_rows_without_outcome_are_left_out():
    data, metadata, _ = simulate_census(1000, 0)
    holed = data['census'].copy()
    holed.loc[holed.index[:100], 'income'] = None
    options = {**OUTCOME, 'protected': 'sex'}
    score = TrueNegativeRateBalance.compute(holed, holed, metadata, **options)
    kept = data['census'].iloc[100:]
    assert score == TrueNegativeRateBalance.compute(kept, kept, metadata, **options)


def test_synthetic_table_with_one_outcome_value_predicts_it():
    data, metadata, _ = simulate_census(500, 0)
    constant = data['census'].assign(income='<=50K')
    score = DemographicParity.compute(data, constant, metadata, **OUTCOME, protected='sex')
    assert score == 0.0


def test_integer_and_float_codes_are_the_same_outcome():
    data, _, _ = simulate_census(800, 0)
    table = data['census'][['sex', 'hours', 'income']].assign(
        income=lambda t: (t['income'] == '>50K').astype(int)
    )
    as_float = table.astype({'income': float})
    options = {'outcome': 'income', 'protected': 'sex', 'positive': 1, 'seed': 0}
    score = TruePositiveRateBalance.compute(table, as_float, **options)
    assert score == TruePositiveRateBalance.compute(table, table, **options)
    assert score > 0


def test_wrong_arguments_are_explained():
    data, metadata, _ = simulate_census(100, 0)
    with pytest.raises(SynthesizerInputError, match='ConditionalDemographicParity'):
        DemographicParity.compute(
            data, data, metadata, **OUTCOME, protected='sex', admissible=['hours']
        )
    with pytest.raises(RolesError, match='admissible'):
        ConditionalTruePositiveRateBalance.compute(data, data, metadata, **OUTCOME, protected='sex')
    with pytest.raises(SynthesizerInputError, match=r"model \('svm'\) must be one of"):
        DemographicParity.compute(data, data, metadata, **OUTCOME, protected='sex', model='svm')
    with pytest.raises(RolesError, match='one column'):
        DemographicParity.compute(
            data, data, metadata, outcome=['income', 'home_owner'], protected='sex'
        )


def test_an_outcome_with_very_many_values_is_refused():
    data, metadata, _ = simulate_census(2000, 0)
    with pytest.raises(RolesError, match='at most 100 values'):
        DemographicParity.compute(data, data, metadata, outcome='commute_km', protected='sex')


@pytest.mark.parametrize('measure', MEASURES.values())
def test_one_classifier_serves_all_measures(measure):
    data, metadata, _ = simulate_census(1500, 0)
    tables = read_tables(data, data, metadata)
    prediction = predict_real(tables, 'income', seed=0)
    strata = strata_codes(tables, ADMISSIBLE) if measure.conditional else None
    found = measure.compare_groups(
        prediction, tables.real['income'].to_numpy(), group_names(tables, 'sex'), strata, '>50K',
        min_rows=30,
    )  # fmt: skip
    options = {**OUTCOME, 'protected': 'sex'}
    options |= {'admissible': ADMISSIBLE} if measure.conditional else {}
    assert found['score'] == measure.compute(data, data, metadata, **options)
