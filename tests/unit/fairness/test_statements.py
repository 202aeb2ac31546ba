"""Statements, and roles as the short form of one."""

import pytest

from sdv_prefair import Roles
from sdv_prefair.errors import RolesError
from sdv_prefair.fairness import Independent, Statements, is_justifiably_fair

PER_OUTCOME = Statements([
    Independent(['sex'], ['pay'], given=['grade']),
    Independent(['sex'], ['bonus'], given=['pay']),
])


def test_roles_are_one_statement():
    roles = Roles(['sex'], ['grade'], ['pay'])
    assert roles.statements == (Independent(['sex'], ['pay'], given=['grade']),)
    assert roles == Statements(roles.statements)
    assert hash(roles) == hash(Statements(roles.statements))


def test_no_roles_promise_nothing():
    assert Roles().statements == ()
    assert not Roles() and not Statements()


def test_a_column_may_have_several_roles_among_statements():
    assert PER_OUTCOME.of('pay') == 'several roles'
    assert PER_OUTCOME.of('sex') == 'protected'
    assert PER_OUTCOME.of('age') == 'unlabelled'
    assert PER_OUTCOME.columns() == ('sex', 'grade', 'pay', 'bonus')


def test_every_statement_is_asked():
    chain = [('sex', 'grade'), ('grade', 'pay'), ('pay', 'bonus')]
    assert is_justifiably_fair(chain, PER_OUTCOME)
    assert not is_justifiably_fair([*chain, ('grade', 'bonus')], PER_OUTCOME)
    assert not is_justifiably_fair([('sex', 'pay'), ('pay', 'bonus')], PER_OUTCOME)


@pytest.mark.parametrize(
    ('left', 'right', 'given', 'reason'),
    [
        ([], ['pay'], [], 'left must name'),
        (['sex'], [], [], 'right must name'),
        (['sex'], ['sex'], [], 'left and right both name'),
        (['sex'], ['pay'], ['pay'], 'right and given both name'),
        ('sex', ['pay'], [], 'must be a list'),
        (['sex', 'sex'], ['pay'], [], 'more than once'),
    ],
)
def test_statements_that_say_nothing_are_refused(left, right, given, reason):
    with pytest.raises(RolesError, match=reason):
        Independent(left, right, given)


def test_only_statements_are_statements():
    with pytest.raises(RolesError, match='must be a list of Independent'):
        Statements([('sex', 'pay')])


def test_a_statement_reads_as_a_sentence():
    assert str(PER_OUTCOME.statements[0]) == 'pay is independent of sex given grade'
    assert str(Independent(['a', 'b'], ['c', 'd'])) == 'c, d are independent of a, b'


def test_lists_within_lists_are_refused_by_name():
    with pytest.raises(RolesError, match=r"left \(\[\['c0'\]\]\) must be one list of column names"):
        Independent([['c0']], ['c1'])
