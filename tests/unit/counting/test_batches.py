"""Arrow batches have the codes of the same columns in pandas, and the counts of the same rows."""

import subprocess
import sys

import mixed_arrow
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mixed_arrow import CLIQUES, DTYPES, ENCODERS, assert_same, in_pandas

from sdv_prefair.counting import FrameSource
from sdv_prefair.counting._arrow import encode_array
from sdv_prefair.counting._batches import BatchSource, count_batches
from sdv_prefair.counting._streams import (
    DatasetStream,
    ProtocolStream,
    ReaderStream,
    frames_stream,
    parquet_stream,
)
from sdv_prefair.counting._worker_counts import CHUNK_ROWS
from sdv_prefair.errors import PrivateDataError
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins


def test_frames_have_the_dtypes_that_stand_for_the_types():
    table = mixed_arrow.random_table(50, np.random.default_rng(0))
    assert in_pandas(table).dtypes.equals(DTYPES)


@given(mixed_arrow.rows(max_size=20))
def test_codes_are_those_of_pandas(rows):
    table = mixed_arrow.table(rows)
    frame = in_pandas(table)
    for column, encoder in ENCODERS.items():
        codes = encode_array(encoder, table[column].combine_chunks())
        assert codes.tolist() == encoder.encode(frame[column]).tolist(), column


@given(mixed_arrow.rows(min_size=1, max_size=30), st.integers(1, 9), st.integers(1, 12))
def test_counts_are_those_of_a_frame_however_rows_are_cut(rows, batch_size, chunk_rows):
    table = mixed_arrow.table(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr('sdv_prefair.counting._worker_counts.CHUNK_ROWS', chunk_rows)
        counts = count_batches(table.to_batches(batch_size), ENCODERS, CLIQUES)
    assert_same(counts, FrameSource(in_pandas(table)).count(ENCODERS, CLIQUES))


TEXTS = ['a', None, 'b', 'a', 'zz']
STORED = [
    pa.array(TEXTS, pa.string_view()),
    pa.array(TEXTS, pa.large_string()),
    pa.array(['x', *TEXTS]).slice(1),
    pa.array(TEXTS).dictionary_encode(),
    pa.array(TEXTS, pa.string_view()).dictionary_encode(),
    pa.array(['x', *TEXTS, 'x']).dictionary_encode().slice(1, 5),
    # A dictionary may hold nulls, and a value more than once.
    pa.DictionaryArray.from_arrays([0, 1, 2, 3, 4], pa.array(['a', None, 'b', 'a', 'zz'])),
    pa.DictionaryArray.from_arrays(
        pa.array([3, None, 1, 0, 2], pa.uint16()), pa.array(['a', 'b', 'zz', 'a'])
    ),
]


@pytest.mark.parametrize('column', STORED, ids=lambda column: str(column.type)[:40])
@pytest.mark.parametrize('nullable', [True, False])
def test_texts_have_the_same_codes_however_they_are_stored(column, nullable):
    codes = CategoryCodes(['b', 'a'], nullable)
    expected = codes.encode(pd.Series(TEXTS, dtype=object)).tolist()
    assert encode_array(codes, column).tolist() == expected
    dates = DatetimeBins('2020-01-01', '2020-01-31', '%Y-%m-%d', nullable=nullable)
    assert len(set(encode_array(dates, column).tolist())) == 1


@pytest.mark.parametrize(
    'array',
    [
        pa.array([1, 2**64 - 1, None], pa.uint64()),
        pa.array([2**53 + 1, None, 2**53], pa.int64()),
        pa.array([1, 2, 300, None], pa.int32()).dictionary_encode(),
        pa.array([0.5, None, np.nan], pa.float64()),
        pa.array(np.array([0.5, 2.0], np.float16)),
        pa.array([True, None, False]),
        pa.array([None, None], pa.null()),
        pa.array(['1.50', None, '99.99'], pa.string()).cast(pa.decimal128(30, 2)),
        pa.array(['1.50', None, '99.99'], pa.string()).cast(pa.decimal256(40, 2)),
    ],
    ids=lambda array: str(array.type),
)
def test_numbers_of_all_types_have_the_codes_of_pandas(array):
    bins = NumberBins(0, 2**53 + 1, 10)
    objects = pd.Series(array.to_pylist(), dtype=object)
    if pa.types.is_integer(array.type):
        objects = objects.astype('UInt64' if array.type == pa.uint64() else 'Int64')
    assert encode_array(bins, array).tolist() == bins.encode(objects).tolist()


@pytest.mark.parametrize('zone', ['UTC', 'Europe/Berlin', '+05:30'])
@pytest.mark.parametrize('bound', ['2020-03-01', '2020-03-01 00:00:00+00:00'])
def test_time_zones_mean_what_they_mean_in_pandas(zone, bound):
    moments = pd.date_range('2020-02-28 20:00', periods=60, freq='37min', tz=zone).to_series()
    bins = DatetimeBins(bound, bound.replace('03', '04'), bins=7)
    for unit in ('s', 'ms', 'us', 'ns'):
        array = pa.array(moments.dt.as_unit(unit))
        assert encode_array(bins, array).tolist() == bins.encode(moments).tolist()


def test_types_nobody_can_encode_count_as_other():
    codes = CategoryCodes(['a'])
    for array in (pa.array([[1], None]), pa.array([{'x': 1}, None]), pa.array([b'a', None])):
        assert encode_array(codes, array).tolist() == [codes.other_code, codes.null_code]


def source_of(stream, **more):
    return BatchSource(stream, DTYPES, **more)


def test_values_are_counted_as_in_a_frame(tmp_path):
    table = mixed_arrow.random_table(300, np.random.default_rng(1))
    expected = FrameSource(in_pandas(table)).value_counts(DTYPES.index)
    pq.write_table(table, tmp_path / 'table.parquet', row_group_size=70)
    for stream in (parquet_stream(tmp_path / 'table.parquet'), ReaderStream(table.to_reader(9))):
        found = source_of(stream).value_counts(DTYPES.index)
        for column in DTYPES.index:
            assert dict(found[column]) == expected[column], column
            kinds = {type(value) for value in expected[column]}
            assert {type(value) for value in found[column]} == kinds


def test_folders_of_parquet_files_are_read_as_one_table(tmp_path):
    table = mixed_arrow.random_table(200, np.random.default_rng(2))
    for part in range(4):
        pq.write_table(table.slice(part * 50, 50), tmp_path / f'part-{part}.parquet')
    counts = source_of(parquet_stream(tmp_path)).count(ENCODERS, CLIQUES)
    assert_same(counts, FrameSource(in_pandas(table)).count(ENCODERS, CLIQUES))


def test_datasets_of_any_kind_are_read(tmp_path):
    table = mixed_arrow.random_table(100, np.random.default_rng(4))
    pq.write_table(table, tmp_path / 'table.parquet')
    half = ds.dataset(tmp_path / 'table.parquet').filter(ds.field('flag'))
    kept = table.filter(pc.fill_null(table['flag'], False))
    for dataset, rows in ((half, kept), (ds.dataset(table), table)):
        counts = source_of(DatasetStream(dataset)).count(ENCODERS, CLIQUES)
        assert_same(counts, FrameSource(in_pandas(rows)).count(ENCODERS, CLIQUES))


def test_hive_partitions_are_columns(tmp_path):
    table = pa.table({'region': ['n', 's', 'n'], 'x': [1, 2, 3]})
    ds.write_dataset(
        table, tmp_path, format='parquet', partitioning=['region'], partitioning_flavor='hive'
    )
    source = BatchSource(parquet_stream(str(tmp_path)), {})
    encoders = {'region': CategoryCodes(['n', 's']), 'x': NumberBins(1, 3, decimal_places=0)}
    counts = source.count(encoders, [('region', 'x')]).project(('region', 'x'))
    assert counts[0, [0, 2]].tolist() == [1, 1]
    assert counts[1, 1] == 1


def test_a_file_that_lacks_a_column_is_not_filled_with_nulls(tmp_path):
    pq.write_table(pa.table({'x': [1], 'y': [2]}), tmp_path / '1.parquet')
    pq.write_table(pa.table({'x': [1]}), tmp_path / '2.parquet')
    with pytest.raises(PrivateDataError, match="Column 'y' is in some files"):
        parquet_stream(tmp_path)


def test_a_missing_file_is_an_error_of_ours(tmp_path):
    with pytest.raises(PrivateDataError, match=r'could not be opened \(FileNotFoundError\)'):
        parquet_stream(tmp_path / 'nowhere.parquet')


def test_nulls_are_ruled_out_by_the_schema_alone(tmp_path):
    frame = pd.DataFrame({'i': [1, 2], 'b': [True, False], 'c': pd.Categorical(['x', 'y'])})
    frame['n'] = pd.array([1, 2], dtype='Int64')
    frame.to_parquet(tmp_path / '1.parquet')
    nullable = {field.name: field.nullable for field in parquet_stream(tmp_path).schema}
    assert nullable == {'i': False, 'b': False, 'c': True, 'n': True}
    frame.astype({'i': 'Int64'}).to_parquet(tmp_path / '2.parquet')
    assert parquet_stream(tmp_path).schema.field('i').nullable
    in_polars = pl.from_pandas(frame)
    reader = pa.RecordBatchReader.from_stream(in_polars)
    assert ProtocolStream(lambda: reader).schema.field('i').nullable


def test_lazy_frames_are_computed_again_for_each_reading():
    table = mixed_arrow.random_table(100, np.random.default_rng(3))
    source = source_of(frames_stream(pl.from_arrow(table).lazy()))
    expected = FrameSource(in_pandas(table)).count(ENCODERS, CLIQUES)
    for _ in range(2):
        assert_same(source.count(ENCODERS, CLIQUES), expected)


def test_errors_of_an_engine_quote_nothing():
    def batches():
        yield from pa.table({'x': ['Zyzzyva', 'b']}).to_batches()
        raise ValueError('Zyzzyva is no number')

    schema = pa.schema({'x': pa.string()})
    reader = pa.RecordBatchReader.from_batches(schema, batches())
    source = BatchSource(ReaderStream(reader), {})
    with pytest.raises(PrivateDataError, match='could not be read to its end') as caught:
        source.count({'x': CategoryCodes(['b'])}, [('x',)])
    assert 'Zyzzyva' not in str(caught.value)
    assert caught.value.__suppress_context__


MEASURE = """
import resource, sys
import numpy as np
from sdv_prefair.counting._batches import BatchSource
from sdv_prefair.counting._streams import parquet_stream
from sdv_prefair.transformers import CategoryCodes, NumberBins

encoders = {f't{i}': CategoryCodes([f'value {j}' for j in range(20)]) for i in range(4)}
encoders |= {f'x{i}': NumberBins(0, 1) for i in range(4)}
cliques = [(a, b) for a in encoders for b in encoders if a < b]
counts = BatchSource(parquet_stream(sys.argv[1]), {}).count(encoders, cliques)
print(counts.project(cliques[0]).sum(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def peak_memory(folder, num_rows):
    """Return the peak memory, in MB, of a process that counts a file of so many rows."""
    path = folder / f'{num_rows}.parquet'
    rng = np.random.default_rng(0)
    texts = np.array([f'value {j}' for j in range(25)], dtype=object)
    schema = pa.schema(
        [(f't{i}', pa.string()) for i in range(4)] + [(f'x{i}', pa.float64()) for i in range(4)]
    )
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(num_rows // 100_000):
            columns = {f't{i}': texts[rng.integers(0, 25, 100_000)] for i in range(4)}
            columns |= {f'x{i}': rng.random(100_000) for i in range(4)}
            writer.write_table(pa.table(columns, schema=schema))
    answer = subprocess.run(
        [sys.executable, '-c', MEASURE, str(path)], capture_output=True, text=True, check=True
    )
    counted, peak = map(int, answer.stdout.split())
    assert counted == num_rows
    return peak


@pytest.mark.slow
def test_memory_does_not_grow_with_rows(tmp_path):
    """The larger table has 190 MB as Arrow columns, and 110 MB as a file."""
    few, many = peak_memory(tmp_path, 500_000), peak_memory(tmp_path, 3_500_000)
    assert many - few < 90


def test_chunks_are_those_of_the_kernel():
    table = pa.table({'x': np.zeros(2 * CHUNK_ROWS + 5)})
    counts = count_batches(table.to_batches(), {'x': NumberBins(0, 1, 4)}, [('x',)])
    assert counts.project(('x',))[0] == 2 * CHUNK_ROWS + 5
