import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.model._measurement import Measurement, by_columns, combine


def test_equal_noise_is_stored_as_one_number():
    measurement = Measurement(('a',), [1, 2, 3], np.full(3, 2.0))

    assert measurement.stddev == 2.0
    assert measurement.is_uniform
    np.testing.assert_array_equal(measurement.variance, [4.0, 4.0, 4.0])
    assert measurement.values.dtype == np.float64


def test_values_are_copied_from_the_caller():
    values = np.ones(3)
    measurement = Measurement(('a',), values, 1.0)
    values[:] = 7

    np.testing.assert_array_equal(measurement.values, [1, 1, 1])


def test_stddev_broadcasts_to_cells():
    measurement = Measurement(('a', 'b'), np.zeros((2, 3)), np.array([[1.0], [3.0]]))

    np.testing.assert_array_equal(measurement.variance, [[1, 1, 1], [9, 9, 9]])


@pytest.mark.parametrize(
    ('columns', 'values', 'stddev'),
    [
        (('a',), np.zeros((2, 2)), 1.0),
        (('a', 'a'), np.zeros((2, 2)), 1.0),
        ((), np.float64(1), 1.0),
        (('a',), np.zeros(0), 1.0),
        (('a',), [1.0, np.nan], 1.0),
        (('a',), [1.0, 2.0], 0.0),
        (('a',), [1.0, 2.0], [1.0, -1.0]),
        (('a',), [1.0, 2.0], np.inf),
        (('a',), [1.0, 2.0], [1.0, 1.0, 1.0]),
    ],
)
def test_what_is_no_measurement_is_refused(columns, values, stddev):
    with pytest.raises(ValueError):
        Measurement(columns, values, stddev)


def test_transpose_moves_values_and_noise_together():
    rng = np.random.default_rng(0)
    measurement = Measurement(('a', 'b', 'c'), rng.normal(size=(2, 3, 4)), rng.random((2, 3, 4)))
    turned = measurement.transpose(('c', 'a', 'b'))

    assert turned.columns == ('c', 'a', 'b')
    assert turned.values[3, 1, 2] == measurement.values[1, 2, 3]
    assert turned.stddev[3, 1, 2] == measurement.stddev[1, 2, 3]


@given(st.integers(0, 10_000), st.integers(1, 4))
def test_combining_keeps_the_objective_up_to_a_constant(seed, count):
    rng = np.random.default_rng(seed)
    parts = [
        Measurement(('a', 'b'), rng.normal(size=(2, 3)), 10 ** rng.uniform(-2, 2, (2, 3)))
        for _ in range(count)
    ]
    mean = combine(parts)
    tables = rng.normal(size=(2, 2, 3))

    apart = [sum(part.squared_error(table) for part in parts) for table in tables]
    together = [mean.squared_error(table) for table in tables]
    np.testing.assert_allclose(apart[0] - apart[1], together[0] - together[1], rtol=1e-6)


def test_measurements_of_one_set_of_columns_are_combined_in_either_order():
    first = Measurement(('a', 'b'), [[1.0, 2.0, 3.0]], 1.0)
    second = Measurement(('b', 'a'), [[3.0], [4.0], [5.0]], 1.0)
    single = Measurement(('a',), [6.0], 1.0)
    groups = by_columns([first, single, second])

    assert set(groups) == {frozenset('ab'), frozenset('a')}
    np.testing.assert_allclose(groups[frozenset('ab')].values, [[2.0, 3.0, 4.0]])
    np.testing.assert_allclose(groups[frozenset('ab')].stddev, np.sqrt(0.5))
