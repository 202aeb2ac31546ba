"""Constraints with tables by their names, and those that would learn from rows.

About ``_programmable.py``.
"""

import numpy as np
import pandas as pd
import pytest
from sdv.cag import ProgrammableConstraint, SingleTableProgrammableConstraint
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_prefair.constraints._adding import Promise, add_to_plan
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.domain import public_domain
from sdv_prefair.roles import Roles
from sdv_prefair.selection._resolve import resolve_mechanism

NUMBER = {'sdtype': 'numerical', 'range_min': 0, 'range_max': 9, 'decimal_places': 0}
OPEN = {'sdtype': 'categorical'}
DATE = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}
COLUMNS = {'p': NUMBER, 'a': NUMBER, 'o': NUMBER, 'x': NUMBER, 'y': NUMBER, 'total': NUMBER}
COLUMNS |= {'word': OPEN, 'day': DATE, 'yes': {'sdtype': 'boolean'}}


def add(constraint):
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': COLUMNS}}})
    plan = ConstraintPlan.without_constraints(metadata, public_domain(metadata, True))
    promise = Promise(Roles(['p'], ['a'], ['o']), resolve_mechanism('adaptive'), True)
    return add_to_plan(plan, constraint, promise)


def fitted(constraint):
    dtypes = dict.fromkeys(COLUMNS, np.dtype('int64'))
    dtypes |= {'word': np.dtype(object), 'day': np.dtype(object), 'yes': np.dtype(bool)}
    return add(constraint).fit(dtypes)


def rows(**columns):
    known = {'word': ['a'] * 3, 'day': ['2020-01-01'] * 3, 'yes': [True] * 3}
    return pd.DataFrame({c: known.get(c, [1, 2, 3]) for c in COLUMNS} | columns)


class AtMost(ProgrammableConstraint):
    column_names = ['x', 'y']

    def is_valid(self, data):
        return {'t': data['t']['x'] <= data['t']['y']}


class Sum(ProgrammableConstraint):
    column_names = ['x', 'y', 'total']
    row_wise = True

    def get_updated_metadata(self, metadata):
        metadata.remove_column('total', table_name='t')
        return metadata

    def transform(self, data):
        return {'t': data['t'].drop(columns='total')}

    def reverse_transform(self, data):
        return {'t': data['t'].assign(total=data['t']['x'] + data['t']['y'])}

    def is_valid(self, data):
        return {'t': data['t']['total'] == data['t']['x'] + data['t']['y']}


def test_tables_by_their_names_are_rejected_by():
    plan = fitted(AtMost())
    kept = plan.reverse_transform(rows(x=[1, 5, 9], y=[1, 4, 9]), lambda frame: frame)
    assert list(kept.index) == [0, 2]


def test_tables_by_their_names_are_transformed():
    plan = fitted(Sum())
    frame = rows(total=[2, 4, 6])
    drawn = plan.transform(frame)
    assert 'total' not in drawn
    pd.testing.assert_frame_equal(plan.reverse_transform(drawn, lambda found: found), frame)


LESSONS = {
    'largest': lambda column: column.max(),
    'pairs': lambda column: column.drop_duplicates(),
    'values': lambda column: set(column),
    'list': lambda column: list(column),
    'rows': len,
    'nulls': lambda column: bool(column.isna().any()),
    'array': lambda column: column.to_numpy(),
    'frame': lambda column: column.to_frame(),
    'model': lambda column: column.map,
}


@pytest.mark.parametrize('form', [ProgrammableConstraint, SingleTableProgrammableConstraint])
@pytest.mark.parametrize('column', ['x', 'word', 'day', 'yes'])
@pytest.mark.parametrize('lesson', LESSONS)
def test_what_learns_from_rows_is_refused_when_it_is_added(lesson, column, form):
    class Learning(form):
        column_names = ['x', 'word', 'day', 'yes']

        def fit(self, data, metadata):
            table = data['t'] if isinstance(data, dict) else data
            self.learnt = LESSONS[lesson](table[column])

        def is_valid(self, data):
            raise AssertionError('it is not asked')

    with pytest.raises(SynthesizerInputError, match=r"Learning.fit learns \['learnt'\] from the"):
        add(Learning())


class Prepared(SingleTableProgrammableConstraint):
    """Has a fit that takes nothing from the rows."""

    column_names = ['x', 'y']

    def __init__(self):
        self.ready, self.seen = False, []

    def fit(self, data, metadata):
        self.ready, self.names = True, list(data.columns)
        self.tables = list(metadata.tables)

    def is_valid(self, data):
        return data['x'] <= data['y']


def test_a_fit_that_learns_nothing_is_welcome_and_leaves_the_users_object_alone():
    constraint = Prepared()
    plan = fitted(constraint)
    assert not constraint.ready
    assert plan.rejections[0].constraint.names == ['x', 'y']
