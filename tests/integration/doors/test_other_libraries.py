"""Tables of Delta Lake, Iceberg, Dask and Ray, each read as its own library reads it."""

import base64
import json

import odd_values
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from census_doors import assert_same_fit
from odd_values import odd_frame, odd_table

from sdv_prefair.errors import PrivateDataError

pytestmark = pytest.mark.filterwarnings('ignore:seed is given', 'ignore:Nothing of column')
ROWS = 900
GONE = 300  # rows that are deleted, the first ones
TABLE = odd_table(ROWS).append_column('row', pa.array(range(ROWS)))
KEPT = TABLE.slice(GONE)


def new(row=None, **changes):
    row = row or {'sdtype': 'numerical', 'range_min': 0, 'range_max': 900}
    columns = odd_values.COLUMNS | odd_values.TYPED | {'row': row}
    metadata = odd_values.Metadata.load_from_dict({'tables': {'odd': {'columns': columns}}})
    arguments = {'structure': 'none', 'public_ranges': True, 'seed': 1, 'epsilon': 9.0}
    return odd_values.PreFairSynthesizer(metadata, **(arguments | changes))


@pytest.fixture(scope='module')
def expected():
    synthesizer = new()
    synthesizer.fit_table(KEPT)
    return synthesizer


def delta(folder, table=TABLE):
    deltalake = pytest.importorskip('deltalake', reason='deltalake is not installed')
    deltalake.write_deltalake(folder, table)
    return deltalake.DeltaTable(folder)


def with_deletion_vector(folder):
    """Write a table whose log says, in a bitmap, which rows of its one file are gone."""
    pyroaring = pytest.importorskip('pyroaring', reason='pyroaring is not installed')
    table = delta(folder)
    table.alter.add_feature(
        pytest.importorskip('deltalake').TableFeatures.DeletionVectors,
        allow_protocol_versions_increase=True,
    )
    (log,) = (folder / '_delta_log').glob('*0.json')
    (added,) = [json.loads(line)['add'] for line in log.open() if '"add"' in line]
    bitmap = pyroaring.BitMap64(range(GONE)).serialize()
    vector = (1681511377).to_bytes(4, 'little') + bitmap
    vector += b'\0' * (-len(vector) % 4)
    marked = added | {
        'deletionVector': {
            'storageType': 'i',
            'pathOrInlineDv': _z85(vector),
            'sizeInBytes': len(vector),
            'cardinality': GONE,
        }
    }
    removed = {'path': added['path'], 'deletionTimestamp': 1, 'dataChange': True}
    lines = [json.dumps({'remove': removed}), json.dumps({'add': marked})]
    (folder / '_delta_log' / f'{2:020}.json').write_text('\n'.join(lines))
    return pytest.importorskip('deltalake').DeltaTable(folder)


def _z85(content):
    letters = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
    python = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~'
    return (
        base64
        .b85encode(content)
        .decode()
        .translate(str.maketrans(python, letters + '.-:+=^!/*?&<>()[]{}@%$#'))
    )


def test_rows_deleted_from_a_delta_table_are_not_counted(tmp_path, expected):
    table = delta(tmp_path / 'delta')
    table.delete(f'row < {GONE}')
    synthesizer = new()
    synthesizer.fit_table(table)
    assert_same_fit(synthesizer, expected)
    with pytest.raises(PrivateDataError, match='belongs to a table of Delta Lake'):
        new().fit_table(tmp_path / 'delta')


def test_deletion_vectors_are_obeyed(tmp_path, expected):
    table = with_deletion_vector(tmp_path / 'delta')
    synthesizer = new()
    synthesizer.fit_table(table)
    assert_same_fit(synthesizer, expected)


def test_deletion_vectors_are_refused_where_the_order_of_rows_counts(tmp_path):
    table = with_deletion_vector(tmp_path / 'delta')
    with pytest.raises(PrivateDataError, match='in no certain order'):
        new({'sdtype': 'id'}, person_column='row').fit_table(table)


def test_a_column_added_to_a_delta_table_is_null_in_older_rows(tmp_path):
    table = delta(tmp_path / 'delta', TABLE.drop_columns('flag'))
    deltalake = pytest.importorskip('deltalake')
    deltalake.write_deltalake(tmp_path / 'delta', TABLE, mode='append', schema_mode='merge')
    nulls = pa.nulls(ROWS, pa.bool_())
    place = TABLE.column_names.index('flag')
    old = TABLE.set_column(place, 'flag', nulls)
    one, two = new(), new()
    one.fit_table(pa.concat_tables([old, TABLE]))
    two.fit_table(deltalake.DeltaTable(tmp_path / 'delta'))
    assert_same_fit(one, two)
    assert table.version() == 0


def test_rows_deleted_from_an_iceberg_table_are_not_counted(tmp_path, expected):
    catalogs = pytest.importorskip('pyiceberg.catalog.sql', reason='pyiceberg is not installed')
    catalog = catalogs.SqlCatalog(
        'x', uri=f'sqlite:///{tmp_path}/catalog.db', warehouse=f'file://{tmp_path}'
    )
    catalog.create_namespace('x')
    place = TABLE.column_names.index('instant')
    instant = TABLE['instant'].cast(pa.timestamp('us', 'UTC'))
    table = catalog.create_table('x.odd', TABLE.set_column(place, 'instant', instant).schema)
    table.append(TABLE.set_column(place, 'instant', instant))
    table.delete(f'row < {GONE}')
    for opened in (table, table.scan()):
        synthesizer = new()
        synthesizer.fit_table(opened)
        assert_same_fit(synthesizer, expected)
    with pytest.raises(PrivateDataError, match='belongs to a table of Apache Iceberg'):
        new().fit_table(next(tmp_path.rglob('*.parquet')))


@pytest.mark.parametrize('public_ranges', [True, False])
def test_a_dask_frame_gives_the_fit_of_the_frame(public_ranges):
    dask = pytest.importorskip('dask.dataframe', reason='dask is not installed')
    frame = odd_frame(ROWS).astype({'text': 'string[pyarrow]', 'day': 'category'})
    one, two = (odd_values.new(public_ranges=public_ranges) for _ in range(2))
    one.fit({'odd': frame})
    two.fit_table(dask.from_pandas(frame, npartitions=4))
    assert_same_fit(one, two)


def test_partitions_of_other_types_than_dask_says_are_read_as_it_says():
    dask = pytest.importorskip('dask.dataframe', reason='dask is not installed')
    frame = odd_frame(90)
    described = dask.from_pandas(frame, npartitions=2)
    changed = described.map_partitions(
        lambda part: part.astype({'whole': 'float64', 'flag': object}), meta=described._meta
    )
    one, two = odd_values.new(), odd_values.new()
    one.fit({'odd': frame})
    two.fit_table(changed)
    assert_same_fit(one, two)


@pytest.fixture(scope='module')
def ray_data():
    ray = pytest.importorskip('ray', reason='ray is not installed')
    data = pytest.importorskip('ray.data', reason='ray is not installed')
    ray.init(
        num_cpus=1, include_dashboard=False, log_to_driver=False, object_store_memory=100 * 2**20
    )
    yield data
    ray.shutdown()


@pytest.mark.slow
def test_a_ray_dataset_gives_the_fit_of_the_table(expected, ray_data):
    synthesizer = new()
    synthesizer.fit_table(ray_data.from_arrow([KEPT.slice(0, 200), KEPT.slice(200)]))
    assert_same_fit(synthesizer, expected)


@pytest.mark.slow
@pytest.mark.parametrize('form', ['pyarrow', 'pandas'])
def test_a_ray_dataset_is_computed_when_it_is_read(expected, ray_data, tmp_path, form):
    pq.write_table(TABLE.slice(0, 500), tmp_path / '0.parquet')
    pq.write_table(TABLE.slice(500), tmp_path / '1.parquet')
    dataset = ray_data.read_parquet(str(tmp_path))
    dataset = dataset.map_batches(lambda part: part[part['row'] >= GONE], batch_format='pandas')
    if form == 'pyarrow':
        dataset = dataset.map_batches(lambda part: part, batch_format='pyarrow')
    synthesizer = new()
    synthesizer.fit_table(dataset)
    assert_same_fit(synthesizer, expected)


@pytest.mark.slow
def test_blocks_of_ray_whose_types_nulls_have_changed(ray_data):
    whole = odd_frame(ROWS)
    parts = [whole[:1].convert_dtypes(), whole[1:400].astype({'whole': 'float64'}), whole[400:]]
    parts[0] = parts[0].astype({'whole': 'Int64', 'flag': 'boolean', 'number': 'float64'})
    nulls = pa.table({name: pa.nulls(7) for name in whole})
    for blocks in (
        ray_data.from_pandas(parts),
        ray_data.from_arrow([pa.Table.from_pandas(whole, preserve_index=False), nulls]),
    ):
        one, two = odd_values.new(), odd_values.new()
        rows = [whole, pd.DataFrame(index=range(blocks.count() - ROWS), columns=whole.columns)]
        one.fit({'odd': pd.concat(rows, ignore_index=True).astype(whole.dtypes)})
        two.fit_table(blocks)
        assert_same_fit(one, two)


REFUSED = {
    'pandas': (lambda: odd_frame(3), 'goes to fit'),
    'an array': (lambda: odd_frame(3).to_numpy(), 'Make a pandas DataFrame'),
    'a dictionary': (lambda: {'odd': odd_frame(3)}, 'cannot read a dict'),
    'a series': (lambda: pd.Series([1]), 'cannot read a Series'),
}


@pytest.mark.parametrize('case', REFUSED)
def test_what_is_no_table_is_refused_by_its_type_and_told_the_way(case):
    make, message = REFUSED[case]
    with pytest.raises(PrivateDataError, match=message):
        odd_values.new().fit_table(make())
