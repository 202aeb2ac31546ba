"""Transformers as row-wise functions between values and codes, for any public domain."""

import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st

from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

seeds = st.integers(0, 2**32)

# pandas' own conversion to category takes a text to end at its first NUL.
texts = st.text(st.characters(codec='utf-8', exclude_characters='\0'), max_size=5)
values = st.one_of(
    texts,
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.dates(),
    st.tuples(st.integers(0, 3)),
    st.decimals(allow_nan=False, allow_infinity=False, places=2),
)
nulls = st.sampled_from([None, math.nan, pd.NA, pd.NaT])
oddities = st.one_of(st.lists(st.integers(), max_size=2), st.just({'a': 1}), st.binary(max_size=3))
anything = st.one_of(values, nulls, oddities, st.complex_numbers(), st.datetimes(), st.times())


def objects(items):
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return pd.Series(array)


def is_declared(value, declared):
    """Python's equality, but True is not 1 once booleans and numbers are both declared."""
    numeric = [
        type(item) is not bool for item in declared if isinstance(item, (bool, int, float, Decimal))
    ]
    tell = len(set(numeric)) == 2
    return [
        code
        for code, item in enumerate(declared)
        if item == value and (not tell or isinstance(item, bool) == isinstance(value, bool))
    ]


def distinct(items):
    return len({(isinstance(item, bool), item) for item in items}) == len(items)


domains = st.lists(values, min_size=1, max_size=8).filter(distinct)


@given(domains, st.booleans(), st.booleans(), seeds)
def test_declared_values_come_back(declared, nullable, other, seed):
    codes = CategoryCodes(declared, nullable, other)
    every = np.array([code for code in range(codes.num_codes) if code != codes.other_code])
    decoded = codes.decode(every, np.random.default_rng(seed))
    assert (codes.encode(pd.Series(decoded, dtype=object)) == every).all()
    assert [decoded[code] for code in range(len(declared))] == declared


@given(domains, st.lists(anything, max_size=8))
def test_codes_of_objects_follow_python_equality(declared, rows):
    codes = CategoryCodes(declared)
    for value, code in zip(rows, codes.encode(objects(rows)), strict=True):
        if pd.api.types.is_scalar(value) and pd.isna(value):
            assert code == codes.null_code
        else:
            matching = is_declared(value, declared)
            assert code == (matching[0] if matching else codes.other_code)


@given(domains, st.integers(1, 40), seeds)
def test_other_never_leaves_the_declared_values(declared, rows, seed):
    codes = CategoryCodes(declared)
    decoded = codes.decode(np.full(rows, codes.other_code), np.random.default_rng(seed))
    assert set(codes.encode(pd.Series(decoded, dtype=object))) <= set(range(len(declared)))


@given(
    st.lists(texts, min_size=1, max_size=6, unique=True), st.lists(st.none() | texts, max_size=12)
)
def test_text_has_the_same_codes_however_it_is_stored(declared, rows):
    expected = CategoryCodes(declared).encode(objects(rows))
    for dtype in ('string', 'string[pyarrow]', pd.ArrowDtype(pa.string()), 'category'):
        column = objects(rows).astype(dtype)
        assert (CategoryCodes(declared).encode(column) == expected).all()


bounds = st.one_of(
    st.integers(-(10**6), 10**6),
    st.floats(-1e6, 1e6, allow_subnormal=False),
    st.decimals(-1000, 1000, places=2).map(float),
)


@st.composite
def number_domains(draw):
    low, high = sorted([draw(bounds), draw(bounds)])
    places = draw(st.none() | st.integers(0, 4))
    if places is not None:
        low, high = round(float(low), places), round(float(high), places)
    low, high = low + 0, high + 0  # -0.0 becomes 0.0
    cuts = st.none() | st.lists(st.floats(low, high), max_size=6)
    return {
        'low': low,
        'high': high,
        'bins': draw(st.integers(1, 60)),
        'decimal_places': places,
        'edges': draw(cuts),
        'nullable': draw(st.booleans()),
    }


number_dtypes = st.sampled_from([
    'float64',
    'float32',
    'Float64',
    'double[pyarrow]',
    'object',
    None,
])


@given(number_domains(), number_dtypes, seeds)
def test_numbers_come_back_to_their_bin(domain, dtype, seed):
    bins = NumberBins(**domain, dtype=dtype)
    if dtype == 'float32' and domain['decimal_places'] is None:
        assume(domain['high'] - domain['low'] > 1)  # bins that short floats can tell apart
        assume(domain['edges'] is None)
    every = np.arange(bins.num_codes).repeat(3)
    decoded = pd.Series(bins.decode(every, np.random.default_rng(seed)))
    assert (bins.encode(decoded) == every).all()
    numbers = decoded.dropna().astype('float64')
    slack = 1e-6 * max(1, abs(domain['low']), abs(domain['high'])) if dtype == 'float32' else 0
    assert numbers.between(domain['low'] - slack, domain['high'] + slack).all()
    places = domain['decimal_places']
    if places is not None and dtype != 'float32':
        assert all(number == round(number, places) for number in numbers)


whole_dtypes = st.sampled_from([
    'int8',
    'int16',
    'int64',
    'uint8',
    'uint64',
    'Int64',
    'UInt8',
    'int32[pyarrow]',
])


@given(st.data(), whole_dtypes, st.integers(1, 200), seeds)
def test_whole_numbers_come_back_to_their_bin(data, dtype, count, seed):
    kind = pd.api.types.pandas_dtype(dtype)
    limits = np.iinfo(getattr(kind, 'numpy_dtype', kind))
    whole = st.integers(limits.min, limits.max)
    low, high = sorted([data.draw(whole), data.draw(whole)])
    bins = NumberBins(low, high, count, nullable=False, dtype=dtype)
    every = np.arange(bins.num_codes).repeat(3)
    decoded = bins.decode(every, np.random.default_rng(seed))
    assert decoded.dtype == dtype
    assert (bins.encode(decoded) == every).all()
    assert all(low <= number <= high for number in decoded.tolist())


@given(number_domains(), st.lists(st.floats() | st.integers(-(2**62), 2**62), max_size=10))
def test_bins_keep_the_order_and_take_everything(domain, rows):
    bins = NumberBins(**domain)
    column = pd.Series([float(row) for row in rows], dtype='float64').sort_values()
    codes = bins.encode(column).astype(int)
    present = codes[column.notna().to_numpy()]
    assert (np.diff(present) >= 0).all()
    assert (codes[column.isna().to_numpy()] == (bins.unread_code)).all()
    assert bins.encode(pd.Series([domain['low']], dtype=float)).tolist() == [0]
    top = bins.num_codes - 1 - domain['nullable']
    assert bins.encode(pd.Series([domain['high'], math.inf])).tolist() == [top, top]


formats = st.sampled_from([
    None,
    '%Y-%m-%d',
    '%d/%m/%y %H:%M',
    '%Y',
    '%b %Y',
    '%Y-%m-%dT%H:%M:%S.%f',
])
moments = st.datetimes(dt.datetime(1970, 1, 1), dt.datetime(2060, 1, 1))
moment_dtypes = st.sampled_from([
    'datetime64[ns]',
    'datetime64[s]',
    'object',
    'string',
    'datetime64[us, UTC]',
    None,
])


@st.composite
def moment_domains(draw):
    low, high = sorted([draw(moments), draw(moments)])
    written = draw(formats)
    if written is not None:
        low, high = low.strftime(written), high.strftime(written)
    return {
        'low': low,
        'high': high,
        'datetime_format': written,
        'bins': draw(st.integers(1, 60)),
        'nullable': draw(st.booleans()),
    }


@given(moment_domains(), moment_dtypes, seeds)
def test_moments_come_back_to_their_bin(domain, dtype, seed):
    bins = DatetimeBins(**domain, dtype=dtype)
    every = np.arange(bins.num_codes).repeat(3)
    decoded = pd.Series(bins.decode(every, np.random.default_rng(seed)))
    assert (bins.encode(decoded) == every).all()
    ends = pd.Series([domain['low'], domain['high']])
    assert bins.encode(ends).tolist() == [0, bins.num_codes - 1 - domain['nullable']]


def transformers(draw):
    return draw(
        st.one_of(
            domains.map(CategoryCodes),
            number_domains().map(lambda domain: NumberBins(**domain)),
            moment_domains().map(lambda domain: DatetimeBins(**domain)),
        )
    )


written_moments = st.sampled_from([None, '\0', '\ud800', ' ']).flatmap(
    lambda end: moments.map(lambda moment: moment.strftime('%Y-%m-%d') + (end or ''))
)
cells = st.one_of(anything, written_moments, st.integers().map(str), moments)


@given(st.data(), st.lists(cells, max_size=6), st.lists(cells, max_size=6))
def test_rows_are_encoded_one_by_one(data, some, more):
    transformer = transformers(data.draw)
    together = transformer.encode(objects(some + more))
    apart = [transformer.encode(objects([row])) for row in some + more]
    assert together.tolist() == [code for codes in apart for code in codes.tolist()]


@given(moment_domains(), st.lists(written_moments, max_size=6))
def test_texts_are_encoded_one_by_one(domain, rows):
    bins = DatetimeBins(**domain)
    together = bins.encode(objects(rows))
    assert together.tolist() == [bins.encode(objects([row]))[0] for row in rows]


typed = st.sampled_from(['Int64', 'float64', 'Float64', 'int64[pyarrow]', 'category', 'boolean'])


@given(st.data(), typed, st.lists(st.none() | st.integers(0, 1), min_size=2, max_size=8))
def test_one_row_changes_one_code(data, dtype, rows):
    transformer = transformers(data.draw)
    column = pd.Series(rows, dtype='object').astype(dtype)
    changed = column.copy()
    position = data.draw(st.integers(0, len(rows) - 1))
    changed[position] = None
    before, after = transformer.encode(column), transformer.encode(changed)
    assert (np.delete(before, position) == np.delete(after, position)).all()
    kept = column.drop(index=position)
    assert (transformer.encode(kept) == np.delete(before, position)).all()


@given(st.data(), seeds)
def test_decoding_is_a_function_of_codes_and_generator(data, seed):
    transformer = transformers(data.draw)
    codes = np.random.default_rng(seed).integers(0, transformer.num_codes, 20)
    first, second = (
        pd.Series(transformer.decode(codes, np.random.default_rng(seed))) for _ in range(2)
    )
    pd.testing.assert_series_equal(first, second)
    assert len(transformer.labels()) == transformer.num_codes
    assert transformer.encode(first).max() < transformer.num_codes
