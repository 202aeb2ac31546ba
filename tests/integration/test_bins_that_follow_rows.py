"""Numbers and dates come back as they are: spikes, tails and ends, through every door."""

from pathlib import Path

import duckdb
import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import ks_2samp
from sdv.cag import Inequality
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, load_release
from sdv_prefair.datasets import load_adult
from sdv_prefair.errors import DomainWarning

DATA = Path(__file__).resolve().parents[2].parent / 'shared' / 'data'
pytestmark = pytest.mark.filterwarnings(
    'ignore:seed is given',
    'ignore:The fit that was opened used a seed',
    'ignore:These rows come from a fit that used a seed',
    'ignore:fetch_arrow_table',
    'ignore:.*judging by the noisy marginals',
    'ignore:Noise swamps',
)
COLUMNS = {
    'person': {'sdtype': 'id'},
    'sex': {'sdtype': 'categorical', 'range_values': ['F', 'M'], 'range_is_nullable': False},
    'gain': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 999_999, 'decimal_places': 0},
    'rate': {'sdtype': 'numerical', 'range_min': -1.0, 'range_max': 1000.0},
    'price': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 5000, 'decimal_places': 2},
    'hired': {'sdtype': 'datetime', 'range_min': '1950-01-01', 'range_max': '2030-12-31'},
    'income': {'sdtype': 'categorical', 'range_values': [0, 1], 'range_is_nullable': False},
}
ROLES = {'protected': ['sex'], 'admissible': ['gain', 'rate'], 'outcome': ['income']}
NUMBERS = ['gain', 'rate', 'price']


def table(num_rows=20_000, seed=0):
    rng = np.random.default_rng(seed)
    some = rng.random(num_rows)
    days = rng.integers(0, 900, num_rows) + np.where(some < 0.2, 8000, 20_000)
    days[some > 0.9] = 12_418  # of everybody's whose first day nobody knows
    hired = np.datetime64('1950-01-01') + days
    return pd.DataFrame({
        'person': rng.integers(0, num_rows // 2, num_rows).astype(str),
        'sex': rng.choice(['F', 'M'], num_rows),
        'gain': np.where(some < 0.7, 0, rng.integers(1, 10**6, num_rows)),
        'rate': np.where(some < 0.3, -1.0, rng.lognormal(2, 1, num_rows).clip(0, 1000)),
        'price': np.where(some < 0.4, 9.99, rng.gamma(2, 300, num_rows).clip(0, 5000).round(2)),
        'hired': hired.astype('datetime64[us]'),
        'income': rng.integers(0, 2, num_rows),
    })


def metadata(**changes):
    columns = {name: about | changes.get(name, {}) for name, about in COLUMNS.items()}
    return Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})


def new(**changes):
    given = {'public_ranges': True, 'seed': 3, 'structure': 'greedy', **ROLES}
    return PreFairSynthesizer(metadata(), **(given | changes))


def fitted(frame=None, **changes):
    synthesizer = new(**changes)
    synthesizer.fit({'t': table() if frame is None else frame})
    return synthesizer


def distances(real, synthetic):
    """Return the KS distance, and by how much the share of the most frequent value is off."""
    synthetic = synthetic.dropna()
    numbers = [c.astype('int64' if c.dtype.kind == 'M' else float) for c in (real, synthetic)]
    top = real.mode()[0]
    return ks_2samp(*numbers).statistic, abs((real == top).mean() - (synthetic == top).mean())


def edges_of(synthesizer):
    transformers = synthesizer.get_transformers()
    return {c: transformers[c].edges for c in [*NUMBERS, 'hired']}


def lines_of_looks(synthesizer):
    ledger = synthesizer.get_privacy_ledger()
    return ledger[ledger['step'] == 'discretize']


def looked_at(synthesizer):
    return {column for names in lines_of_looks(synthesizer)['columns'] for column in names}


@pytest.fixture(scope='module')
def one():
    return fitted()


@pytest.mark.skipif(not DATA.is_dir(), reason='the folder with the Adult files is absent')
@pytest.mark.parametrize('seed', [1, 2])
def test_every_number_of_raw_adult_comes_back(seed):
    adult = load_adult(DATA)
    synthesizer = PreFairSynthesizer(
        adult.metadata, structure='greedy', public_ranges=True, seed=seed, **adult.roles.as_dict()
    )
    synthesizer.fit(adult.data)
    real = adult.data['adult']
    synthetic = synthesizer.sample(len(real))['adult']
    for column in real.select_dtypes('number'):
        assert ks_2samp(real[column], synthetic[column]).statistic <= 0.05, column
        shares = real[column].value_counts(normalize=True).head(10)
        found = synthetic[column].value_counts(normalize=True).reindex(shares.index, fill_value=0)
        assert (shares - found).abs().max() <= 0.02, column
    assert looked_at(synthesizer) == {'fnlwgt', 'capital-gain', 'capital-loss'}


def test_spikes_tails_and_dates_come_back(one):
    real, synthetic = table(), one.sample(20_000)['t']
    for column in [*NUMBERS, 'hired']:
        far, off = distances(real[column], synthetic[column])
        assert far < 0.05, column
        assert off < 0.02, column
    assert (synthetic['rate'] == -1.0).mean() == pytest.approx(0.3, abs=0.02)
    assert (synthetic['hired'] == pd.Timestamp('1984-01-01')).mean() == pytest.approx(0.1, abs=0.02)


def test_even_bins_lose_them_and_cost_nothing():
    """What the tests above would see if bins did not follow rows."""
    synthesizer = fitted(discretization='uniform')
    synthetic = synthesizer.sample(20_000)['t']
    assert looked_at(synthesizer) == set()
    assert set(edges_of(synthesizer).values()) == {None}
    for column in [*NUMBERS, 'hired']:
        assert max(distances(table()[column], synthetic[column])) > 0.05


def test_more_epsilon_does_not_make_a_column_worse():
    """Ranges are learnt: zero is among a million values, and forty hours among 128."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({
        'sex': rng.choice(['F', 'M'], 20_000),
        'gain': table()['gain'],
        'hours': np.where(rng.random(20_000) < 0.467, 40, rng.integers(1, 100, 20_000)),
        'income': rng.integers(0, 2, 20_000),
    })
    kinds = {'sex': 'categorical', 'gain': 'numerical', 'hours': 'numerical'}
    about = {c: {'sdtype': kinds.get(c, 'categorical')} for c in frame}
    described = Metadata.load_from_dict({'tables': {'t': {'columns': about}}})
    roles = {'protected': ['sex'], 'admissible': ['gain'], 'outcome': ['income']}
    before = {}
    for epsilon in (0.5, 1.0, 4.0, 16.0):
        synthesizer = PreFairSynthesizer(
            described, epsilon, public_ranges=False, seed=1, structure='greedy', **roles
        )
        synthesizer.fit({'t': frame})
        synthetic = synthesizer.sample(20_000)['t']
        for column in ('gain', 'hours'):
            far, off = distances(frame[column], synthetic[column])
            assert far < before.get(column, 0.1) + 0.01, (epsilon, column)
            assert off < 0.03
            before[column] = min(far, before.get(column, 1.0))


def test_with_hardly_any_budget_bins_are_even():
    synthesizer = fitted(table(300), epsilon=0.05)
    assert set(edges_of(synthesizer).values()) == {None}
    lines = lines_of_looks(synthesizer)
    assert lines.groupby(lines['columns'].map(tuple)).size().max() == 1, 'there is no second level'


DOORS = {
    'arrow table': lambda arrow: arrow,
    'duckdb relation': lambda arrow: duckdb.from_arrow(arrow),
    'ibis table': lambda arrow: ibis.memtable(arrow),
}


@pytest.mark.slow
@pytest.mark.parametrize('door', DOORS)
@pytest.mark.parametrize('persons', [{}, {'person_column': 'person', 'max_rows_per_person': 6}])
def test_every_door_looks_as_fit_does(door, persons):
    frame = table(6000)
    expected, synthesizer = fitted(frame, epsilon=4.0, **persons), new(epsilon=4.0, **persons)
    arrow = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    synthesizer.fit_table(DOORS[door](arrow))
    assert looked_at(synthesizer) == {*NUMBERS, 'hired'}
    assert any(edges is not None for edges in edges_of(expected).values())
    if not (persons and door == 'ibis table'):  # of seven rows, which six are counted differs there
        assert edges_of(synthesizer) == edges_of(expected)
        assert lines_of_looks(synthesizer).equals(lines_of_looks(expected))


def test_what_can_be_read_once_has_even_bins_and_says_so():
    arrow = pa.Table.from_pandas(table(500), preserve_index=False)
    synthesizer = new()
    with pytest.warns(DomainWarning, match="read only once.*'gain', 'rate', 'price', 'hired'"):
        synthesizer.fit_table(arrow.to_reader())
    assert looked_at(synthesizer) == set()


def test_a_release_has_the_same_bins(one, tmp_path):
    one.save_release(tmp_path / 'x.prefair')
    opened = load_release(tmp_path / 'x.prefair')
    assert edges_of(opened) == edges_of(one)
    assert opened.discretization == 'private'
    assert (opened.sample(5000)['t']['gain'] == 0).mean() == pytest.approx(0.7, abs=0.03)


def test_values_that_the_user_names_are_codes_of_their_own(tmp_path):
    spikes = {'rate': [500.0], 'price': [19.99], 'hired': ['2001-02-03'], 'gain': [999_999]}
    for choice in ('private', 'uniform'):
        synthesizer = fitted(table(500), spikes=spikes, discretization=choice, epsilon=0.1)
        found = synthesizer.get_transformers()
        assert {500.0, np.nextafter(500.0, 501)} <= set(found['rate'].edges)
        assert {19.99, 20.0} <= set(found['price'].edges)
        assert {pd.Timestamp('2001-02-03'), pd.Timestamp('2001-02-04')} <= set(found['hired'].edges)
        assert found['gain'].edges[-1] == 999_999
    synthesizer.save_release(tmp_path / 'x.prefair')
    opened = load_release(tmp_path / 'x.prefair')
    assert opened.spikes == spikes
    assert edges_of(opened) == edges_of(synthesizer)


def test_counts_that_are_given_are_of_even_bins():
    """Codes must be known before anything is counted."""
    synthesizer, frame = new(), table(2000)
    connection = duckdb.connect()
    connection.register('t', frame)
    counts = {c: connection.sql(q).df() for c, q in synthesizer.count_queries().items()}
    synthesizer.fit_counts(counts)
    assert looked_at(synthesizer) == set()
    assert set(edges_of(synthesizer).values()) == {None}


def test_columns_that_a_constraint_replaces_are_left_to_it():
    frame = table(4000)
    frame['price'] = (frame['rate'] + frame['price']).clip(0, 5000)
    synthesizer = new(epsilon=4.0)
    synthesizer.add_constraints([Inequality('rate', 'price')])
    synthesizer.fit({'t': frame})
    assert looked_at(synthesizer) == {'gain', 'hired'}
    synthetic = synthesizer.sample(500)['t']
    assert (synthetic['rate'] <= synthetic['price']).all()


def test_preprocessed_rows_have_the_codes_of_the_look():
    synthesizer, frame = new(), table()
    codes = synthesizer.preprocess({'t': frame})
    synthesizer.fit_processed_data(codes)
    assert looked_at(synthesizer) == {*NUMBERS, 'hired'}
    assert (synthesizer.sample(5000)['t']['gain'] == 0).mean() == pytest.approx(0.7, abs=0.03)
