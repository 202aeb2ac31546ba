"""Every transformation: row by row, back again, and to rows that obey.

Of ``_plan.py`` and ``_transformation.py``.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range
from sdv.metadata import Metadata

from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.constraints._adding import Promise, add_to_plan
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.domain import public_domain
from sdv_prefair.roles import Roles
from sdv_prefair.selection._resolve import resolve_mechanism
from sdv_prefair.transformers import transformers_for

COLUMNS = {
    'x': {'sdtype': 'numerical', 'range_min': -20, 'range_max': 900, 'decimal_places': 0},
    'y': {'sdtype': 'numerical', 'range_min': -50, 'range_max': 1000, 'decimal_places': 2},
    'z': {'sdtype': 'numerical', 'range_min': -50.5, 'range_max': 1000.5},
    'd': {
        'sdtype': 'datetime',
        'datetime_format': '%Y-%m-%d',
        'range_min': '1999-01-01',
        'range_max': '2020-12-31',
    },
    'e': {
        'sdtype': 'datetime',
        'datetime_format': '%d.%m.%Y %H:%M',
        'range_min': '01.06.1998 00:00',
        'range_max': '01.01.2021 00:00',
    },
    'm': {
        'sdtype': 'datetime',
        'datetime_format': '%Y-%m',
        'range_min': '1999-01',
        'range_max': '2021-12',
    },
    'f': {'sdtype': 'categorical', 'range_values': ['u', 'v', 'w']},
    'g': {'sdtype': 'categorical', 'range_values': [1, 2.5, 3]},
    'b': {'sdtype': 'boolean'},
    'h': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 1, 'decimal_places': 0},
    'i': {'sdtype': 'categorical', 'range_values': [0, 1]},
}
NUMBERS = st.one_of(st.none(), st.integers(-100, 2000), st.floats(-1e12, 1e12))
DAYS = st.one_of(st.none(), st.datetimes(pd.Timestamp('1990-01-01'), pd.Timestamp('2030-01-01')))
ROWS = st.lists(
    st.fixed_dictionaries({
        'x': NUMBERS,
        'y': NUMBERS,
        'z': NUMBERS,
        'd': DAYS,
        'e': DAYS,
        'm': DAYS,
        'f': st.sampled_from(['u', 'v', 'w', 'undeclared', None]),
        'g': st.sampled_from([1, 2.5, 3, 77, None]),
        'b': st.sampled_from([True, False, None]),
        'h': st.sampled_from([0, 1, None]),
        'i': st.sampled_from([0, 1, None]),
    }),
    min_size=1,
    max_size=4,
)


def frame_of(rows):
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype({'f': object, 'g': object})
    frame['x'] = frame['x'].astype(float).round()
    frame['y'] = frame['y'].astype(float).round(2)
    frame['z'] = frame['z'].astype(float)
    for column in 'dem':
        moments = pd.to_datetime(frame[column])
        written = moments.dt.strftime(COLUMNS[column]['datetime_format'])
        frame[column] = written.astype(object).where(moments.notna(), None)
    frame['b'] = frame['b'].astype('boolean')
    frame['h'] = frame['h'].astype('Int64')
    return frame.astype({'i': float})


CONSTRAINTS = {
    'whole numbers': Inequality('x', 'y'),
    'strict': Inequality('x', 'y', strict_boundaries=True),
    'into whole numbers': Inequality('y', 'x', strict_boundaries=True),
    'real numbers': Inequality('x', 'z', strict_boundaries=True),
    'days and minutes': Inequality('d', 'e'),
    'minutes and days': Inequality('e', 'd'),
    'days and months': Inequality('d', 'm', strict_boundaries=True),
    'range': Range('x', 'y', 'z'),
    'range of moments': Range('m', 'd', 'e', strict_boundaries=False),
    'increments': FixedIncrements('x', 7),
    'one hot': OneHotEncoding(['b', 'h', 'i']),
    'one hot, categorical': OneHotEncoding(['h', 'i'], learning_strategy='categorical'),
    'combinations': PublicCombinations(
        ['f', 'g', 'b'], [('u', 1, True), ('v', 2.5, None), (None, None, False), ('w', 3, False)]
    ),
    'learnt combinations': FixedCombinations(['f', 'g']),
}


def fitted_plan(constraints, dtypes):
    plan = ConstraintPlan.without_constraints(METADATA, public_domain(METADATA, True))
    for constraint in constraints:
        plan = add_to_plan(plan, constraint, Promise(Roles(), resolve_mechanism('none'), True))
    return plan.fit(dtypes)


@pytest.fixture(scope='module', params=CONSTRAINTS)
def plan(request):
    return fitted_plan([CONSTRAINTS[request.param]], frame_of([dict.fromkeys(COLUMNS)]).dtypes)


@given(rows=ROWS)
def test_a_row_becomes_the_same_whatever_other_rows_there_are(plan, rows):
    frame = frame_of(rows)
    together = plan.transform(frame)
    for place in range(len(frame)):
        alone = plan.transform(frame.iloc[[place]])
        pd.testing.assert_frame_equal(alone, together.iloc[[place]])


@pytest.mark.slow
@given(rows=ROWS)
def test_whatever_is_encoded_comes_back_as_rows_that_obey(plan, rows):
    """Codes of any rows, broken ones included, are codes of obeying rows or are rejected."""
    transformed = plan.transform(frame_of(rows))
    codes, drawn = draw(plan, transformed)
    restored = plan.reverse_transform(drawn, lambda f: encode(codes, f))
    assert not plan.broken_rules(restored)
    again = plan.transform(restored)
    for column in plan.domains:
        expected = codes[column].encode(drawn.loc[restored.index, column])
        assert (codes[column].encode(again[column]) == expected).all()


@given(rows=ROWS)
def test_rows_that_obey_come_back_with_their_values(plan, rows):
    """Exactly where positions are marked; to a float's precision otherwise."""
    frame = frame_of(rows)
    broken = plan.broken_rules(frame)
    link = plan.chain[0]
    inside = is_inside(frame, link.transformation.columns)
    frame = frame[inside & np.logical_and.reduce([holds for _, holds in broken] or [inside])]
    if link.transformation.sources.keys() & {'f#g'}:
        return  # nothing is allowed before it is learnt
    restored = link.transformation.reverse_transform(link.transformation.transform(frame))
    for column in link.transformation.columns:
        if restored[column].dtype.kind == 'f':
            assert np.allclose(restored[column], frame[column], equal_nan=True)
        else:
            same = (restored[column] == frame[column]).fillna(False)
            assert (same | (restored[column].isna() & frame[column].isna())).all()


def draw(plan, transformed):
    """Return transformers, and rows drawn as from a model that knows these rows' codes."""
    codes = transformers_for(settled(plan, transformed), 32, transformed.dtypes)
    rng = np.random.default_rng(0)
    drawn = {column: t.decode(t.encode(transformed[column]), rng) for column, t in codes.items()}
    return codes, pd.DataFrame(drawn)


def settled(plan, transformed):
    learnt = {
        column: domain.with_values(sorted(set(transformed[column])))
        if getattr(domain, 'kind', '') == 'categories'
        else domain
        for column, domain in plan.domains.items()
    }
    return plan.settle(learnt)


def encode(codes, frame):
    return pd.DataFrame({column: codes[column].encode(frame[column]) for column in frame})


def is_inside(frame, columns):
    """Whether rows lie in the public domain, as rows of a well described table do."""
    declared = [DECLARED[c].is_declared(frame[c].astype(object)) for c in columns]
    return np.logical_and.reduce(declared)


METADATA = Metadata.load_from_dict({'tables': {'t': {'columns': COLUMNS}}})
DECLARED = transformers_for(public_domain(METADATA, True), 32)
