import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.model import Compression, Measurement, compress_rare_codes


def one_way(values, stddev=1.0):
    return Measurement(('a',), values, stddev)


def test_rare_codes_share_the_last_group():
    compression = compress_rare_codes(one_way([2.0, 50.0, -1.0, 3.0, 1.0]))

    np.testing.assert_array_equal(compression.group_of, [2, 0, 2, 1, 2])
    assert compression.num_groups == 3
    assert compression.num_codes == 5
    inside = compression.weights[[0, 2, 4]]
    np.testing.assert_allclose(compression.weights[[1, 3]], 1)
    np.testing.assert_allclose(inside.sum(), 1)
    assert inside[0] >= inside[2] >= inside[1]  # in the order of their noisy counts


def test_the_threshold_is_three_standard_deviations_of_each_code():
    compression = compress_rare_codes(one_way([10.0, 10.0, 10.0], [3.0, 3.4, 100.0]))

    np.testing.assert_array_equal(compression.group_of, [0, 1, 1])


def test_one_rare_code_is_left_alone():
    compression = compress_rare_codes(one_way([10.0, 1.0, 20.0]))

    assert compression.is_identity
    codes = np.array([2, 0, 1], dtype=np.int32)
    np.testing.assert_array_equal(compression.expand(codes, np.random.default_rng(0)), codes)


def test_all_rare_codes_leave_one_group_with_even_weights_when_none_is_positive():
    compression = compress_rare_codes(one_way([-1.0, -2.0, 0.0]))

    assert compression.num_groups == 1
    np.testing.assert_allclose(compression.weights, [1 / 3] * 3)


def test_compressed_noise_grows_with_the_root_of_the_codes():
    measurement = one_way([50.0, 1.0, 2.0, -1.0, 0.5], 2.0)
    compressed = compress_rare_codes(measurement).compress(measurement)

    np.testing.assert_allclose(compressed.values, [50.0, 2.5])
    np.testing.assert_allclose(compressed.stddev, [2.0, 4.0])


def test_compressing_an_axis_of_a_table_sums_it():
    compression = compress_rare_codes(one_way([1.0, 50.0, 1.0]))
    table = Measurement(('b', 'a'), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], 1.0)

    np.testing.assert_allclose(compression.compress(table, axis=1).values, [[2, 4], [5, 10]])


@given(st.lists(st.floats(-10, 40), min_size=1, max_size=30))
def test_spreading_undoes_summing(values):
    compression = compress_rare_codes(one_way(values))
    table = np.random.default_rng(0).random((2, compression.num_groups))
    spread = compression.spread(table, axis=1)

    assert spread.shape == (2, len(values))
    np.testing.assert_allclose(compression.sum_groups(spread, axis=1), table)
    groups = np.arange(compression.num_groups).repeat(5)
    codes = compression.expand(groups, np.random.default_rng(1))
    np.testing.assert_array_equal(compression.group_of[codes], groups)
    assert (compression.weights[codes] > 0).all()


def test_expanded_codes_follow_the_weights():
    compression = Compression(np.array([2, 0, 2, 1, 2, 2]), np.array([4, 7, 0, 7, 2, 1]) / 7)
    groups = np.full(70_000, compression.num_groups - 1, dtype=np.int32)
    codes = compression.expand(groups, np.random.default_rng(5))
    found = np.bincount(codes, minlength=6) / codes.size

    np.testing.assert_allclose(found, [4 / 7, 0, 0, 0, 2 / 7, 1 / 7], atol=0.008)
    assert codes.dtype == np.int32


def test_identity_has_as_many_groups_as_codes():
    assert Compression.identity(4).num_groups == 4
    with pytest.raises(AttributeError):
        Compression.identity(4).group_of = None


def test_rows_of_a_hidden_code_are_spread_in_proportion():
    measurement = one_way([60.0, 300.0, 40.0, 600.0])
    compression = compress_rare_codes(measurement, other=3)
    assert compression.weights[3] == 0
    assert compression.num_groups == 3
    compressed = compression.compress(measurement)
    np.testing.assert_allclose(compressed.values, [150.0, 750.0, 100.0])
    shares = np.array([0.15, 0.75, 0.1])
    np.testing.assert_allclose(compressed.variance, measurement.variance[0] * (1 + shares**2))
    assert compression.shown(3).is_identity


def test_a_hidden_code_beside_rare_ones_is_spread_over_groups():
    measurement = one_way([1.0, 90.0, 2.0, -1.0, 50.0])
    compression = compress_rare_codes(measurement, other=4)
    assert compression.num_groups == 2
    np.testing.assert_allclose(compression.shares, [90 / 92, 2 / 92])
    np.testing.assert_allclose(compression.compress(measurement).values.sum(), 142.0)


def test_a_code_that_stands_in_takes_all_rows_of_the_hidden_one():
    measurement = one_way([60.0, 300.0, 40.0, 600.0])
    compression = compress_rare_codes(measurement, other=3, stand_in=1)
    assert compression.compress(measurement).values.tolist() == [60.0, 900.0, 40.0]
    assert compression.hidden is None


def test_a_hidden_code_of_noise_alone_is_spread_evenly():
    compression = compress_rare_codes(one_way([-5.0, -3.0, 80.0]), other=2)
    assert compression.num_groups == 1
    assert compression.shares.tolist() == [1.0]


def test_groups_that_turn_out_rare_join_those_merged_before():
    before = compress_rare_codes(Measurement(('a',), [50.0, 9.0, 0.0, 1.0, 40.0], 3.0))
    assert before.group_of.tolist() == [0, 1, 3, 3, 2]
    new = before.rare_groups_merged(Measurement(('a',), [50.0, 2.0, 30.0, 1.0, 40.0], 1.0))
    assert new.tolist() == [0, 2, 1, 2], 'what was merged before stays so, however frequent'
    assert before.coarser(new).group_of.tolist() == [0, 2, 2, 2, 1]


def test_one_rare_group_is_left_alone():
    before = Compression.identity(3)
    assert before.rare_groups_merged(Measurement(('a',), [50.0, 2.0, 30.0], 1.0)) is None


def test_groups_put_together_get_the_hidden_rows_of_both():
    before = compress_rare_codes(Measurement(('a',), [60.0, 30.0, 10.0, 7.0], 1.0), other=3)
    coarser = before.coarser(np.array([0, 1, 1]))
    assert coarser.shares == pytest.approx([0.6, 0.4])
    assert coarser.hidden == 3


def test_of_many_codes_about_one_stands_out_by_noise_alone():
    noise = np.random.default_rng(3).normal(0.0, 1.0, 20_000)
    compression = compress_rare_codes(one_way(noise), threshold=2.0)
    # A Poisson variable of mean 1; with a bar of 2 there would be 455.
    assert compression.num_groups <= 1 + 12


def test_rare_codes_of_a_public_group_are_merged_with_each_other():
    counts = one_way([50.0, *[2.5] * 8, *[2.5] * 8, -1.0, 1.0], 1.0)
    kinds = np.array([0, *[0] * 8, *[1] * 8, 2, -1])
    compression = compress_rare_codes(counts, public_groups=kinds)

    assert compression.group_of.tolist() == [0, *[1] * 8, *[2] * 8, 3, 3]
    np.testing.assert_allclose(compression.sum_groups(compression.weights), 1)
    np.testing.assert_allclose(compression.compress(counts).values, [50.0, 20.0, 20.0, 0.0])


def test_codes_are_drawn_within_their_own_public_group():
    kinds = np.arange(40) % 4
    compression = compress_rare_codes(one_way(np.full(40, 2.0)), public_groups=kinds)
    groups = np.random.default_rng(0).integers(0, 4, 5_000)
    for independent in (True, False):
        codes = compression.expand(groups, np.random.default_rng(1), independent)
        np.testing.assert_array_equal(kinds[codes], groups)
        assert np.unique(codes).size == 40


def test_a_hidden_code_joins_no_public_group():
    counts = one_way([*[2.5] * 8, *[2.5] * 8, 30.0])
    kinds = np.array([*[0] * 8, *[1] * 8, -1])
    compression = compress_rare_codes(counts, other=16, public_groups=kinds)
    assert compression.num_groups == 2
    assert compression.weights[16] == 0
    np.testing.assert_allclose(compression.compress(counts).values, [35.0, 35.0])


def test_codes_that_are_dealt_out_evenly_stray_by_less_than_a_row():
    weights = np.array([0.5, 0.3, 0.15, 0.05])
    compression = Compression(np.zeros(4, dtype=int), weights)
    codes = compression.expand(np.zeros(1_000, dtype=int), np.random.default_rng(2), False)
    assert np.abs(np.bincount(codes, minlength=4) - 1_000 * weights).max() < 1
