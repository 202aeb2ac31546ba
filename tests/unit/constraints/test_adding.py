"""Which constraints are transformed, which reject rows, which are refused and why."""

import pytest
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range
from sdv.cag._errors import ConstraintNotMetError
from sdv.cag.base import BaseConstraint
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_prefair.columns._facts import Categories, Numbers, Undeclared
from sdv_prefair.columns._public import single_table
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.constraints._adding import Promise, add_to_plan
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.domain import public_domain
from sdv_prefair.errors import DomainError, StructureError, UnfairModelError
from sdv_prefair.roles import Roles
from sdv_prefair.selection._resolve import resolve_mechanism


def number(low=0, high=50, places=0):
    return {
        'sdtype': 'numerical',
        'range_min': low,
        'range_max': high,
        'decimal_places': places,
        'range_is_nullable': False,
    }


WORD = {'sdtype': 'categorical', 'range_values': ['u', 'v']}
COLUMNS = (
    {'key': {'sdtype': 'id'}}
    | {c: number() for c in ('p', 'a', 'o', 'x', 'y', 'z')}
    | {c: WORD for c in ('pw', 'aw', 'ow', 'xw', 'yw')}
    | {'when': {'sdtype': 'datetime', 'datetime_format': '%Y'}, 'open': {'sdtype': 'numerical'}}
)
ROLES = Roles(['p', 'pw'], ['a', 'aw'], ['o', 'ow'])


def empty_plan(public_ranges=True, columns=COLUMNS):
    tables = {'t': {'primary_key': 'key', 'columns': columns}}
    metadata = Metadata.load_from_dict({'tables': tables})
    return ConstraintPlan.without_constraints(metadata, public_domain(metadata, public_ranges))


def add(*constraints, roles=ROLES, structure='adaptive', plan=None):
    plan = plan or empty_plan()
    promise = Promise(roles, resolve_mechanism(structure), True)
    for constraint in constraints:
        plan = add_to_plan(plan, constraint, promise)
    return plan, promise.roles_after(plan)


def role(roles, *columns):
    return [roles.of(column) for column in columns]


@pytest.mark.parametrize(
    ('constraint', 'expected'),
    [
        (Inequality('a', 'x'), {'a.fillna': 'admissible', 'a#x': 'unlabelled'}),
        (Inequality('x', 'a'), {'x.fillna': 'protected', 'x#a': 'protected'}),  # x twice
        (Inequality('p', 'x'), {'p.fillna': 'protected', 'p#x': 'protected'}),
        (Inequality('x', 'o'), {'x.fillna': 'outcome', 'x#o': 'outcome'}),
        (
            Range('x', 'o', 'y'),
            {'x.fillna': 'outcome', 'x#o': 'outcome', 'o#y': 'outcome'},
        ),
        (FixedCombinations(['aw', 'xw']), {'aw#xw': 'unlabelled'}),
        (FixedCombinations(['aw', 'pw']), {'aw#pw': 'protected'}),
        (FixedCombinations(['ow', 'xw']), {'ow#xw': 'outcome'}),
        (FixedIncrements('p', 5), {'p#increment': 'protected'}),
        (FixedIncrements('a', 5), {'a#increment': 'admissible'}),
        (FixedIncrements('x', 5), {'x#increment': 'unlabelled'}),
        (OneHotEncoding(['x', 'y', 'z']), {'x#y#z': 'unlabelled'}),
        (OneHotEncoding(['o', 'y'], learning_strategy='categorical'), {'o#y': 'outcome'}),
    ],
)
def test_made_columns_get_roles(constraint, expected):
    plan, roles = add(constraint)
    assert {column: roles.of(column) for column in expected} == expected
    assert set(expected) <= set(plan.domains)
    assert set(plan.domains) <= set(single_table(plan.metadata).columns)
    assert not plan.rejections


def test_admissible_columns_alone_stay_admissible():
    roles = Roles(['p'], ['a', 'x', 'aw', 'xw'], ['o'])
    plan, found = add(Inequality('a', 'x'), FixedCombinations(['aw', 'xw']), roles=roles)
    assert role(found, 'a.fillna', 'a#x', 'aw#xw') == ['admissible'] * 3
    assert plan.tied == [('a', 'x'), ('aw', 'xw')]


@pytest.mark.parametrize(
    ('constraints', 'words'),
    [
        ([Inequality('p', 'o')], ["'p'", "'o'", 'Inequality']),
        ([Range('p', 'a', 'o')], ["'p'", "'o'", 'Range']),
        ([FixedCombinations(['ow', 'aw', 'pw'])], ["'pw'", "'ow'", 'FixedCombinations']),
        ([OneHotEncoding(['o', 'x', 'p'])], ["'p'", "'o'", 'OneHotEncoding']),
        ([Inequality('p', 'x'), Inequality('x', 'o')], ["'p'", "'o'", "through ['x']"]),
        ([Inequality('x', 'y'), Inequality('p', 'x'), Inequality('y', 'o')], ["'x'", "'y'"]),
    ],
)
def test_what_ties_protected_to_outcome_is_refused(constraints, words):
    for structure in ('adaptive', 'greedy', 'exact'):
        with pytest.raises(UnfairModelError) as caught:
            add(*constraints, structure=structure)
        for word in words:
            assert word in str(caught.value)
        assert 'admissible' in str(caught.value)


def test_without_a_fairness_promise_nothing_is_refused():
    plan, _ = add(Inequality('p', 'o'), structure='none')
    assert 'p#o' in plan.domains
    plan, _ = add(Inequality('p', 'o'), structure='none', roles=Roles())
    assert 'p#o' in plan.domains


def test_an_admissible_column_between_two_constraints_separates_them():
    plan, roles = add(Inequality('p', 'a'), Inequality('a', 'o'))
    assert [rule.columns for rule in plan.rejections] == [('a', 'o')], 'a is consumed by then'
    assert role(roles, 'p.fillna', 'p#a', 'o', 'aw') == ['protected', 'protected', 'outcome'] + [
        'admissible'
    ]


def test_a_consumed_column_means_rejecting_and_ties_all_the_same():
    plan, roles = add(Inequality('x', 'y'), Inequality('y', 'p'))
    assert [rule.columns for rule in plan.rejections] == [('y', 'p')]
    assert role(roles, 'x.fillna', 'x#y', 'p') == ['protected'] * 3
    assert plan.tied == [('x', 'y'), ('y', 'p')]


def test_constraints_chain_over_made_columns():
    plan, roles = add(FixedCombinations(['xw', 'yw']), FixedCombinations(['xw#yw', 'pw']))
    assert not plan.rejections
    assert plan.sources['xw#yw#pw'] == {'xw', 'yw', 'pw'}
    assert roles.of('xw#yw#pw') == 'protected'
    assert plan.tied[1] == ('pw', 'xw', 'yw')


def test_rows_are_rejected_rather_than_losing_the_last_admissible_column():
    roles = Roles(['p'], ['a'], ['o'])
    plan, found = add(Inequality('x', 'a'), roles=roles)
    assert not plan.chain
    assert [rule.columns for rule in plan.rejections] == [('x', 'a')]
    assert found == roles
    plan, found = add(Inequality('a', 'x'), roles=roles)
    assert found.admissible == ('a.fillna',)


def test_rows_are_rejected_where_a_given_tree_names_the_columns():
    columns = {c: COLUMNS[c] for c in ('key', 'p', 'a', 'o', 'x', 'y')}
    tree = [('p', 'a'), ('a', 'o'), ('p', 'x'), ('p', 'y')]
    roles = Roles(['p'], ['a'], ['o'])
    plan, _ = add(Inequality('x', 'y'), roles=roles, structure=tree, plan=empty_plan(True, columns))
    assert not plan.chain
    unfair = [('p', 'a'), ('a', 'o'), ('p', 'x'), ('o', 'y')]
    with pytest.raises(UnfairModelError, match=r"Inequality over \['x', 'y'\] cannot be added"):
        add(Inequality('x', 'y'), roles=roles, structure=unfair, plan=empty_plan(True, columns))


def test_the_last_admissible_column_cannot_go():
    class Stubborn:
        name, requires_roles = 'stubborn', True

        def declare(self, columns, roles):
            raise StructureError('never.')

        def select(self, columns, roles, scores):
            raise AssertionError

    with pytest.raises(StructureError, match='FixedIncrements.*cannot be added: never'):
        add(FixedIncrements('x', 2), structure=Stubborn())


def test_public_ranges_of_made_columns():
    plan, _ = add(
        Inequality('x', 'y', strict_boundaries=True),
        FixedIncrements('z', 7),
        OneHotEncoding(['p', 'a']),
        PublicCombinations(['xw', 'yw'], [('u', 'v'), ('v', None)]),
    )
    assert plan.domains['x.fillna'] == Numbers(0, 50, 0, False)
    assert plan.domains['x#y'] == Numbers(1, 50, 0, False)
    assert plan.domains['z#increment'] == Numbers(0, 7, 0, False)
    assert plan.domains['p#a'] == Categories(('p', 'a'), False, complete=True)
    labels = ('["u", "v"]', '["v", null]')
    assert plan.domains['xw#yw'] == Categories(labels, False, complete=True)
    described = single_table(plan.metadata).columns
    assert described['x#y'] == number(1, 50)
    assert described['xw#yw']['range_values'] == list(labels)
    plan.metadata.validate()
    again = public_domain(plan.metadata, True)
    assert again['x#y'] == plan.domains['x#y'], 'the modified metadata says the same'


def test_what_is_not_public_has_to_be_learnt():
    plan, _ = add(Inequality('x', 'open'), FixedCombinations(['xw', 'yw']), FixedIncrements('z', 7))
    assert plan.domains['x#open'] == Undeclared('numbers', True, low=0)
    assert plan.domains['xw#yw'] == Undeclared('categories', False)
    hidden, _ = add(
        Inequality('x', 'y'), FixedIncrements('z', 7), plan=empty_plan(public_ranges=False)
    )
    assert isinstance(hidden.domains['x#y'], Undeclared)
    assert isinstance(hidden.domains['z#increment'], Undeclared)
    assert 'range_max' not in single_table(hidden.metadata).columns['x#y']


@pytest.mark.parametrize(
    ('constraint', 'error', 'words'),
    [
        (Inequality('x', 'when'), ConstraintNotMetError, 'same sdtype'),
        (Inequality('x', 'nowhere'), ConstraintNotMetError, 'missing columns'),
        (FixedIncrements('key', 2), ConstraintNotMetError, 'primary key'),
        (FixedIncrements('z', 10**6), None, None),
        (PublicCombinations(['xw', 'yw'], [('u', 'q')]), DomainError, "'yw'"),
        (BaseConstraint(), SynthesizerInputError, 'BaseConstraint'),
    ],
)
def test_what_cannot_hold_is_refused(constraint, error, words):
    if error is None:
        plan, _ = add(constraint)
        assert plan.domains['z#increment'] == Numbers(0, 0, 0, False)
        return
    with pytest.raises(error, match=words):
        add(constraint)


def test_ranges_that_leave_no_room_are_refused():
    columns = COLUMNS | {'x': number(60, 90), 'z': number(3, 4)}
    with pytest.raises(DomainError, match="'y' is never large enough"):
        add(Inequality('x', 'y'), plan=empty_plan(True, columns))
    with pytest.raises(DomainError, match='no multiple of 5'):
        add(FixedIncrements('z', 5), plan=empty_plan(True, columns))


def test_names_that_are_taken_get_an_underscore():
    plan, _ = add(
        FixedIncrements('x', 5), plan=empty_plan(True, COLUMNS | {'x#increment': number()})
    )
    assert plan.sources['x#increment_'] == {'x'}


@pytest.mark.parametrize('rows', [[], [('u',)], ['uv'], [3]])
def test_combinations_must_be_rows_of_values(rows):
    with pytest.raises(SynthesizerInputError, match='combinations'):
        PublicCombinations(['xw', 'yw'], rows)
