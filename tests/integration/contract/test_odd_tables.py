"""Tables at the edge: one row, one column, numbers as names, other indices, errors midway."""

import pickle

import numpy as np
import pandas as pd
import pytest
from contract import CONTROL, KINDS, STRUCTURES, Table, fit, make, only
from people import LEARNT, people
from sdv.errors import InvalidDataError
from sdv.evaluation import run_diagnostic
from sdv.metadata import Metadata

from sdv_prefair._sdv_versions import as_given_back

WORD = {'sdtype': 'categorical', 'range_values': ['a', 'b'], 'range_is_nullable': False}


def words(columns, num_rows=40, **about):
    """Return a table of categorical columns; of three or more, the first three have roles."""
    generator = np.random.default_rng(0)
    described = {str(column): WORD for column in columns}
    tables = {'t': {'columns': described} | about}
    frame = pd.DataFrame({column: generator.choice(['a', 'b'], num_rows) for column in columns})
    names = list(described)
    roles = dict(zip(('protected', 'admissible', 'outcome'), ([n] for n in names), strict=False))
    return Table({'t': frame}, Metadata.load_from_dict({'tables': tables}), roles)


@pytest.mark.parametrize('kind', STRUCTURES)
def test_one_row(kind):
    table = people(1)
    sampled = only(fit(kind, table).sample(20))
    assert (sampled.dtypes == table.frame.dtypes).all()
    for column in ('sex', 'education', 'age', 'income'):
        assert (sampled[column] == table.frame[column][0]).all(), column


@pytest.mark.parametrize('kind', (CONTROL, 'none'))
@pytest.mark.parametrize('column', LEARNT)
def test_one_column(kind, column):
    table = people(120, (column,))._replace(roles={})
    sampled = only(fit(kind, table).sample(50))
    assert list(sampled.columns) == [column]
    assert sampled[column].dtype == table.frame[column].dtype
    score = run_diagnostic(table.data, {'people': sampled}, table.metadata, verbose=False)
    assert score.get_score() == 1.0


@pytest.mark.parametrize('kind', KINDS)
def test_one_column_of_each_role_and_no_other(kind):
    table = people(200, ('sex', 'education', 'income'))
    sampled = only(fit(kind, table).sample(100))
    assert list(sampled.columns) == ['sex', 'education', 'income']


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('names', [[0, 1, 2, 3], ['x', 1, 2, 3], [3, 2, 1, 0]])
def test_numbers_as_names(kind, names):
    table = words(names)
    before = table.frame.copy()
    sampled = only(fit(kind, table).sample(10))
    assert list(sampled.columns) == names
    pd.testing.assert_frame_equal(table.frame, before)


@pytest.mark.filterwarnings('ignore:This synthesizer has spent')
@pytest.mark.parametrize('kind', STRUCTURES)
def test_numbers_as_names_survive_an_error_and_a_pickle(kind):
    table = words([0, 1, 2])
    spoilt = table.frame.rename(columns={2: 9})
    synthesizer = make(kind, table)
    with pytest.raises(InvalidDataError):
        synthesizer.fit({'t': spoilt})
    assert list(spoilt.columns) == [0, 1, 9]
    synthesizer.fit(table.data)
    loaded = pickle.loads(pickle.dumps(synthesizer))
    assert list(only(loaded.sample(5)).columns) == [0, 1, 2]
    # After a table with other names the old ones are forgotten.
    loaded.fit({'t': table.frame.rename(columns=str)})
    assert list(only(loaded.sample(5)).columns) == ['0', '1', '2']


@pytest.mark.parametrize('kind', STRUCTURES)
def test_names_that_mean_something_elsewhere(kind):
    names = ['a b', 'columns', 'index', 'a#b', 'é', '', 'value', 'a.nan_component', '{x}', '%']
    sampled = only(fit(kind, words(names)).sample(10))
    assert list(sampled.columns) == names


@pytest.mark.parametrize('kind', KINDS)
def test_any_order_of_columns_and_any_index(kind):
    table = people(150)
    shuffled = table.frame.iloc[::-1, ::-1].set_index(np.arange(150) // 2)
    before = shuffled.copy()
    sampled = only(fit(kind, table._replace(data={'people': shuffled})).sample(30))
    pd.testing.assert_frame_equal(shuffled, before)
    assert list(sampled.columns) == list(table.frame.columns), 'the order of the metadata'
    assert list(sampled.index) == list(range(30))


def test_a_row_multi_index_and_named_columns_do_not_matter():
    table = people(60, ('sex', 'education', 'income'))
    index = pd.MultiIndex.from_product([range(6), range(10)])
    odd = table.frame.set_index(index).rename_axis(columns='what')
    sampled = only(fit('adaptive', table._replace(data={'people': odd})).sample(10))
    assert list(sampled.columns) == list(table.frame.columns)


@pytest.mark.parametrize('kind', STRUCTURES)
def test_an_error_leaves_frame_metadata_and_synthesizer_as_they_were(kind):
    table = people(60)
    spoilt = table.frame.assign(age=pd.array(['Zyzzyva'] * 60, 'string'))
    before, metadata = spoilt.copy(), table.metadata.to_dict()
    synthesizer = make(kind, table)
    with pytest.raises(InvalidDataError) as caught:
        synthesizer.fit({'people': spoilt})
    assert 'Zyzzyva' not in str(caught.value)
    pd.testing.assert_frame_equal(spoilt, before)
    assert table.metadata.to_dict() == metadata
    assert synthesizer.get_info()['is_fit'] is False
    synthesizer.fit(table.data)
    assert len(only(synthesizer.sample(5))) == 5


@pytest.mark.parametrize('kind', KINDS)
def test_no_rows_are_an_error(kind):
    table = people(20)
    with pytest.raises((InvalidDataError, ValueError)):
        fit(kind, table._replace(data={'people': table.frame.head(0)}))


@pytest.mark.parametrize('kind', STRUCTURES)
def test_values_outside_the_ranges_are_clipped_without_a_word(kind):
    table = people(200)
    wild = table.frame.assign(age=10_000, home='castle', hired='01/01/1700')
    synthesizer = make(kind, table)
    synthesizer.fit(as_given_back({'people': wild}), check=False)
    sampled = only(synthesizer.sample(100))
    assert (sampled['age'] == 99).all()
    assert set(sampled['home'].dropna()) <= {'rent', 'own'}
    assert set(sampled['hired'].str[-4:]) == {'2000'}


def test_only_made_up_columns_are_refused():
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': {'k': {'sdtype': 'id'}}}}})
    with pytest.raises(Exception, match='no column to model'):
        make('none', Table({'t': pd.DataFrame({'k': [1]})}, metadata, {}))
