import numpy as np
import pandas as pd

from sdv_prefair.metrics import FairnessReport

QUICK = {'permutations': 30, 'bootstraps': 20, 'seed': 0}


def test_a_copied_protected_column_scores_zero():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({'p': rng.integers(2, size=600), 'a': rng.integers(3, size=600)})
    table['o'] = table['p']
    columns = {name: {'sdtype': 'categorical'} for name in table}
    report = FairnessReport({'protected': ['p'], 'admissible': ['a'], 'outcome': ['o']}, **QUICK)
    report.generate(table, table, {'columns': columns}, verbose=False)
    (row,) = report.get_details('Conditional Independence').to_dict('records')
    assert row['Score'] < 0.01
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
    assert np.isfinite(report.get_score())
