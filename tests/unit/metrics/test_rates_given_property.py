"""Of ``_properties.py``: what a report measures of several statements."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from sdv_prefair.fairness import Independent, Statements
from sdv_prefair.metrics import ConditionalMutualInformation, FairnessReport

QUICK = {'permutations': 30, 'bootstraps': 20, 'seed': 0}
STATEMENTS = [
    Independent(['sex'], ['hired'], given=['able']),
    Independent(['sex'], ['able'], given=['hired']),
    Independent(['sex'], ['bonus']),
]


def people(rows, unfair, seed):
    rng = np.random.default_rng(seed)
    sex = rng.choice(['F', 'M'], size=rows)
    able = rng.choice(['no', 'yes'], size=rows)
    hired = rng.random(rows) < 0.2 + 0.4 * (able == 'yes') + unfair * (sex == 'M')
    bonus = rng.random(rows) < 0.3 + unfair * (sex == 'M')
    return pd.DataFrame({
        'sex': sex, 'able': able, 'hired': np.where(hired, 'yes', 'no'),
        'bonus': np.where(bonus, 'yes', 'no'),
    })  # fmt: skip


@pytest.fixture(scope='module')
def report():
    columns = {name: {'sdtype': 'categorical'} for name in ('sex', 'able', 'hired', 'bonus')}
    made = FairnessReport(STATEMENTS, **QUICK)
    made.generate(people(3000, 0.3, 0), people(3000, 0.0, 1), {'columns': columns}, verbose=False)
    return made


def test_each_statement_is_measured_given_what_it_is_given(report):
    details = report.get_details('Conditional Independence')
    assert list(zip(details['Outcome'], details['Given'], strict=True)) == [
        ('hired', 'able'),
        ('able', 'hired'),
        ('bonus', ''),
    ]
    assert list(details['Strata']) == ['exact values', 'exact values', 'all rows']
    assert (details['P-Value'] > 0.01).all() and (details['Score'] > 0.98).all()
    assert (details['Real Information'] > 5 * details['Real Null Mean'])[[0, 2]].all()


def test_rates_of_a_decision_are_shown_for_each_label(report):
    details = report.get_details('Rates Given').set_index(['Outcome', 'Given'])
    assert set(details.index) == {
        ('hired', 'able = no'), ('hired', 'able = yes'),
        ('able', 'hired = no'), ('able', 'hired = yes'), ('bonus', ''),
    }  # fmt: skip
    hits = details.loc[('hired', 'able = yes')]
    assert hits['Gap'] < 0.08 < 0.2 < hits['Real Gap']
    assert hits['Positive'] == 'yes'
    assert details.loc[('bonus', ''), 'Real Gap'] > 0.2
    assert 'F: 0.' in hits['Rates'] and 'M: 0.' in hits['Rates']


def test_a_classifier_is_not_compared_given_nothing(report):
    rates = report.get_details('Group Rates')
    measured = rates.groupby(['Outcome', 'Given'])['Measure'].agg(list).to_dict()
    assert measured['bonus', ''] == ['DP', 'TPRB', 'TNRB']
    assert measured['hired', 'able'] == ['CDP', 'CTPRB', 'CTNRB']
    assert measured['hired', ''] == ['DP', 'TPRB', 'TNRB']


def test_a_report_of_statements_is_a_report(report):
    assert list(report.get_properties()['Property']) == [
        'Conditional Independence',
        'Group Rates',
        'Quality',
        'Rates Given',
    ]
    assert report.get_info()['fairness'] == Statements(STATEMENTS).as_records()
    for name in report.get_properties()['Property']:
        assert isinstance(report.get_visualization(name), go.Figure)


def test_many_strata_are_pooled():
    table = people(2000, 0.3, 2).drop(columns='bonus').assign(age=np.arange(2000) % 50)
    columns = {name: {'sdtype': 'categorical'} for name in ('sex', 'hired', 'able')}
    columns['age'] = {'sdtype': 'numerical'}
    made = FairnessReport(Statements([Independent(['sex'], ['hired'], ['age', 'able'])]), **QUICK)
    made.generate(table, table, {'columns': columns}, verbose=False)
    (row,) = made.get_details('Rates Given').to_dict('records')
    assert row['Given'] == 'age, able' and row['Gap'] == pytest.approx(0.3, abs=0.08)
    assert row['Gap'] == row['Real Gap']


def test_information_may_be_asked_given_nothing():
    table = people(3000, 0.3, 3)
    told = {'protected': 'sex', 'outcome': 'bonus', 'permutations': 30, 'seed': 0}
    found = ConditionalMutualInformation.compute_breakdown(None, table, **told)
    assert found['strata'] == 'all rows' and found['coverage'] == 1.0
    joint = pd.crosstab(table['sex'], table['bonus'], normalize=True).to_numpy()
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    assert found['score'] == pytest.approx((joint * np.log(joint / apart)).sum())
