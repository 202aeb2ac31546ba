"""What statements force together, against all graphs of a few columns.

About ``_predicate.py``.
"""

import random
import time

import pytest
from any_statements import all_graphs, any_statements, kept
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.fairness import (
    Independent,
    Statements,
    demographic_parity,
    equalized_odds,
    forced,
    implies,
    justifiable,
    sufficiency,
)

COLUMNS = list('abcde')
GRAPHS = list(all_graphs(COLUMNS))
SEPARATION = equalized_odds(['sex'], ['hired'], ['able'])
SUFFICIENCY = sufficiency(['sex'], ['hired'], ['able'])


@given(any_statements(COLUMNS), any_statements(COLUMNS, max_statements=1))
def test_one_statement_follows_exactly_if_every_graph_that_keeps_the_others_keeps_it(some, one):
    follows = all(kept(edges, one, COLUMNS) for edges in GRAPHS if kept(edges, some, COLUMNS))
    assert implies(some.statements, one.statements[0]) == follows


@given(any_statements(COLUMNS))
def test_whatever_is_forced_follows_from_all_its_reasons_and_from_no_fewer(some):
    for found in forced(some):
        assert implies(found.because, found.statement)
        assert set(found.because) <= set(some.statements)
        for left_out in found.because:
            rest = [reason for reason in found.because if reason != left_out]
            assert not implies(rest, found.statement)
        assert set(found.statement.given) < set(found.stated.given)


def test_separation_and_sufficiency_force_independence():
    found = forced(Statements(SEPARATION + SUFFICIENCY))
    assert [one.statement for one in found] == [
        Independent(['sex'], ['hired']),
        Independent(['sex'], ['able']),
    ]
    assert all(one.because == (*SEPARATION, *SUFFICIENCY) for one in found)
    assert str(found[0]) == (
        'hired is independent of sex outright, not only given able, because of '
        "'hired is independent of sex given able' and 'able is independent of sex given hired'"
    )


def test_of_intersecting_reasons_the_common_ones_stay():
    found = forced(
        Statements([
            Independent(['sex'], ['hired'], given=['able', 'grade']),
            Independent(['sex'], ['able'], given=['hired', 'grade']),
        ])
    )
    assert [one.statement for one in found] == [
        Independent(['sex'], ['hired'], given=['grade']),
        Independent(['sex'], ['able'], given=['grade']),
    ]


@pytest.mark.parametrize(
    'statements',
    [
        [],
        SEPARATION,
        justifiable(['sex'], {'pay': ['grade'], 'bonus': ['pay']}),
        # That bonus is independent given grade holds for every distribution.
        justifiable(['sex'], {'pay': ['grade'], 'bonus': ['pay', 'grade']}),
        demographic_parity(['sex'], ['hired']) + demographic_parity(['race'], ['hired']),
        # The second follows from the first alone, which says so itself.
        demographic_parity(['sex'], ['hired']) + SEPARATION,
    ],
)
def test_statements_that_force_no_more_than_they_say(statements):
    assert forced(Statements(statements)) == []


def test_many_columns_with_many_parts_do_not_take_for_ever():
    columns = [f'c{number}' for number in range(24)]
    some = Statements([
        Independent([columns[k]], [columns[k + 1]], [c for c in columns[k + 2 :: 2] if c])
        for k in range(20)
    ])
    assert isinstance(forced(some), list)


@given(st.permutations(SEPARATION + SUFFICIENCY + demographic_parity(['race'], ['hired'])))
def test_the_order_of_statements_does_not_matter(statements):
    found = {one.statement for one in forced(Statements(statements))}
    assert found == {Independent(['sex'], ['hired']), Independent(['sex'], ['able'])}


def test_columns_that_statements_treat_alike_are_asked_once():
    """Asked one by one, these would take hours."""
    groups, decisions, labels = ([f'{name}{n}' for n in range(40)] for name in 'pdy')
    statements = Statements([
        Independent(groups, decisions, given=labels),
        Independent(groups, labels, given=decisions),
    ])
    found = [one.statement for one in forced(statements)]
    assert found == [Independent(groups, decisions), Independent(groups, labels)]


@pytest.mark.pull_request
def test_lists_too_long_to_look_at_to_the_end_are_given_up():
    """Every column has another part in each statement, so none answers for another."""
    columns = [f'c{number}' for number in range(40)]
    rng = random.Random(0)
    statements = [
        Independent(order[:10], order[10:20], given=order[20:35])
        for order in (rng.sample(columns, 40) for _ in range(60))
    ]
    started = time.process_time()
    forced(Statements(statements))
    assert time.process_time() - started < 60, 'about four seconds; without an end it takes days'
