import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from fairlearn.metrics import MetricFrame, demographic_parity_difference, selection_rate
from sdmetrics.reports.base_report import BaseReport

from sdv_prefair import Roles
from sdv_prefair.datasets import simulate_census
from sdv_prefair.errors import RolesError, SynthesizerInputError
from sdv_prefair.metrics import FairnessReport, strata_codes
from sdv_prefair.metrics._downstream import predict_real
from sdv_prefair.metrics._tables import read_tables

PROPERTIES = ['Conditional Independence', 'Group Rates', 'Quality']
QUICK = {'permutations': 30, 'bootstraps': 20, 'seed': 0}


@pytest.fixture(scope='module')
def census():
    return simulate_census(4000, 0)


def made(census, real, synthetic, roles=None, **changes):
    report = FairnessReport(roles or census.roles, **(QUICK | changes))
    report.generate(real, synthetic, census.metadata, verbose=False)
    return report


@pytest.fixture(scope='module')
def report(census):
    """A table beside itself: the best quality there is, and all of its unfairness."""
    return made(census, census.data, census.data)


def test_it_is_a_report_of_sdmetrics(report):
    assert isinstance(report, BaseReport)
    properties = report.get_properties()
    assert list(properties['Property']) == PROPERTIES
    assert properties['Score'].between(0, 1).all()
    assert report.get_score() == pytest.approx(properties['Score'].mean())
    assert report.get_info()['roles']['protected'] == ['sex', 'race']


def test_details_have_a_row_for_everything_that_is_measured(report):
    independence = report.get_details('Conditional Independence')
    assert list(independence['Protected']) == ['sex', 'race', 'sex, race']
    rates = report.get_details('Group Rates')
    assert set(zip(rates['Protected'], rates['Measure'], strict=True)) == {
        (protected, measure)
        for protected in ('sex', 'race')
        for measure in ('DP', 'TPRB', 'TNRB', 'CDP', 'CTPRB', 'CTNRB')
    }
    quality = report.get_details('Quality')
    counts = quality.groupby('Metric').size()
    assert counts['OneWayTotalVariation'] == 12
    assert counts['TwoWayTotalVariation'] == counts['AverageCorrelationDifference'] == 66
    assert counts['KolmogorovSmirnovDistance'] == counts['FrequentValueDifference'] == 4
    assert counts['DownstreamAccuracy'] == 1
    for frame in (independence, rates, quality):
        assert frame['Score'].between(0, 1).all()
        assert set(frame['Table']) == {'census'}
        assert 'Error' not in frame


def test_scores_are_what_the_documentation_says(report):
    rates = report.get_details('Group Rates')
    assert rates['Score'].to_numpy() == pytest.approx(1 - rates['Gap'])
    quality = report.get_details('Quality')
    distances = quality[quality['Metric'] != 'DownstreamAccuracy']
    assert distances['Score'].to_numpy() == pytest.approx(1 - distances['Value'])
    means = quality.groupby('Metric')['Score'].mean()
    score = report.get_properties().set_index('Property')['Score']
    assert score['Quality'] == pytest.approx(means.mean())
    assert means.drop('DownstreamAccuracy').tolist() == [1.0] * 5
    assert score['Group Rates'] == pytest.approx(rates['Score'].mean())


def test_parity_agrees_with_fairlearn(census, report):
    tables = read_tables(census.data, census.data, census.metadata)
    prediction = predict_real(tables, 'income', seed=0) == '>50K'
    label = (tables.real['income'] == '>50K').to_numpy()
    groups = {'y_true': label, 'y_pred': prediction, 'sensitive_features': tables.real['sex']}
    gap = report.get_details('Group Rates').query("Protected == 'sex'").set_index('Measure')['Gap']
    assert gap['DP'] == pytest.approx(demographic_parity_difference(**groups))
    strata = strata_codes(tables, census.roles.admissible)
    frame = MetricFrame(metrics=selection_rate, control_features=strata, **groups)
    rates = frame.by_group.unstack()
    both = rates.notna().all(axis=1).to_numpy()
    weights = np.bincount(strata)[rates.index][both]
    expected = np.average((rates['male'] - rates['female'])[both], weights=weights)
    assert gap['CDP'] == pytest.approx(expected)


def test_unfair_and_fair_tables_are_told_apart(census, report):
    fair = simulate_census(4000, 1, direct_effect=0.0)
    of_fair = made(census, census.data, fair.data)
    scores = {
        name: made.get_properties().set_index('Property')['Score']
        for name, made in (('unfair', report), ('fair', of_fair))
    }
    independence = {name: score['Conditional Independence'] for name, score in scores.items()}
    assert independence['fair'] > 0.98
    assert independence['unfair'] < 0.9
    assert scores['fair']['Group Rates'] > scores['unfair']['Group Rates'] + 0.05
    details = of_fair.get_details('Conditional Independence')
    assert (details['P-Value'] > 0.01).all()
    assert (details['Real Information'] > details['Information']).all()


@pytest.mark.parametrize('property_name', PROPERTIES)
def test_every_property_is_drawn(report, property_name):
    figure = report.get_visualization(property_name)
    assert isinstance(figure, go.Figure)
    assert len(figure.data)
    named = report.get_visualization(property_name, 'census')
    assert named.to_dict() == figure.to_dict()
    with pytest.raises(ValueError, match='people'):
        report.get_visualization(property_name, 'people')


def test_a_report_in_which_nothing_can_be_predicted_is_drawn(census):
    report = made(census, census.data, census.data, Roles(['sex'], ['education'], ['commute_km']))
    assert report.get_details('Group Rates')['Gap'].isna().all()
    for name in PROPERTIES:
        assert isinstance(report.get_visualization(name), go.Figure)


def test_names_and_values_are_not_taken_for_tags(census):
    table = census.data['census'].rename(columns={'sex': '<b>sex</b>'})
    metadata = census.metadata.tables['census'].to_dict()
    metadata['columns']['<b>sex</b>'] = metadata['columns'].pop('sex')
    roles = Roles(['<b>sex</b>'], ['education'], ['income'])
    report = FairnessReport(roles, **QUICK)
    report.generate(table, table, metadata, verbose=False)
    for property_name in PROPERTIES:
        assert '<b>sex' not in str(report.get_visualization(property_name).to_dict())
    assert '<b>sex</b>' in set(report.get_details('Group Rates')['Protected'])


def test_a_saved_report_comes_back(report, tmp_path):
    report.save(tmp_path / 'report.pkl')
    again = FairnessReport.load(tmp_path / 'report.pkl')
    assert again.get_score() == report.get_score()
    for name in PROPERTIES:
        pd.testing.assert_frame_equal(again.get_details(name), report.get_details(name))
        assert again.get_visualization(name).to_dict() == report.get_visualization(name).to_dict()


def test_the_same_seed_gives_the_same_report(census, report):
    again = made(census, census.data['census'], census.data['census'])
    for name in PROPERTIES:
        pd.testing.assert_frame_equal(again.get_details(name), report.get_details(name))


def test_rows_are_subsampled_as_in_sdmetrics(census):
    report = FairnessReport(census.roles, **QUICK)
    report.num_rows_subsample = 500
    report.generate(census.data, census.data, census.metadata, verbose=False)
    distances = report.get_details('Quality').query("Metric == 'TwoWayTotalVariation'")
    assert (distances['Value'] == 0).all(), 'the same rows of both'
    assert report.get_info()['num_rows_real_data'] == {'census': 4000}


def test_positive_value_by_default_and_by_choice(census, report):
    assert set(report.get_details('Group Rates')['Positive']) == {'>50K'}
    other = made(census, census.data, census.data, positive={'income': '<=50K'})
    chosen = other.get_details('Group Rates')
    assert set(chosen['Positive']) == {'<=50K'}
    default = report.get_details('Group Rates')
    swapped = chosen.query("Measure == 'TNRB'")['Gap'].to_numpy()
    assert swapped == pytest.approx(default.query("Measure == 'TPRB'")['Gap'].to_numpy())


def test_several_outcomes_and_one_that_cannot_be_predicted(census):
    roles = Roles(['sex'], ['education'], ['income', 'home_owner', 'commute_km'])
    report = made(census, census.data, census.data, roles)
    rates = report.get_details('Group Rates')
    assert set(rates['Outcome']) == set(roles.outcome)
    failed = rates[rates['Error'].notna()]
    assert set(failed['Outcome']) == {'commute_km'}
    assert failed['Score'].isna().all()
    assert failed['Error'].str.contains('at most 100 values').all()
    assert list(failed['Measure']) == list(rates.query("Outcome == 'income'")['Measure'])
    assert np.isnan(report.get_score()), 'no mean that leaves it out'
    report.get_visualization('Group Rates')


def test_progress_is_printed_only_when_asked(census, capsys):
    small = {'census': census.data['census'].iloc[:300]}
    report = FairnessReport(census.roles, **QUICK)
    report.generate(small, small, census.metadata, verbose=False)
    assert not capsys.readouterr().out
    report.generate(small, small, census.metadata)
    assert 'Group Rates Score' in capsys.readouterr().out


def test_wrong_use_is_explained(census):
    with pytest.raises(RolesError, match='must name protected'):
        FairnessReport(Roles())
    report = FairnessReport(census.roles)
    with pytest.raises(ValueError, match='has not been generated'):
        report.get_score()
    with pytest.raises(ValueError, match='has not been generated'):
        report.get_visualization('Quality')
    with pytest.raises(ValueError, match='Invalid property name'):
        report.get_details('Fairness')
    for wrong in (None, 'sex', ['sex']):
        with pytest.raises(RolesError, match='must name protected'):
            FairnessReport(wrong)
    with pytest.raises(SynthesizerInputError, match=r"model \('tree'\) must be one of"):
        FairnessReport(census.roles, model='tree')
    with pytest.raises(RolesError, match=r"positive \(\['wage'\]\) must be given for outcome"):
        FairnessReport(census.roles, positive={'wage': 1})
    with pytest.raises(SynthesizerInputError, match=r"positive \('rich'\) must be a value"):
        made(census, census.data, census.data, positive={'income': 'rich'})
    unknown = FairnessReport(Roles(['gender'], ['education'], ['income']))
    with pytest.raises(RolesError, match='gender'):
        unknown.generate(census.data, census.data, census.metadata, verbose=False)
