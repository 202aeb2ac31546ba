"""What ``unlabelled=`` makes of each strategy."""

import pytest
from any_statements import any_statements
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.errors import StructureError
from sdv_prefair.fairness._unlabelled import outcomes_beside_unlabelled
from sdv_prefair.roles import Roles
from sdv_prefair.structure import (
    STRATEGIES,
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


def beside(strategy, roles):
    return outcomes_beside_unlabelled(strategy.declare(COLUMNS, roles), roles)


@pytest.mark.parametrize('name', STRATEGIES)
@given(statements=any_statements(COLUMNS))
def test_apart_never_declares_an_outcome_with_a_column_without_a_role(name, statements):
    assert beside(with_unlabelled(STRATEGIES[name](), 'apart'), statements) == []


@pytest.mark.parametrize('name', [name for name in STRATEGIES if name != 'none'])
@given(statements=any_statements(COLUMNS))
def test_no_pair_between_the_sides_of_any_statement_is_declared(name, statements):
    for pair in STRATEGIES[name]().declare(COLUMNS, statements):
        for statement in statements.statements:
            assert not (set(pair) & set(statement.left) and set(pair) & set(statement.right))


@pytest.mark.parametrize('name', [name for name in STRATEGIES if name != 'greedy'])
def test_free_declares_all_of_them(name):
    strategy = with_unlabelled(STRATEGIES[name](), 'free')
    assert beside(strategy, ROLES) == [('g', column) for column in 'cdef']


@pytest.mark.parametrize('name', STRATEGIES)
def test_unless_it_is_said_each_does_as_ever(name):
    strategy = STRATEGIES[name]()
    assert with_unlabelled(strategy, None) is strategy
    assert bool(beside(strategy, ROLES)) == (name not in STRICT)


@pytest.mark.parametrize('unlabelled', ['apart', 'free'])
def test_other_arguments_of_a_strategy_stay(unlabelled):
    planned = PlannedStrategy(outcome_weight=2.0)
    assert with_unlabelled(planned, unlabelled).outcome_weight == 2.0
    exact = with_unlabelled(ExactStrategy(time_limit=3), unlabelled)
    assert exact == ExactStrategy(time_limit=3, unlabelled=unlabelled)
    aim = with_unlabelled(AimStrategy(ExactStrategy(), max_cells=7), unlabelled)
    assert aim == AimStrategy(ExactStrategy(unlabelled=unlabelled), max_cells=7)
    mwem = with_unlabelled(MwemStrategy(UnconstrainedStrategy(), rounds=3), unlabelled)
    assert mwem == MwemStrategy(UnconstrainedStrategy(unlabelled=unlabelled), rounds=3)


def test_what_it_cannot_change_comes_back():
    tree = FixedStrategy([('a', 'b')])
    assert with_unlabelled(tree, 'apart') is tree
    assert with_unlabelled(GreedyStrategy(), 'apart') == GreedyStrategy()


def test_greedy_cannot_be_free():
    with pytest.raises(StructureError, match="Use structure='adaptive'"):
        with_unlabelled(GreedyStrategy(), 'free')
    assert with_unlabelled(PlannedStrategy(), 'free') == PlannedStrategy(AdaptiveStrategy())


@given(any_statements(COLUMNS), st.sampled_from([AdaptiveStrategy, ExactStrategy]))
def test_apart_is_the_rule_of_greedy(statements, kind):
    assert kind(unlabelled='apart').declare(COLUMNS, statements) == GreedyStrategy().declare(
        COLUMNS, statements
    )


@pytest.mark.parametrize('kind', [AdaptiveStrategy, ExactStrategy, UnconstrainedStrategy])
def test_no_other_word_is_taken(kind):
    with pytest.raises(StructureError, match=r"unlabelled \('near'\) must be 'apart' or 'free'"):
        kind(unlabelled='near')
