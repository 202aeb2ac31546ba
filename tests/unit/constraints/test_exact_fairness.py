"""Exact distributions of small constrained tables: independent given admissible columns, or not.

Every combination of codes is enumerated with its probability under a random model on a tree, sent
through the plan as sampled rows are, and the joint distribution of the original columns is
computed. No sampling, so independence holds to the last digits or it does not hold.

Of ``_plan.py``, ``_rules.py`` and ``_rules.py``.
"""

import numpy as np
import pytest
from exact_joints import exact_joint, plan_of
from sdv.cag import FixedCombinations, Inequality, OneHotEncoding, Range

from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.constraints._rules import as_roles, modelled_roles
from sdv_prefair.roles import Roles
from sdv_prefair.structure import is_justifiably_fair


def dependence(joint, protected, outcome, given):
    """Return the largest |P(p, o | given) - P(p | given) P(o | given)|."""
    worst = 0.0
    for _, rows in joint.groupby(given, dropna=False):
        table = rows.pivot_table(
            values='weight', index=protected, columns=outcome, aggfunc='sum', fill_value=0.0
        ).to_numpy()
        table = table / table.sum()
        independent = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)
        worst = max(worst, float(np.abs(table - independent).max()))
    return worst


CASES = {
    # constraint, columns, roles, a fair tree over the modelled columns
    'both admissible, with nulls': (
        Inequality('low', 'high'),
        ['p', 'o', 'low', 'high'],
        Roles(['p'], ['low', 'high'], ['o']),
        [('p', 'low.fillna'), ('low.fillna', 'o'), ('low.fillna', 'low#high')],
    ),
    'separated by the step alone': (
        Inequality('low', 'high', strict_boundaries=True),
        ['p', 'o', 'low', 'high'],
        Roles(['p'], ['low', 'high'], ['o']),
        [('p', 'low#high'), ('low#high', 'o'), ('low.fillna', 'o')],
    ),
    'admissible low, unlabelled high': (
        Inequality('low', 'high'),
        ['p', 'o', 'low', 'high'],
        Roles(['p'], ['low'], ['o']),
        [('p', 'low.fillna'), ('low.fillna', 'o'), ('low#high', 'o')],
    ),
    'admissible low, protected high': (
        Inequality('low', 'high'),
        ['o', 'low', 'high'],
        Roles(['high'], ['low'], ['o']),
        [('low#high', 'low.fillna'), ('low.fillna', 'o')],
    ),
    'range of admissible columns': (
        Range('low', 'mid', 'high', strict_boundaries=False),
        ['p', 'o', 'low', 'mid', 'high'],
        Roles(['p'], ['low', 'mid', 'high'], ['o']),
        [('p', 'low#mid'), ('low#mid', 'o'), ('p', 'low.fillna'), ('o', 'mid#high')],
    ),
    'unlabelled range on the protected side': (
        Range('low', 'mid', 'high'),
        ['p', 'a', 'o', 'low', 'mid', 'high'],
        Roles(['p'], ['a'], ['o']),
        [
            ('p', 'low.fillna'),
            ('low#mid', 'p'),
            ('mid#high', 'a'),
            ('p', 'a'),
            ('a', 'o'),
        ],
    ),
    'hours that the clocks skip': (
        Inequality('start', 'end'),
        ['p', 'o', 'start', 'end'],
        Roles(['p'], ['start', 'end'], ['o']),
        [('p', 'start.fillna'), ('start.fillna', 'o'), ('start.fillna', 'start#end')],
    ),
    'combination of admissible columns': (
        PublicCombinations(['w1', 'w2'], [('u', 'u'), ('u', 'v'), ('v', 'v')]),
        ['p', 'o', 'w1', 'w2'],
        Roles(['p'], ['w1', 'w2'], ['o']),
        [('p', 'w1#w2'), ('w1#w2', 'o')],
    ),
    'one hot admissible columns': (
        OneHotEncoding(['h1', 'h2']),
        ['p', 'o', 'h1', 'h2'],
        Roles(['p'], ['h1', 'h2'], ['o']),
        [('p', 'h1#h2'), ('h1#h2', 'o')],
    ),
}


@pytest.mark.parametrize('case', CASES)
@pytest.mark.parametrize('seed', [0, 1])
def test_outcome_and_protected_are_independent_given_admissible(case, seed):
    constraint, columns, roles, edges = CASES[case]
    plan = plan_of([constraint], columns, roles)
    made_roles = as_roles(modelled_roles(plan.sources, plan.tied, roles))
    assert is_justifiably_fair(edges, made_roles), 'the tree is one that may be selected'
    joint = exact_joint(plan, columns, edges, seed)
    assert dependence(joint, *roles.protected, *roles.outcome, list(roles.admissible)) < 1e-12
    superset = [c for c in columns if c not in roles.protected + roles.outcome]
    assert dependence(joint, *roles.protected, *roles.outcome, superset) < 1e-12


def test_the_measure_sees_dependence_when_columns_are_joined_through_a_constraint():
    """By naive roles this tree is fair: unlabelled columns touch p here and o there."""
    columns = ['p', 'a', 'o', 'low', 'high']
    edges = [('p', 'low.fillna'), ('low#high', 'o'), ('p', 'a'), ('a', 'o')]
    plan = plan_of([Inequality('low', 'high')], columns)
    joint = exact_joint(plan, columns, edges)
    assert is_justifiably_fair(edges, Roles(['p'], ['a'], ['o']))
    assert dependence(joint, 'p', 'o', ['a']) > 1e-4
    assert dependence(joint, 'p', 'o', ['a', 'high']) > 1e-3, 'and more so given a superset'
    assert dependence(joint, 'p', 'o', ['a', 'low', 'high']) < 1e-12


def test_rejecting_rows_joins_the_columns_of_a_rule():
    columns = ['p', 'a', 'o', 'low', 'high']
    constraints = [Inequality('low', 'high'), Inequality('low', 'high', strict_boundaries=True)]
    edges = [('p', 'low.fillna'), ('low#high', 'o'), ('p', 'a'), ('a', 'o')]
    plan = plan_of(constraints, columns)
    assert len(plan.rejections) == 1
    assert dependence(exact_joint(plan, columns, edges), 'p', 'o', ['a']) > 1e-3


def test_codes_hidden_behind_what_a_row_shows_would_carry_dependence(monkeypatch):
    """Clipping to the range, as SDV does, in place of rejecting: admissible columns leak."""
    columns = ['p', 'o', 'low', 'high']
    roles = Roles(['p'], ['low', 'high'], ['o'])
    edges = [('p', 'low#high'), ('low#high', 'o'), ('low.fillna', 'o')]
    plan = plan_of([Inequality('low', 'high')], columns, roles)
    assert dependence(exact_joint(plan, columns, edges), 'p', 'o', ['low', 'high']) < 1e-12
    transformation = plan.chain[0].transformation
    restore = transformation.restore

    def restore_all(frame, asked=None):
        restored, keep = restore(frame, asked)
        return restored, np.ones_like(keep)

    monkeypatch.setattr(transformation, 'restore', restore_all)
    monkeypatch.setattr(
        ConstraintPlan, '_can_be_read_back', lambda self, frame, *_: np.ones(len(frame), bool)
    )
    assert dependence(exact_joint(plan, columns, edges), 'p', 'o', ['low', 'high']) > 1e-4


def test_plain_fixed_combinations_are_not_known_before_a_fit():
    plan = plan_of([FixedCombinations(['w1', 'w2'])], ['p', 'a', 'o', 'w1', 'w2'])
    assert list(plan.sources) == ['p', 'a', 'o', 'w1#w2']
    assert plan.sources['w1#w2'] == {'w1', 'w2'}
