"""Moments as bins.

About ``_binned.py``.
"""

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdv_prefair.errors import DomainError
from sdv_prefair.transformers import DatetimeBins


def generator():
    return np.random.default_rng(5)


def test_few_days_get_a_code_each():
    bins = DatetimeBins('01/02/2020', '03/02/2020', '%d/%m/%Y')
    assert bins.labels() == ['2020-02-01', '2020-02-02', '2020-02-03', '(null)']
    column = pd.Series(['02/02/2020', '01/01/1999', '31/12/9999', None, 'x', '2020-02-02'])
    assert bins.encode(column).tolist() == [1, 0, 2, 3, 3, 3]
    *days, null = bins.decode([0, 1, 2, 3], generator())
    assert days == ['01/02/2020', '02/02/2020', '03/02/2020']
    assert np.isnan(null)


def test_digits_stored_as_numbers_have_lost_their_leading_zeros():
    bins = DatetimeBins('01312020', '02022020', '%m%d%Y', dtype='int64', nullable=False)
    assert bins.encode(pd.Series([1312020, 2012020, 2022020, 12312020])).tolist() == [0, 1, 2, 2]
    assert bins.decode([0, 2], generator()).tolist() == [1312020, 2022020]
    bins = DatetimeBins('20200131', '20200202', '%Y%m%d', dtype='Float64')
    decoded = bins.decode(bins.encode(pd.Series([20200131.0, None, 20200202.0])), generator())
    assert decoded.tolist() == [20200131.0, pd.NA, 20200202.0]


def test_what_cannot_be_read_in_a_column_that_is_not_nullable():
    bins = DatetimeBins('2020-01-01', '2020-01-03', nullable=False)
    assert bins.encode(pd.Series(['2020-01-02', 'x', None])).tolist() == [1, 3, 3]
    assert (bins.num_codes, bins.hidden_code) == (3, 3)


def test_the_last_day_counts():
    bins = DatetimeBins('2020-01-01', '2020-12-31', bins=4)
    decoded = pd.Series(bins.decode(np.full(3000, 3), generator()))
    assert decoded.max() == pd.Timestamp('2020-12-31')
    assert (decoded == decoded.dt.normalize()).all()


@pytest.mark.parametrize(
    ('written', 'low', 'high', 'codes'),
    [
        ('%Y', '2001', '2004', 4),
        ('%m.%Y', '11.2001', '02.2002', 4),
        ('%b %Y', 'Nov 2001', 'Feb 2002', 4),
        ('%Y-%m-%d', '2020-02-28', '2020-03-01', 3),
        ('%Y-%j', '2020-001', '2020-010', 10),
        ('%Y-%m-%d %H', '2020-01-01 22', '2020-01-02 01', 4),
        ('%Y-%m-%dT%H:%M', '2020-01-01T23:58', '2020-01-02T00:01', 4),
        ('%H:%M:%S', '10:00:00', '10:00:59', 60),
        ('%Y-%m-%d %H:%M:%S.%f', '2020-01-01 00:00:00.000000', '2020-01-01 00:00:00.000003', 4),
        ('%d%%%Y %m', '01%2020 01', '03%2020 01', 3),
        ('%-d/%-m/%Y', '1/2/2020', '3/2/2020', 3),
    ],
)
def test_the_format_tells_how_fine_the_moments_are(written, low, high, codes):
    bins = DatetimeBins(low, high, written, nullable=False)
    assert bins.num_codes == codes
    decoded = bins.decode(np.arange(codes), generator())
    assert (decoded[0], decoded[-1]) == (low, high)
    assert bins.encode(pd.Series(decoded)).tolist() == list(range(codes))


def test_without_a_format_the_bounds_tell():
    assert DatetimeBins('2020-01-01', '2020-01-10').num_codes == 11
    assert DatetimeBins('2020-01-01 00:00:00', '2020-01-10 00:00:00').num_codes == 11
    seconds = DatetimeBins('2020-01-01', '2020-01-10 12:00:00')
    decoded = pd.Series(seconds.decode(np.arange(32), generator()))
    assert (decoded.dt.microsecond == 0).all()
    assert decoded.dt.second.any()


FORMAT = '%Y-%m-%d %H:%M:%S'
TEMPORAL = [
    *('datetime64[ns]', 'datetime64[us]', 'datetime64[ms]', 'datetime64[s]'),
    *('datetime64[ns, UTC]', 'datetime64[us, Europe/Paris]', 'datetime64[s, America/New_York]'),
    *(pd.ArrowDtype(pa.timestamp(unit)) for unit in ('s', 'us', 'ns')),
    pd.ArrowDtype(pa.timestamp('us', tz='Europe/Paris')),
    pd.ArrowDtype(pa.date32()),
    pd.ArrowDtype(pa.date64()),
]
TEXT = ['object', 'string', 'string[pyarrow]', pd.ArrowDtype(pa.string())]


@pytest.mark.parametrize('dtype', TEMPORAL + TEXT, ids=str)
@pytest.mark.parametrize('written', [None, FORMAT, '%Y-%m-%d %H:%M:%S.%f'])
def test_every_dtype_comes_back_as_it_was(dtype, written):
    ends = ['2020-01-01 10:30:00', '2021-01-01 09:00:00']
    ends = [end + '.000000' for end in ends] if written and '%f' in written else ends
    bins = DatetimeBins(*ends, datetime_format=written, dtype=dtype)
    codes = np.arange(bins.num_codes - 1).repeat(20)
    decoded = bins.decode(codes, generator())
    assert decoded.dtype == dtype
    assert (bins.encode(pd.Series(decoded)) == codes).all()
    nulls = pd.Series(bins.decode([0, bins.null_code], generator()))
    assert nulls.dtype == dtype
    assert nulls.isna().tolist() == [False, True]
    assert bins.encode(nulls).tolist() == [0, bins.null_code]


@pytest.mark.parametrize('dtype', ['int64', 'Int64', 'float64', 'int64[pyarrow]', 'object'])
def test_days_as_numbers(dtype):
    bins = DatetimeBins('20200101', '20200105', '%Y%m%d', dtype=dtype, nullable=False)
    column = pd.Series([20200101, 20200104]).astype(dtype)
    assert bins.encode(column).tolist() == [0, 3]
    decoded = pd.Series(bins.decode([0, 3], generator()))
    assert decoded.dtype == dtype
    assert decoded.astype(int).tolist() == column.astype(int).tolist()


def test_bounds_without_offset_mean_the_clock_on_the_wall():
    bins = DatetimeBins('2020-06-01', '2020-06-03', dtype='datetime64[ns, Asia/Tokyo]')
    late = pd.Series(pd.to_datetime(['2020-06-02 23:30', '2020-06-03 00:30']))
    assert bins.encode(late.dt.tz_localize('Asia/Tokyo')).tolist() == [1, 2]
    decoded = pd.Series(bins.decode([0, 1, 2], generator()))
    assert decoded.dt.tz_localize(None).tolist() == list(pd.date_range('2020-06-01', periods=3))


def test_bounds_with_offset_mean_instants():
    bins = DatetimeBins(
        '2020-06-01 00:00:00+00:00', '2020-06-01 00:00:09+00:00', dtype='datetime64[ns, Asia/Tokyo]'
    )
    column = pd.Series(pd.to_datetime(['2020-06-01 09:00:03'])).dt.tz_localize('Asia/Tokyo')
    assert bins.encode(column).tolist() == [3]
    assert bins.decode([3], generator())[0] == column[0]
    text = DatetimeBins('00:00:00 +0000', '00:00:09 +0000', '%H:%M:%S %z')
    assert text.encode(pd.Series(['01:00:03 +0100', '00:00:04 +0000'])).tolist() == [3, 4]
    assert text.decode([4], generator())[0] == '00:00:04 +0000'


def test_times_that_the_clocks_skip():
    dtype = 'datetime64[ns, Europe/Paris]'
    bins = DatetimeBins('2020-03-29 01:59:00', '2020-03-29 03:01:00', dtype=dtype)
    every = np.arange(bins.null_code).repeat(50)
    decoded = bins.decode(every, generator())
    assert decoded.dtype == dtype
    assert not decoded.isna().any()
    # Only the first minute and the last exist; bins without one of them are part of the first.
    assert bins.null_code == 2
    assert (bins.encode(decoded) == every).all()


def test_python_dates_in_an_object_column():
    bins = DatetimeBins('2020-01-01', '2020-01-05', dtype='object')
    column = pd.Series(
        [dt.date(2020, 1, 2), dt.datetime(2020, 1, 3, 5), None, dt.date(9999, 1, 1), 7, [1]],
        dtype=object,
    )
    assert bins.encode(column).tolist() == [1, 2, 5, 4, 5, 5]
    assert bins.decode([1], generator()).tolist() == ['2020-01-02']


def test_years_beyond_nanoseconds():
    bins = DatetimeBins('0001-01-01', '9999-12-31', '%Y-%m-%d', bins=10, nullable=False)
    column = pd.Series(['0001-01-01', '2020-01-01', '9999-12-31'])
    assert bins.encode(column).tolist() == [0, 2, 9]
    seconds = column.to_numpy().astype('datetime64[s]')
    assert bins.encode(pd.Series(seconds)).tolist() == [0, 2, 9]
    bins.fit(pd.DataFrame({'d': pd.Series([], dtype='datetime64[ns]')}), 'd')
    decoded = bins.decode(np.arange(bins.num_codes), generator())
    assert decoded.dtype == 'datetime64[ns]'
    assert bins.encode(decoded).tolist() == list(range(bins.num_codes))


def test_edges_make_uneven_bins():
    bins = DatetimeBins('2000-01-01', '2019-12-31', edges=['2018-01-01', '2019-07-01'])
    assert bins.labels()[:3] == [
        '2000-01-01 to 2017-12-31',
        '2018-01-01 to 2019-06-30',
        '2019-07-01 to 2019-12-31',
    ]


def test_categories_of_moments():
    days = pd.to_datetime(pd.Series(['2020-01-03', '2020-01-01', None])).astype('category')
    bins = DatetimeBins('2020-01-01', '2020-01-03', dtype=days.dtype)
    assert bins.encode(days).tolist() == [2, 0, 3]
    assert bins.decode([2], generator()).dtype == 'datetime64[ns]'


@pytest.mark.parametrize(
    'arguments',
    [
        {'low': '2020-01-02', 'high': '2020-01-01'},
        {'low': 'x', 'high': '2020-01-01'},
        {'low': None, 'high': '2020-01-01'},
        {'low': 3, 'high': 7},
        {'low': '2020-01-01', 'high': '2020-01-02', 'datetime_format': '%d/%m/%Y'},
        {'low': '2020-01-01 00:00+01:00', 'high': '2020-01-02'},
        {'low': '2020-01-01', 'high': '2020-01-02', 'bins': 0},
        {'low': '2020-01-01', 'high': '2020-01-02', 'edges': ['x']},
    ],
    ids=str,
)
def test_bad_arguments(arguments):
    with pytest.raises(DomainError):
        DatetimeBins(**arguments)
