"""A given tree: what is refused, and what the user is told.

Of ``_trees.py``.
"""

import networkx as nx
import pytest

from sdv_prefair.errors import StructureError, UnfairModelError
from sdv_prefair.fairness import Independent, Statements
from sdv_prefair.roles import Roles
from sdv_prefair.structure import FixedStrategy

COLUMNS = ['sex', 'edu', 'age', 'income']
ROLES = Roles(['sex'], ['edu'], ['income'])
TREE = [('income', 'edu'), ('age', 'sex'), ('edu', 'age')]


def refused(edges, columns=COLUMNS, roles=ROLES):
    with pytest.raises((StructureError, UnfairModelError)) as caught:
        FixedStrategy(edges).declare(columns, roles)
    return type(caught.value), str(caught.value)


def test_pairs_come_back_in_the_order_of_the_columns():
    strategy = FixedStrategy(TREE)
    assert strategy.declare(COLUMNS, ROLES) == [('edu', 'income'), ('sex', 'age'), ('edu', 'age')]


def test_asks_nothing_of_the_scores():
    assert len(FixedStrategy(TREE).select(COLUMNS, ROLES, scores=None).edges) == 3


def test_lists_of_lists_will_do():
    assert FixedStrategy([list(edge) for edge in TREE]) == FixedStrategy(tuple(TREE))
    assert FixedStrategy(nx.Graph(TREE).edges).declare(COLUMNS, ROLES)


def test_an_unfair_tree_is_fine_without_roles():
    assert FixedStrategy([('a', 'b')]).declare(['b', 'a'], Roles()) == [('b', 'a')]


def test_one_column_has_the_empty_tree():
    assert FixedStrategy([]).select(['a'], Roles(), None).edges == []


def test_unknown_columns_are_named():
    kind, message = refused([*TREE[:2], ('edu', 'agee')])
    assert kind is StructureError
    assert message == (
        "structure names columns that are not modelled: ['agee']. The tree must connect exactly "
        "these columns: ['sex', 'edu', 'age', 'income']."
    )


def test_unconnected_columns_are_named():
    assert refused([('sex', 'edu'), ('age', 'income')])[1] == (
        "structure does not connect ['age', 'income'] to 'sex'. Add the missing pairs: a tree "
        'over 4 columns has 3.'
    )
    assert refused([])[1].startswith("structure does not connect ['edu', 'age', 'income'] to 'sex'")


@pytest.mark.parametrize(
    ('edges', 'closing'),
    [
        ([*TREE, ('income', 'age')], "'income', 'age'"),
        ([*TREE, ('edu', 'income')], "'edu', 'income'"),
        ([('sex', 'sex')], "'sex', 'sex'"),
    ],
)
def test_the_pair_that_closes_a_cycle_is_named(edges, closing):
    assert refused(edges)[1] == (
        f'structure is not a tree: the pair {closing} closes a cycle. Remove one pair of that '
        'cycle.'
    )


def test_the_unblocked_path_is_named():
    kind, message = refused([('edu', 'sex'), ('sex', 'age'), ('age', 'income')])
    assert kind is UnfairModelError
    assert message == (
        "structure is not justifiably fair: the path sex - age - income connects protected 'sex' "
        "to outcome 'income' without an admissible column in between. Connect the two sides only "
        'through an admissible column.'
    )


@pytest.mark.parametrize('edge', ['ab', ('a',), ('a', 'b', 'c'), 3, None, {'a': 1, 'b': 2}])
def test_what_is_not_a_pair_is_refused(edge):
    with pytest.raises(StructureError, match='is not a pair of columns'):
        FixedStrategy([edge])


def test_what_is_not_a_list_is_refused():
    with pytest.raises(StructureError, match=r'structure \(3\) must be a list of column pairs'):
        FixedStrategy(3)


PARITY = Statements([Independent(['sex'], ['income'])])
SEVERAL = Statements([
    Independent(['sex'], ['income'], given=['edu']),
    Independent(['sex'], ['age'], given=['income']),
])


def test_every_statement_is_asked():
    assert FixedStrategy([('sex', 'edu'), ('edu', 'income'), ('income', 'age')]).declare(
        COLUMNS, SEVERAL
    )
    kind, message = refused([('sex', 'edu'), ('edu', 'income'), ('edu', 'age')], roles=SEVERAL)
    assert kind is UnfairModelError
    assert 'age is independent of sex given income: the path sex - edu - age' in message


def test_a_forest_will_do_where_no_fair_pair_is_left():
    forest = [('sex', 'edu'), ('age', 'income')]
    assert FixedStrategy(forest).select(COLUMNS, PARITY, None).edges == forest
    kind, _ = refused(forest[:1], roles=PARITY)
    assert kind is StructureError
    kind, message = refused(forest, roles=SEVERAL)
    assert kind is StructureError
    assert 'no statement separates' in message
