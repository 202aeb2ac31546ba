"""What ``unlabelled=`` makes of each structure.

Of ``_resolve.py``.
"""

import pytest
from any_statements import any_statements
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.errors import StructureError
from sdv_prefair.fairness._statements import outcomes_beside_unlabelled
from sdv_prefair.roles import Roles
from sdv_prefair.selection._catalogue import STRUCTURES
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.structure import (
    AdaptiveStrategy,
    AimStrategy,
    ExactStrategy,
    FixedStrategy,
    GreedyStrategy,
    MwemStrategy,
    PlannedStrategy,
    UnconstrainedStrategy,
    with_unlabelled,
)

COLUMNS = list('abcdefg')
ROLES = Roles(['a'], ['b'], ['g'])
STRICT = ('greedy', 'planned', 'aim', 'privbayes', 'mwem')


def beside(mechanism, roles):
    return outcomes_beside_unlabelled(mechanism.declare(dict.fromkeys(COLUMNS, 2), roles), roles)


@pytest.mark.parametrize('name', STRUCTURES)
@given(statements=any_statements(COLUMNS))
def test_apart_never_declares_an_outcome_with_a_column_without_a_role(name, statements):
    assert beside(resolve_mechanism(name, 'apart'), statements) == []


@pytest.mark.parametrize('name', [name for name in STRUCTURES if name != 'none'])
@given(statements=any_statements(COLUMNS))
def test_no_clique_between_the_sides_of_any_statement_is_declared(name, statements):
    for clique in resolve_mechanism(name).declare(dict.fromkeys(COLUMNS, 2), statements):
        for statement in statements.statements:
            assert not (set(clique) & set(statement.left) and set(clique) & set(statement.right))


@pytest.mark.parametrize('name', [name for name in STRUCTURES if name != 'greedy'])
def test_free_declares_all_of_them(name):
    mechanism = resolve_mechanism(name, 'free')
    assert beside(mechanism, ROLES) == [('g', column) for column in 'cdef']


@pytest.mark.parametrize('name', STRUCTURES)
def test_unless_it_is_said_each_does_as_ever(name):
    mechanism = resolve_mechanism(name)
    assert resolve_mechanism(mechanism) is mechanism
    assert bool(beside(mechanism, ROLES)) == (name not in STRICT)


@pytest.mark.parametrize('unlabelled', ['apart', 'free'])
def test_other_arguments_of_a_structure_stay(unlabelled):
    planned = resolve_mechanism(PlannedStrategy(outcome_weight=2.0), unlabelled)
    assert planned.outcome_weight == 2.0
    exact = with_unlabelled(ExactStrategy(time_limit=3), unlabelled)
    assert exact == ExactStrategy(time_limit=3, unlabelled=unlabelled)
    aim = with_unlabelled(AimStrategy(ExactStrategy(), max_cells=7), unlabelled)
    assert aim == AimStrategy(ExactStrategy(unlabelled=unlabelled), max_cells=7)
    mwem = resolve_mechanism(MwemStrategy(UnconstrainedStrategy(), rounds=3), unlabelled)
    assert mwem == MwemStrategy(UnconstrainedStrategy(unlabelled=unlabelled), rounds=3)


def test_what_it_cannot_change_comes_back():
    tree = FixedStrategy([('a', 'b')])
    assert with_unlabelled(tree, 'apart') is tree
    assert with_unlabelled(GreedyStrategy(), 'apart') == GreedyStrategy()


def test_greedy_cannot_be_free():
    with pytest.raises(StructureError, match="Use structure='adaptive'"):
        with_unlabelled(GreedyStrategy(), 'free')
    assert resolve_mechanism('planned', 'free') == PlannedStrategy(AdaptiveStrategy())


@given(any_statements(COLUMNS), st.sampled_from([AdaptiveStrategy, ExactStrategy]))
def test_apart_is_the_rule_of_greedy(statements, kind):
    assert kind(unlabelled='apart').declare(COLUMNS, statements) == GreedyStrategy().declare(
        COLUMNS, statements
    )


@pytest.mark.parametrize('kind', [AdaptiveStrategy, ExactStrategy, UnconstrainedStrategy])
def test_no_other_word_is_taken(kind):
    with pytest.raises(StructureError, match=r"unlabelled \('near'\) must be 'apart' or 'free'"):
        kind(unlabelled='near')
