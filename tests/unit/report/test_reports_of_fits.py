"""What the report says of each kind of fit.

Of ``_facts.py``.
"""

import numpy as np
import pandas as pd
import pytest
from census_report import make, report
from sdv.cag import Inequality

from sdv_prefair import PreFairSynthesizer, PrivacyWarning, Roles, strip_ranges
from sdv_prefair.datasets._dataset import Dataset, categorical, numerical, public_metadata


def test_a_seeded_fit_is_marked_everywhere(census, tmp_path):
    page = report(make(census, seed=3), tmp_path)
    text = page.visible_text()
    assert 'Not private. Do not release.' in text
    assert 'This fit is not private.' in page.section('promises')['text']
    assert 'Keep it inside' in text
    assert 'Covered by the promise' not in text
    assert 'right at most' not in text
    assert 'without a seed' in page.section('signing')['text']
    assert 'the epsilons of all of them' not in page.section('signing')['text']
    assert 'What the same fit guarantees' not in text
    assert 'none of it protects anybody' in page.section('ledger')['text']
    assert 'mu = inf' not in text


def test_without_fairness_none_is_promised(census, tmp_path):
    page = report(make(census, structure='none'), tmp_path)
    fairness = page.section('promises')['text'].split('Fairness')[1]
    assert fairness.startswith('Nothing.')
    assert 'Not promised' in page.with_class('tiles')[0]['text']
    assert 'Parity' not in page.section('limits')['text']


def test_without_roles_quality_alone_is_compared(census, tmp_path):
    bare = Dataset(census.data, census.metadata, Roles())
    page = report(
        make(bare, structure='none'), tmp_path, bare.data, show_real_numbers=True
    )  # fmt: skip
    assert 'No protected, admissible and outcome columns were named' in page.visible_text()
    assert 'Two-way marginals' in page.section('comparison')['text']
    assert 'Differences between groups' not in page.section('comparison')['text']


def test_what_was_learnt_and_what_is_assumed(census, tmp_path):
    stripped = Dataset(census.data, strip_ranges(census.metadata), census.roles)
    page = report(make(stripped, public_ranges=False, epsilon=5.0), tmp_path)
    assert 'values learnt within the budget' in page.section('dictionary')['text']
    assert 'learn domains' in page.section('ledger')['text']
    assert '2 rowsno promise: values were learnt by threshold' in page.section('ledger')['text']
    assert 'The names and types of the columns are public' in page.section('signing')['text']
    beside = 'Beside it, the thresholds that hide rare values use 5e-10 of delta.'
    assert beside in page.section('promises')['text'] and beside in page.section('ledger')['text']


def test_unconfirmed_ranges_are_said_to_be(census, tmp_path):
    with pytest.warns(PrivacyWarning):
        synthesizer = PreFairSynthesizer(census.metadata, **census.roles.as_dict())
    synthesizer.fit(census.data)
    page = report(synthesizer, tmp_path)
    assert 'Nobody has declared so yet' in page.section('signing')['text']
    tiles = page.with_class('tiles')[0]['text']
    assert 'Confirm ranges first' in tiles
    assert 'Covered by the promise' not in tiles


def test_types_are_said_to_be_assumed_public(page):
    assert 'The types of the columns' in page.section('signing')['text']


def test_persons_and_their_rows(census, tmp_path):
    page = report(make(census, person_column='email', max_rows_per_person=3), tmp_path)
    text = page.section('promises')['text']
    assert 'the up to 3 rows of one given person are' in text
    assert 'email identifies persons; at most 3 rows of each count' in text
    assert 'No person has more' not in page.section('signing')['text']
    page = report(make(census, max_rows_per_person=2), tmp_path)
    assert 'No person has more than 2 rows' in page.section('signing')['text']


def test_constraints_are_named(tmp_path):
    columns = {
        'p': categorical('ab'), 'a': categorical('cd'), 'o': categorical('ef'),
        'low': numerical(0, 50), 'high': numerical(0, 50),
    }  # fmt: skip
    rng = np.random.default_rng(0)
    table = pd.DataFrame({
        'p': rng.choice(list('ab'), 600), 'a': rng.choice(list('cd'), 600),
        'o': rng.choice(list('ef'), 600), 'low': rng.integers(0, 25, 600),
        'high': rng.integers(25, 50, 600),
    })  # fmt: skip
    synthesizer = PreFairSynthesizer(
        public_metadata('t', columns), public_ranges=True,
        protected=['p'], admissible=['a'], outcome=['o'],
    )  # fmt: skip
    synthesizer.add_constraints([Inequality(low_column_name='low', high_column_name='high')])
    synthesizer.fit({'t': table})
    page = report(
        synthesizer, tmp_path, {'t': table}, show_real_numbers=True, compare_with_mst=True
    )  # fmt: skip
    assert 'Inequality over low, high' in page.section('model')['text']
    assert 'plain MST' in page.section('comparison')['text']


def test_one_column_alone(tmp_path):
    metadata = public_metadata('t', {'only': categorical('ab')})
    synthesizer = PreFairSynthesizer(metadata, structure='none', public_ranges=True)
    synthesizer.fit({'t': pd.DataFrame({'only': ['a', 'b'] * 50})})
    assert len(list(report(synthesizer, tmp_path).all('article'))) == 1


@pytest.mark.parametrize(
    ('home', 'said'),
    [
        ('income', 'In this model age may predict income directly: ask whether among real people'),
        ('occupation', 'In this model none is connected to income except through admissible ones.'),
    ],
)
def test_columns_beside_the_outcome_are_named(census, tmp_path, home, said):
    tree = [
        ('income', 'occupation'), ('occupation', 'education'), ('occupation', 'hours'),
        ('occupation', 'sex'), ('sex', 'race'), ('age', home),
    ]  # fmt: skip
    page = report(make(census, structure=tree), tmp_path)
    assert said in page.section('limits')['text']
