"""What the tuned budget takes off a pair's score before it is chosen.

Of ``_measuring.py``.
"""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.selection._measuring import BUDGETS, expected_errors

PAIRS = [('a', 'b'), ('a', 'c'), ('b', 'c')]


def one_way_model(seed, total=1000.0):
    rng = np.random.default_rng(seed)
    return {
        c: total * rng.dirichlet(np.full(size, 0.5))
        for c, size in zip('abc', (2, 6, 40), strict=True)
    }


def errors(expected, rho, rows=1, exponent=2 / 3):
    budget = replace(BUDGETS['tuned'], cells_exponent=exponent)
    return expected_errors(PAIRS, expected, Fraction(rho), rows, budget)


def test_with_little_noise_it_is_the_mean_size_of_the_noise():
    """Two edges of equal parts: each has half of rho, so sigma = 1 / sqrt(rho)."""
    expected = {column: np.array([500.0, 500.0]) for column in 'abc'}
    found = errors(expected, 100)

    assert found == pytest.approx(dict.fromkeys(PAIRS, 4 * math.sqrt(2 / math.pi) / 10))


@given(st.integers(0, 10**6), st.sampled_from(['1/100000', '1/100', '1', '100']))
def test_it_is_no_more_than_the_rows_and_no_more_than_the_noise(seed, rho):
    expected = one_way_model(seed)
    for (first, second), error in errors(expected, rho).items():
        cells = expected[first].size * expected[second].size
        most_noise = math.sqrt(2 / math.pi) / math.sqrt(2 * float(Fraction(rho)) / 10**3)
        assert 0 < error <= min(1000.0 * (1 + 1e-9), cells * most_noise)


@given(st.integers(0, 10**6), st.sampled_from(['1/1000', '1/10', '10']))
def test_it_is_the_sum_over_all_cells(seed, rho):
    expected = one_way_model(seed)
    expected['b'][0] = 0.0
    # Equal parts: each of the two edges has half of rho.
    noise = math.sqrt(2 / math.pi) / math.sqrt(float(Fraction(rho)))
    for (first, second), error in errors(expected, rho, exponent=0.0).items():
        predicted = np.outer(expected[first], expected[second]) / expected[second].sum()
        assert error == pytest.approx(np.minimum(noise, predicted).sum())


@given(st.integers(0, 10**6))
def test_it_grows_with_noise_and_with_the_rows_of_a_person(seed):
    expected = one_way_model(seed)
    little, more, most = (errors(expected, '1'), errors(expected, '1/10'), errors(expected, '1', 5))
    for pair in PAIRS:
        assert little[pair] <= more[pair] <= most[pair]
    assert sum(little.values()) < sum(more.values()) < sum(most.values())


def test_empty_cells_cost_nothing():
    """A column whose codes nearly never occur adds cells, but hardly any error."""
    few = {'a': np.array([500.0, 500.0]), 'b': np.array([600.0, 400.0]), 'c': np.array([1e3, 0.0])}
    many = few | {'b': np.concatenate([few['b'], np.zeros(50)])}
    share = 0.0  # equal parts, whatever the cells

    assert errors(many, '1/10', exponent=share)['a', 'b'] == pytest.approx(
        errors(few, '1/10', exponent=share)['a', 'b']
    )
