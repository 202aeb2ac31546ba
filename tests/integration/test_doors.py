"""Every door leads to the same fit, and one that is shut leaves everything as it was."""

import copy
import pickle
import warnings

import duckdb
import ibis
import mixed_arrow
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from mixed_arrow import in_pandas
from sdv.cag import FixedCombinations, Inequality
from sdv.errors import InvalidDataError, SynthesizerInputError
from sdv.metadata import Metadata
from walk import differing_paths

from sdv_prefair import PreFairSynthesizer, PrivacyWarning
from sdv_prefair.datasets import simulate_census
from sdv_prefair.errors import DomainError, PrivateDataError

pytestmark = pytest.mark.filterwarnings(
    'ignore:seed is given', 'ignore:Nothing of column', 'ignore:fetch_arrow_table'
)

CENSUS = simulate_census(4000, seed=0)
FRAME = CENSUS.data['census']
# As databases have it: whole numbers and booleans that might be null.
NULLABLE = FRAME.astype({'age': 'Int64', 'hours': 'Int64', 'home_owner': 'boolean'})
ARROW = pa.Table.from_pandas(NULLABLE, preserve_index=False).replace_schema_metadata(None)


def new(**changes):
    arguments = {'public_ranges': True, 'seed': 7, **CENSUS.roles.as_dict()}
    return PreFairSynthesizer(CENSUS.metadata, **(arguments | changes))


def assert_same_fit(one, two):
    assert one.get_privacy_ledger().equals(two.get_privacy_ledger())
    assert one._encoding.domain == two._encoding.domain
    for first, second in zip(one._model.measurements, two._model.measurements, strict=True):
        assert first.columns == second.columns
        assert np.array_equal(first.values, second.values)
    sampled = one.sample(50)['census'] if 'census' in one.metadata.tables else None
    if sampled is not None:
        pd.testing.assert_frame_equal(sampled, two.sample(50)['census'], check_dtype=False)


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp('tables')
    (path / 'parts').mkdir()
    pq.write_table(ARROW, path / 'census.parquet')
    for part in range(3):
        pq.write_table(ARROW.slice(part * 1500, 1500), path / 'parts' / f'{part}.parquet')
    return path


def ibis_table(folder):
    return ibis.duckdb.connect().read_parquet(folder / 'census.parquet', table_name='census')


READABLE_AGAIN = {
    'parquet file': lambda folder: folder / 'census.parquet',
    'parquet folder': lambda folder: str(folder / 'parts'),
    'arrow dataset': lambda folder: ds.dataset(folder / 'parts'),
    'arrow table': lambda _: ARROW,
    'duckdb relation': lambda folder: duckdb.sql(f"SELECT * FROM '{folder / 'census.parquet'}'"),
    'polars frame': lambda _: pl.from_arrow(ARROW),
    'polars lazy frame': lambda folder: pl.scan_parquet(folder / 'census.parquet'),
    'ibis table': ibis_table,
}
ALL = READABLE_AGAIN | {'arrow reader': lambda _: ARROW.to_reader(max_chunksize=300)}


@pytest.fixture(scope='module')
def fitted():
    synthesizer = new()
    synthesizer.fit(CENSUS.data)
    return synthesizer


@pytest.fixture(scope='module')
def learnt():
    synthesizer = new(public_ranges=False, epsilon=5)
    synthesizer.fit({'census': NULLABLE})
    return synthesizer


@pytest.mark.parametrize('door', ALL)
def test_every_door_gives_the_model_of_fit(door, folder, fitted):
    synthesizer = new()
    synthesizer.fit_table(ALL[door](folder))
    assert_same_fit(synthesizer, copy.deepcopy(fitted))


@pytest.mark.parametrize('door', READABLE_AGAIN)
def test_every_door_learns_what_fit_learns(door, folder, learnt):
    synthesizer = new(public_ranges=False, epsilon=5)
    synthesizer.fit_table(READABLE_AGAIN[door](folder))
    assert_same_fit(synthesizer, copy.deepcopy(learnt))


def test_a_frame_that_pandas_has_written_is_the_frame(tmp_path):
    """Its dtypes are in the file: whole numbers of numpy's are never null."""
    FRAME.to_parquet(tmp_path / 'census.parquet')
    one, two = (new(public_ranges=False, epsilon=5) for _ in range(2))
    one.fit(CENSUS.data)
    two.fit_table(tmp_path / 'census.parquet')
    assert_same_fit(one, two)
    assert two.sample(5)['census'].dtypes.equals(one.sample(5)['census'].dtypes)


def test_all_types_of_columns_give_the_model_of_fit():
    table = mixed_arrow.random_table(500, np.random.default_rng(5))
    frame = in_pandas(table)

    def mixed():
        return PreFairSynthesizer(
            mixed_arrow.metadata(), structure='none', public_ranges=True, seed=1, numeric_bins=9
        )

    expected = mixed()
    expected.fit({'mixed': frame})
    database = ibis.duckdb.connect()
    database.con.register('arrow', table)
    for opened in (table, table.to_reader(11), pl.from_arrow(table), database.table('arrow')):
        synthesizer = mixed()
        synthesizer.fit_table(opened)
        assert_same_fit(synthesizer, expected)
        assert synthesizer.sample(9)['mixed'].dtypes.equals(expected.sample(9)['mixed'].dtypes)


def test_nothing_but_the_noise_is_private_in_what_is_kept(folder):
    """As after fit: tables that differ by a row leave the same object but for the noisy model."""
    one, two = new(), new()
    one.fit_table(ARROW)
    two.fit_table(ARROW.slice(1))
    allowed = ('._model', '._ledger._debits', '._synthesizer_id')
    assert not {p for p in differing_paths(one, two) if not p.startswith(allowed)}
    pickle.loads(pickle.dumps(one)).sample(3)


# -- what is wrong is said, and changes nothing ---------------------------------------------------


def state(synthesizer):
    return pickle.dumps(synthesizer._model), synthesizer.get_privacy_ledger().to_csv()


def broken_reader():
    def batches():
        yield from ARROW.to_batches(max_chunksize=1000)[:2]
        raise OSError('Zyzzyva')

    return pa.RecordBatchReader.from_batches(ARROW.schema, batches())


def broken_relation():
    return duckdb.sql("SELECT * REPLACE (CAST(age || 'Zyzzyva' AS BIGINT) AS age) FROM ARROW")


WRONG = {
    'reader breaks off': (broken_reader, r'could not be read to its end \(OSError\)'),
    'query fails': (broken_relation, 'could not be .*Exception'),
    'no such file': (lambda: 'nowhere.parquet', 'FileNotFoundError'),
    'no table at all': (lambda: 42, 'cannot read a int'),
    'pandas': (lambda: FRAME, 'goes to fit'),
    'missing column': (lambda: ARROW.drop_columns(['age']), r"\['age'\] are in the metadata"),
    'unknown column': (lambda: ARROW.append_column('x', ARROW['age']), r"\['x'\] are in the data"),
    'column twice': (lambda: ARROW.append_column('age', ARROW['age']), 'more than once'),
    'text for numbers': (
        lambda: ARROW.set_column(4, 'age', ARROW['age'].cast(pa.string())),
        "'age' is declared as 'numerical'",
    ),
    'times for dates': (
        lambda: ARROW.set_column(12, 'interview_date', ARROW['home_owner']),
        "'interview_date' is declared as 'datetime'",
    ),
    'no rows': (lambda: ARROW.slice(0, 0), 'has no rows'),
}


@pytest.mark.parametrize('case', WRONG)
@pytest.mark.parametrize('first', ['fitted', 'not fitted'])
def test_a_table_that_cannot_be_counted_changes_nothing(case, first, fitted):
    synthesizer = copy.deepcopy(fitted) if first == 'fitted' else new()
    before = dict(synthesizer.__dict__)
    kept = state(synthesizer) if first == 'fitted' else None
    make, message = WRONG[case]
    with pytest.raises(InvalidDataError, match=message) as caught:
        synthesizer.fit_table(make())
    assert 'Zyzzyva' not in str(caught.value)
    assert synthesizer.__dict__ == before
    if kept:
        assert state(synthesizer) == kept
        assert len(synthesizer.sample(3)['census']) == 3


def test_what_the_user_handed_over_stays_the_same_object():
    synthesizer = new()
    synthesizer.fit_table(ARROW)
    assert synthesizer.metadata is CENSUS.metadata
    for name, value in new().get_parameters().items():
        assert synthesizer.get_parameters()[name] == value


def test_a_reader_that_is_spent_cannot_be_learnt_from():
    reader = ARROW.to_reader()
    synthesizer = new(public_ranges=False)
    with pytest.raises(PrivateDataError, match=r"(?s)'age'.*read only once.*Declare"):
        synthesizer.fit_table(reader)
    assert reader.read_all().num_rows == ARROW.num_rows, 'nothing was read'


def test_a_seed_is_warned_of_and_no_rows_are_logged(caplog):
    with pytest.warns(PrivacyWarning, match='seed is given'), caplog.at_level('DEBUG'):
        new().fit_table(ARROW)
    assert str(ARROW.num_rows) not in caplog.text


def test_too_large_a_histogram_is_refused_before_rows_are_read():
    values = [f'v{i}' for i in range(4000)]
    column = {'sdtype': 'categorical', 'range_values': values}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': {'a': column, 'b': column}}}})
    synthesizer = PreFairSynthesizer(metadata, structure='none', public_ranges=True)
    reader = pa.table({'a': ['v1'], 'b': ['v2']}).to_reader()
    with pytest.raises(DomainError, match="'a' has 4,002 codes"):
        synthesizer.fit_table(reader)


# -- persons ---------------------------------------------------------------------------------------

PERSONS = ARROW.set_column(0, 'person_id', pa.array([f'P{i % 1500:08}' for i in range(4000)]))


def test_rows_of_persons_are_bounded_as_in_fit(folder):
    # What comes first in the table comes first in comparison too, so all doors agree.
    rows = PERSONS.sort_by(
        [('person_id', 'ascending')] + [(c, 'ascending') for c in PERSONS.column_names[1:]]
    )
    bounded = {'person_column': 'person_id', 'max_rows_per_person': 2}
    metadata = CENSUS.metadata.copy()
    metadata.tables['census'].primary_key = None

    def with_persons():
        return PreFairSynthesizer(
            metadata, public_ranges=True, seed=2, **CENSUS.roles.as_dict(), **bounded
        )

    expected = with_persons()
    expected.fit({'census': rows.to_pandas()})
    database = ibis.duckdb.connect()
    database.con.register('arrow', rows)
    for opened in (rows, rows.to_reader(77), pl.from_arrow(rows), database.table('arrow')):
        synthesizer = with_persons()
        synthesizer.fit_table(opened)
        assert_same_fit(synthesizer, copy.deepcopy(expected))
    database.con.execute('CREATE TABLE census AS SELECT * FROM arrow')
    synthesizer = with_persons()
    queries = synthesizer.count_queries()
    synthesizer.fit_counts({k: database.con.sql(sql).df() for k, sql in queries.items()})
    assert_same_fit(synthesizer, copy.deepcopy(expected))


# -- constraints -----------------------------------------------------------------------------------


def constrained(public_ranges=True):
    columns = {
        'low': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 50, 'decimal_places': 0},
        'high': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 90, 'decimal_places': 0},
        'city': {'sdtype': 'categorical', 'range_values': ['Rome', 'Oslo', 'Bern']},
        'country': {'sdtype': 'categorical', 'range_values': ['IT', 'NO', 'CH']},
        'other': {'sdtype': 'categorical', 'range_values': ['u', 'v']},
    }
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    synthesizer = PreFairSynthesizer(
        metadata, epsilon=5, structure='none', public_ranges=public_ranges, seed=3
    )
    synthesizer.add_constraints([
        Inequality('low', 'high'),
        FixedCombinations(['city', 'country']),
    ])
    return synthesizer


def constrained_rows(num_rows):
    rng = np.random.default_rng(0)
    low, place = rng.integers(0, 51, num_rows), rng.integers(0, 3, num_rows)
    return pd.DataFrame({
        'low': pd.array(low, dtype='Int64'),
        'high': pd.array(low + rng.integers(0, 40, num_rows), dtype='Int64'),
        'city': np.array(['Rome', 'Oslo', 'Bern'], dtype=object)[place],
        'country': np.array(['IT', 'NO', 'CH'], dtype=object)[place],
        'other': rng.choice(np.array(['u', 'v', None], dtype=object), num_rows),
    })


def test_constraints_hold_behind_every_door_that_can_keep_them():
    frame = constrained_rows(3000)
    table = pa.Table.from_pandas(frame).replace_schema_metadata(None)
    expected = constrained()
    expected.fit({'t': frame})
    for opened in (table, pl.from_arrow(table)):
        synthesizer = constrained()
        synthesizer.fit_table(opened)
        assert_same_fit(synthesizer, expected)
        sampled = synthesizer.sample(100)['t']
        assert (sampled['low'] <= sampled['high']).dropna().all()
        assert set(zip(sampled['city'], sampled['country'], strict=True)) <= {
            ('Rome', 'IT'), ('Oslo', 'NO'), ('Bern', 'CH')
        }  # fmt: skip
    with pytest.raises(SynthesizerInputError, match='to_pyarrow_batches'):
        constrained().fit_table(ibis.memtable(table))
    with pytest.raises(DomainError, match='needs the ranges of all columns'):
        constrained().count_queries()


# -- counts ----------------------------------------------------------------------------------------


@pytest.fixture(scope='module')
def answers(folder):
    database = duckdb.connect()
    database.execute(f"CREATE TABLE census AS SELECT * FROM '{folder / 'census.parquet'}'")
    queries = new().count_queries()
    return {clique: database.sql(sql).df() for clique, sql in queries.items()}


def test_the_users_own_queries_give_the_model_of_fit(answers, fitted):
    synthesizer = new()
    synthesizer.fit_counts(answers)
    assert_same_fit(synthesizer, copy.deepcopy(fitted))


def test_arrays_do_as_well_in_any_order_of_columns(answers, fitted):
    synthesizer = new()
    domain = fitted._encoding.domain
    arrays = {}
    for clique, frame in answers.items():
        array = np.zeros([domain[column] for column in clique], dtype=int)
        array[tuple(frame[column] for column in clique)] = frame['count']
        arrays[clique[::-1] if len(clique) > 1 else clique[0]] = array.T
    synthesizer.fit_counts(arrays)
    assert_same_fit(synthesizer, copy.deepcopy(fitted))


def test_queries_are_those_of_the_declared_histograms_only():
    queries = new(structure='greedy').count_queries()
    columns = [c for c in FRAME if c not in ('person_id', 'email')]
    assert {clique for clique in queries if len(clique) == 1} == {(c,) for c in columns}
    assert not {frozenset(('sex', 'income')), frozenset(('race', 'income'))} & set(
        map(frozenset, queries)
    )
    assert '-- sex x education\n' in str(queries)
    assert 'email' not in str(queries)
    assert 'GROUP BY' in new().count_queries('postgres')['sex',]


def changed(answers, clique, change):
    return answers | {clique: change(answers[clique].copy())}


def drop_a_row(frame):
    return frame.iloc[1:]


PAIR = ('sex', 'education')
WRONG_COUNTS = {
    'no mapping': (lambda a: [1], 'must be a dictionary'),
    'missing': (lambda a: {k: v for k, v in a.items() if k != ('age',)}, r"\[\['age'\]\] are miss"),
    'not declared': (lambda a: a | {('sex', 'income'): a['sex',]}, 'must not be given'),
    'twice': (lambda a: a | {PAIR[::-1]: a[PAIR]}, 'hold a clique twice'),
    'margins': (lambda a: changed(a, PAIR, drop_a_row), "do not add up to those of 'sex'"),
    'single': (lambda a: changed(a, ('age',), drop_a_row), "do not add up to those of 'age'"),
    'columns': (lambda a: changed(a, PAIR, lambda f: f.drop(columns='sex')), 'have the columns'),
    'negative': (lambda a: changed(a, PAIR, lambda f: f.assign(count=-1)), 'whole numbers'),
    'fractions': (lambda a: changed(a, PAIR, lambda f: f.assign(count=0.5)), 'whole numbers'),
    'no numbers': (lambda a: changed(a, PAIR, lambda f: f.assign(sex='male')), 'whole numbers'),
    'codes': (lambda a: changed(a, PAIR, lambda f: f.assign(sex=f['sex'] + 9)), "codes of 'sex'"),
    'shape': (lambda a: a | {('sex',): np.ones(2, dtype=int)}, r'must have the shape \(3,\)'),
    'empty': (
        lambda a: {k: v.assign(count=0) for k, v in a.items()},
        'has no rows',
    ),
}


@pytest.mark.parametrize('case', WRONG_COUNTS)
def test_counts_that_cannot_be_are_refused(case, answers, fitted):
    synthesizer = copy.deepcopy(fitted)
    before = dict(synthesizer.__dict__)
    spoil, message = WRONG_COUNTS[case]
    with pytest.raises(PrivateDataError, match=message) as caught:
        synthesizer.fit_counts(spoil(answers))
    assert synthesizer.__dict__ == before
    large = {str(count) for frame in answers.values() for count in frame['count'] if count > 100}
    assert not any(count in str(caught.value) for count in large)


@pytest.mark.parametrize('ask', [lambda s: s.count_queries(), lambda s: s.fit_counts({})])
def test_counts_need_public_ranges(ask):
    with pytest.raises(DomainError, match=r"those of \['sex'.*'age'.* are not public"):
        ask(new(public_ranges=False))


def test_samples_of_counts_have_the_dtypes_that_suit_the_metadata(answers):
    synthesizer = new()
    synthesizer.fit_counts(answers)
    sampled = synthesizer.sample(30)['census']
    assert sampled['age'].dtype == 'int64'
    assert sampled['home_owner'].dtype == 'bool'
    assert sampled['interview_date'].dtype == 'datetime64[us]'
    assert sampled['marital_status'].dtype == object
    assert list(sampled.columns) == list(FRAME.columns)


def test_queries_change_nothing(fitted):
    synthesizer = copy.deepcopy(fitted)
    before = dict(synthesizer.__dict__)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        synthesizer.count_queries()
    assert synthesizer.__dict__ == before
