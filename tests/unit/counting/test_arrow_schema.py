"""What types of Arrow become, and which clocks they follow.

About ``_arrow.py``.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sdv.metadata.errors import InvalidMetadataError

from sdv_prefair.columns._facts import Categories, Datetimes, Numbers, Undeclared
from sdv_prefair.counting._arrow import check_schema, dtypes_of_metadata, dtypes_of_schema
from sdv_prefair.errors import PrivateDataError

NUMBERS = [pa.int8(), pa.uint64(), pa.float16(), pa.float64(), pa.decimal128(9, 2), pa.bool_()]
MOMENTS = [pa.timestamp('s'), pa.timestamp('ns', 'Europe/Berlin'), pa.date32(), pa.date64()]
TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
OTHERS = [pa.binary(), pa.list_(pa.int8()), pa.struct({'x': pa.int8()}), pa.time64('us')]


def stored(kinds):
    return [*kinds, *(pa.dictionary(pa.int32(), kind) for kind in kinds if kind not in OTHERS)]


@pytest.mark.parametrize(
    ('sdtype', 'fitting'),
    [
        ('numerical', NUMBERS),
        ('datetime', MOMENTS + TEXTS),
        ('categorical', NUMBERS + MOMENTS + TEXTS + OTHERS),
        ('id', NUMBERS + MOMENTS + TEXTS + OTHERS),
    ],
)
def test_types_fit_the_metadata_or_are_refused_by_name(sdtype, fitting):
    columns = {'column': {'sdtype': sdtype}}
    for kind in stored([*NUMBERS, *MOMENTS, *TEXTS, *OTHERS, pa.null()]):
        schema = pa.schema({'column': kind})
        if kind in stored([*fitting, pa.null()]):
            check_schema(schema, columns)
        else:
            with pytest.raises(
                PrivateDataError, match=f"Column 'column' is declared as '{sdtype}'"
            ):
                check_schema(schema, columns)


def test_numbers_may_be_moments_if_the_format_says_so():
    schema = pa.schema({'day': pa.int32()})
    check_schema(schema, {'day': {'sdtype': 'datetime', 'datetime_format': '%Y%m%d'}})


def test_names_must_be_those_of_the_metadata():
    columns = {'a': {'sdtype': 'categorical'}, 'b': {'sdtype': 'categorical'}}
    text = pa.string()
    for fields, message in (
        ([('a', text)], r"\['b'\] are in the metadata but not in the data"),
        ([('a', text), ('b', text), ('c', text)], r"\['c'\] are in the data but not in the meta"),
        ([('a', text), ('b', text), ('a', text)], r"\['a'\] appear more than once"),
        ([], r"\['a', 'b'\] are in the metadata"),
    ):
        with pytest.raises(PrivateDataError, match=message):
            check_schema(pa.schema(fields), columns)
    with pytest.raises(InvalidMetadataError):
        check_schema(pa.schema({'a': text}), {})


MAYBE, NEVER = Undeclared('numbers'), Undeclared('numbers', nullable=False)


@pytest.mark.parametrize(
    ('kind', 'domain', 'dtype'),
    [
        (pa.int16(), MAYBE, pd.Int16Dtype()),
        (pa.int16(), NEVER, np.dtype('int16')),
        (pa.int16(), None, np.dtype('int16')),
        (pa.bool_(), MAYBE, pd.BooleanDtype()),
        (pa.bool_(), NEVER, np.dtype('bool')),
        (pa.float32(), MAYBE, np.dtype('float32')),
        (pa.string_view(), MAYBE, np.dtype('O')),
        (pa.dictionary(pa.int8(), pa.string()), MAYBE, np.dtype('O')),
        (pa.dictionary(pa.int8(), pa.uint8()), MAYBE, pd.UInt8Dtype()),
        (pa.timestamp('ms'), MAYBE, np.dtype('datetime64[ms]')),
        (pa.timestamp('us', 'Asia/Tokyo'), MAYBE, pd.DatetimeTZDtype('us', 'Asia/Tokyo')),
        (pa.date32(), MAYBE, pd.ArrowDtype(pa.date32())),
        (pa.decimal128(9, 2), MAYBE, pd.ArrowDtype(pa.decimal128(9, 2))),
        (pa.null(), MAYBE, np.dtype('float64')),
        (pa.binary(), None, np.dtype('O')),
    ],
)
def test_dtypes_stand_for_types(kind, domain, dtype):
    domains = {} if domain is None else {'x': domain}
    assert dtypes_of_schema(pa.schema({'x': kind}), {'x': {}}, domains)['x'] == dtype


def test_columns_that_are_not_nullable_have_numpys_dtypes():
    schema = pa.schema([pa.field('x', pa.int64(), nullable=False)])
    assert dtypes_of_schema(schema, {'x': {}}, {'x': MAYBE})['x'] == np.dtype('int64')


@pytest.mark.parametrize(
    ('domain', 'dtype'),
    [
        (Categories(('a', 'b')), np.dtype('O')),
        (Categories((1, 2)), pd.Int64Dtype()),
        (Categories((1, 2), nullable=False), np.dtype('int64')),
        (Categories((1, 'a'), nullable=False), np.dtype('O')),
        (Categories((False, True), complete=True), pd.BooleanDtype()),
        (Numbers(0, 9, 0), pd.Int64Dtype()),
        (Numbers(0, 2**64, 0), np.dtype('float64')),
        (Numbers(0, 9, 2), np.dtype('float64')),
        (Datetimes('2020-01-01', '2021-01-01'), np.dtype('datetime64[us]')),
        (Datetimes('2020-01-01', '2021-01-01', '%Y-%m-%d'), np.dtype('O')),
        (Datetimes('2020-01-01T00Z', '2021-01-01T00Z'), pd.DatetimeTZDtype('us', 'UTC')),
        (Undeclared('datetimes'), np.dtype('datetime64[us]')),
        (Undeclared('categories'), np.dtype('O')),
        (None, np.dtype('O')),
    ],
)
def test_dtypes_suit_the_metadata(domain, dtype):
    assert dtypes_of_metadata({'x': {}}, {} if domain is None else {'x': domain})['x'] == dtype
