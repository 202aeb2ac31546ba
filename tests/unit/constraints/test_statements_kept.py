"""Several statements through constraints and conditions: each is kept exactly, or refused.

Small joints are enumerated, so independence holds to the last digits or it does not hold. Of
``_rules.py``, ``_adding.py`` and ``_plan.py``.
"""

import warnings
from itertools import combinations

import numpy as np
import pytest
from exact_joints import exact_joint, plan_of
from hypothesis import assume, given
from hypothesis import strategies as st
from sdv.cag import FixedCombinations, OneHotEncoding

from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.constraints._rules import (
    as_roles,
    cliques_in_original_columns,
    modelled_roles,
    modelled_statements,
)
from sdv_prefair.errors import FairnessWarning, UnfairModelError
from sdv_prefair.fairness import Independent, Statements, broken_statements
from sdv_prefair.fairness._predicate import fair_additions
from sdv_prefair.roles import Roles
from sdv_prefair.synthesizer._conditions import warn_if_unfair

COLUMNS = ['p', 'a', 'o', 'w1', 'w2', 'h1', 'h2']
CONSTRAINTS = {
    ('w1', 'w2'): PublicCombinations(['w1', 'w2'], [('u', 'u'), ('u', 'v'), ('v', 'v')]),
    ('h1', 'h2'): OneHotEncoding(['h1', 'h2']),
}


@st.composite
def statements_about(draw, columns, most=3):
    """Any statements: sides and what is given are any columns, and may differ between them."""
    made = []
    for _ in range(draw(st.integers(1, most))):
        order = draw(st.permutations(columns))
        left, right = draw(st.integers(1, 2)), draw(st.integers(1, 2))
        given_to = draw(st.integers(0, len(columns) - left - right))
        ends = np.cumsum([left, right, given_to])
        made.append(
            Independent(*(order[start:end] for start, end in zip([0, *ends], ends, strict=False)))
        )
    return Statements(made)


def grown(columns, statements, order):
    """Return the edges of a graph to which nothing can be added that keeps the statements."""
    edges = []
    for pair in order:
        edges += fair_additions(statements, [pair], edges)
    return edges


def dependence(joint, statement):
    """Return the largest |P(x, y | z) - P(x | z) P(y | z)| over all values of the two sides."""
    worst = 0.0
    groups = (
        joint.groupby(list(statement.given), dropna=False) if statement.given else [((), joint)]
    )
    for _, rows in groups:
        sides = [rows.groupby(list(side), dropna=False).ngroup() for side in
                 (statement.left, statement.right)]  # fmt: skip
        table = np.zeros([side.max() + 1 for side in sides])
        np.add.at(table, tuple(side.to_numpy() for side in sides), rows['weight'].to_numpy())
        table /= table.sum()
        apart = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)
        worst = max(worst, float(np.abs(table - apart).max()))
    return worst


@st.composite
def constrained_tables(draw):
    columns = list('abcdefgh')
    statements = draw(statements_about(columns))
    groups = draw(st.lists(st.sets(st.sampled_from(columns), min_size=2, max_size=4), max_size=3))
    tied, sources, consumed = [], {}, set()
    for number, group in enumerate(groups):
        tied.append(tuple(sorted(group)))
        if group & consumed or draw(st.booleans()):
            continue  # rows are rejected; the columns stay as they are
        consumed |= group
        for part in range(draw(st.integers(1, 3))):
            made_from = draw(st.sets(st.sampled_from(sorted(group)), min_size=1))
            sources[f'c{number}_{part}'] = frozenset(made_from)
    sources |= {column: frozenset([column]) for column in columns if column not in consumed}
    order = draw(st.permutations(list(combinations(sources, 2))))
    return sources, tied, statements, order


@given(table=constrained_tables())
def test_a_graph_that_keeps_what_was_carried_over_keeps_what_was_said(table):
    sources, tied, statements, order = table
    assume(not broken_statements(tied, statements))
    edges = grown(sources, modelled_statements(sources, tied, statements), order)
    assert not broken_statements(cliques_in_original_columns(edges, sources, tied), statements)


@given(table=constrained_tables())
def test_roles_are_carried_over_as_one_statement(table):
    sources, tied, _, _ = table
    roles = Roles(['a', 'b'], ['c', 'd'], ['e', 'f'])
    assume(not broken_statements(tied, roles))
    before = as_roles(modelled_roles(sources, tied, roles))
    assume(before is not None)
    assert modelled_statements(sources, tied, Statements(roles.statements)) == before


@given(
    statements=statements_about(COLUMNS),
    constrained=st.sets(st.sampled_from(sorted(CONSTRAINTS))),
    seed=st.integers(0, 2**16),
)
def test_rows_keep_every_statement_or_the_constraint_is_refused(statements, constrained, seed):
    rng = np.random.default_rng(seed)
    try:
        plan = plan_of([CONSTRAINTS[names] for names in constrained], COLUMNS, statements)
    except UnfairModelError as refusal:
        assert broken_statements(constrained, statements)
        assert str(refusal).count('cannot be added') == 1
        return
    pairs = list(combinations(plan.domains, 2))
    order = [pairs[place] for place in rng.permutation(len(pairs))]
    made = modelled_statements(plan.sources, plan.tied, statements)
    joint = exact_joint(plan, COLUMNS, grown(plan.domains, made, order), seed)
    for statement in statements.statements:
        assert dependence(joint, statement) < 1e-12


def test_the_measure_sees_a_statement_that_is_not_kept():
    plan = plan_of([CONSTRAINTS['w1', 'w2']], COLUMNS)
    joint = exact_joint(plan, COLUMNS, [('p', 'w1#w2'), ('o', 'h1')], 3)
    assert dependence(joint, Independent(['p'], ['w1'])) > 1e-3
    assert dependence(joint, Independent(['p'], ['o'])) < 1e-12


@given(
    statements=statements_about(COLUMNS),
    constrained=st.sets(st.sampled_from(sorted(CONSTRAINTS))),
    asked=st.sets(st.sampled_from(COLUMNS), min_size=1, max_size=3),
    seed=st.integers(0, 2**16),
)
def test_rows_that_are_asked_for_without_a_warning_keep_every_statement(
    statements, constrained, asked, seed
):
    assume(not broken_statements(constrained, statements))
    rng, asked = np.random.default_rng(seed), sorted(asked)
    plan = plan_of([CONSTRAINTS[names] for names in constrained], COLUMNS, statements)
    pairs = list(combinations(plan.domains, 2))
    order = [pairs[place] for place in rng.permutation(len(pairs))]
    edges = grown(plan.domains, modelled_statements(plan.sources, plan.tied, statements), order)
    tied = cliques_in_original_columns(edges, plan.sources, plan.tied)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        warn_if_unfair(asked, tied, statements)
    lost = {b.statement for b in broken_statements([*tied, asked], statements)}
    assert bool(lost) == bool(caught)
    assert all(str(statement) in str(caught[0].message) for statement in lost)
    # So many rows are asked for of each combination: one more factor over the asked columns.
    joint = exact_joint(plan, COLUMNS, edges, seed)
    line = joint.groupby(asked, dropna=False).ngroup().to_numpy()
    joint = joint.assign(weight=joint['weight'] * (rng.random(line.max() + 1) ** 3)[line])
    for statement in set(statements.statements) - lost:
        assert dependence(joint, statement) < 1e-12


def test_asking_by_both_sides_names_each_statement_that_is_lost():
    statements = Statements([Independent(['p'], ['o']), Independent(['p'], ['w1'], ['a'])])
    with pytest.warns(FairnessWarning) as caught:
        warn_if_unfair(['p', 'o', 'w1'], [('p', 'a'), ('a', 'w1')], statements)
    assert str(caught[0].message) == (
        "Conditions on ['o', 'p', 'w1'] are not covered by the guarantee that o is independent of "
        'p (p - o joins the two sides); nor that w1 is independent of p given a (p - w1 joins the '
        'two sides around a). To stay covered, condition on columns of one side only, or on those '
        'that the statement is given.'
    )


def test_what_a_model_does_not_keep_cannot_be_lost():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        warn_if_unfair(['p', 'o'], [('p', 'o')], Statements([Independent(['p'], ['o'])]))


def test_a_constraint_that_breaks_one_of_several_statements_names_it():
    statements = Statements([Independent(['p'], ['o'], ['a']), Independent(['w1'], ['w2'])])
    with pytest.raises(UnfairModelError) as refusal:
        plan_of([FixedCombinations(['w1', 'w2'])], COLUMNS, statements)
    assert str(refusal.value) == (
        "FixedCombinations over ['w1', 'w2'] cannot be added: with it, constraints tie 'w1' to "
        "'w2'. So no model could promise that w2 is independent of w1. Leave the constraint out, "
        'or the statement.'
    )


def test_a_constraint_may_leave_nothing_that_a_statement_is_given():
    """Then the two sides are left apart. Of roles such a constraint is enforced by rejection."""
    columns, constraint = ['p', 'o', 'w1', 'w2'], CONSTRAINTS['w1', 'w2']
    statement = Independent(['p'], ['o'], ['w1'])
    plan = plan_of([constraint], columns, Statements([statement, Independent(['w2'], ['o'])]))
    assert list(plan.sources) == ['p', 'o', 'w1#w2']
    made = modelled_statements(plan.sources, plan.tied, Statements([statement]))
    assert made == Statements([Independent(['p'], ['o'])])
    assert not plan_of([constraint], columns, Roles(['p'], ['w1'], ['o'])).chain
