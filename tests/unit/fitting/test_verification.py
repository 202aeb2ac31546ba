"""``verify_fairness`` looks at what rows are drawn from, not only at what the model says of it.

About ``_pipeline.py``.
"""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from releases import TREE, fit

from sdv_prefair.errors import UnfairModelError
from sdv_prefair.fairness import Independent, Statements
from sdv_prefair.fitting._pipeline import assert_separated
from sdv_prefair.model._sampling import CliqueTable


@pytest.fixture
def pickled():
    """A fit out of a pickle, which anybody may have changed."""
    return pickle.loads(pickle.dumps(fit(structure=TREE)))


def groups(model, column):
    return model.compressions[column].num_groups


def test_nodes_that_tie_sex_to_pay_are_seen(pickled):
    model = pickled._model
    sizes = groups(model, 'sex'), groups(model, 'paid')
    tied = CliqueTable(('sex', 'paid'), (), None, np.full(sizes, 1 / np.prod(sizes)))
    rest = [CliqueTable((c,), (), None, np.ones(groups(model, c))) for c in ('grade', 'hours')]
    assert pickled.verify_fairness() is True
    model.nodes = [tied, *rest]
    with pytest.raises(UnfairModelError, match='sex - paid connects a protected'):
        pickled.verify_fairness()


@pytest.mark.parametrize(
    'changes',
    [
        {'separator': (), 'parent': None},
        {'separator': ()},
        {'parent': 1},
        {'parent': -1},
        {'parent': None},
    ],
)
def test_nodes_that_draw_a_column_twice_or_from_nowhere_are_seen(pickled, changes):
    nodes = pickled._model.nodes
    assert nodes[1].separator
    nodes[1] = replace(nodes[1], **changes)
    with pytest.raises(UnfairModelError, match='junction tree'):
        pickled.verify_fairness()


def test_each_of_several_statements_is_asked_and_the_broken_one_is_named(pickled):
    model, plan = pickled._model, pickled.fitted.plan
    kept, broken = Independent(['sex'], ['paid'], ['grade']), Independent(['sex'], ['paid'])
    assert_separated(model, plan, Statements([kept]))
    with pytest.raises(UnfairModelError) as refusal:
        assert_separated(model, plan, Statements([kept, broken]))
    assert str(refusal.value) == (
        'The model does not promise that paid is independent of sex: sex - grade - paid joins the '
        "two sides. Do not release it; fit again with another structure, such as 'adaptive'."
    )
