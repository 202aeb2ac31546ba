"""Rows of a release come back from a file as they were, whatever kind of columns they have.

So a release verifies its own rows: what a file does to types is undone, and nothing else is.
"""

import numpy as np
import pandas as pd
from every_codes import COLUMNS
from hypothesis import given
from hypothesis import strategies as st
from sdv.metadata import Metadata

from sdv_prefair.cli._table_files import read_cells, read_table
from sdv_prefair.cli._verify_lines import unread_columns
from sdv_prefair.release._verifying import in_own_types
from sdv_prefair.synthesizer._written_rows import write_parts
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins

# An empty text is written like a null, and the number 1 like the text '1'.
WRITTEN_ALIKE = 'words', 'kinds'


def described(codes):
    if isinstance(codes, CategoryCodes):
        return {'sdtype': 'categorical', 'range_values': list(codes.shown)}
    if isinstance(codes, DatetimeBins):
        return {'sdtype': 'datetime', 'datetime_format': codes.datetime_format}
    places = {} if codes.places is None else {'decimal_places': codes.places}
    return {'sdtype': 'numerical'} | places


def drawn(codes, rows, seed):
    rng = np.random.default_rng(seed)
    never = {codes.hidden_code} | ({codes.null_code} if codes.dtype == 'int64' else set())
    kinds = [code for code in range(codes.num_codes) if code not in never]
    return pd.Series(codes.decode(rng.choice(kinds, rows), rng), name='x')


def through_a_file(codes, column, path):
    table = {'columns': {'x': described(codes)}}
    metadata = Metadata.load_from_dict({'tables': {'t': table}})
    write_parts([column.to_frame()], path, len(column), {'x': codes})
    read = read_table(path, metadata)
    cells = read_cells(path, metadata)
    own = in_own_types(read, {'x': codes}, cells)
    assert unread_columns(cells, own, table['columns']) == []
    return own['x']


@given(kind=st.sampled_from(list(COLUMNS)), rows=st.integers(1, 30), seed=st.integers(0, 2**32))
def test_every_kind_of_column_comes_back_from_a_csv_file(kind, rows, seed, tmp_path_factory):
    codes = COLUMNS[kind]
    column = drawn(codes, rows, seed)
    read = through_a_file(codes, column, tmp_path_factory.mktemp('own') / 'x.csv')
    assert codes.is_declared(read).all()
    if kind not in WRITTEN_ALIKE:
        assert codes.encode(read).tolist() == codes.encode(column).tolist()


ENDS = st.floats(-1e12, 1e12, allow_subnormal=False) | st.floats(-1, 1)


@given(
    ends=st.tuples(ENDS, ENDS).map(sorted),
    dtype=st.sampled_from(['float64', 'float32', 'Float64']),
    rows=st.integers(1, 40),
    seed=st.integers(0, 2**32),
)
def test_every_last_bit_of_a_real_number_is_read(ends, dtype, rows, seed, tmp_path_factory):
    """Of all doubles, pandas.to_numeric reads 14 % with another last bit."""
    low, high = (float(np.dtype(dtype.lower()).type(end)) for end in ends)
    if low < high:
        codes = NumberBins(low, high, bins=7, nullable=False, dtype=dtype)
        column = drawn(codes, rows, seed)
        read = through_a_file(codes, column, tmp_path_factory.mktemp('own') / 'x.csv')
        assert codes.is_declared(read).all()
        assert read.tolist() == column.tolist()
