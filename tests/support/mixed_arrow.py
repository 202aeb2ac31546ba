"""Arrow tables of every type that a modelled column can have, and the metadata of them."""

import datetime as dt
import itertools
import math
from decimal import Decimal

import pandas as pd
import pyarrow as pa
from hypothesis import strategies as st
from sdv.metadata import Metadata

from sdv_prefair.counting._arrow import dtypes_of_schema, series_as
from sdv_prefair.domain import public_domain
from sdv_prefair.transformers import transformers_for

# What a row may hold: declared values, others, values at and beside the edges of bins.
TEXTS = ['a', 'b', 'c', 'z', '', "o'b", 'é', None]
REALS = [0.0, -0.0, 0.1, 0.7, 1.0, 1.05, 2.5, 6.3, 9.9, 10.0, 10.1, -3.0, 1e300, math.inf]
REALS += [-math.inf, math.nan, None, math.nextafter(2.5, 0), math.nextafter(2.5, 9)]
WHOLE = [-128, -1, 0, 1, 2, 3, 4, 5, 50, 99, 100, 101, 127, None]
LONG = [*WHOLE, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), 10**6, 12_345, 999_999]
DAYS = [dt.date(1812, 6, 24), dt.date(1970, 1, 1), dt.date(2019, 12, 31), dt.date(2020, 1, 1)]
DAYS += [dt.date(2020, 2, 29), dt.date(2021, 6, 15), dt.date(2029, 12, 31), None]
MOMENTS = [dt.datetime(2019, 12, 31, 23, 59, 59, 999_999), dt.datetime(2020, 1, 1)]
MOMENTS += [dt.datetime(2020, 3, 29, 1, 30), dt.datetime(2025, 7, 1, 12, 0, 0, 1), None]
MOMENTS += [dt.datetime(2030, 1, 1), dt.datetime(1900, 1, 1), dt.datetime(2024, 2, 29, 4, 5, 6)]
CENTS = [Decimal(n).scaleb(-2) for n in (-5, 0, 1, 10, 99, 100, 250, 999, 1000, 123_456)] + [None]

COLUMNS = {
    'text': ({'sdtype': 'categorical', 'range_values': ['a', 'b', "o'b", 'é']}, pa.string(), TEXTS),
    'large': ({'sdtype': 'ordinal', 'range_values': ['c', 'a']}, pa.large_string(), TEXTS),
    'dictionary': (
        {'sdtype': 'categorical', 'range_values': ['b', 'a']},
        pa.dictionary(pa.int8(), pa.string()),
        TEXTS,
    ),
    'flag': ({'sdtype': 'boolean'}, pa.bool_(), [True, False, None]),
    'digit': ({'sdtype': 'categorical', 'range_values': [1, 2, 3]}, pa.int8(), WHOLE),
    'small': ({'sdtype': 'numerical', 'range_min': 0, 'range_max': 99}, pa.int16(), WHOLE),
    'long': ({'sdtype': 'numerical', 'range_min': 0, 'range_max': 10**6}, pa.int64(), LONG),
    'huge': (
        {'sdtype': 'numerical', 'range_min': -(2**63), 'range_max': 2**63 - 1},
        pa.int64(),
        LONG,
    ),
    'real': ({'sdtype': 'numerical', 'range_min': 0.1, 'range_max': 10.0}, pa.float64(), REALS),
    'tenths': (
        {'sdtype': 'numerical', 'range_min': 0, 'range_max': 10, 'decimal_places': 1},
        pa.float64(),
        REALS,
    ),
    'short': ({'sdtype': 'numerical', 'range_min': 0.0, 'range_max': 7.7}, pa.float32(), REALS),
    'grade': ({'sdtype': 'categorical', 'range_values': [0.1, 1, 2.5]}, pa.float32(), REALS),
    'price': ({'sdtype': 'numerical', 'range_min': 0, 'range_max': 10}, pa.decimal128(9, 2), CENTS),
    'day': (
        {'sdtype': 'datetime', 'range_min': '2020-01-01', 'range_max': '2029-12-31'},
        pa.date32(),
        DAYS,
    ),
    'moment': (
        {
            'sdtype': 'datetime',
            'range_min': '2020-01-01 00:00:00',
            'range_max': '2026-07-01 12:00:01',
        },
        pa.timestamp('us'),
        MOMENTS,
    ),
    'precise': (
        {'sdtype': 'datetime', 'range_min': '2020-01-01', 'range_max': '2020-03-31'},
        pa.timestamp('ns'),
        MOMENTS,
    ),
}
NAMES = list(COLUMNS)


def metadata(columns=NAMES, **more):
    described = {column: COLUMNS[column][0] for column in columns} | more
    return Metadata.load_from_dict({'tables': {'mixed': {'columns': described}}})


def array(column, values):
    kind = COLUMNS[column][1]
    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).dictionary_encode().cast(kind)
    return pa.array(values, kind)


def table(rows, columns=NAMES):
    return pa.table({c: array(c, [row[c] for row in rows]) for c in columns})


def random_table(num_rows, rng, columns=NAMES):
    """Return a table in which every value of every column occurs, if there are rows enough."""
    drawn = {}
    for column in columns:
        values = COLUMNS[column][2]
        picks = [*range(len(values)), *rng.integers(0, len(values), num_rows)][:num_rows]
        drawn[column] = array(column, [values[pick] for pick in rng.permutation(picks)])
    return pa.table(drawn)


def rows(columns=NAMES, **sizes):
    """Return a strategy for lists of rows."""
    row = {column: st.sampled_from(COLUMNS[column][2]) for column in columns}
    return st.lists(st.fixed_dictionaries(row), **sizes)


DOMAINS = public_domain(metadata(), True)
DTYPES = dtypes_of_schema(table([]).schema, metadata().tables['mixed'].columns, DOMAINS)
ENCODERS = transformers_for(DOMAINS, 7, DTYPES)
CLIQUES = [(c,) for c in NAMES] + list(itertools.combinations(NAMES, 2))


def in_pandas(arrow_table):
    """Return the table as a frame with the dtypes that stand for its types."""
    return pd.DataFrame({
        column: series_as(arrow_table[column].combine_chunks(), DTYPES[column])
        for column in arrow_table.column_names
    })


def assert_same(counts, expected, cliques=CLIQUES):
    for clique in cliques:
        assert (counts.project(clique) == expected.project(clique)).all(), clique
        assert counts.project(clique).dtype == 'int64'
