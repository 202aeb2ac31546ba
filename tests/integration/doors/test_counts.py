"""Counts made by the user's own queries."""

import copy
import importlib.metadata
import warnings

import duckdb
import numpy as np
import pytest
from census_doors import FRAME, assert_same_fit, new
from sdv.errors import SynthesizerInputError

from sdv_prefair.counting._expressions import DATABASES
from sdv_prefair.errors import DomainError, PrivateDataError

pytestmark = pytest.mark.filterwarnings(
    'ignore:seed is given', 'ignore:Nothing in column', 'ignore:fetch_arrow_table'
)


@pytest.fixture(scope='module')
def fitted():
    """Codes must be known before anything is counted, so that counts are of even bins."""
    synthesizer = new(discretization='uniform')
    synthesizer.fit({'census': FRAME})
    return synthesizer


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
    domain = fitted.fitted.encoding.domain
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


# All columns, in as few pairs as there can be.
TREE = [('education', c) for c in FRAME if c not in ('education', 'person_id', 'email')]
IN_IBIS = sorted(entry.name for entry in importlib.metadata.entry_points(group='ibis.backends'))


@pytest.mark.parametrize(
    'dialect', [*IN_IBIS, 'postgresql', 'mariadb', 'DuckDB', 'spark', '', None]
)
def test_every_dialect_is_written_or_refused(dialect):
    if dialect == 'sqlite':
        with pytest.raises(PrivateDataError, match="(?s)'interview_date'.*SQLite has no timestamp"):
            new().count_queries(dialect)
    elif dialect in DATABASES:
        queries = new(structure=TREE).count_queries(dialect)
        assert all('GROUP BY' in query for query in queries.values())
    else:
        with pytest.raises(SynthesizerInputError, match=r"Choose one of \['athena', "):
            new().count_queries(dialect)


def test_most_databases_have_a_dialect():
    assert len(DATABASES) > 10
    assert set(IN_IBIS) > DATABASES


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
    'negative': (lambda a: changed(a, PAIR, lambda f: f.assign(count=-1)), 'must be integers'),
    'fractions': (lambda a: changed(a, PAIR, lambda f: f.assign(count=0.5)), 'must be integers'),
    'no numbers': (lambda a: changed(a, PAIR, lambda f: f.assign(sex='male')), 'must be integers'),
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
