"""Numbers as bins.

About ``_binned.py``.
"""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

from sdv_prefair.errors import DomainError
from sdv_prefair.transformers import NumberBins


def generator():
    return np.random.default_rng(3)


def test_few_whole_numbers_get_a_code_each():
    bins = NumberBins(18, 20, decimal_places=0)
    assert bins.labels() == ['18', '19', '20', '(null)']
    assert (bins.num_codes, bins.null_code, bins.other_code) == (4, 3, None)
    assert bins.encode(pd.Series([18, 19, 20, 5, 99])).tolist() == [0, 1, 2, 0, 2]
    assert bins.decode([0, 1, 2], generator()).tolist() == [18, 19, 20]


@pytest.mark.parametrize(('high', 'expected'), [(99, 100), (100, 8)])
def test_one_hundred_values_is_the_limit(high, expected):
    assert NumberBins(0, high, bins=8, decimal_places=0, nullable=False).num_codes == expected
    assert NumberBins(0, high / 10, bins=8, decimal_places=1, nullable=False).num_codes == expected


def test_even_bins_of_whole_numbers_differ_by_one_at_most():
    bins = NumberBins(0, 1000, bins=7, decimal_places=0, nullable=False)
    sizes = np.bincount(bins.encode(pd.Series(np.arange(1001))))
    assert len(sizes) == 7
    assert sizes.max() - sizes.min() <= 1


def test_more_bins_than_values():
    assert NumberBins(0, 149, bins=500, decimal_places=0, nullable=False).num_codes == 150


def test_real_bins_hold_their_lower_edge():
    bins = NumberBins(0, 10, bins=5)
    assert bins.encode(pd.Series([0, 1.99, 2, 9.99, 10])).tolist() == [0, 0, 1, 4, 4]
    assert bins.labels()[0] == '[0, 2)'
    assert bins.labels()[-2] == '[8, 10]'


def test_what_is_outside_is_clipped():
    bins = NumberBins(0, 10, bins=5)
    assert bins.encode(pd.Series([-np.inf, -1, 11, np.inf, np.nan])).tolist() == [0, 0, 4, 4, 5]


def test_null_of_a_column_that_is_not_nullable():
    bins = NumberBins(0, 10, bins=5, nullable=False)
    assert bins.null_code is None
    assert bins.encode(pd.Series([np.nan, 9])).tolist() == [5, 4]
    assert (bins.num_codes, bins.hidden_code, bins.num_counted) == (5, 5, 6)
    assert set(bins.encode(bins.decode([5] * 500, generator()))) == set(range(5))


def test_one_value():
    for bins in (NumberBins(3, 3), NumberBins(3, 3, decimal_places=0)):
        assert bins.num_codes == 2
        assert bins.decode(bins.encode(pd.Series([1.0, None])), generator()).tolist()[0] == 3


def test_edges_make_uneven_bins():
    bins = NumberBins(0, 100, edges=[1, 10], nullable=False)
    assert bins.encode(pd.Series([0, 0.99, 1, 9.99, 10, 100])).tolist() == [0, 0, 1, 1, 2, 2]
    whole = NumberBins(0, 100, edges=[0.5, 0.7, 10], decimal_places=0, nullable=False)
    assert whole.labels() == ['0', '1 to 9', '10 to 100']
    with_ends = NumberBins(0, 100, edges=[0, 1, 10, 100], nullable=False)
    assert with_ends.labels() == bins.labels()


def test_a_dtype_of_whole_numbers_means_whole_numbers():
    assert NumberBins(0, 9, dtype='int64', nullable=False).num_codes == 10
    bins = NumberBins(0.5, 9.5, nullable=False)
    assert bins.num_codes == 32
    bins.fit(pd.DataFrame({'x': pd.Series([], dtype='Int16')}), 'x')
    assert bins.labels() == [str(number) for number in range(1, 10)]


def test_decimals_are_those_written():
    bins = NumberBins(0.1, 0.3, decimal_places=1, nullable=False)
    assert bins.decode([0, 1, 2], generator()).tolist() == [0.1, 0.2, 0.3]
    assert bins.encode(pd.Series([0.1, 0.2, 0.30000000000000004])).tolist() == [0, 1, 2]
    wide = NumberBins(0, 1000, decimal_places=2)
    drawn = wide.decode(np.arange(32).repeat(50), generator())
    assert all(value == round(value, 2) for value in drawn)


def test_decimals_finer_than_floats_are_still_rounded():
    bins = NumberBins(0, 1e6, decimal_places=12)
    drawn = bins.decode(np.zeros(500, int), generator())
    assert all(value == round(value, 12) for value in drawn)


def test_values_are_uniform_within_their_bin():
    drawn = NumberBins(0, 10, bins=5).decode(np.full(3000, 2), generator())
    assert stats.kstest(drawn, stats.uniform(4, 2).cdf).pvalue > 1e-4
    drawn = NumberBins(0, 999, bins=100, dtype='int64').decode(np.full(5000, 3), generator())
    counts = np.bincount(drawn)[30:]
    assert len(counts) == 10
    assert stats.chisquare(counts).pvalue > 1e-4


DTYPES = [
    *('int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'object'),
    *('float16', 'float32', 'float64', 'Int8', 'Int64', 'UInt8', 'UInt64', 'Float32', 'Float64'),
    *('int8[pyarrow]', 'uint64[pyarrow]', 'float[pyarrow]', 'double[pyarrow]'),
    pd.ArrowDtype(pa.decimal128(8, 2)),
]


@pytest.mark.parametrize('dtype', DTYPES, ids=str)
@pytest.mark.parametrize('places', [None, 0, 2])
def test_every_dtype_comes_back_as_it_was(dtype, places):
    bins = NumberBins(0, 119.5, decimal_places=places, dtype=dtype, nullable=False)
    codes = np.arange(bins.num_codes).repeat(20)
    decoded = bins.decode(codes, generator())
    assert decoded.dtype == dtype
    assert (bins.encode(pd.Series(decoded)) == codes).all()
    assert (pd.Series(decoded).astype(float).between(0, 119.5)).all()


@pytest.mark.parametrize('dtype', DTYPES, ids=str)
def test_every_dtype_with_nulls(dtype):
    bins = NumberBins(0, 100, dtype=dtype)
    decoded = pd.Series(bins.decode([0, bins.null_code], generator()))
    assert decoded.isna().tolist() == [False, True]
    cannot = isinstance(dtype, str) and dtype[0] in 'iu' and 'pyarrow' not in dtype
    assert decoded.dtype == ('float64' if cannot else dtype)
    assert bins.encode(decoded).tolist() == [0, bins.null_code]


def test_small_dtypes_with_bounds_they_cannot_hold():
    bins = NumberBins(-1000, 1000, dtype='int8', nullable=False)
    assert bins.encode(pd.Series([-128, 127], dtype='int8')).tolist() == [0, 31]
    decoded = bins.decode(np.arange(bins.num_codes), generator())
    assert decoded.dtype == np.int8
    assert bins.encode(decoded).tolist() == list(range(32))
    outside = NumberBins(1000, 2000, dtype='uint8', nullable=False)
    assert outside.encode(pd.Series([3, 255], dtype='uint8')).tolist() == [0, 0]


def test_whole_numbers_too_large_for_floats():
    low = 2**60
    bins = NumberBins(low, low + 50, dtype='int64', nullable=False)
    values = pd.Series(np.arange(low - 2, low + 53))
    assert bins.encode(values).tolist() == [0, 0, *range(51), 50, 50]
    assert (bins.decode(np.arange(51), generator()) == np.arange(low, low + 51)).all()


@pytest.mark.parametrize(
    ('low', 'high', 'dtype'),
    [
        (-(2**63), 2**63 - 1, 'int64'),
        (0, 2**63 - 1, 'int64'),
        (0, 2**64 - 1, 'uint64'),
        (2**63, 2**64 - 1, 'uint64'),
        (2**63 + 1, 2**63 + 1, 'uint64'),
        (-5, 2**64 - 1, 'uint64'),
        (0, 2**63 - 1, 'float64'),
        (-1e18, 1e18, 'float64'),
        (-1e307, 1e307, 'float64'),
        (0, 1e-320, 'float64'),
        (1.0, 1.0000000000000002, 'float64'),
    ],
)
def test_extreme_bounds(low, high, dtype):
    for places in (None, 0) if high > 2 else (None,):
        bins = NumberBins(low, high, dtype=dtype, decimal_places=places, nullable=False)
        ends = pd.Series([max(low, 0) if dtype == 'uint64' else low, high]).astype(dtype)
        assert bins.encode(ends).tolist() == [0, bins.num_codes - 1]
        codes = np.arange(bins.num_codes).repeat(5)
        decoded = bins.decode(codes, generator())
        assert (bins.encode(pd.Series(decoded)) == codes).all()
        assert all(low <= value <= high for value in decoded.tolist())


def test_objects_are_read_one_by_one():
    column = pd.Series([Decimal('1.5'), '7', 'x', None, [1], True, pd.NA, 2**70, 1j], dtype=object)
    bins = NumberBins(0, 10, bins=10)
    null = bins.null_code
    assert bins.encode(column).tolist() == [1, 7, null, null, null, 1, null, 9, null]


def test_categories_of_numbers():
    bins = NumberBins(0, 3, bins=3, dtype=pd.CategoricalDtype([7.5, 2.5]))
    assert bins.dtype is None, 'of what type the categories are depends on rows'
    assert bins.encode(pd.Series([2.5, 7.5, None], dtype='category')).tolist() == [2, 2, 3]
    assert '7.5' not in repr(bins)


@pytest.mark.parametrize(
    'arguments',
    [
        {'low': 2, 'high': 1},
        {'low': 0, 'high': np.nan},
        {'low': 0, 'high': np.inf},
        {'low': '0', 'high': 1},
        {'low': 0, 'high': 1, 'bins': 0},
        {'low': 0, 'high': 1, 'bins': 2.5},
        {'low': 0, 'high': 1, 'decimal_places': -2},
        {'low': 0.2, 'high': 0.8, 'decimal_places': 0},
        {'low': 0.2, 'high': 0.8, 'dtype': 'int64'},
        {'low': 0, 'high': 1, 'edges': [np.nan]},
    ],
    ids=str,
)
def test_bad_arguments(arguments):
    with pytest.raises(DomainError):
        NumberBins(**arguments)


def test_repr_shows_what_differs_from_the_default():
    assert repr(NumberBins(0, 1)) == 'NumberBins(low=0, high=1)'
    assert repr(NumberBins(0, 1, edges=[0.5])) == 'NumberBins(low=0, high=1, edges=(0.5,))'


@pytest.mark.parametrize('dtype', [None, 'float64', 'float32', 'float16', 'Float32'])
@pytest.mark.parametrize('places', [None, 3, 12])
@pytest.mark.parametrize('low', [-7.0, 0.0, 5.0])
def test_every_bin_has_a_number_of_its_own(dtype, places, low):
    """Edges that no number of the column's type lies between are one edge."""
    near = [np.nextafter(7.5, 8), np.nextafter(9.0, 8), np.nextafter(low, 8), 6.0, 6.0001, 7.5]
    for edges, high in ((near, 9.0), (None, 9.0), (None, low + 1e-3)):
        bins = NumberBins(low, high, 50, places, edges, dtype=dtype)
        codes = np.repeat(np.arange(bins.null_code), 20)
        decoded = bins.decode(codes, np.random.default_rng(0))
        assert (bins.encode(decoded) == codes).all()


def test_edges_one_float_apart_are_two_only_if_the_column_tells_them_apart():
    near = np.nextafter(7.5, 8)
    edges = [near, np.nextafter(near, 8)]
    assert NumberBins(0.0, 9.0, edges=edges).null_code == 3
    assert NumberBins(0.0, 9.0, edges=edges, dtype='float32').null_code == 2
