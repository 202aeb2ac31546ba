"""Notions of fairness by their names.

About ``_statements.py``.
"""

import pytest

from sdv_prefair.errors import RolesError
from sdv_prefair.fairness import (
    Independent,
    demographic_parity,
    equalized_odds,
    justifiable,
    sufficiency,
)


def test_each_notion_is_the_statement_of_its_definition():
    sex, hired, able = ['sex'], ['hired'], ['able']
    assert justifiable(sex, ['grade'], hired) == [Independent(sex, hired, given=['grade'])]
    assert demographic_parity(sex, hired) == [Independent(sex, hired)]
    assert equalized_odds(sex, hired, able) == [Independent(sex, hired, given=able)]
    assert sufficiency(sex, hired, able) == [Independent(sex, able, given=hired)]


def test_each_outcome_may_have_its_own_reasons():
    reasons = {'pay': ['grade'], 'bonus': ['pay', 'sales']}
    assert justifiable((c for c in ['sex', 'race']), reasons) == [
        Independent(['sex', 'race'], ['pay'], given=['grade']),
        Independent(['sex', 'race'], ['bonus'], given=['pay', 'sales']),
    ]


def test_lists_add_up():
    both = demographic_parity(['sex'], ['hired']) + justifiable(['sex'], ['grade'], ['pay'])
    assert [statement.right for statement in both] == [('hired',), ('pay',)]


@pytest.mark.parametrize(
    ('make', 'reason'),
    [
        (lambda: justifiable(['sex'], [], ['pay']), 'use demographic_parity'),
        (lambda: justifiable(['sex'], {'pay': []}), 'use demographic_parity'),
        (lambda: justifiable(['sex'], {'pay': ['grade']}, ['pay']), 'Leave outcome out'),
        (lambda: justifiable(['sex'], ['grade']), 'right must name'),
        (lambda: justifiable('sex', {'pay': ['grade']}), 'must be a list of column names'),
        (lambda: equalized_odds(['sex'], ['hired'], ['hired']), 'right and given both name'),
    ],
)
def test_what_says_nothing_is_refused(make, reason):
    with pytest.raises(RolesError, match=reason):
        make()
