"""About ``_estimates.py``."""

import numpy as np
import pytest

from sdv_prefair.inference._estimates import MeasuredCounts
from sdv_prefair.model import Compression, Measurement, estimate

SHOWN = {'a': np.ones(3, bool), 'b': np.ones(2, bool)}
TABLE = np.array([[10.0, 20.0], [-3.0, 4.0], [30.0, 40.0]])
ALONE = np.array([32.0, 2.0, 69.0])


def counts(compressions=None, measurements=None, sizes=None):
    measurements = measurements or [
        Measurement(('a',), ALONE, 2.0),
        Measurement(('a', 'b'), TABLE, 1.0),
    ]
    model = estimate(measurements, sizes or {'a': 3, 'b': 2}, compressions=compressions)
    return MeasuredCounts(model, SHOWN)


def one(code, size):
    return np.eye(size)[code]


def test_a_cell_is_what_was_measured_negative_or_not():
    form = counts().form({'a': one(1, 3), 'b': one(0, 2)})
    assert form.value == pytest.approx(-3.0)
    assert form.covariance(form) == pytest.approx(1.0)


def test_tables_of_a_column_are_averaged_by_inverse_variance():
    # 32 with variance 4, and 10 + 20 with variance 2.
    form = counts().form({'a': one(0, 3)})
    assert form.value == pytest.approx((32 / 4 + 30 / 2) / (1 / 4 + 1 / 2))
    assert form.covariance(form) == pytest.approx(1 / (1 / 4 + 1 / 2))


def test_noise_that_two_sums_share_is_in_their_covariance():
    found = counts()
    cell, row, whole = (
        found.form(vectors)
        for vectors in ({'a': one(0, 3), 'b': one(0, 2)}, {'a': one(0, 3)}, {'a': np.ones(3)})
    )
    # The cell has weight 2/3 in the row: that of the table in the average.
    assert cell.covariance(row) == pytest.approx(2 / 3)
    assert whole.value == pytest.approx((103 / 12 + 101 / 6) / (1 / 12 + 1 / 6))


def test_what_no_table_holds_was_not_measured():
    alone = [Measurement(('a',), ALONE, 2.0), Measurement(('b',), np.array([40.0, 60.0]), 2.0)]
    found = counts(measurements=alone)
    assert found.form({'a': one(0, 3), 'b': one(0, 2)}) is None
    assert found.bounds({'a': one(0, 3), 'b': one(0, 2)}) is None


def merged(measured):
    """Codes 1 and 2 of column a share a group."""
    compression = Compression(np.array([0, 1, 1]), np.array([1.0, 0.5, 0.5]), measured=measured)
    grouped = [
        Measurement(('a',), np.array([32.0, 71.0]), np.array([2.0, 2.0 * np.sqrt(2)])),
        Measurement(('a', 'b'), np.array([[10.0, 20.0], [27.0, 44.0]]), 1.0),
    ]
    return counts({'a': compression}, grouped, {'a': 2, 'b': 2})


def test_merged_codes_are_told_apart_by_their_own_counts():
    found = merged(Measurement(('a',), ALONE, 2.0)).form({'a': one(1, 3)})
    assert found.value == pytest.approx(2.0)
    assert found.covariance(found) == pytest.approx(4.0)


def test_without_these_and_beside_other_columns_there_are_bounds():
    alone = merged(None)
    assert alone.form({'a': one(1, 3)}) is None
    least, most = alone.bounds({'a': one(1, 3)})
    assert least.value == 0.0
    assert most.value == pytest.approx(71.0, abs=0.5)
    beside = merged(Measurement(('a',), ALONE, 2.0))
    assert beside.form({'a': one(1, 3), 'b': one(0, 2)}) is None
    least, most = beside.bounds({'a': one(1, 3), 'b': one(0, 2)})
    assert (least.value, most.value) == (0.0, pytest.approx(27.0))


def test_a_sum_over_a_whole_group_is_measured():
    found = merged(None).form({'a': np.array([0.0, 1.0, 1.0]), 'b': one(0, 2)})
    assert found.value == pytest.approx(27.0)
