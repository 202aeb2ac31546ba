"""Shares by use: the least error for the rho that there is.

Of ``_expected_error.py``.
"""

import numpy as np
import pytest

from sdv_prefair.selection._expected_error import Workload

SIZES = {'a': 3, 'b': 10, 'c': 2, 'o': 2}
WORKLOAD = Workload(SIZES, SIZES | {'b': 40}, ['o'], 4.0)


def test_all_of_the_pool_is_shared():
    targets = WORKLOAD.targets([('a', 'b'), ('c', 'o')], 0.7)
    assert set(targets) == {('a', 'b'), ('c', 'o'), ('a',), ('b',), ('c',), ('o',)}
    assert sum(targets.values()) == pytest.approx(0.7)
    assert min(targets.values()) > 0


def test_tables_share_so_that_their_weighted_noise_is_least():
    """Moving rho between two tables either way makes the sum of weight * cells * sigma larger."""
    targets = WORKLOAD.targets([('a', 'b'), ('c', 'o')], 1.0)
    first, second = targets['a', 'b'], targets['c', 'o']

    def error(moved):
        return 1 * 30 / np.sqrt(first + moved) + 4 * 4 / np.sqrt(second - moved)

    assert error(0) < min(error(1e-3), error(-1e-3))


def test_a_column_whose_pairs_are_measured_needs_less_of_its_own():
    alone, joined = WORKLOAD.use_of_columns(WORKLOAD.places([])), None
    joined = WORKLOAD.use_of_columns(WORKLOAD.places([('a', 'o')]))
    assert joined[0] < alone[0] and joined[3] < alone[3]
    assert joined[1] == alone[1]
    # Of a: two pairs of weight 1 are left of three, one of which weighed 4.
    assert (joined[0] / alone[0]) ** 1.5 == pytest.approx(2 / 6)


def test_one_ways_count_all_codes_and_tables_the_merged_ones():
    plain = Workload(SIZES, SIZES, ['o'], 4.0)
    none = WORKLOAD.places([])
    assert WORKLOAD.use_of_columns(none)[1] == pytest.approx(
        4 ** (2 / 3) * plain.use_of_columns(none)[1]
    )
    pair = WORKLOAD.places([('a', 'b')])
    assert WORKLOAD.use_of_pairs(pair) == pytest.approx(plain.use_of_pairs(pair))
