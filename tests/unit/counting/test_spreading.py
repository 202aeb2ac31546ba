"""Rows of a code that is not drawn go to others: in proportion, and one row stays one row.

About ``_kernel.py``.
"""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdv_prefair.counting import count_codes
from sdv_prefair.counting._kernel import Spread

DOMAIN = {'a': 4, 'b': 3, 'c': 2}
CLIQUES = [('a',), ('b',), ('a', 'b'), ('a', 'c'), ('a', 'b', 'c')]
HIDDEN = {'a': 3, 'b': 1}
GROUPS = {'a': np.array([0, 1, 2, 0]), 'b': np.array([0, 0, 1])}


def shares(size):
    return st.lists(st.floats(0, 1), min_size=size, max_size=size).filter(lambda x: sum(x) > 0)


row = st.tuples(*(st.integers(0, size - 1) for size in DOMAIN.values()))
rows = st.lists(row | st.just((3, 1, 0)), max_size=40)


def counted(found, of_groups):
    table = np.array(found, dtype=np.int64).reshape(-1, len(DOMAIN))
    codes = dict(zip(DOMAIN, table.T, strict=True))
    spread = {c: Spread(HIDDEN[c], np.array(of)) for c, of in of_groups.items()}
    return count_codes(codes, DOMAIN, CLIQUES).regroup(GROUPS, spread)


@example([(3, 0, 0)] * 2, (3, 0, 0), [0.2, 0.2, 0.6], [0.5, 0.5])
@given(rows, row, shares(3), shares(2))
def test_one_row_more_adds_one_to_one_cell(found, more, of_a, of_b):
    before = counted(found, {'a': of_a, 'b': of_b})
    after = counted([*found, more], {'a': of_a, 'b': of_b})
    for clique in CLIQUES:
        difference = after.project(clique) - before.project(clique)
        assert (difference.min(), difference.sum()) == (0, 1)


@given(rows, shares(3))
def test_other_columns_keep_their_counts(found, of_a):
    counts, plain = counted(found, {'a': of_a}), counted(found, {})
    assert (counts.project(('a', 'b')).sum(axis=0) == plain.project(('b',))).all()
    assert counts.project(('a',)).sum() == len(found)


@pytest.mark.parametrize('num_rows', [1_000, 70_000, 1_000_003])
def test_rows_are_spread_in_proportion(num_rows):
    of_code = np.array([0.5, 0.0, 0.3, 0.2])
    place, code, counts = Spread(9, of_code)._split(np.array([0]), np.array([num_rows]))
    assert set(place) == {0}
    found = np.zeros(4)
    found[code] = counts
    assert found.sum() == num_rows
    assert found[1] == 0
    np.testing.assert_allclose(found / num_rows, of_code, atol=12 / num_rows + 2**-15)


def test_single_rows_of_many_cells_do_not_all_go_the_same_way():
    codes = {'a': np.full(3000, 1), 'wide': np.arange(3000)}
    counts = count_codes(codes, {'a': 2, 'wide': 3000}, [('a', 'wide')])
    hidden = {'a': Spread(1, np.array([0.25, 0.75]))}
    spread = counts.regroup({'a': np.array([0, 1])}, hidden).project(('a', 'wide'))
    np.testing.assert_allclose(spread.sum(axis=1) / 3000, [0.25, 0.75], atol=0.02)


@pytest.mark.parametrize('of_code', [[], [0.0, 0.0], [-1.0, 2.0], [np.nan, 1.0], [[1.0, 2.0]]])
def test_shares_that_are_none_are_refused(of_code):
    with pytest.raises(ValueError, match='must be numbers of at least 0'):
        Spread(1, np.array(of_code, dtype=np.float64))


def test_as_many_shares_as_new_codes():
    with pytest.raises(ValueError, match='a share for each'):
        counted([], {'a': [0.2, 0.8]})
