"""Folders of Parquet files: a row in a folder of its own changes no other, and logs are obeyed."""

import datetime as dt

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from neighbours import Recording, assert_one_row_more, assert_same_types
from sdv.metadata import Metadata

from sdv_prefair.cli import main
from sdv_prefair.counting._streams import parquet_stream
from sdv_prefair.errors import PrivateDataError

pytestmark = pytest.mark.filterwarnings('ignore:Nothing in column')

# What a folder can be called, and how the metadata may describe it.
KEYS = {
    'whole': (
        {'sdtype': 'numerical', 'range_min': 1, 'range_max': 9, 'decimal_places': 0},
        ['1', '2', '7'],
    ),
    'number': ({'sdtype': 'numerical', 'range_min': 0, 'range_max': 9}, ['1', '2', '7']),
    'grade': ({'sdtype': 'ordinal', 'range_values': [1, 2, 7]}, ['1', '2', '7']),
    'share': ({'sdtype': 'categorical', 'range_values': [1, 2.5]}, ['1', '2.5']),
    'text': ({'sdtype': 'categorical', 'range_values': ['1', '2', 'a b']}, ['1', '2', 'a%20b']),
    'flag': ({'sdtype': 'boolean'}, ['true', 'false']),
    'day': (
        {
            'sdtype': 'datetime',
            'datetime_format': '%Y%m%d',
            'range_min': '20200101',
            'range_max': '20201231',
        },
        ['20200105', '20200704'],
    ),
}
ODD = ['Zyzzyva', '%FF', '%', '__HIVE_DEFAULT_PARTITION__', '9' * 40, '2.5', '007', 'nan', '-inf']
ODD += ['1e400', '2020-01-05', 'é', 'True']
# Bins that noise has drawn would differ between two fits of the same rows.
EVEN = {'discretization': 'uniform'}


def write(folder, key, values, rows=20):
    for value in values:
        place = folder / f'{key}={value}'
        place.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({'x': [n % 2 for n in range(rows)]}), place / f'{rows}.parquet')


def fitted(folder, key):
    columns = {'x': {'sdtype': 'categorical', 'range_values': [0, 1]}, key: KEYS[key][0]}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    synthesizer = Recording(metadata, structure='none', public_ranges=True, **EVEN)
    synthesizer.fit_table(folder)
    return synthesizer


@pytest.mark.parametrize('key', KEYS)
def test_a_row_in_a_new_folder_changes_no_other(key, tmp_path):
    write(tmp_path / 'plain', key, KEYS[key][1])
    plain = fitted(tmp_path / 'plain', key)
    for number, odd in enumerate(ODD):
        write(tmp_path / str(number), key, KEYS[key][1])
        write(tmp_path / str(number), key, [odd], rows=1)
        beside = fitted(tmp_path / str(number), key)
        assert_one_row_more(plain, beside)
    assert_same_types(plain, beside)


@pytest.mark.parametrize('key', KEYS)
def test_names_of_folders_mean_what_the_metadata_says(key, tmp_path):
    write(tmp_path, key, KEYS[key][1])
    synthesizer = fitted(tmp_path, key)
    counts = synthesizer.recorded.project((key,))
    assert sorted(counts[counts > 0].tolist()) == [20] * len(KEYS[key][1])
    transformer = synthesizer.fitted.encoding.transformers[key]
    hidden = [code for code in (transformer.null_code, transformer.other_code) if code is not None]
    assert not counts[hidden].any()


def test_folders_that_lack_a_column_are_refused(tmp_path):
    write(tmp_path, 'text', ['1'])
    write(tmp_path, 'flag', ['true'])
    with pytest.raises(PrivateDataError, match="Column 'flag' is in some files"):
        parquet_stream(tmp_path)


def parts(folder, *tables):
    folder.mkdir(exist_ok=True)
    for number, table in enumerate(tables):
        pq.write_table(table, folder / f'{number}.parquet')
    return folder


SECRET = 'Zyzzyva'
DIFFERING = {
    'text and numbers': (pa.array([1, 2]), pa.array(['1', SECRET])),
    'numbers and text': (pa.array(['1', SECRET]), pa.array([1, 2])),
    'seconds and nanoseconds': (
        pa.array([1], pa.timestamp('s')),
        pa.array([1], pa.timestamp('ns')),
    ),
    'days and moments': (pa.array([dt.date(2020, 1, 1)]), pa.array([dt.datetime(2020, 1, 1)])),
    'decimals': (pa.array([1], pa.decimal128(9, 2)), pa.array([1], pa.decimal128(9, 3))),
}


@pytest.mark.parametrize('arrays', DIFFERING.values(), ids=DIFFERING)
def test_files_of_differing_types_are_refused_before_they_are_read(arrays, tmp_path):
    folder = parts(tmp_path / 'parts', *(pa.table({'x': array}) for array in arrays))
    with pytest.raises(PrivateDataError, match="Column 'x' has types that differ") as caught:
        parquet_stream(folder)
    assert SECRET not in str(caught.value)
    synthesizer = Recording(METADATA, structure='none', public_ranges=True)
    with pytest.raises(PrivateDataError, match="Column 'x' has types that differ"):
        synthesizer.fit_table(ds.dataset(folder))


METADATA = Metadata.load_from_dict({
    'tables': {'t': {'columns': {'x': {'sdtype': 'categorical', 'range_values': [1, 2]}}}}
})


@pytest.mark.parametrize(
    'kinds',
    [(pa.int32(), pa.int64()), (pa.int64(), pa.int8()), (pa.null(), pa.int64()),
     (pa.int64(), pa.null()), (pa.int16(), pa.float64())],
    ids=str,
)  # fmt: skip
def test_files_that_can_always_be_read_alike_are(kinds, tmp_path):
    one, two = (pa.array([None] if pa.types.is_null(kind) else [1], kind) for kind in kinds)
    folder = parts(tmp_path / 'parts', pa.table({'x': one}), pa.table({'x': two}))
    synthesizer = Recording(METADATA, structure='none', public_ranges=True)
    synthesizer.fit_table(folder)
    assert synthesizer.recorded.project(('x',)).sum() == 2


def test_texts_beside_a_file_without_any_are_read(tmp_path):
    folder = parts(tmp_path / 'parts', pa.table({'x': pa.nulls(2)}), pa.table({'x': ['a', 'b']}))
    batches = list(parquet_stream(folder).read(['x']))
    assert [v for batch in batches for v in batch.column('x').to_pylist()] == [None, None, 'a', 'b']


def test_a_file_that_breaks_off_is_not_quoted(tmp_path):
    texts = [f'{SECRET}{number}' for number in range(5000)]
    path = tmp_path / 't.parquet'
    pq.write_table(pa.table({'x': texts}), path, compression='snappy', row_group_size=1000)
    content = bytearray(path.read_bytes())
    content[len(content) // 3 : len(content) // 2] = b'\xff' * (
        len(content) // 2 - len(content) // 3
    )
    path.write_bytes(content)
    synthesizer = Recording(METADATA, structure='none', public_ranges=True)
    with pytest.raises(PrivateDataError) as caught:
        synthesizer.fit_table(path)
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__


# -- tables with a log ----------------------------------------------------------------------------

LOGS = {
    'DeltaTable': '_delta_log/00000000000000000000.json',
    'table.scan': 'metadata/00001-ab.metadata.json',
    'hudi': '.hoodie/hoodie.properties',
}


def with_log(folder, log):
    data = folder / 'data' / 'region=1'
    data.mkdir(parents=True)
    pq.write_table(pa.table({'x': [1, 2]}), data / '0.parquet')
    (folder / log).parent.mkdir(parents=True)
    (folder / log).write_text('{}')
    return folder


@pytest.mark.parametrize('reader', LOGS)
@pytest.mark.parametrize(
    'place', ['..', '.', 'data', 'data/region=1', 'data/region=1/0.parquet'], ids=str
)
def test_tables_with_a_log_are_left_to_their_own_readers(reader, place, tmp_path):
    table = with_log(tmp_path / 'lake' / 'table', LOGS[reader])
    synthesizer = Recording(METADATA, structure='none', public_ranges=True)
    for path in (table / place, str(table / place), (table / place).resolve().as_uri()):
        with pytest.raises(PrivateDataError, match=f'deleted and outdated rows.*{reader}'):
            synthesizer.fit_table(path)


def test_so_does_the_command_line(tmp_path, capsys):
    table = with_log(tmp_path / 'table', LOGS['DeltaTable'])
    assert main(['domain', str(table), '--out', str(tmp_path / 'm.json')]) == 2
    assert 'Delta Lake' in capsys.readouterr().err


def test_what_a_reader_of_the_table_gives_is_read(tmp_path):
    """A dataset of chosen files is what Delta's own reader gives."""
    table = with_log(tmp_path / 'table', LOGS['DeltaTable'])
    synthesizer = Recording(METADATA, structure='none', public_ranges=True)
    synthesizer.fit_table(ds.dataset([str(table / 'data' / 'region=1' / '0.parquet')]))
    assert synthesizer.recorded.project(('x',)).sum() == 2


def test_folders_that_are_named_alike_are_no_such_tables(tmp_path):
    folder = parts(tmp_path / 'parts', pa.table({'x': [1, 2]}))
    (folder / '_metadata').mkdir()
    (tmp_path / 'metadata').mkdir()
    (tmp_path / 'metadata' / 'metadata.json').write_text('{}')
    synthesizer = Recording(METADATA, structure='none', public_ranges=True)
    synthesizer.fit_table(folder)
    assert synthesizer.recorded.project(('x',)).sum() == 2
