"""Differences between groups in the report, with how far off they may be."""

import pytest
from census_report import make, report

from sdv_prefair.fairness import demographic_parity
from sdv_prefair.inference import Difference, Share, replicate
from sdv_prefair.report._effects import group_gaps

pytestmark = pytest.mark.filterwarnings('ignore::sdv_prefair.errors.FairnessWarning')


@pytest.fixture(scope='module')
def gaps(fitted):
    return group_gaps(fitted.fitted, lambda: replicate(fitted.fitted, 12, seed=0))


def test_each_protected_and_outcome_column_has_its_largest_gap(fitted, gaps):
    assert {(gap.protected, gap.outcome) for gap in gaps} == {('sex', 'income'), ('race', 'income')}
    fitted.replicates(12, seed=0, progress=False)
    for gap in gaps:
        found = fitted.estimate(
            Difference(Share(gap.outcome), gap.protected), in_the_fair_table=True
        )
        assert 0 <= gap.gap <= found['estimate'].abs().max() + 1e-12
        assert gap.lower <= gap.gap <= gap.upper
    (sex,) = (gap for gap in gaps if gap.protected == 'sex')
    found = fitted.estimate('difference in income by sex', in_the_fair_table=True)
    assert sex.gap == pytest.approx(found['estimate'].abs().max())


def test_a_gap_that_was_picked_of_many_has_a_wider_interval(fitted, gaps):
    (race,) = (gap for gap in gaps if gap.protected == 'race')
    query = Difference(Share({'income': race.value}), {'race': race.groups})
    found = fitted.estimate(query, in_the_fair_table=True)
    assert race.upper - race.lower > (found['upper'] - found['lower']).item()


def test_the_report_shows_them(page):
    text = page.section('proxies')['text']
    assert (
        'Differences between groups that remain' in text
        and 'for all groups and values together' in text
    )


def test_groups_that_are_not_tied_have_no_gap(census, tmp_path):
    statements = demographic_parity(['sex'], ['income'])
    nothing = {'protected': (), 'admissible': (), 'outcome': ()}
    apart = make(census, fairness=statements, structure='adaptive', **nothing)
    text = report(apart, tmp_path).section('proxies')['text']
    assert 'all alike' in text and 'none: the model does not connect them' in text
