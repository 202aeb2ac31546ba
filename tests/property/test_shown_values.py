"""Whatever a column is, its values tell its codes in every form in which a table leaves.

Fuzzed are descriptions of columns. Each is refused before anything is read, or hides nothing: the
outcome is exactly independent of the protected column given the values that are shown.
"""

import datetime as dt
import itertools
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from shown_values import (
    FORMS,
    NOTHING,
    assert_nothing_hidden,
    checked,
    hidden_dependence,
    prepared,
)

from sdv_prefair.columns._facts import Undeclared
from sdv_prefair.columns._texts import lookalikes
from sdv_prefair.errors import DomainError
from sdv_prefair.transformers import CategoryCodes, NumberBins, transformer_for


def arrow(kind):
    return pd.ArrowDtype(kind)


# -- categories ---------------------------------------------------------------------------------

MIDNIGHT = pd.Timestamp('2024-01-01')
LOOKALIKES = [
    (1, True, 1.0, '1', 'True', '1.0', Decimal(1), '01', Decimal('1.0')),
    (0, False, '0', -0.0, '-0.0', 'False', 'false', '0.0'),
    (0.1, Decimal('0.1'), '0.1', np.float32(0.1), 0.10000000149011612),
    (2**53, 2**53 + 1, float(2**53), str(2**53), 2**63, 2**64, 0.5),
    ('', ' ', 'NA', 'nan', 'NaN', 'None', 'null', 'N/A', '""'),
    ('a', 'a ', ' a', 'A', 'a\n', '"a"', "'a'", b'a', "b'a'", 'a\0', ('a',), "('a',)"),
    (MIDNIGHT, str(MIDNIGHT), MIDNIGHT.date(), '2024-01-01', MIDNIGHT.tz_localize('UTC')),
    (dt.datetime(2024, 1, 1), MIDNIGHT, MIDNIGHT.as_unit('s'), np.datetime64('2024-01-01')),
    ('é', 'e\u0301', 'e'),
]
CATEGORY_DTYPES = [
    *(None, 'object', 'category', 'string', 'string[pyarrow]', 'int64', 'Int64', 'float64'),
    *('float32', 'float16', 'bool', 'boolean', 'int8', 'datetime64[ns]', 'datetime64[s]'),
    *(arrow(pa.string()), arrow(pa.bool_()), arrow(pa.float32()), arrow(pa.date32())),
]
any_value = st.sampled_from([value for group in LOOKALIKES for value in group])
some_values = st.one_of(
    st.sampled_from(LOOKALIKES).flatmap(lambda g: st.lists(st.sampled_from(g), min_size=1)),
    st.lists(any_value, min_size=1, max_size=5),
)
category_dtypes = st.sampled_from(CATEGORY_DTYPES)


@given(some_values, category_dtypes, st.booleans(), st.sampled_from(['categorical', 'ordinal']))
def test_declared_values_tell_their_codes(values, dtype, nullable, sdtype):
    described = {'sdtype': sdtype, 'range_values': values, 'range_is_nullable': nullable}
    assert_nothing_hidden(lambda: prepared(described, dtype))


@given(some_values, category_dtypes, st.booleans())
def test_learnt_values_tell_their_codes(values, dtype, nullable):
    # What is learnt are the keys of a count, so values that are equal come only once.
    values = list(dict.fromkeys(values))
    learnt = Undeclared('categories', nullable).with_values(values)
    assert_nothing_hidden(lambda: checked(transformer_for(learnt, 32, dtype)))


@example([1, '1'], 'object', False, False)
@given(some_values, category_dtypes, st.booleans(), st.booleans())
def test_values_of_a_chosen_transformer_tell_their_codes(values, dtype, nullable, other):
    assert_nothing_hidden(lambda: checked(CategoryCodes(values, nullable, other, dtype=dtype)))


@pytest.mark.parametrize('dtype', [None, 'object', 'boolean', 'bool', 'category'])
def test_booleans_tell_their_codes(dtype):
    for nullable in (True, False):
        described = {'sdtype': 'boolean', 'range_is_nullable': nullable}
        transformer = prepared(described, dtype)
        assert all(hidden_dependence(transformer, form) < NOTHING for form in FORMS)


@pytest.mark.parametrize('dtype', ['object', 'category'])
@pytest.mark.parametrize(
    'values', [(MIDNIGHT.date(), MIDNIGHT), ('a', b'a'), ('b', 'c\nd', 'c\r\nd')]
)
def test_values_that_parquet_or_text_files_make_one_are_refused(values, dtype):
    with pytest.raises(DomainError):
        checked(CategoryCodes(values, nullable=False, other=False, dtype=dtype))


@pytest.mark.parametrize('group', LOOKALIKES, ids=str)
def test_what_parquet_makes_one_looks_the_same(group):
    """Of columns that constraints restore nothing else asks this."""
    for pair in itertools.combinations(group, 2):
        try:
            first, second = pa.array(pair, from_pandas=True).to_pylist()
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            continue  # no such column can be written
        assert first != second or lookalikes(pair, nullable=False), pair


# -- numbers ------------------------------------------------------------------------------------

NUMBER_DTYPES = [
    *(None, 'float16', 'float32', 'float64', 'Float32', 'Float64', 'object', 'string', 'category'),
    *('int8', 'uint8', 'int16', 'int64', 'uint64', 'Int8', 'Int64', 'UInt64', 'bool', 'boolean'),
    *(arrow(pa.int8()), arrow(pa.int64()), arrow(pa.uint64()), arrow(pa.float32())),
    *(arrow(pa.float16()), arrow(pa.float64()), arrow(pa.decimal128(5, 1))),
    *(arrow(pa.decimal128(20, 2)), arrow(pa.bool_())),
    *(arrow(pa.decimal128(38, 10)), arrow(pa.decimal256(60, 5)), arrow(pa.string())),
]
ENDS = [
    *(
        -(2**63),
        -1000,
        -1,
        -0.5,
        0,
        0.001,
        0.1,
        0.3,
        1,
        9,
        100,
        127,
        128,
        255,
        256,
        300,
        2048,
        2049,
    ),
    *(2050.5, 4000, 65504, 65520, 1e5, 2**24, 2**24 + 7, 1e9, 2**53, 2**53 + 50, 2**53 + 4000),
    *(2**63 - 1, 2**63, 2**64 - 1, 1e22, 1e-5, 1e-8, 1.0000001, 5e-324),
]


@st.composite
def number_columns(draw):
    low, high = sorted([draw(st.sampled_from(ENDS)), draw(st.sampled_from(ENDS))])
    description = {'sdtype': 'numerical', 'range_min': low, 'range_max': high}
    description['range_is_nullable'] = draw(st.booleans())
    places = draw(st.sampled_from([None, 0, 1, 2, 5, 12]))
    if places is not None:
        description['decimal_places'] = places
    inside = st.floats(float(low), float(high))
    edges = draw(st.none() | st.lists(inside, min_size=1, max_size=6))
    bins = draw(st.sampled_from([1, 2, 7, 32, 150]))
    return description, draw(st.sampled_from(NUMBER_DTYPES)), bins, edges, draw(st.booleans())


@given(number_columns())
def test_numbers_tell_their_codes(column):
    assert_nothing_hidden(lambda: prepared(*column))


@pytest.mark.parametrize('dtype', ['int64', 'uint64', None])
@pytest.mark.parametrize('low', [0, 2**53, 2**60])
def test_rows_beside_rows_with_nulls_tell_their_codes(low, dtype):
    """Batches of a sample are put together, some with nulls and some without."""
    transformer = checked(NumberBins(low, low + 20, decimal_places=0, dtype=dtype))
    rng = np.random.default_rng(0)
    codes = [np.arange(21), np.append(np.arange(21), transformer.null_code)]
    values = pd.concat([pd.Series(transformer.decode(some, rng)) for some in codes])
    assert (transformer.encode(values) == np.concatenate(codes)).all()
    assert values.nunique(dropna=False) == 22


# -- moments ------------------------------------------------------------------------------------

ZONES = ['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'UTC']
MOMENT_DTYPES = [
    *(None, 'object', 'string', 'int64', 'int32', 'Int64', 'float64', 'float32', 'category'),
    *(f'datetime64[{unit}]' for unit in ('s', 'ms', 'us', 'ns')),
    *(f'datetime64[{unit}, {zone}]' for unit in ('s', 'ns') for zone in ZONES),
    *(arrow(pa.timestamp('us', zone)) for zone in [None, *ZONES]),
    *(arrow(pa.date32()), arrow(pa.date64()), arrow(pa.string())),
]
FORMATS = [
    *(None, '%Y-%m-%d', '%Y-%m-%d %H:%M', '%Y-%m-%d %H:%M:%S', '%Y-%m-%d %H:%M:%S.%f', '%Y'),
    *('%y', '%m', '%y-%m', '%d/%m/%y', '%d/%m', '%H:%M', '%H', '%M', '%I:%M', '%I:%M %p', '%S'),
    *('%Y-%m-%d %I', '%Y-%m-%d %I %p', '%Y%m%d', '%y%m%d', '%Y%m%d%H%M%S', '%m%d%Y', '%b %Y'),
    *('%b', '%j', '%Y-%j', '%Y %H', '%d %b', '%B %d %Y', '%Y-%m-%d %M', '%Y-%m-%dT%H:%M:%S%z'),
]
MOMENTS = [
    *('0001-01-01', '0999-12-31', '1500-06-01', '1900-01-01', '1900-01-01 23:59', '1968-12-31'),
    *('1969-01-01', '2000-02-29', '2011-12-28', '2011-12-30', '2011-12-31 12:00', '2024-01-01'),
    *('2024-03-10', '2024-03-10 03:00', '2024-03-31 01:00', '2024-03-31 02:10', '2024-03-31 02:50'),
    *('2024-03-31 04:00', '2024-04-07', '2024-10-06 01:30', '2024-10-06 02:45', '2024-10-27 01:00'),
    *('2024-10-27 03:30', '2024-11-03 05:00', '2024-12-31 23:59:59', '2068-01-01', '2300-01-01'),
    *('2024-03-31 02:10:00.5', '2024-03-31 02:10:00.500007', '9999-12-31'),
]


@st.composite
def moment_columns(draw):
    chosen = [draw(st.sampled_from(MOMENTS)), draw(st.sampled_from(MOMENTS))]
    low, high = sorted(pd.Timestamp(np.datetime64(moment, 'us')) for moment in chosen)
    if draw(st.booleans()):
        low, high = low.tz_localize('UTC'), high.tz_localize('UTC')
    description = {'sdtype': 'datetime', 'range_min': low, 'range_max': high}
    description['range_is_nullable'] = draw(st.booleans())
    written = draw(st.sampled_from(FORMATS))
    if written is not None:
        description['datetime_format'] = written
        if draw(st.booleans()):
            texts = [low.strftime(written), high.strftime(written)]
            description |= dict(zip(('range_min', 'range_max'), texts, strict=True))
    bins = draw(st.sampled_from([1, 2, 7, 32, 150]))
    return description, draw(st.sampled_from(MOMENT_DTYPES)), bins


@pytest.mark.pull_request
@given(moment_columns())
def test_moments_tell_their_codes(column):
    assert_nothing_hidden(lambda: prepared(*column))


@pytest.mark.parametrize(('written', 'codes'), [('%H:%M', 32), ('%m', 12), ('%d', 31), ('%I', 12)])
def test_a_range_is_learnt_that_its_format_tells(written, codes):
    """What is learnt are whole months; of January 1900 such texts tell a part."""
    first, last = pd.Timestamp('1900-01-01'), pd.Timestamp('1900-12-31')
    learnt = Undeclared('datetimes', False, datetime_format=written).with_bounds(first, last)
    transformer = checked(transformer_for(learnt, 32, 'object'))
    assert transformer.num_codes == codes
    assert all(hidden_dependence(transformer, form) < NOTHING for form in FORMS)
