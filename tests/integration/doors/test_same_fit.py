"""Every door leads to the same fit."""

import copy
import pickle

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
from census_doors import ARROW, CENSUS, FRAME, NULLABLE, assert_same_fit, new
from mixed_arrow import in_pandas
from sdv.cag import FixedCombinations, Inequality
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata
from walk import differing_paths

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.errors import DomainError, PrivacyWarning

pytestmark = pytest.mark.filterwarnings(
    'ignore:seed is given', 'ignore:Nothing in column', 'ignore:fetch_arrow_table'
)


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
    'ibis table that stays': ibis_table,
}
ALL = READABLE_AGAIN | {'arrow reader': lambda _: ARROW.to_reader(max_chunksize=300)}


@pytest.fixture(scope='module')
def learnt():
    synthesizer = new(public_ranges=False, epsilon=5)
    synthesizer.fit({'census': NULLABLE})
    return synthesizer


@pytest.mark.parametrize('door', READABLE_AGAIN)
def test_every_door_gives_the_model_of_fit(door, folder, fitted):
    synthesizer = new()
    synthesizer.fit_table(READABLE_AGAIN[door](folder), rows_stay=door.endswith('that stays'))
    assert_same_fit(synthesizer, copy.deepcopy(fitted))


@pytest.mark.parametrize('door', ALL)
def test_every_door_gives_the_model_of_fit_without_a_look(door, folder):
    """So does a reader, which can be read once, and is not looked at."""
    synthesizer, expected = (new(discretization='uniform') for _ in range(2))
    synthesizer.fit_table(ALL[door](folder), rows_stay=door.endswith('that stays'))
    expected.fit(CENSUS.data)
    assert_same_fit(synthesizer, expected)


@pytest.mark.parametrize('door', READABLE_AGAIN)
def test_every_door_learns_what_fit_learns(door, folder, learnt):
    synthesizer = new(public_ranges=False, epsilon=5)
    synthesizer.fit_table(READABLE_AGAIN[door](folder), rows_stay=door.endswith('that stays'))
    assert_same_fit(synthesizer, copy.deepcopy(learnt))


def test_a_frame_that_pandas_has_written_is_the_frame(tmp_path):
    """Its dtypes are in the file: whole numbers of numpy's are never null."""
    FRAME.to_parquet(tmp_path / 'census.parquet')
    one, two = (new(public_ranges=False, epsilon=5) for _ in range(2))
    one.fit(CENSUS.data)
    two.fit_table(tmp_path / 'census.parquet')
    assert_same_fit(one, two)
    assert two.sample(5)['census'].dtypes.equals(one.sample(5)['census'].dtypes)


@pytest.mark.parametrize('choice', ['private', 'uniform'])
def test_all_types_of_columns_give_the_model_of_fit(choice):
    table = mixed_arrow.random_table(500, np.random.default_rng(5))
    frame = in_pandas(table)

    def mixed():
        return PreFairSynthesizer(
            *(mixed_arrow.metadata(), 1.0, 1e-9),
            **{'structure': 'none', 'public_ranges': True, 'seed': 1, 'numeric_bins': 9},
            discretization=choice,
        )

    expected = mixed()
    expected.fit({'mixed': frame})
    database = ibis.duckdb.connect()
    database.con.register('arrow', table)
    opened_once = [table.to_reader(11)] if choice == 'uniform' else []
    for opened in (table, *opened_once, pl.from_arrow(table), database.table('arrow')):
        synthesizer = mixed()
        synthesizer.fit_table(opened)
        assert_same_fit(synthesizer, expected)
        assert synthesizer.sample(9)['mixed'].dtypes.equals(expected.sample(9)['mixed'].dtypes)


def test_nothing_but_the_noise_is_private_in_what_is_kept(folder):
    """As after fit: tables that differ by a row leave the same object but for the noisy model."""
    one, two = (new(discretization='uniform') for _ in range(2))  # a look is noise in encoders
    one.fit_table(ARROW)
    two.fit_table(ARROW.slice(1))
    allowed = (
        *('._result.model', '._result.looks'),
        *('._account._attempts[0].ledger._debits', '._synthesizer_id'),
    )
    assert not {p for p in differing_paths(one, two) if not p.startswith(allowed)}
    with pytest.warns(PrivacyWarning, match='used a seed'):
        pickle.loads(pickle.dumps(one)).sample(3)


PERSONS = ARROW.set_column(0, 'person_id', pa.array([f'P{i % 1500:08}' for i in range(4000)]))


def test_rows_of_persons_are_bounded_as_in_fit(folder):
    # What comes first in the table comes first in comparison too, so all doors agree.
    rows = PERSONS.sort_by(
        [('person_id', 'ascending')] + [(c, 'ascending') for c in PERSONS.column_names[1:]]
    )
    # A reader and given counts have bins of equal width; looks are in the tests of bins.
    bounded = {'person_column': 'person_id', 'max_rows_per_person': 2, 'discretization': 'uniform'}
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


PLACES = [('Rome', 'IT'), ('Oslo', 'NO'), ('Bern', 'CH')]


def constrained(combinations=None, public_ranges=True):
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
        combinations or FixedCombinations(['city', 'country']),
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


def written_as_csv(table, path):
    table.to_pandas().to_csv(path.with_suffix('.csv'), index=False)
    return path.with_suffix('.csv')


CONSTRAINED = {
    'csv file': written_as_csv,
    'arrow table': lambda table, _: table,
    'polars frame': lambda table, _: pl.from_arrow(table),
    'polars lazy frame': lambda _, path: pl.scan_parquet(path),
    'parquet file': lambda _, path: path,
    'parquet folder': lambda _, path: str(path.parent),
    'arrow dataset': lambda _, path: ds.dataset(path),
    'duckdb relation': lambda _, path: duckdb.sql(f"SELECT * FROM '{path}'"),
    'ibis table': lambda table, _: ibis.memtable(table),
}


@pytest.fixture(scope='module')
def constrained_fit():
    synthesizer = constrained()
    synthesizer.fit({'t': constrained_rows(3000)})
    return synthesizer


@pytest.mark.parametrize('door', CONSTRAINED)
def test_constraints_hold_behind_every_door_that_can_keep_them(door, constrained_fit, tmp_path):
    table = pa.Table.from_pandas(constrained_rows(3000)).replace_schema_metadata(None)
    pq.write_table(table, tmp_path / 't.parquet')
    synthesizer = constrained()
    synthesizer.fit_table(CONSTRAINED[door](table, tmp_path / 't.parquet'))
    assert_same_fit(synthesizer, constrained_fit)
    sampled = synthesizer.sample(100)['t']
    assert (sampled['low'] <= sampled['high']).dropna().all()
    assert set(zip(sampled['city'], sampled['country'], strict=True)) <= set(PLACES)


def test_combinations_that_are_public_are_kept_in_one_reading():
    table = pa.Table.from_pandas(constrained_rows(3000)).replace_schema_metadata(None)
    synthesizer = constrained(PublicCombinations(['city', 'country'], PLACES))
    synthesizer.fit_table(table.to_reader(max_chunksize=500))
    sampled = synthesizer.sample(100)['t']
    assert set(zip(sampled['city'], sampled['country'], strict=True)) <= set(PLACES)


def test_constraints_are_refused_where_no_row_is_seen():
    table = pa.Table.from_pandas(constrained_rows(300)).replace_schema_metadata(None)
    with pytest.raises(SynthesizerInputError, match='rows_stay=False'):
        constrained().fit_table(ibis.memtable(table), rows_stay=True)
    with pytest.raises(DomainError, match='needs the ranges of all columns'):
        constrained().count_queries()
