"""Which statements a graph breaks."""

from sdv_prefair.fairness import Independent, Statements, broken_statements

STATEMENTS = Statements([
    Independent(['sex'], ['pay'], given=['grade']),
    Independent(['sex'], ['bonus']),
    Independent(['race'], ['pay'], given=['grade']),
])


def test_each_broken_statement_comes_with_its_path():
    chain = [('sex', 'grade'), ('grade', 'bonus'), ('bonus', 'pay'), ('race', 'bonus')]
    broken = broken_statements(chain, STATEMENTS)
    assert [found.statement for found in broken] == list(STATEMENTS.statements[1:])
    assert [found.path for found in broken] == [['sex', 'grade', 'bonus'], ['race', 'bonus', 'pay']]
    assert [str(found) for found in broken] == [
        'sex - grade - bonus joins the two sides',
        'race - bonus - pay joins the two sides around grade',
    ]


def test_nothing_is_broken_where_nothing_is_joined():
    assert broken_statements([], STATEMENTS) == []
    assert broken_statements([('sex', 'pay')], Statements()) == []
