"""Lists of paths, patterns and CSV files: the same rows, read with the same eyes."""

import bz2
import gzip
import lzma
import tracemalloc

import odd_values
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from census_doors import assert_same_fit
from odd_values import odd_frame, odd_table

from sdv_prefair.counting._csv import CsvFiles
from sdv_prefair.errors import PrivateDataError

pytestmark = pytest.mark.filterwarnings('ignore:seed is given', 'ignore:Nothing of column')
ROWS = 1200
COMPRESS = {
    '': bytes,
    '.gz': gzip.compress,
    '.bz2': bz2.compress,
    '.xz': lzma.compress,
    '.zst': lambda content: pa.Codec('zstd').compress(content, asbytes=True),
}


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp('odd')
    frame = odd_frame(ROWS)
    for number, start in enumerate(range(0, ROWS, 400)):
        part = frame.iloc[start : start + 400]
        content = part.to_csv(index=False).encode()
        for ending, compress in COMPRESS.items():
            (path / f'{number}.csv{ending}').write_bytes(compress(content))
        pq.write_table(pa.Table.from_pandas(part), path / f'{number}.parquet')
    return path


@pytest.fixture(scope='module')
def expected():
    synthesizer = odd_values.new()
    synthesizer.fit({'odd': odd_frame(ROWS)})
    return synthesizer


DOORS = {
    'csv list': lambda f: [f / '0.csv', f / '1.csv', f / '2.csv'],
    'csv pattern': lambda f: f'{f}/*.csv',
    'gz pattern': lambda f: f'{f}/?.csv.gz',
    'mixed compression': lambda f: (f / '0.csv.zst', f / '1.csv.bz2', f / '2.csv.xz'),
    'parquet list': lambda f: [str(f / f'{number}.parquet') for number in range(3)],
    'parquet pattern': lambda f: f / '[0-2].parquet',
}


@pytest.mark.parametrize('door', DOORS)
def test_files_give_the_fit_of_the_frame(door, folder, expected):
    synthesizer = odd_values.new()
    synthesizer.fit_table(DOORS[door](folder))
    assert_same_fit(synthesizer, expected)


def test_files_are_learnt_from_as_the_frame_is(folder):
    """Without public ranges nobody has said that numbers in a CSV file are whole."""
    frame = odd_frame(ROWS)
    for door, columns in (('csv list', {'whole': float}), ('parquet list', {})):
        one, two = (odd_values.new(public_ranges=False) for _ in range(2))
        one.fit({'odd': frame.astype(columns)})
        two.fit_table(DOORS[door](folder))
        assert_same_fit(one, two)


def test_parquet_gives_the_fit_of_the_frame_for_types_that_text_lacks(tmp_path):
    table = odd_table(ROWS)
    pq.write_table(table, tmp_path / 'odd.parquet')
    one, two = (odd_values.new(typed=True) for _ in range(2))
    one.fit({'odd': table.to_pandas(types_mapper=_arrow_types)})
    two.fit_table(tmp_path / 'odd.parquet')
    assert_same_fit(one, two)


def _arrow_types(kind):
    by_kind = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    if pa.types.is_date(kind) or pa.types.is_decimal(kind):
        return pd.ArrowDtype(kind)
    return by_kind.get(kind)


def test_persons_are_bounded_across_files(tmp_path):
    frame = odd_frame(ROWS).assign(person=[f'{n % 37:03}' for n in range(ROWS)])
    columns = odd_values.COLUMNS | {'person': {'sdtype': 'id'}}
    metadata = odd_values.Metadata.load_from_dict({'tables': {'odd': {'columns': columns}}})

    def new():
        return odd_values.PreFairSynthesizer(
            metadata, structure='none', public_ranges=True, seed=1, person_column='person',
            max_rows_per_person=3, epsilon=9.0,
        )  # fmt: skip

    for number, start in enumerate(range(0, ROWS, 25)):
        frame.iloc[start : start + 25].to_csv(tmp_path / f'{number:02}.csv', index=False)
    one, two = new(), new()
    one.fit({'odd': frame})
    two.fit_table(f'{tmp_path}/*.csv')
    assert_same_fit(one, two)


def test_a_list_of_hive_folders_has_their_columns(tmp_path):
    frame = odd_frame(ROWS)
    for code, rows in frame.dropna(subset=['code']).groupby('code'):
        (tmp_path / f'code={code}').mkdir()
        rows.drop(columns='code').to_parquet(tmp_path / f'code={code}' / 'x.parquet', index=False)
    one, two = odd_values.new(), odd_values.new()
    one.fit({'odd': frame.dropna(subset=['code'])})
    two.fit_table([tmp_path / name for name in sorted(p.name for p in tmp_path.iterdir())])
    assert_same_fit(one, two)


REFUSED = {
    'twice': (lambda f: [f / '0.csv', f / '1.csv', f / '0.csv'], 'would count twice'),
    'by a pattern': (lambda f: [f / '0.parquet', f'{f}/*.parquet'], 'would count twice'),
    'by its folder': (lambda f: [f / 'p', f / 'p' / '0.parquet'], 'would count twice'),
    'by a link': (lambda f: [f / '0.csv', f / 'link.csv'], 'would count twice'),
    'both kinds': (lambda f: [f / '0.csv', f / '0.parquet'], 'files of one kind'),
    'no match': (lambda f: f'{f}/*.tsv', 'No path matches'),
    'pattern in a URI': (lambda f: 's3://bucket/*.parquet', 'cannot be searched'),
    'CSV in a URI': (lambda f: 's3://bucket/x.csv', 'are read from local paths'),
    'columns differ': (lambda f: [f / '0.csv', f / 'fewer.csv'], "'day' is in some files"),
    'no names': (lambda f: f / 'nameless.csv', 'must hold the column names'),
    'empty': (lambda f: f / 'nothing.csv', 'is empty'),
    'no gzip': (lambda f: f / 'plain.csv.gz', 'cannot be read as CSV'),
    'an empty list': (lambda f: [], 'cannot read a list'),
}


@pytest.mark.parametrize('case', REFUSED)
def test_paths_that_are_no_table_are_refused(case, folder):
    (folder / 'p').mkdir(exist_ok=True)
    (folder / 'p' / '0.parquet').write_bytes((folder / '0.parquet').read_bytes())
    if not (folder / 'link.csv').exists():
        (folder / 'link.csv').hardlink_to(folder / '0.csv')
    odd_frame(9).drop(columns='day').to_csv(folder / 'fewer.csv', index=False)
    (folder / 'nameless.csv').write_bytes(b'a,007,1.5,7,True,01.02.2020\n' * 9)
    (folder / 'nothing.csv').write_bytes(b'')
    (folder / 'plain.csv.gz').write_bytes(b'a,b\n1,2\n')
    make, message = REFUSED[case]
    try:
        with pytest.raises(PrivateDataError, match=message):
            odd_values.new().fit_table(make(folder))
    finally:
        (folder / 'link.csv').unlink()
        for name in ('fewer.csv', 'nameless.csv', 'nothing.csv', 'plain.csv.gz'):
            (folder / name).unlink()
        (folder / 'p' / '0.parquet').unlink()
        (folder / 'p').rmdir()


def test_memory_does_not_grow_with_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr('sdv_prefair.counting._csv._BLOCK_BYTES', 1 << 18)
    content = odd_frame(4000).to_csv(index=False).encode()
    header, _, rows = content.partition(b'\n')

    def peak(times):
        (tmp_path / 'x.csv').write_bytes(header + b'\n' + rows * times)
        files = CsvFiles([tmp_path / 'x.csv'], odd_values.COLUMNS)
        tracemalloc.start()
        num_rows = sum(len(part) for part in files.parts(files.names))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert num_rows == 4000 * times
        return found

    assert peak(12) < 1.3 * peak(4)
