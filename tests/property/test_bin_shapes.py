"""Whatever the shape of bins and the dtype of a column, its values tell its codes."""

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from shown_values import FORMS, hidden_dependence, prepared

from sdv_prefair.errors import DomainError
from sdv_prefair.transformers import BinShape

NOTHING = 1e-12
NUMBER_DTYPES = [
    *(None, 'float16', 'float32', 'float64', 'Float32', 'object', 'int8', 'uint8', 'int64'),
    *('uint64', 'Int8', 'Int64', 'UInt64', pd.ArrowDtype(pa.int8()), pd.ArrowDtype(pa.float32())),
    *(pd.ArrowDtype(pa.decimal128(5, 1)), pd.ArrowDtype(pa.decimal128(20, 2))),
]
ENDS = [-(2**63), -1000, -0.5, 0, 0.1, 1, 9, 127, 256, 2049, 1e5, 2**24 + 7, 2**53 + 50, 2**64 - 1]
MOMENT_DTYPES = [
    *(None, 'object', 'string', 'datetime64[s]', 'datetime64[ns]', 'datetime64[s, Europe/Paris]'),
    *(pd.ArrowDtype(pa.timestamp('us', 'America/New_York')), pd.ArrowDtype(pa.date32())),
]
FORMATS = ['%Y-%m-%d', '%Y-%m-%d %H:%M', '%Y-%m-%d %H:%M:%S', None]
weight = st.sampled_from([0.0, 1e-9, 0.3, 1.0, 7.5, 1e12])


@st.composite
def shapes(draw, cuts):
    """Return a shape with these cuts, some of them edges and some finer."""
    is_edge = draw(st.lists(st.booleans(), min_size=len(cuts), max_size=len(cuts)))
    edges = tuple(cut for cut, edge in zip(cuts, is_edge, strict=True) if edge)
    finer = tuple(cut for cut, edge in zip(cuts, is_edge, strict=True) if not edge)
    weights = draw(st.lists(weight, min_size=len(cuts) + 1, max_size=len(cuts) + 1))
    return BinShape(edges, finer, tuple(weights))


@st.composite
def number_columns(draw):
    low, high = sorted(draw(st.lists(st.sampled_from(ENDS), min_size=2, max_size=2, unique=True)))
    description = {'sdtype': 'numerical', 'range_min': low, 'range_max': high}
    description['range_is_nullable'] = draw(st.booleans())
    places = draw(st.sampled_from([None, 0, 1, 5]))
    if places is not None:
        description['decimal_places'] = places
    some = draw(st.lists(st.floats(float(low), float(high)), max_size=4))
    some += [float(round(cut)) for cut in some[:2]]
    # Single values, the ends of the range among them.
    some += [float(np.nextafter(cut, np.inf)) for cut in [*some, float(low)]] + [float(high)]
    cuts = sorted({cut for cut in some if low < cut <= high})
    return description, draw(st.sampled_from(NUMBER_DTYPES)), draw(shapes(cuts))


@st.composite
def moment_columns(draw):
    seconds = draw(st.lists(st.integers(0, 2 * 10**9), min_size=3, max_size=8, unique=True))
    moments = [pd.Timestamp(second, unit='s') for second in sorted(seconds)]
    more = {moment + pd.Timedelta(1, 'us') for moment in moments[1:3]}
    low, *cuts, high = sorted({*moments, *more})
    description = {'sdtype': 'datetime', 'range_min': low, 'range_max': high}
    description['range_is_nullable'] = draw(st.booleans())
    written = draw(st.sampled_from(FORMATS))
    if written is not None:
        description['datetime_format'] = written
    return description, draw(st.sampled_from(MOMENT_DTYPES)), draw(shapes(cuts))


def check(description, dtype, shape):
    try:
        transformer = prepared(description, dtype, edges=shape)
    except DomainError:
        return
    assert len(transformer.labels()) == transformer.num_codes <= len(shape.edges) + 2
    for form in FORMS:
        hidden = hidden_dependence(transformer, form)
        assert hidden is None or hidden < NOTHING, (form, transformer)


@given(number_columns())
def test_numbers_tell_their_codes(column):
    check(*column)


@given(moment_columns())
def test_moments_tell_their_codes(column):
    check(*column)


@given(number_columns(), st.integers(0, 99))
def test_only_what_has_weight_is_drawn(column, seed):
    """In a dtype that holds every number; a bin without any weight draws from all of it."""
    description, _, shape = column
    transformer = prepared(description | {'range_is_nullable': False}, None, edges=shape)
    if transformer.places is not None:
        return
    codes = np.repeat(np.arange(transformer.num_codes), 20)
    drawn = transformer.decode(codes, np.random.default_rng(seed))
    assert (transformer.encode(drawn) == codes).all()
    cuts = sorted([*shape.edges, *shape.finer])
    segment = np.searchsorted(cuts, drawn, side='right')
    bin_of_segment = np.searchsorted(shape.edges, [description['range_min'], *cuts], side='right')
    weights = np.array(shape.weights)
    has_weight = np.bincount(bin_of_segment, weights) > 0
    assert (weights[segment[has_weight[codes]]] > 0).all()
