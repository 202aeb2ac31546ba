"""Constraints that users write: what they are shown, and when their transform is used."""

import numpy as np
import pandas as pd
import pytest
from sdv.cag import SingleTableProgrammableConstraint
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_prefair.constraints.adding import Promise, add_to_plan
from sdv_prefair.constraints.plan import ConstraintPlan
from sdv_prefair.constraints.programmable import named_columns
from sdv_prefair.domain import public_domain
from sdv_prefair.errors import UnfairModelError
from sdv_prefair.roles import Roles
from sdv_prefair.structure import resolve_strategy

NUMBER = {'sdtype': 'numerical', 'range_min': 0, 'range_max': 9, 'decimal_places': 0}
COLUMNS = {c: NUMBER for c in ('p', 'a', 'o', 'x', 'y', 'total')}
DTYPES = dict.fromkeys(COLUMNS, np.dtype('int64'))
ROLES = Roles(['p'], ['a'], ['o'])


class AtMost(SingleTableProgrammableConstraint):
    """x is at most y, with no transformation at all."""

    def __init__(self, small, large):
        self.small, self.large = small, large

    def is_valid(self, data):
        return data[self.small] <= data[self.large]


class Sum(SingleTableProgrammableConstraint):
    """total = x + y, which rejecting would hardly ever meet."""

    column_names = ['x', 'y', 'total']
    row_wise = True

    def get_updated_metadata(self, metadata):
        metadata.remove_column('total', table_name='t')
        return metadata

    def transform(self, data):
        return data.drop(columns='total')

    def reverse_transform(self, data):
        return data.assign(total=data['x'] + data['y'])

    def is_valid(self, data):
        return data['total'] == data['x'] + data['y']


class Centred(Sum):
    """Promises what it does not do: the mean is of all rows."""

    def transform(self, data):
        return data.assign(x=data['x'] - data['x'].mean()).drop(columns='total')


class Curious(AtMost):
    def is_valid(self, data):
        return data[self.small] <= data['o']


class Leaky(Sum):
    def transform(self, data):
        if (data['x'] == 7).any():
            raise ValueError(f'seven: {data}')
        self.seen = data
        return super().transform(data)


def add(constraint, roles=ROLES):
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': COLUMNS}}})
    plan = ConstraintPlan.without_constraints(metadata, public_domain(metadata, True))
    return add_to_plan(plan, constraint, Promise(roles, resolve_strategy('adaptive'), True))


def table(**columns):
    return pd.DataFrame({c: [1, 2, 3] for c in COLUMNS} | columns)


def test_columns_are_those_it_names():
    assert named_columns(AtMost('y', 'x'), COLUMNS) == ('x', 'y')
    assert named_columns(Sum(), COLUMNS) == ('x', 'y', 'total')
    with pytest.raises(SynthesizerInputError, match='column_names'):
        named_columns(AtMost('unknown', None), COLUMNS)
    Other = type('Other', (Sum,), {'column_names': ['x', 'nowhere']})
    with pytest.raises(SynthesizerInputError, match="'nowhere'"):
        named_columns(Other(), COLUMNS)


def test_without_a_promise_rows_are_rejected_and_private_ones_never_shown():
    plan = add(AtMost('x', 'y')).fit(DTYPES)
    assert not plan.chain
    frame = table(x=[1, 5, 9], y=[1, 4, 9])
    assert plan.transform(frame) is frame
    kept = plan.reverse_transform(frame, lambda f: f)
    assert list(kept.index) == [0, 2]


def test_its_columns_are_tied():
    assert add(AtMost('x', 'p')).tied == [('p', 'x')]
    with pytest.raises(UnfairModelError, match="AtMost.*'p'.*'o'"):
        add(AtMost('o', 'p'))


def test_other_columns_are_not_shown():
    plan = add(Curious('x', 'y'))
    with pytest.raises(SynthesizerInputError, match="Curious.is_valid reads 'o'"):
        plan.fit(DTYPES)


def test_a_promised_transform_is_used_and_restores_the_rest():
    plan = add(Sum()).fit(DTYPES)
    assert set(plan.domains) == {'p', 'a', 'o', 'x', 'y'}
    assert plan.sources['x'] == {'x', 'y', 'total'}
    assert plan.consumed == {'x', 'y', 'total'}
    frame = table(total=[2, 4, 6])
    drawn = plan.transform(frame)
    assert 'total' not in drawn
    pd.testing.assert_frame_equal(plan.reverse_transform(drawn, lambda f: f), frame)


def test_a_broken_promise_is_found_on_public_rows():
    with pytest.raises(SynthesizerInputError, match='Centred has row_wise = True'):
        add(Centred()).fit(DTYPES)


def test_its_errors_and_state_give_nothing_away():
    plan = add(Leaky()).fit(DTYPES)
    with pytest.raises(SynthesizerInputError) as caught:
        plan.transform(table(x=[7, 7, 7]))
    assert 'seven' not in str(caught.value)
    assert caught.value.__cause__ is None
    plan.transform(table())
    assert not hasattr(plan.chain[0].transformation.constraint, 'seen')


def test_conditions_on_some_of_its_columns_make_none():
    plan = add(Sum()).fit(DTYPES)
    assert list(plan.transform(pd.DataFrame({'x': [1], 'p': [2]}))) == ['p']
