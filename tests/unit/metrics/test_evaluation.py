"""Of ``_report.py``: ``evaluate_fairness``."""

import pandas as pd
import pytest
import sdmetrics.reports
from sdv.metadata import Metadata

from sdv_prefair import FairMetadata, evaluate_fairness
from sdv_prefair.errors import RolesError
from sdv_prefair.metrics import FairnessReport

ROLES = {'protected': ['sex'], 'admissible': ['grade'], 'outcome': ['pay']}
COLUMNS = {name: {'sdtype': 'categorical'} for name in ('sex', 'grade', 'pay')}
METADATA = Metadata.load_from_dict({'tables': {'staff': {'columns': COLUMNS}}})
FAIR = pd.DataFrame({'sex': ['f', 'm'] * 60, 'grade': ['a', 'a', 'b'] * 40, 'pay': ['x'] * 120})
FAIR.loc[::4, 'pay'] = FAIR.loc[1::4, 'pay'] = 'y'
UNFAIR = FAIR.assign(pay=FAIR['sex'])
QUICK = {'permutations': 50, 'bootstraps': 20, 'seed': 0, 'verbose': False}


@pytest.mark.parametrize('wrapped', [True, False], ids=['dictionary', 'frame'])
def test_it_is_the_report_generated(wrapped):
    real, synthetic = ({'staff': t} if wrapped else t for t in (FAIR, UNFAIR))
    ours = evaluate_fairness(real, synthetic, METADATA, ROLES, **QUICK)
    report = FairnessReport(ROLES, permutations=50, bootstraps=20, seed=0)
    report.generate(real, synthetic, METADATA, verbose=False)
    assert ours.get_score() == pytest.approx(report.get_score(), nan_ok=True)
    pd.testing.assert_frame_equal(
        ours.get_details('Conditional Independence'),
        report.get_details('Conditional Independence'),
    )


def test_roles_come_from_the_metadata():
    metadata = FairMetadata.from_metadata(METADATA, ROLES)
    scores = [
        evaluate_fairness(FAIR, synthetic, metadata, **QUICK).get_properties()['Score'][0]
        for synthetic in (FAIR, UNFAIR)
    ]
    assert scores[0] > 0.9 > 0.2 > scores[1]


def test_without_roles_there_is_nothing_to_measure():
    for metadata in (METADATA, FairMetadata.from_metadata(METADATA)):
        with pytest.raises(RolesError, match='needs roles'):
            evaluate_fairness(FAIR, FAIR, metadata)


def test_the_report_stands_beside_sdmetrics_own():
    assert sdmetrics.reports.FairnessReport is FairnessReport
