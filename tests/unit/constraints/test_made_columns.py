"""The values of made columns, worked by hand.

Of ``_transformation.py``, ``_joint.py``, ``_joint.py``, ``_ordered.py`` and ``_ordered.py``.
"""

import numpy as np
import pandas as pd
import pytest
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range

from sdv_prefair.columns._facts import Categories, Datetimes, Numbers, Undeclared
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.constraints._joint import JointColumn, WhichColumn, as_text
from sdv_prefair.constraints._ordered import RisingColumns, ruler_for
from sdv_prefair.constraints._transformation import Multiples
from sdv_prefair.errors import DomainError, PrivacyWarning
from sdv_prefair.transformers import transformer_for

FLOAT = np.dtype('float64')


def rising(constraint, domains, dtypes):
    made = RisingColumns(constraint, domains)
    return made, made.derive(domains, dtypes)


def test_steps_begin_at_the_last_value_before_or_at_a_public_constant():
    domains = {'a': Numbers(10, 50, 0), 'b': Numbers(5, 60, 0), 'c': Numbers(0, 99, 0)}
    made, found = rising(Range('a', 'b', 'c'), domains, dict.fromkeys('abc', FLOAT))
    assert found['a#b'] == Numbers(1, 55, 0), 'strict, and from 5 where a is null'
    assert found['b#c'] == Numbers(1, 99, 0)
    n = np.nan
    frame = pd.DataFrame({'a': [12, n, 12, n], 'b': [20, 20, n, n], 'c': [21, n, 30, 7.0]})
    steps = made.transform(frame)
    assert steps['a.fillna'].equals(frame['a'].rename('a.fillna'))
    assert steps['a#b'].tolist() == [8, 15, pd.NA, pd.NA]
    assert steps['b#c'].tolist() == [1, pd.NA, 18, 7]
    pd.testing.assert_frame_equal(made.reverse_transform(steps), frame)


def test_rows_that_break_the_order_become_the_nearest_that_does_not():
    domains = {'a': Numbers(0, 9, 0, False), 'b': Numbers(0, 9, 0, False)}
    made, _ = rising(Inequality('a', 'b'), domains, {})
    steps = made.transform(pd.DataFrame({'a': [8, 700], 'b': [3, -700]}))
    assert steps['a#b'].tolist() == [0, 0]


def test_rows_that_leave_the_public_range_are_not_kept():
    domains = {'a': Numbers(0, 9, 0, False), 'b': Numbers(0, 9, 0, False)}
    made, _ = rising(Inequality('a', 'b'), domains, {})
    kept = made.reverse_transform(pd.DataFrame({'a.fillna': [1, 8], 'a#b': [5, 5]}))
    assert kept.to_dict('list') == {'a': [1], 'b': [6]}


def test_months_are_steps_of_a_calendar():
    domains = {
        'a': Datetimes('2020-01', '2021-12', '%Y-%m', False),
        'b': Datetimes('2020-01', '2022-12', '%Y-%m', False),
    }
    made, found = rising(Inequality('a', 'b'), domains, dict.fromkeys('ab', np.dtype('O')))
    assert found['a#b'] == Numbers(0, 35, 0, False)
    frame = pd.DataFrame({'a': ['2020-01', '2020-12'], 'b': ['2020-03', '2021-01']})
    steps = made.transform(frame)
    assert steps['a#b'].tolist() == [2, 1]
    pd.testing.assert_frame_equal(made.reverse_transform(steps), frame)


def test_short_steps_are_told_apart_and_long_ones_share_bins():
    domains = {'a': Numbers(0, 1e6, 0, False), 'b': Numbers(0, 1e6, 0, False)}
    made, found = rising(Inequality('a', 'b'), domains, {})
    cuts = made.edges(32)['a#b']
    assert cuts[:3] == [1, 2, 3]
    assert all(isinstance(cut, int) for cut in cuts)
    codes = transformer_for(found['a#b'], 32, pd.Int64Dtype(), edges=cuts)
    assert codes.num_codes == len(cuts) + 1 <= 32
    rng = np.random.default_rng(0)
    every = np.arange(codes.num_codes)
    assert (codes.encode(codes.decode(every, rng)) == every).all(), 'no bin without a number'
    few = {'a': Numbers(0, 50, 0, False), 'b': Numbers(0, 50, 0, False)}
    assert rising(Inequality('a', 'b'), few, {})[0].edges(32) == {}


def test_decimals_are_exact():
    ruler = ruler_for(Numbers(0, 10, 2), FLOAT)
    hundredths = np.arange(0, 1001)
    column = pd.Series(hundredths / 100)
    positions, nulls = ruler.read(column, Numbers(0, 10, 2))
    assert (positions == hundredths).all()
    assert not nulls.any()
    assert (ruler.write(positions, nulls) == column).all()


def test_multiples_round_and_respect_the_range():
    made = Multiples(FixedIncrements('x', 10), [])
    assert made.derive({'x': Numbers(-15, 47, 0)}, {'x': FLOAT}) == {
        'x#increment': Numbers(-1, 4, 0)
    }
    frame = pd.DataFrame({'x': [20, 24, 1e300, -1e300, np.inf, np.nan]})
    assert made.transform(frame)['x#increment'].tolist() == [2, 2, 4, -1, 4, pd.NA]
    learnt = made.derive({'x': Undeclared('numbers', low=5)}, {'x': FLOAT})
    assert learnt['x#increment'] == Undeclared('numbers', low=1, decimal_places=0)


def test_the_first_largest_column_is_the_one():
    made = WhichColumn(OneHotEncoding(['a', 'b']), ['a#b'])
    domains = dict.fromkeys('ab', Numbers(0, 1, 0))
    assert made.derive(domains, {'a': np.dtype(bool), 'b': FLOAT}) == {
        'a#b_': Categories(('a', 'b'), False, complete=True)
    }
    frame = pd.DataFrame({'a': [True, False, True, False], 'b': [0, 1, 1, np.nan]})
    which = made.transform(frame)
    assert which['a#b_'].tolist() == ['a', 'b', 'a', 'a']
    back = made.reverse_transform(which)
    assert back['a'].tolist() == [True, False, True, True]
    assert back['b'].dtype == FLOAT


def test_values_as_text():
    given = [1, 1.0, np.int8(1), True, np.True_, 2.5, 'ü', None, np.nan, pd.NaT, pd.NA, np.inf]
    expected = ['1', '1', '1', 'true', 'true', '2.5', '"ü"'] + ['null'] * 5
    assert [as_text(value) for value in given] == expected


def test_other_combinations_count_as_the_one_that_agrees_most():
    listed = PublicCombinations(['f', 'g', 'h'], [('u', 1, 'x'), ('u', 2, 'y'), ('v', 2, None)])
    made = JointColumn(listed, [])
    domains = {'f': Categories(('u', 'v')), 'g': Categories((1, 2)), 'h': Categories(('x', 'y'))}
    made.derive(domains, {})
    frame = pd.DataFrame({'f': ['u', 'v', 'q'], 'g': [2, 2, 9], 'h': ['y', 'x', 'z']})
    labels = made.transform(frame)['f#g#h'].tolist()
    assert labels == ['["u", 2, "y"]', '["v", 2, null]', '["u", 1, "x"]']
    back = made.reverse_transform(made.transform(frame))
    assert back['g'].tolist() == [2, 2, 1]
    assert made.allows(back).all()
    assert made.allows(frame).tolist() == [True, False, False]


def test_learnt_combinations_of_undeclared_values_are_dropped():
    made = JointColumn(FixedCombinations(['f', 'g']), [])
    made.derive({'f': Categories(('u', 'v')), 'g': Undeclared('categories')}, {})
    frame = pd.DataFrame({'f': ['u', 'q'], 'g': ['a', 'b']})
    assert made.allows(frame).all(), 'before anything is known'
    labels = tuple(made.labels(frame))
    settled = made.settle(Categories(labels, nullable=False))
    assert settled == Categories(('["u", "a"]',), nullable=False, complete=True)
    with pytest.raises(DomainError, match='stood out from the noise'):
        made.settle(Categories((), nullable=False))


def test_all_declared_combinations_where_none_can_be_learnt():
    made = JointColumn(FixedCombinations(['f', 'g']), [])
    made.derive({'f': Categories(('u', 'v')), 'g': Categories((1, 2))}, {})
    with pytest.warns(PrivacyWarning, match='all combinations'):
        settled = made.settle(Categories((), nullable=False))
    assert len(settled.values) == 4
