"""Statements out of JSON.

About ``_statements.py``.
"""

import json

import pytest

from sdv_prefair.errors import RolesError
from sdv_prefair.fairness import Independent, Statements
from sdv_prefair.fairness._statements import read_statements

STATEMENTS = Statements([
    Independent(['sex', 'race'], ['pay'], given=['grade']),
    Independent(['sex'], ['grade']),
])


def test_what_was_written_is_read():
    assert read_statements(json.loads(json.dumps(STATEMENTS.as_records()))) == STATEMENTS


def test_given_may_be_left_out():
    assert read_statements([{'left': ['sex'], 'right': ['pay']}]) == Statements([
        Independent(['sex'], ['pay'])
    ])


@pytest.mark.parametrize(
    'records',
    [
        {'left': ['sex'], 'right': ['pay']},
        [['sex', 'pay']],
        [{'left': ['sex']}],
        [{'left': ['sex'], 'right': 'pay'}],
        [{'left': ['sex'], 'right': [1]}],
        [{'left': ['sex'], 'right': ['pay'], 'why': []}],
        'income ~ sex',
    ],
)
def test_other_forms_are_refused(records):
    with pytest.raises(RolesError, match='must be a list of statements'):
        read_statements(records)


def test_records_that_make_no_statement_are_refused():
    with pytest.raises(RolesError, match='both name'):
        read_statements([{'left': ['sex'], 'right': ['sex']}])
