"""Constraints that users write: what they are shown, and when their transform is used."""

import numpy as np
import pandas as pd
import pytest
from sdv.cag import SingleTableProgrammableConstraint
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_prefair.constraints._adding import Promise, add_to_plan
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.constraints._programmable import named_columns
from sdv_prefair.domain import public_domain
from sdv_prefair.errors import UnfairModelError
from sdv_prefair.roles import Roles
from sdv_prefair.selection._resolve import resolve_mechanism

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


def add(constraint, roles=ROLES, columns=COLUMNS):
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    plan = ConstraintPlan.without_constraints(metadata, public_domain(metadata, True))
    return add_to_plan(plan, constraint, Promise(roles, resolve_mechanism('adaptive'), True))


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


def test_rows_it_fails_on_are_null_and_nothing_is_given_away():
    plan = add(Leaky()).fit(DTYPES)
    made = plan.transform(table(x=[1, 7, 3]))
    assert made['x'].isna().tolist() == made['y'].isna().tolist() == [False, True, False]
    assert made['x'].tolist()[::2] == [1, 3]
    plan.transform(table())
    assert not hasattr(plan.chain[0].transformation.constraint, 'seen')


class Shrinking(Sum):
    """Leaves out rows instead of transforming them."""

    def transform(self, data):
        return super().transform(data[data['x'] != 7])


class Ratio(Sum):
    """Makes whole numbers or not, objects or not, as the rows have it."""

    def transform(self, data):
        x = [None if x == 7 else x // 1 if x == x else 'none' for x in data['x'].tolist()]
        return data.assign(x=pd.Series(x, data.index)).drop(columns='total')


@pytest.mark.parametrize(
    'constraint', [Leaky(), Shrinking(), Ratio()], ids=lambda c: type(c).__name__
)
@pytest.mark.parametrize('odd', [7.0, np.nan, np.inf, 1e300])
@pytest.mark.parametrize('dtype', ['float64', 'Float64', 'object'])
def test_a_row_changes_nothing_that_is_made_of_others(constraint, odd, dtype):
    plan = add(constraint).fit(DTYPES | {'x': pd.api.types.pandas_dtype(dtype)})
    plain = plan.transform(table(x=pd.array([1.0, 2.0, 3.0], dtype=dtype)))
    beside = table().iloc[[0, 1, 2, 2]].assign(x=pd.array([1.0, 2.0, 3.0, odd], dtype=dtype))
    beside = plan.transform(beside)
    for column in plain:
        values = [None if pd.isna(v) else v for v in beside[column].tolist()[:3]]
        assert values == plain[column].tolist(), column
        assert list(map(type, values)) == list(map(type, plain[column].tolist()))


class Dated(Sum):
    """Makes a moment of every number but seven, in the unit that pandas finds for the rows."""

    def get_updated_metadata(self, metadata):
        metadata = super().get_updated_metadata(metadata)
        metadata.update_column('x', sdtype='datetime', table_name='t')
        return metadata

    def transform(self, data):
        if (data['x'] == 7).any():
            raise ValueError
        days = pd.to_datetime('2020-01-01') + pd.to_timedelta(data['x'], 'h')
        return data.assign(x=days).drop(columns='total')


def test_moments_stay_what_they_are_beside_a_row_that_fails():
    columns = COLUMNS | {'x': {'sdtype': 'numerical'}}
    plan = add(Dated(), columns=columns).fit(DTYPES)
    plain, beside = plan.transform(table()), plan.transform(table(x=[1, 2, 7]))
    assert plain['x'].tolist()[:2] == beside['x'].tolist()[:2]
    assert beside['x'].isna().tolist() == [False, False, True]


def test_dtypes_are_those_of_public_rows():
    plan = add(Ratio()).fit(DTYPES | {'x': np.dtype('float64')})
    dtypes = pd.Series(DTYPES | {'x': np.dtype('float64')}, dtype=object)
    after = plan.dtypes_after(plan.transform, dtypes)
    assert after['x'] == np.dtype('float64')
    assert plan.transform(table(x=['none', None, 7.0]))['x'].dtype == np.dtype('float64')


def test_conditions_on_some_of_its_columns_make_none():
    plan = add(Sum()).fit(DTYPES)
    assert list(plan.transform(pd.DataFrame({'x': [1], 'p': [2]}))) == ['p']
