"""Planned marginals: their pairs, their arguments, their name."""

import pytest

from sdv_prefair.errors import StructureError
from sdv_prefair.roles import Roles
from sdv_prefair.selection._mechanism import Mechanism
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.structure import (
    AdaptiveStrategy,
    GreedyStrategy,
    PlannedStrategy,
    UnconstrainedStrategy,
)

COLUMNS, ROLES = ['sex', 'job', 'zip', 'pay'], Roles(['sex'], ['job'], ['pay'])


def test_it_is_found_by_name_and_compares_by_its_arguments():
    assert resolve_mechanism('planned') == PlannedStrategy() == PlannedStrategy(GreedyStrategy())
    assert PlannedStrategy() != PlannedStrategy(outcome_weight=1.0)
    assert isinstance(PlannedStrategy(), Mechanism)
    assert hash(PlannedStrategy()) == hash(PlannedStrategy())


def test_an_outcome_touches_outcomes_and_admissible_columns_only():
    pairs = PlannedStrategy().pairs(dict.fromkeys(COLUMNS, 2), ROLES)
    assert [pair for pair in pairs if 'pay' in pair] == [('job', 'pay')]
    assert ('sex', 'zip') in pairs


@pytest.mark.parametrize('rule', [AdaptiveStrategy(), UnconstrainedStrategy()])
def test_another_rule_declares_its_own_pairs(rule):
    planned = PlannedStrategy(rule)
    declared = planned.declare(dict.fromkeys(COLUMNS, 2), ROLES)
    assert declared == [*((column,) for column in COLUMNS), *rule.declare(COLUMNS, ROLES)]
    assert planned.requires_roles == rule.requires_roles


@pytest.mark.parametrize(
    ('arguments', 'named'),
    [
        ({'rule': 'greedy'}, 'rule'),
        ({'rule': GreedyStrategy}, 'rule'),
        ({'outcome_weight': 0}, 'outcome_weight'),
        ({'outcome_weight': float('inf')}, 'outcome_weight'),
        ({'outcome_weight': True}, 'outcome_weight'),
        ({'one_way': 1.0}, 'one_way'),
        ({'scores': 0.0}, 'scores'),
        ({'residuals': float('nan')}, 'residuals'),
        ({'look': '0.4'}, 'look'),
        ({'one_way': 0.9, 'scores': 0.1}, 'one_way, scores and residuals'),
        ({'max_cells': 0}, 'max_cells'),
        ({'max_cells': 2.5}, 'max_cells'),
    ],
    ids=repr,
)
def test_arguments_that_make_no_sense_are_refused_by_name(arguments, named):
    with pytest.raises(StructureError, match=f'^{named}'):
        PlannedStrategy(**arguments)
