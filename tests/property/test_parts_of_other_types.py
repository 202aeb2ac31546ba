"""A null changes the type of the part that it is in, and nothing else: no part is refused for it.

The modules are ``counting/_batches.py`` and whatever reads parts: frames, Dask, Arrow, files.
"""

import tempfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from profiles import share
from sdv.metadata import Metadata

from sdv_prefair.counting import FrameSource
from sdv_prefair.counting._arrow import dtypes_of_schema
from sdv_prefair.counting._batches import FramePartsSource, as_described
from sdv_prefair.counting._tables import open_table
from sdv_prefair.domain import public_domain
from sdv_prefair.transformers import transformers_for

COLUMNS = {
    'whole': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 9, 'decimal_places': 0},
    'code': {'sdtype': 'categorical', 'range_values': [1, 2, 3]},
    'real': {'sdtype': 'numerical', 'range_min': 0.0, 'range_max': 9.0},
    'flag': {'sdtype': 'boolean'},
    'text': {'sdtype': 'categorical', 'range_values': ['1', '2', 'x']},
}
METADATA = Metadata.load_from_dict({'tables': {'t': {'columns': COLUMNS}}})
DOMAINS = public_domain(METADATA, True)
DTYPES = {
    **{'whole': 'int64', 'code': 'int64', 'real': 'float64'},
    **{'flag': 'bool', 'text': 'object'},
}
SCHEMA = pa.schema({
    **{'whole': pa.int64(), 'code': pa.int64(), 'real': pa.float64()},
    **{'flag': pa.bool_(), 'text': pa.string()},
})
CLIQUES = [*((c,) for c in COLUMNS), ('whole', 'flag'), ('code', 'real')]
ROWS = st.lists(
    st.fixed_dictionaries({
        'whole': st.none() | st.integers(-1, 10),
        'code': st.none() | st.integers(1, 3),
        'real': st.none() | st.sampled_from([0.0, 1.0, 2.5, 7.0]),
        'flag': st.none() | st.booleans(),
        'text': st.none() | st.sampled_from(['1', '2', 'x', 'y']),
    }),
    min_size=1,
    max_size=12,
)
# Small as they are, cases are not made smaller: to write files takes long.
QUICK = share(2 / 5, phases=[Phase.explicit, Phase.generate])
PARTS = st.lists(ROWS, min_size=1, max_size=4)


def whole_frame(parts):
    """Return all rows in dtypes that hold nulls among whole numbers and booleans."""
    rows = pd.DataFrame([row for part in parts for row in part], columns=list(COLUMNS), dtype='O')
    kinds = {'whole': 'Int64', 'code': 'Int64', 'real': 'float64', 'flag': 'boolean'}
    return rows.astype(kinds)


def frames(parts):
    """Return the parts with whatever dtypes pandas finds in each of them."""
    return [pd.DataFrame(part, columns=list(COLUMNS)) for part in parts]


def batches(parts):
    """Return the parts with whatever types Arrow finds in each of them."""
    return [
        pa.record_batch({c: pa.array([row[c] for row in part]) for c in COLUMNS}) for part in parts
    ]


def described(found):
    if isinstance(found, pa.Schema):
        return dtypes_of_schema(found, COLUMNS, DOMAINS)
    return found[list(COLUMNS)].dtypes


def opened(table):
    return open_table(table, described, None, 1, COLUMNS)


def assert_counted_as(source, expected):
    """Assert that a source has the counts of a frame, over the codes of its own dtypes."""
    encoders = transformers_for(DOMAINS, 32, source.dtypes)
    one, two = (each.count(encoders, CLIQUES) for each in (source, expected))
    for clique in CLIQUES:
        assert one.project(clique).tolist() == two.project(clique).tolist(), clique
    learnt = ['whole', 'code', 'real', 'text']
    assert source.value_counts(learnt) == expected.value_counts(learnt)


@settings(phases=[Phase.explicit, Phase.generate])
@given(parts=PARTS)
def test_frames(parts):
    dtypes = pd.Series(DTYPES).map(pd.api.types.pandas_dtype)

    def read(wanted):
        return (as_described(frame[wanted], dtypes) for frame in frames(parts))

    assert_counted_as(FramePartsSource(read, dtypes), FrameSource(whole_frame(parts)))


@settings(phases=[Phase.explicit, Phase.generate])
@given(parts=PARTS)
def test_arrow_batches(parts):
    table = _Stream(SCHEMA, batches(parts))
    assert_counted_as(opened(table), FrameSource(whole_frame(parts)))


class _Stream:
    """Opens readers whose batches have types of their own, as some engines' have."""

    def __init__(self, schema, found):
        self._schema, self._found = schema, found

    def collect_batches(self, **options):
        return iter(self._found)

    def head(self, number):
        return self

    def collect(self):
        return self._schema.empty_table()


@QUICK
@given(parts=PARTS)
def test_csv_files(parts):
    with tempfile.TemporaryDirectory() as folder:
        for number, frame in enumerate(frames(parts)):
            frame.to_csv(Path(folder) / f'{number}.csv', index=False)
        whole_frame(parts).to_csv(Path(folder) / 'all.txt.csv.gz', index=False)
        assert_counted_as(opened(f'{folder}/?.csv'), opened(f'{folder}/all.txt.csv.gz'))


@QUICK
@given(parts=PARTS)
def test_parquet_files(parts):
    with tempfile.TemporaryDirectory() as folder:
        for number, frame in enumerate(frames(parts)):
            frame.to_parquet(Path(folder) / f'{number}.parquet', index=False)
        source, whole = opened(Path(folder)), whole_frame(parts)
        if source.dtypes['whole'] == 'float64':  # in some file, so in all
            whole = whole.astype({'whole': 'float64'})
        if source.dtypes['code'] == 'float64':
            whole = whole.astype({'code': 'float64'})
        if source.dtypes['real'].kind in 'iu':
            whole = whole.astype({'real': 'Int64'})
        assert_counted_as(source, FrameSource(whole))


def test_a_whole_number_that_no_float_holds_is_read_beside_a_file_of_floats(tmp_path):
    for name, values in {'a': pa.array([2**53 + 1, 3]), 'b': pa.array([1.0, None])}.items():
        pq.write_table(pa.table({'whole': values}), tmp_path / f'{name}.parquet')
    source = open_table(tmp_path, lambda schema: schema, None, 1, COLUMNS)
    encoders = {'whole': transformers_for(DOMAINS, 32)['whole']}
    counts = source.count(encoders, [('whole',)]).project(('whole',))
    assert counts.tolist() == [0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1]


def test_dask_partitions():
    dask = pytest.importorskip('dask', reason='dask is not installed')
    frame = pytest.importorskip('dask.dataframe', reason='dask is not installed')
    rows = [
        dict(zip(COLUMNS, cells, strict=True))
        for cells in [(1, 2, 2.5, True, 'x'), (3, 1, 7.0, False, '1'), (None,) * 5]
    ]
    parts = [rows[:2], rows, rows[2:], rows[1:]]
    meta = pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in DTYPES.items()})
    delayed = [dask.delayed(part) for part in frames(parts)]
    table = frame.from_delayed(delayed, meta=meta, verify_meta=False)
    assert_counted_as(opened(table), FrameSource(whole_frame(parts)))
