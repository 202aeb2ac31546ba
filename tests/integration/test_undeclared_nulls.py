"""Nulls that are not declared: what can be read keeps its shares, and no null comes back."""

import duckdb
import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer

# All columns follow one number, so some nearly copy others.
pytestmark = pytest.mark.filterwarnings(
    *('ignore:seed is given', 'ignore:Most rows of', 'ignore:Admissible columns are near'),
    'ignore:Columns without a role are near',
)
NUM_ROWS = 3000
DECLARED = {'range_is_nullable': False}
DAYS = {'range_min': '2020-01-01', 'range_max': '2020-01-12', 'datetime_format': '%Y-%m-%d'}
COLUMNS = {
    'age': {'sdtype': 'numerical', 'range_min': 18, 'range_max': 40, 'decimal_places': 0},
    'wage': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 1},
    'sex': {'sdtype': 'categorical', 'range_values': ['f', 'm', 'x']},
    'rank': {'sdtype': 'ordinal', 'range_values': ['a', 'b', 'c']},
    'paid': {'sdtype': 'boolean'},
    'hired': {'sdtype': 'datetime'} | DAYS,
}
ROLES = {'protected': ['sex'], 'admissible': ['age', 'rank'], 'outcome': ['paid']}


def rows(generator, missing):
    """Return a table in which what is missing hangs together with everything else."""
    latent = generator.random(NUM_ROWS)

    def following(values, noise=0.4):
        place = np.clip(latent + noise * (generator.random(NUM_ROWS) - 0.5), 0, 0.999)
        return np.array(values, dtype=object)[(place * len(values)).astype(int)]

    table = pd.DataFrame({
        'age': following(list(range(18, 41))),
        'wage': following(np.linspace(0.01, 0.99, 32).tolist()),
        'sex': following(['f', 'f', 'm', 'm', 'x']),
        'rank': following(['a', 'b', 'b', 'c']),
        'paid': following([False, True, True]),
        'hired': following([f'2020-01-{day:02}' for day in range(1, 13)]),
    })
    for column, share in missing.items():
        table.loc[generator.random(NUM_ROWS) < 2 * share * latent, column] = None
    return table


def fitted(table, **arguments):
    columns = {name: about | DECLARED for name, about in COLUMNS.items()}
    metadata = Metadata.load_from_dict({'tables': {'staff': {'columns': columns}}})
    arguments = {'epsilon': 1000.0, 'public_ranges': True, **ROLES} | arguments
    synthesizer = PreFairSynthesizer(metadata, **arguments)
    if isinstance(table, pd.DataFrame):
        synthesizer.fit({'staff': table})
    else:
        synthesizer.fit_table(table)
    return synthesizer


def typed(table):
    """Return the table with the dtypes that databases and files give it."""
    dtypes = {'age': 'Int64', 'wage': 'Float64', 'paid': 'boolean', 'sex': 'str', 'rank': 'str'}
    days = pd.to_datetime(table['hired']).astype('datetime64[us]')
    return table.astype({c: d for c, d in dtypes.items() if d != 'str'}).assign(hired=days)


def in_database(arrow, folder):
    pq.write_table(arrow, folder / 'staff.parquet')
    return ibis.duckdb.connect().read_parquet(folder / 'staff.parquet', table_name='staff')


def coarse(column):
    if column.name == 'wage':  # bins are all that was measured
        return (column.astype(float) * 32).astype(float).floordiv(1).clip(upper=31)
    return column.astype(str)


@pytest.mark.slow
@given(
    st.fixed_dictionaries({column: st.sampled_from([0, 0.1, 0.45]) for column in COLUMNS}),
    st.integers(0, 2**16),
)
def test_what_can_be_read_keeps_its_shares(missing, seed):
    table = rows(np.random.default_rng(seed), missing)
    sampled = fitted(table, epsilon=100.0).sample(4 * NUM_ROWS)['staff']
    assert not sampled.isna().any(axis=None)
    for column in COLUMNS:
        readable = table[column].dropna()
        found = coarse(sampled[column]).value_counts(normalize=True)
        expected = coarse(readable).value_counts(normalize=True)
        apart = found.sub(expected, fill_value=0).abs()
        # Rows of hidden cells are dealt out one by one, which moves fewer than one in a hundred.
        assert apart.max() < 0.012, (column, missing)


def test_nothing_is_left_to_read():
    table = rows(np.random.default_rng(0), {}).assign(age=None, rank=None)
    sampled = fitted(table).sample(2000)['staff']
    assert not sampled.isna().any(axis=None)
    assert sampled['age'].between(18, 40).all()
    assert set(sampled['rank']) <= {'a', 'b', 'c'}


def test_values_that_are_not_listed_do_not_swell_the_rarest_one():
    generator = np.random.default_rng(0)
    table = rows(generator, {})
    table.loc[generator.random(NUM_ROWS) < 0.4, 'sex'] = 'unlisted'
    shares = fitted(table).sample(4 * NUM_ROWS)['staff']['sex'].value_counts(normalize=True)
    listed = table['sex'][table['sex'] != 'unlisted'].value_counts(normalize=True)
    assert (shares - listed).abs().max() < 0.012


@pytest.fixture(scope='module')
def frame():
    return typed(rows(np.random.default_rng(5), dict.fromkeys(COLUMNS, 0.3)))


@pytest.mark.parametrize('door', ['arrow', 'duckdb', 'ibis', 'batches'])
def test_every_door_hides_the_same_rows(door, frame, tmp_path):
    arrow = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    if door == 'ibis':
        table = in_database(arrow, tmp_path)
    elif door == 'duckdb':
        table = duckdb.sql('SELECT * FROM arrow')
    else:
        table = arrow if door == 'arrow' else arrow.to_reader(max_chunksize=500)
    # A reader is read once, so there is no look at it before it is counted.
    bins = {'discretization': 'uniform' if door == 'batches' else 'private'}
    one, two = fitted(frame, seed=3, **bins), fitted(table, seed=3, **bins)
    assert one._model.domain == two._model.domain
    for first, second in zip(one._model.measurements, two._model.measurements, strict=True):
        assert first.columns == second.columns
        assert np.array_equal(first.values, second.values)


def test_counts_of_queries_and_arrays_without_a_hidden_cell(frame):
    """Queries have rows of the hidden code; arrays may leave out a cell for it."""
    synthesizer = fitted(frame, seed=3, discretization='uniform')
    connection = duckdb.connect()
    connection.register('staff', frame)
    queries = synthesizer.count_queries()
    answers = {clique: connection.sql(query).df() for clique, query in queries.items()}
    codes = answers['age',]
    assert codes['age'].max() == synthesizer.get_transformers()['age'].num_codes
    same = PreFairSynthesizer(synthesizer.get_metadata(), **(synthesizer.get_parameters()))
    same.fit_counts(answers)
    for first, second in zip(
        synthesizer._model.measurements, same._model.measurements, strict=True
    ):
        assert np.array_equal(first.values, second.values)
    sizes = {c: t.num_codes for c, t in synthesizer.get_transformers().items()}
    even = {clique: np.zeros([sizes[c] for c in clique], dtype=int) for clique in queries}
    for array in even.values():
        array.ravel()[0] = 50
    other = PreFairSynthesizer(synthesizer.get_metadata(), **(synthesizer.get_parameters()))
    other.fit_counts(even)
    assert other.sample(10)['staff'].notna().all(axis=None)


@pytest.mark.parametrize('dtype', ['int64', 'Int64', 'int32', 'uint8', 'int64[pyarrow]'])
@pytest.mark.parametrize('door', ['frame', 'arrow', 'ibis'])
def test_numbers_of_a_whole_dtype_come_back_whole(dtype, door, tmp_path):
    """Without ``decimal_places`` in the metadata, and without a word about nulls."""
    described = {'sdtype': 'numerical', 'range_min': 0, 'range_max': 200}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': {'x': described}}}})
    frame = pd.DataFrame({'x': pd.Series(np.arange(400) % 201).astype(dtype)})
    synthesizer = PreFairSynthesizer(metadata, epsilon=100.0, public_ranges=True, structure='none')
    if door == 'frame':
        synthesizer.fit({'t': frame})
    else:
        arrow = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
        table = arrow if door == 'arrow' else in_database(arrow, tmp_path)
        synthesizer.fit_table(table)
    drawn = synthesizer.sample(500)['t']['x'].dropna().astype(float)
    assert (drawn == drawn.round()).all()
    assert drawn.nunique() > 50
