"""Which outcomes are beside columns without a role.

About ``_statements.py``.
"""

from sdv_prefair import Roles
from sdv_prefair.fairness import Independent, Statements
from sdv_prefair.fairness._statements import outcomes_beside_unlabelled

TWO = Statements([Independent(['sex'], ['pay'], ['grade']), Independent(['race'], ['hired'])])


def test_pairs_are_found_in_cliques_of_any_size_in_any_order():
    cliques = [('zip', 'grade', 'pay'), ('hired', 'age'), ('zip', 'age'), ('race', 'pay')]
    assert outcomes_beside_unlabelled(cliques, TWO) == [('hired', 'age'), ('pay', 'zip')]


def test_a_column_that_another_statement_names_is_not_unlabelled():
    assert outcomes_beside_unlabelled([('pay', 'race'), ('hired', 'grade')], TWO) == []


def test_without_roles_there_is_no_outcome():
    assert outcomes_beside_unlabelled([('a', 'b')], Roles()) == []
