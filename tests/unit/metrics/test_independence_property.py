"""Of ``_properties.py``: verdicts in the details of a report."""

import numpy as np
import pandas as pd

from sdv_prefair import Roles
from sdv_prefair.fairness import Independent
from sdv_prefair.metrics import FairnessReport, group_names, judge, read_tables

QUICK = {'permutations': 30, 'bootstraps': 20, 'seed': 0}


def test_a_copied_protected_column_scores_zero():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({'p': rng.integers(2, size=600), 'a': rng.integers(3, size=600)})
    table['o'] = table['p']
    columns = {name: {'sdtype': 'categorical'} for name in table}
    report = FairnessReport({'protected': ['p'], 'admissible': ['a'], 'outcome': ['o']}, **QUICK)
    report.generate(table, table, {'columns': columns}, verbose=False)
    (row,) = report.get_details('Conditional Independence').to_dict('records')
    assert row['Score'] < 0.1
    assert row['Verdict'].startswith('unfair by at least 8')
    assert row['Gap Low'] > 0.85
    gaps = report.get_details('Group Rates')
    assert gaps.set_index('Measure').loc['CDP', 'Gap'] == 1.0


def test_strata_that_cannot_tell_have_no_score():
    table = pd.DataFrame({'p': [0, 1] * 40, 'a': range(80), 'o': [0, 1, 1, 0] * 20})
    columns = {name: {'sdtype': 'categorical'} for name in table}
    report = FairnessReport({'protected': ['p'], 'admissible': ['a'], 'outcome': ['o']}, **QUICK)
    report.generate(table, table, {'columns': columns}, verbose=False)
    details = report.get_details('Conditional Independence')
    assert details['Score'].isna().all()
    assert (details['Coverage'] == 0).all()
    assert (details['Reason'] == 'no stratum holds two groups').all()
    assert details['Gap'].isna().all()
    assert np.isnan(report.get_score()), 'no mean that leaves it out'


def test_discrimination_among_nine_admissible_columns_is_no_evidence_of_fairness():
    """80 % of men are hired and 20 % of women; next to nobody shares all nine values."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.integers(0, 6, (3000, 9)), columns=[f'a{n}' for n in range(9)])
    given = list(table)
    table['sex'] = rng.choice(['F', 'M'], 3000)
    table['hired'] = rng.random(3000) < np.where(table['sex'] == 'M', 0.8, 0.2)
    columns = {name: {'sdtype': 'categorical'} for name in table}
    report = FairnessReport(Roles(['sex'], given, ['hired']), **QUICK)
    report.generate(table, table, {'columns': columns}, verbose=False)
    (row,) = report.get_details('Conditional Independence').to_dict('records')
    assert np.isnan(row['Score'])
    assert row['Verdict'].startswith('cannot be told: ')
    assert row['Reason']
    assert np.isnan(report.get_score())


def test_a_direct_gap_is_told_in_points_whatever_its_direction():
    rng = np.random.default_rng(2)
    table = pd.DataFrame({'p': rng.integers(2, size=6000), 'a': rng.integers(4, size=6000)})
    for crossed in (0, 1):
        up = table['p'] ^ (table['a'] % 2 * crossed)
        hired = rng.random(6000) < 0.4 + 0.19 * up
        found = judge(table.assign(o=hired), Independent(['p'], ['o'], ['a']))
        assert found.kind == 'unfair by at least'
        assert 0.08 < found.at_least < 0.19
        assert found.interval[0] < 0.19 < found.within
        assert found.mean > 0.15
        assert found.worst.first in {'0', '1'}


def test_a_missing_group_and_one_called_nan_are_two():
    table = pd.DataFrame({'p': [None, 'nan'] * 300, 'o': [0, 1] * 300})
    found = judge(table, Independent(['p'], ['o']))
    assert found.kind == 'unfair by at least'
    assert list(found.groups.index) == ['(null)', 'nan']
    tables = read_tables(table, table)
    assert set(group_names(tables, 'p')) == {'(null)', 'nan'}
