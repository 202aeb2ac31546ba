"""A typed column may store what Python cannot hold: such a cell changes no other, nor is quoted.

Whatever it is read as: a column of moments may be declared as categories, dates as numbers.
"""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_prefair.columns._cells import boxed
from sdv_prefair.columns._grids import FineCells, MomentCells, MonthCells, NumberCells
from sdv_prefair.counting._frame import value_counts
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

ENCODERS = {
    'texts': CategoryCodes(['x', 'y']),
    'moments': CategoryCodes([pd.Timestamp('2010-01-05'), pd.Timestamp('2010-01-06')]),
    'numbers': CategoryCodes([1, 2, 10], other=False),
    'whole numbers': NumberBins(0, 30, decimal_places=0),
    'reals': NumberBins(-5.0, 30.0, bins=9),
    'days': DatetimeBins('2000-01-01', '2030-01-01'),
    'digits': DatetimeBins('20000101', '20300101', '%Y%m%d'),
    'instants': DatetimeBins('2000-01-01 00:00+00:00', '2030-01-01 00:00+00:00'),
    'powers': NumberCells(np.array([-8.0, 0.0, 8.0, 64.0])),
    'fine': FineCells(0.0, 30.0, 10.0, 5.0, 60, (0.0, 55.0)),
    'hours': MomentCells(0, 3600, 2**20, None, False),
    'months': MonthCells(0, 700, None, False),
}
LARGEST = 2**63 - 1
STEPS = st.integers(-LARGEST, LARGEST) | st.sampled_from([LARGEST, -LARGEST, -62_135_596_800])
USUAL = [10, 86_400_000, 1_262_649_600]


def arrow(values, stored, kind):
    array = pa.array(values, stored).view(kind)
    return pd.Series(pd.arrays.ArrowExtensionArray(array))


def numpy_moments(unit, zone):
    def column(odd):
        moments = np.array([*odd, *USUAL], np.int64).view(f'datetime64[{unit}]')
        if zone is None:
            return pd.Series(moments)
        dtype = pd.DatetimeTZDtype(unit, zone)
        return pd.Series(pd.arrays.DatetimeArray._simple_new(moments, dtype=dtype))

    return column


def arrow_cells(stored, kind, bits):
    """Return what makes a column of any numbers of so many bits, as Arrow would read them."""
    usual = [number % 2 ** (bits - 1) for number in USUAL]
    return lambda odd: arrow([number >> (64 - bits) for number in odd] + usual, stored, kind)


COLUMNS = {
    f'numpy {unit} {zone}': numpy_moments(unit, zone)
    for unit in ('s', 'ms', 'us', 'ns')
    for zone in (None, 'UTC', 'Europe/Paris', 'America/Lima')
}
COLUMNS |= {
    f'arrow {unit} {zone}': arrow_cells(pa.int64(), pa.timestamp(unit, zone), 64)
    for unit in ('s', 'ms', 'us', 'ns')
    for zone in (None, 'UTC', 'Europe/Paris')
}
COLUMNS |= {
    'date32': arrow_cells(pa.int32(), pa.date32(), 32),
    'date64': arrow_cells(pa.int64(), pa.date64(), 64),
    'time32': arrow_cells(pa.int32(), pa.time32('s'), 32),
    'time64': arrow_cells(pa.int64(), pa.time64('us'), 64),
    'duration': arrow_cells(pa.int64(), pa.duration('s'), 64),
}


def as_categories(column):
    """Return the column as a category, without asking pandas to look at the cells."""
    codes = np.arange(len(column))
    kind = pd.CategoricalDtype._from_fastpath(pd.Index(column.array))
    return pd.Series(pd.Categorical.from_codes(codes, dtype=kind))


def assert_apart(column, others):
    for name, encoder in ENCODERS.items():
        assert encoder.encode(column)[1:].tolist() == encoder.encode(others).tolist(), name
    more = value_counts(column)
    more.subtract(value_counts(others))
    assert sorted(count for count in more.values() if count) in ([], [1])


@pytest.mark.parametrize('kind', COLUMNS)
@given(odd=STEPS.filter(lambda step: step not in USUAL))
def test_a_cell_that_python_cannot_hold_changes_no_other(kind, odd):
    column, others = COLUMNS[kind]([odd]), COLUMNS[kind]([])
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert_apart(column, others)
        if isinstance(column.array, pd.arrays.DatetimeArray):  # others pandas makes no category of
            assert_apart(as_categories(column), as_categories(others))


@pytest.mark.parametrize('stored', [pa.string(), pa.large_string(), 'string[pyarrow]'])
def test_nor_does_a_text_that_is_none(stored):
    kind = pa.large_string() if stored == 'string[pyarrow]' else stored
    raw = pa.array([b'\xff\xfe', b'x', b'2010-01-05', b'7', None], pa.large_binary())
    array = raw.cast(pa.binary()).view(kind) if pa.types.is_string(kind) else raw.view(kind)
    text = pd.ArrowDtype(kind) if stored != 'string[pyarrow]' else pd.StringDtype('pyarrow')
    column = pd.Series(text.construct_array_type()(array))
    assert_apart(column, column[1:])


def test_what_python_holds_is_as_it_was():
    moments = pd.Series(np.array(['2010-01-05T12', 'NaT', '9999-12-31'], 'datetime64[us]'))
    assert boxed(moments).tolist()[::2] == moments.tolist()[::2]
    assert boxed(moments)[1] is pd.NaT
    zoned = moments[:1].dt.tz_localize('Europe/Paris')
    assert boxed(zoned).tolist() == zoned.tolist()
    lists = pd.Series([[1], None], dtype=pd.ArrowDtype(pa.list_(pa.int64())))
    assert boxed(lists).tolist() == [[1], None]
    assert boxed(pd.Series(['x', None, 'y', 'x'], dtype='category')).tolist() == [
        'x',
        None,
        'y',
        'x',
    ]
