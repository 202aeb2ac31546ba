"""What ``sdv-prefair roles`` says of columns, on rows whose dependence is known.

About ``_preparing.py``.
"""

import numpy as np
import pandas as pd
import pytest

from sdv_prefair.cli import main
from sdv_prefair.cli._preparing import (
    admissible_together,
    suggestion_lines,
    suggestions,
    tells_in_rows,
)
from sdv_prefair.datasets._dataset import categorical, numerical, public_metadata

ROWS = 4000
LISTS = {'protected': ['sex'], 'admissible': ['title'], 'outcome': ['hired']}
BINARY = categorical(['0', '1'])
COLUMNS = {
    'sex': BINARY,
    'title': BINARY,
    'hired': BINARY,
    'called': BINARY,
    'height': numerical(0, 99),
    'score': BINARY,
    'club': BINARY,
    'shoe': BINARY,
    'lot': numerical(0, 2000),
}


def copies(rng, values, share):
    """Return binary values that agree with these in so many rows beyond chance."""
    return np.where(rng.random(ROWS) < share, values, rng.integers(0, 2, ROWS))


def table():
    rng = np.random.default_rng(5)
    sex, score = rng.integers(0, 2, ROWS), rng.integers(0, 2, ROWS)
    hired = np.where(rng.random(ROWS) < 0.5, score, copies(rng, sex, 0.5))
    binary = {
        'sex': sex, 'title': copies(rng, sex, 0.95), 'hired': hired, 'score': score,
        'called': copies(rng, hired, 0.9), 'club': copies(rng, sex, 0.5),
        'shoe': rng.integers(0, 2, ROWS),
    }  # fmt: skip
    frame = pd.DataFrame({column: codes.astype(str) for column, codes in binary.items()})
    frame['height'] = np.clip(rng.normal(30 + 40 * sex, 5), 0, 99).round()
    frame['lot'] = rng.permutation(ROWS) % 2001
    return frame[list(COLUMNS)]


@pytest.fixture(scope='module')
def advice():
    found = suggestions(table(), public_metadata('t', COLUMNS), LISTS)
    return found.set_index('column')['suggestion']


@pytest.mark.parametrize(
    ('column', 'expected'),
    [
        ('called', 'likely a copy of hired: make it an outcome, or leave it out'),
        ('height', 'likely a proxy for sex: make it protected; never admissible'),
        ('title', 'not admissible: nearly copies sex, and would let all of it through'),
        ('score', 'candidate for admissible: predicts hired, hardly sex'),
        ('shoe', 'needs no role: hardly predicts hired'),
        ('lot', 'needs no role: hardly predicts hired'),
        ('sex', 'keep'),
        ('hired', 'keep'),
    ],
)
def test_a_column_gets_the_suggestion_that_its_dependence_asks_for(advice, column, expected):
    assert advice[column] == expected


def test_a_column_that_tells_of_both_is_left_to_a_person(advice):
    assert advice['club'].startswith('admissible only if it is a good reason')


def test_many_values_tell_nothing_by_being_many():
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 500, 1000), rng.integers(0, 2, 1000)
    assert tells_in_rows(first, second) < 0.1
    assert tells_in_rows(second, second) == 1
    assert tells_in_rows(first, np.zeros(1000, int)) == 0


def test_the_output_says_first_that_it_is_not_private(tmp_path, capsys):
    table().to_csv(tmp_path / 't.csv', index=False)
    public_metadata('t', COLUMNS).save_to_json(tmp_path / 'm.json')
    line = ['roles', str(tmp_path / 't.csv'), '--metadata', str(tmp_path / 'm.json')]
    assert main([*line, '--protected', 'sex', '--outcome', 'hired']) == 0
    shown = capsys.readouterr().out
    assert shown.startswith('NOT PRIVATE')
    assert 'Do not publish' in shown.splitlines()[0]
    assert 'likely a copy of hired' in shown


def test_two_admissible_columns_that_are_sex_together_are_found():
    """One is random, the other it XOR sex: each alone says nothing."""
    rng = np.random.default_rng(6)
    sex, one = rng.integers(0, 2, (2, 3000))
    frame = pd.DataFrame({'sex': sex, 'one': one, 'other': one ^ sex, 'hired': 1 - one})
    metadata = public_metadata('t', dict.fromkeys(frame, BINARY))
    lists = {'protected': ['sex'], 'admissible': ['one', 'other'], 'outcome': ['hired']}
    lines = list(suggestion_lines(frame.astype(str), metadata, lists))
    assert lines[-1] == (
        'All admissible columns together predict sex: 1.00, nearly a copy: take one of them out, '
        'or all of it gets through'
    )
    assert admissible_together(table(), public_metadata('t', COLUMNS), LISTS) == {}
    many = frame.astype(str).assign(one=[str(n) for n in range(3000)])
    described = public_metadata('t', dict.fromkeys(frame, {'sdtype': 'categorical'}))
    assert np.isnan(admissible_together(many, described, lists)['sex'])
