"""What leaves a fit is a function of its noisy answers: another table behind them gives the same.

A fit is written down as a transcript of questions and noisy answers. Then a table with other
counts is fitted, and gets the answers of the transcript. The second fit must ask the same
questions, and end with the same model, ledger, warnings and file, bit by bit. Whatever reads
counts but through an answer makes a difference, because the two tables are as different as their
columns allow.
"""

import numpy as np
import pandas as pd
import pytest
from sdv.cag import FixedIncrements
from sdv.metadata import Metadata
from transcript import Transcript, fitted_with_warnings
from walk import differing_paths

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.fairness import demographic_parity

REGIONS = [f'region {number}' for number in range(12)]
TREE = [
    *(('sex', 'grade'), ('grade', 'paid'), ('grade', 'region'), ('grade', 'shop')),
    *(('grade', 'wage'), ('grade', 'hours'), ('grade', 'hired')),
]
ROLES = {'protected': ['sex'], 'admissible': ['grade'], 'outcome': ['paid']}
# What two synthesizers may differ in: their names, and the state of sampling.
ALLOWED = ('._synthesizer_id', '._result.model._rng')


def words(*values):
    return {'sdtype': 'categorical', 'range_values': list(values), 'range_is_nullable': False}


COLUMNS = {
    'key': {'sdtype': 'id'},
    'sex': words('F', 'M'),
    'grade': words('a', 'b', 'c'),
    'paid': words('no', 'yes'),
    'region': words(*REGIONS),
    'shop': words('north', 'south'),
    'wage': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 90_000, 'decimal_places': 0},
    'hours': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 90, 'decimal_places': 0},
    'hired': {
        'sdtype': 'datetime',
        'datetime_format': '%Y-%m-%d',
        'range_min': '2000-01-01',
        'range_max': '2029-12-31',
    },
}


def metadata(learnt):
    columns = COLUMNS
    if learnt:
        columns = {
            column: {key: value for key, value in about.items() if not key.startswith('range_')}
            for column, about in COLUMNS.items()
        }
    return Metadata.load_from_dict({'tables': {'t': {'primary_key': 'key', 'columns': columns}}})


def people(num_rows, shares, tied, outside, wages, since, seed):
    rng = np.random.default_rng(seed)
    grade = rng.choice(3, num_rows)
    tie = np.where(rng.random(num_rows) < tied, grade, rng.integers(0, 3, num_rows))
    shop = np.where(rng.random(num_rows) < outside, 'abroad', 'north')
    return pd.DataFrame({
        'key': np.arange(num_rows),
        'sex': np.array(['F', 'M'])[(tie + (rng.random(num_rows) < 0.1)) % 2],
        'grade': np.array(['a', 'b', 'c'])[grade],
        'paid': np.where(rng.random(num_rows) < 0.1 + 0.4 * tie, 'yes', 'no'),
        'region': rng.choice(REGIONS, num_rows, p=shares),
        'shop': np.where(rng.random(num_rows) < 0.1, 'south', shop),
        'wage': wages(rng, num_rows),
        'hours': np.clip(20 * tie + rng.integers(0, 30, num_rows), 0, 90),
        'hired': pd.Timestamp(since) + pd.to_timedelta(rng.integers(0, 900, num_rows), 'D'),
    })


_RARE = np.array([0.42, 0.42, *np.full(10, 0.016)])


def table(num_rows=3000):
    """Most shops outside the domain, two frequent regions, skewed wages, early dates."""

    def skewed(rng, size):
        return np.where(rng.random(size) < 0.9, 0, rng.lognormal(9, 0.5, size)).astype(int)

    return people(num_rows, _RARE, 0.9, 0.95, skewed, '2003-02-01', 0)


def other_table(num_rows=900):
    """The same columns and values, all else as different as can be."""

    def even(rng, size):
        return rng.integers(40_000, 64_000, size)

    return people(num_rows, _RARE[::-1], 0.1, 0.2, even, '2019-05-01', 1)


def make(learnt=False, constrained=False, **changes):
    arguments = ROLES | {'public_ranges': True, 'numeric_bins': 8, 'epsilon': 2.0} | changes
    synthesizer = PreFairSynthesizer(metadata(learnt), **arguments)
    if constrained:
        synthesizer.add_constraints(constraints())
    return synthesizer


def constraints():
    pairs = [(region, shop) for region in REGIONS for shop in ('north', 'south')]
    return [PublicCombinations(['region', 'shop'], pairs), FixedIncrements('wage', 5)]


def pair_of_fits(first=table, second=other_table, **changes):
    """Return a fit of one table and, from its transcript, one of the other; with warnings."""
    transcript = Transcript()
    with transcript.recorded():
        one = fitted_with_warnings(
            lambda: make(**changes), lambda s: s.fit({'t': first()}, check=False)
        )
    with transcript.replayed():
        two = fitted_with_warnings(
            lambda: make(**changes), lambda s: s.fit({'t': second()}, check=False)
        )
    return one, two


LOOPS = ('privbayes', 'mwem')
STATED = dict.fromkeys(ROLES, ()) | {
    'fairness': demographic_parity(ROLES['protected'], ROLES['outcome'])
}
CASES = {
    **{
        name: {'structure': name} for name in ('adaptive', 'greedy', 'exact', 'none', 'aim', *LOOPS)
    },
    'planned': {'structure': 'planned', 'epsilon': 5.0},
    'planned, two rows': {'structure': 'planned', 'max_rows_per_person': 2},
    'learnt, planned': {'learnt': True, 'epsilon': 20.0, 'structure': 'planned'},
    **{
        f'{name}, paper': {'structure': name, 'budget': 'paper'}
        for name in ('adaptive', 'aim', *LOOPS)
    },
    'given tree': {'structure': TREE},
    'exact, two rows': {'structure': 'exact', 'max_rows_per_person': 2},
    'aim, two rows': {'structure': 'aim', 'max_rows_per_person': 2},
    'learnt': {'learnt': True, 'epsilon': 20.0},
    'mwem, two rows': {'structure': 'mwem', 'max_rows_per_person': 2},
    'learnt, aim': {'learnt': True, 'epsilon': 20.0, 'structure': 'aim'},
    'learnt, privbayes': {'learnt': True, 'epsilon': 20.0, 'structure': 'privbayes'},
    'learnt, two rows': {'learnt': True, 'epsilon': 20.0, 'max_rows_per_person': 2},
    'learnt, beginnings': {
        'learnt': True,
        'epsilon': 20.0,
        'domain': {'shop': {'range_groups': 1, 'regex_format': '[a-z]{3}'}},
    },
    'learnt, hardly any budget': {'learnt': True, 'epsilon': 0.05},
    **{
        f'{name}, parity': STATED | {'structure': name}
        for name in ('planned', 'adaptive', 'exact', 'aim')
    },
    'constraints': {'constrained': True},
    'constraints, learnt': {'constrained': True, 'learnt': True, 'epsilon': 20.0},
}


def _asked_for(case):
    """Return what must be in the ledger, lest a case does not try what it is for."""
    asked = set()
    if 'aim' in case and 'two rows' not in case:
        asked |= {('select more pairs', 'exponential')}
    if case.startswith(LOOPS):
        asked |= {('select cliques', 'exponential'), ('measure cliques', 'discrete Gaussian')}
    if case == 'planned':
        asked |= {('select more pairs', 'rounded Gaussian on scores')}
    if 'learnt' in case and 'hardly' not in case:
        kind = 'discrete' if 'aim' in case or 'privbayes' in case else 'rounded'
        asked |= {('learn domains', f'{kind} Gaussian, threshold')}
        asked |= {(step, f'{kind} Gaussian') for step in ('learn domains', 'discretize')}
    return asked


@pytest.mark.parametrize('case', CASES)
def test_another_table_behind_the_same_answers_gives_the_same(case, tmp_path):
    (one, warned), (two, warned_again) = pair_of_fits(**CASES[case])
    assert _asked_for(case) <= {(d.step, d.mechanism) for d in one.fitted.ledger.debits}
    assert warned == warned_again
    if not CASES[case].keys() & {'learnt', 'constrained'}:
        assert any("'shop'" in text for _, text in warned), 'most of them are outside'
    assert one.get_privacy_ledger().equals(two.get_privacy_ledger())
    assert {p for p in differing_paths(one, two) if not p.startswith(ALLOWED)} == set()
    files = [tmp_path / name for name in ('one.zip', 'two.zip')]
    for synthesizer, file in zip((one, two), files, strict=True):
        synthesizer.save_release(file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_tables_differ_in_all_that_a_step_could_look_at():
    """Else the test above would be blind: rare codes, tied pairs, values outside, skew, dates."""
    one, two = table(), other_table()
    for column in ('sex', 'grade', 'paid', 'region', 'shop', 'wage', 'hours', 'hired'):
        counts = (frame[column].value_counts() for frame in (one, two))
        assert not next(counts).equals(next(counts))
    assert set(one['region']) == set(two['region']) == set(REGIONS)
    assert set(one['shop']) == set(two['shop'])
    assert (one['shop'] == 'abroad').mean() > 0.8 > 0.5 > (two['shop'] == 'abroad').mean()
    frequent = [set(frame['region'].value_counts().index[:2]) for frame in (one, two)]
    assert not frequent[0] & frequent[1]


def test_without_the_transcript_the_fits_differ():
    with pytest.warns(UserWarning, match='shop'):
        one, two = make(), make()
        one.fit({'t': table()}, check=False)
        two.fit({'t': other_table()}, check=False)
    assert {p for p in differing_paths(one._model, two._model) if not p.startswith('._rng')}


def test_a_question_that_differs_is_seen():
    transcript = Transcript()
    with transcript.recorded():
        fitted_with_warnings(make, lambda s: s.fit({'t': table(200)}, check=False))
    with pytest.raises(AssertionError, match='line 0 was another question'), transcript.replayed():
        fitted_with_warnings(
            lambda: make(epsilon=2.1), lambda s: s.fit({'t': table(200)}, check=False)
        )
