"""Known values without a code: rows that show one of them have one code, in every call.

About ``_conditions.py``.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, PrivacyWarning
from sdv_prefair._sdv_versions import by_name
from sdv_prefair.errors import DomainWarning
from sdv_prefair.synthesizer._conditions import with_stand_ins

ROWS = 6000
ROLES = {'protected': ['sex'], 'admissible': ['school', 'size'], 'outcome': ['income']}
UNLEARNT = {'school': ['z', 'zz', 'Z', 'other', '1', ''], 'size': [None]}


def _columns():
    listed = {'sdtype': 'categorical', 'range_is_nullable': False}
    return {
        'sex': listed | {'range_values': ['F', 'M']},
        'school': {'sdtype': 'categorical', 'range_is_nullable': False},
        'size': {'sdtype': 'numerical', 'range_is_nullable': False, 'decimal_places': 0},
        'income': listed | {'range_values': ['low', 'high']},
    }


def _rows():
    generator = np.random.default_rng(0)
    school, size = generator.integers(0, 2, ROWS), generator.integers(0, 2, ROWS)
    share = np.array([[0.03, 0.5], [0.5, 0.97]])[school, size]
    return pd.DataFrame({
        'sex': np.array(['F', 'M'])[(generator.random(ROWS) < share).astype(int)],
        'school': np.array(['a', 'b'])[school],
        'size': size * 7 + 1,
        'income': np.array(['low', 'high'])[(generator.random(ROWS) < share).astype(int)],
    })


@pytest.fixture(scope='module')
def fitted():
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': _columns()}}})
    synthesizer = PreFairSynthesizer(metadata, 80.0, public_ranges=True, other=None, **ROLES)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', PrivacyWarning)
        synthesizer.fit({'t': _rows()})
    return synthesizer


def _sampled(synthesizer, known):
    return by_name(synthesizer.sample_remaining_columns(known), 't')['t']


@pytest.mark.parametrize('column', UNLEARNT)
def test_given_a_value_that_was_not_learnt_outcomes_are_independent(fitted, column):
    """Of 1,500 rows, chance alone gives such a p-value in one test of ten million."""
    beside = {'school': ('size', 1), 'size': ('school', 'a')}[column]
    for value in UNLEARNT[column]:
        known = pd.DataFrame({column: [value] * 1500, beside[0]: [beside[1]] * 1500})
        with pytest.warns(DomainWarning, match='were not learnt'):
            rows = pd.concat(_sampled(fitted, known[:750]) for _ in range(2))
        assert rows[column].isna().all() if value is None else (rows[column] == value).all()
        counts = pd.crosstab(rows['sex'], rows['income'])
        assert counts.size < 4 or chi2_contingency(counts).pvalue > 1e-7, value


def test_a_value_has_one_stand_in_and_many_follow_the_model(fitted):
    """Whichever rows it is among; 4,000 values stray from the model by less than six sigma."""
    codes = {'school': fitted.fitted.encoding.transformers['school']}
    model = fitted.fitted.model
    lines = pd.DataFrame({'school': [f'unheard of {place}' for place in range(4000)]})
    stand_ins = with_stand_ins(lines, codes, model)
    assert with_stand_ins(lines[::-1], codes, model).loc[lines.index].equals(stand_ins)
    share = (codes['school'].encode(stand_ins['school']) == 0).mean()
    assert abs(share - model.marginal('school')[0]) < 6 * 0.5 / 4000**0.5
    learnt = pd.DataFrame({'school': ['a', 'b', 'a']})
    assert with_stand_ins(learnt, codes, model).equals(learnt)
