"""Which pairs are scored if noise would drown the scores of all.

Of ``_planned.py``.
"""

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.roles import Roles
from sdv_prefair.selection._planned import scored_pairs

COLUMNS = [f'c{n}' for n in range(100)]
PAIRS = list(combinations(COLUMNS, 2))
ROLES = Roles(['c1'], ['c20', 'c30'], ['c99'])


def scored(sigma, total, roles=ROLES):
    return scored_pairs(PAIRS, COLUMNS, roles, sigma, total)


def test_all_pairs_are_scored_as_long_as_noise_stays_below_a_fifth_of_the_rows():
    sigma = 0.2 * 1000 / math.sqrt(len(PAIRS))
    assert scored(0.999 * sigma, 1000.0) == PAIRS
    assert len(scored(1.001 * sigma, 1000.0)) < len(PAIRS)


def test_pairs_with_an_outcome_come_first_then_other_roles_then_neighbours():
    outcome = [pair for pair in PAIRS if 'c99' in pair]
    found = scored(49.99 / math.sqrt(len(outcome)), 1000.0)
    assert found == outcome
    more = set(scored(49.99 / math.sqrt(len(outcome) + 20), 1000.0)) - set(outcome)
    labelled = {pair for pair in more if {'c1', 'c20', 'c30'} & set(pair)}
    assert len(more) == 20 and len(labelled) >= 10
    assert all(int(b[1:]) - int(a[1:]) == 1 for a, b in more - labelled)


@pytest.mark.slow
@given(st.floats(1e-3, 1e6), st.floats(-1e6, 1e9))
def test_noise_is_never_above_a_fifth_of_the_rows(sigma, total):
    found = scored(sigma, total)
    assert set(found) <= set(PAIRS) and found == sorted(found, key=PAIRS.index)
    assert not found or sigma * math.sqrt(len(found)) <= 0.2 * total


def test_none_is_scored_if_noise_drowns_even_one():
    assert scored(51.0, 1000.0) == []
    assert len(scored(49.0, 1000.0)) == 1
    assert scored(1.0, -5.0) == []
    assert scored_pairs([], COLUMNS, ROLES, 1.0, 1000.0) == []
