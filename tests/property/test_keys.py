"""A key comes once, in the dtype of its column, or there is an error; whatever the regex is."""

import re
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sdv.errors import InvalidDataError, SamplingError
from sdv.metadata import Metadata

from sdv_prefair.columns._generated import check_keys, check_room, largest_whole_number
from sdv_prefair.columns._processor import CodesProcessor, prepare_processor

CLASSES = st.sampled_from([
    '[0-9]', '[1-9]', r'\d', '[0-3]', '[31]', '[11]', '[0-21]', 'a', 'A', '[ab]', '[a-c]', r'\(',
    '0', '1', '(12)', '(a[0-1])', '(1{1,2})', '-', 'B',
])  # fmt: skip
TIMES = st.sampled_from(['', '', '', '{2}', '{1,2}', '{3,4}', '+', '*', '?', '{0}'])
REGEXES = st.lists(st.tuples(CLASSES, TIMES).map(''.join), min_size=1, max_size=4).map(''.join)
DTYPES = [
    *('object', 'string', 'category', 'int8', 'uint8', 'int16', 'int64', 'uint64', 'Int8', 'Int64'),
    *('float16', 'float32', 'float64', 'Float64', 'bool', 'boolean', 'datetime64[ns]'),
    *(pd.ArrowDtype(kind) for kind in (pa.string(), pa.int32(), pa.decimal128(5, 2), pa.date32())),
]
SIZES = st.lists(st.sampled_from([1, 5, 40, 300, 1500]), min_size=1, max_size=3)


def processor_of(regex, role, dtype):
    about = {'sdtype': 'id'} | ({'regex_format': regex} if regex else {})
    keys = {'primary_key': 'key'} if role == 'primary' else {'alternate_keys': ['key']}
    described = {'columns': {'key': about, 'word': {'sdtype': 'categorical'}}} | keys
    metadata = Metadata.load_from_dict({'tables': {'t': described}})
    dtypes = pd.Series({'key': pd.api.types.pandas_dtype(dtype), 'word': np.dtype(object)})
    check_keys(dtypes, metadata)
    processor = CodesProcessor(metadata=metadata._convert_to_single_table())
    prepare_processor(processor, dtypes, {}, {'word': None})
    return processor


def drawn(processor, sizes):
    """Return the keys of some samples, until there are no more of them."""
    frames = []
    for size in sizes:
        try:
            processor.check_room(size)
        except SamplingError:
            break
        rows = pd.DataFrame({'word': ['x'] * size})
        frames.append(processor.complete(rows)['key'])
    return frames


@given(
    regex=REGEXES,
    role=st.sampled_from(['primary', 'alternate']),
    dtype=st.sampled_from(DTYPES),
    sizes=SIZES,
)
def test_keys_of_a_regex_are_distinct_and_keep_their_dtype_or_are_refused(
    regex, role, dtype, sizes
):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            processor = processor_of(regex, role, dtype)
        except InvalidDataError:
            return
        frames = drawn(processor, sizes)
    if frames:
        keys = pd.concat(frames).astype(object)
        assert keys.is_unique
        assert keys.notna().all()
        asked = pd.api.types.pandas_dtype(dtype)
        assert all(f.dtype == asked or isinstance(f.dtype, pd.CategoricalDtype) for f in frames)


@pytest.mark.parametrize('dtype', DTYPES, ids=str)
def test_keys_without_a_regex_are_distinct_and_keep_their_dtype_or_are_refused(dtype):
    try:
        processor = processor_of(None, 'primary', dtype)
    except InvalidDataError:
        assert largest_whole_number(pd.api.types.pandas_dtype(dtype)) is None
        return
    for frame in drawn(processor, [100]):
        assert frame.is_unique
        assert frame.dtype == dtype


@pytest.mark.parametrize(
    ('regex', 'dtype'),
    [
        ('[1-9][0-9]{0,3}', 'int64'),
        ('[1-9][0-9]', 'int8'),
        ('[A-Z]{2}-[0-9]{3}', 'object'),
        ('[0-9]{3,4}', 'string'),
        ('[a-z]+[0-9]+', 'object'),
    ],
)
def test_what_can_be_kept_is_not_refused(regex, dtype):
    (keys,) = drawn(processor_of(regex, 'primary', dtype), [80])
    assert keys.astype(str).map(re.compile(regex).fullmatch).notna().all()


@pytest.mark.parametrize(
    ('regex', 'dtype'),
    [('[0-9]{3,4}', 'int64'), ('[0-9]{2}', 'float64'), ('A[0-9]', 'Int16'), ('[1-9]{3}', 'int8')],
)
def test_what_numbers_cannot_keep_is_refused(regex, dtype):
    with pytest.raises(InvalidDataError, match="Column 'key'"):
        processor_of(regex, 'primary', dtype)


def test_keys_go_on_beyond_the_regex_and_end_with_the_dtype():
    processor = processor_of('[9876]', 'primary', 'int8')
    with pytest.warns(UserWarning, match='can only generate 4 unique values'):
        (keys,) = drawn(processor, [122])
    assert sorted(keys) == [6, 7, 8, 9, *range(10, 128)]
    with pytest.raises(SamplingError, match='allow only 0 keys, fewer than 1 rows'):
        check_room(processor._hyper_transformer.field_transformers, 1)
