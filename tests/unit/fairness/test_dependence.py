"""How much a column tells about another, against what can be worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sdv_prefair.fairness._dependence import (
    beyond,
    how_much_tells,
    most_that_can_be_told,
    told_by_chance,
)

TABLES = arrays(
    np.int64,
    st.tuples(st.integers(1, 5), st.integers(2, 5)),
    elements=st.integers(0, 50),
).filter(lambda table: (table.sum(axis=0) > 0).sum() > 1)


@given(TABLES)
def test_it_lies_between_nothing_and_everything(table):
    assert 0 <= how_much_tells(table.astype(float)) <= 1


@given(TABLES)
def test_everything_is_told_if_and_only_if_each_value_goes_with_one(table):
    is_function = ((table > 0).sum(axis=1) <= 1).all()
    assert (how_much_tells(table.astype(float)) > 1 - 1e-9) == is_function


@given(st.lists(st.integers(1, 50), min_size=2), st.lists(st.integers(1, 50), min_size=2))
def test_nothing_is_told_by_independent_columns(first, second):
    assert how_much_tells(np.multiply.outer(first, second).astype(float)) < 1e-9


@given(arrays(np.int64, st.tuples(st.integers(1, 6), st.just(2)), elements=st.integers(1, 50)))
def test_of_two_groups_it_is_their_total_variation_distance(table):
    groups = table / table.sum(axis=0)
    distance = np.abs(groups[:, 0] - groups[:, 1]).sum() / 2
    assert how_much_tells(table.astype(float)) == pytest.approx(distance)


@given(TABLES, st.data())
def test_one_row_moves_the_distance_by_at_most_two_rows_over_the_largest(table, data):
    """The score moves by one row for a fixed prediction; here the prediction moves as well."""
    place = tuple(data.draw(st.integers(0, size - 1)) for size in table.shape)
    more = table.copy()
    more[place] += 1
    assert abs(distance(more) - distance(table)) <= 4


def distance(table):
    shares = table.sum(axis=0) / table.sum()
    return how_much_tells(table.astype(float)) * most_that_can_be_told(shares) * table.sum()


def test_chance_explains_what_independent_columns_show():
    rng = np.random.default_rng(0)
    first, second = np.full(30, 1 / 30), np.array([0.7, 0.3])
    found = [distance(_drawn(rng, first, second, 2000)) for _ in range(200)]
    # The mean of 200 has a standard error below 1 %.
    assert 0.97 < np.mean(found) / told_by_chance(first, second, 2000) < 1.03


def _drawn(rng, first, second, rows):
    cells = np.multiply.outer(first, second)
    return rng.multinomial(rows, cells.ravel()).reshape(cells.shape)


def test_beyond_chance_everything_stays_everything_and_chance_becomes_nothing():
    assert beyond(1.0, 0.4) == 1
    assert beyond(0.4, 0.4) == 0
    assert beyond(0.2, 0.4) == 0
    assert beyond(0.9, 1.5) == 0


def test_a_column_of_one_value_and_an_empty_table_leave_nothing_to_tell():
    assert how_much_tells(np.array([[3.0], [4.0]])) == 0
    assert how_much_tells(np.zeros((2, 2))) == 0
