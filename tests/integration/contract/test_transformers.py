"""Transformers: assigned, shown, replaced by ours, and guarded against those that learn."""

import pickle
import warnings

import pandas as pd
import pytest
from contract import KINDS, STRUCTURES, fit, make, only
from people import SECRET
from rdt.transformers import (
    AnonymizedFaker,
    BinaryEncoder,
    FloatFormatter,
    LabelEncoder,
    RegexGenerator,
    UniformEncoder,
    UnixTimestampEncoder,
)
from sdv.errors import RefitWarning, SynthesizerInputError

from sdv_prefair import PrivacyWarning
from sdv_prefair.transformers import CategoryCodes, DatetimeBins, NumberBins


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.filterwarnings('ignore', message='Replacing the default transformer')
        warnings.filterwarnings('ignore', message='The training data does not cover')
        yield


def assigned(kind, table):
    synthesizer = make(kind, table)
    synthesizer.auto_assign_transformers(table.data)
    return synthesizer


@pytest.mark.parametrize('kind', KINDS)
def test_every_column_gets_one_before_the_fit_and_keeps_it(kind, table):
    synthesizer = assigned(kind, table)
    before = synthesizer.get_transformers()
    assert list(before) == list(table.frame.columns)
    assert synthesizer.get_info()['is_fit'] is False
    synthesizer.fit(table.data)
    after = synthesizer.get_transformers()
    assert list(after) == list(before)
    assert {c: type(t) for c, t in after.items()} == {c: type(t) for c, t in before.items()}


@pytest.mark.parametrize('kind', STRUCTURES)
def test_ours_are_shown_for_learnt_columns_and_generators_for_all_others(kind, table):
    shown = assigned(kind, table).get_transformers()
    for column, expected in {
        'sex': CategoryCodes,
        'education': CategoryCodes,
        'age': NumberBins,
        'wage': NumberBins,
        'hired': DatetimeBins,
        'home': CategoryCodes,
        'income': CategoryCodes,
    }.items():
        assert type(shown.pop(column)) is expected
    assert all(transformer.is_generator() for transformer in shown.values())


@pytest.mark.parametrize('kind', STRUCTURES)
def test_assigning_them_reads_no_values(kind, table):
    synthesizer = assigned(kind, table)
    kept = pickle.dumps(synthesizer)
    assert SECRET.encode() not in kept
    nobody = table.frame.iloc[:1].assign(age=18, wage=0.5, home='own')
    again = assigned(kind, table._replace(data={'people': nobody}))
    assert repr(again.get_transformers()) == repr(synthesizer.get_transformers())


@pytest.mark.parametrize('kind', KINDS)
def test_updating_them_needs_an_assignment(kind, table):
    with pytest.raises(Exception, match='auto_assign_transformers|prepared for fitting'):
        make(kind, table).update_transformers({'note': AnonymizedFaker(function_name='bothify')})


@pytest.mark.parametrize('kind', STRUCTURES)
def test_other_bins_and_values_are_used(kind, table):
    synthesizer = assigned(kind, table)
    synthesizer.update_transformers({
        'age': NumberBins(20, 60, bins=4, decimal_places=0, edges=[30, 50], nullable=False),
        'hired': DatetimeBins('01/01/2010', '31/12/2010', '%d/%m/%Y', bins=12),
        'home': CategoryCodes(['own', 'rent', 'other'], nullable=False, other=False),
    })
    synthesizer.fit(table.data)
    sampled = only(synthesizer.sample(500))
    assert sampled['age'].between(20, 60).all()
    assert set(sampled['hired'].dropna().str[-4:]) == {'2010'}
    assert sampled['home'].notna().all()
    assert (sampled.dtypes == table.frame.dtypes).all()
    shown = synthesizer.get_transformers()
    assert shown['age'].bins == 4 and shown['hired'].bins == 12
    assert synthesizer.fitted.encoding.domain['age'] == 3
    # They stay for the next fit too.
    with pytest.warns(PrivacyWarning, match='budgets add up'):
        synthesizer.fit(table.data)
    assert only(synthesizer.sample(200))['age'].between(20, 60).all()


@pytest.mark.parametrize(
    ('column', 'transformer'),
    [
        ('sex', UniformEncoder()),
        ('sex', LabelEncoder()),
        ('sex', None),
        ('age', FloatFormatter()),
        ('hired', UnixTimestampEncoder(datetime_format='%d/%m/%Y')),
        ('home', BinaryEncoder()),
        ('age', AnonymizedFaker(function_name='random_int')),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_transformers_that_learn_are_refused_for_learnt_columns(table, column, transformer):
    synthesizer = assigned('adaptive', table)
    before = repr(synthesizer.get_transformers())
    with pytest.raises(SynthesizerInputError, match=f"Column '{column}' cannot use"):
        synthesizer.update_transformers({column: transformer})
    assert repr(synthesizer.get_transformers()) == before


@pytest.mark.parametrize(
    ('column', 'transformer'),
    [('note', UniformEncoder()), ('group', LabelEncoder()), ('email', FloatFormatter())],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_made_up_columns_take_generators_only(table, column, transformer):
    synthesizer = assigned('adaptive', table)
    with pytest.raises(SynthesizerInputError, match=f"Column '{column}' is generated"):
        synthesizer.update_transformers({column: transformer})


@pytest.mark.filterwarnings('ignore:This synthesizer has spent')
@pytest.mark.parametrize('kind', KINDS)
def test_generators_of_rdt_are_used_for_made_up_columns(kind, table):
    synthesizer = assigned(kind, table)
    synthesizer.update_transformers({
        'note': AnonymizedFaker(function_name='lexify', function_kwargs={'text': 'note ????'}),
        'badge': RegexGenerator(regex_format='X[0-9]{4}', cardinality_rule='unique'),
    })
    synthesizer.fit(table.data)
    sampled = only(synthesizer.sample(50))
    assert sampled['note'].dropna().str.startswith('note ').all()
    assert sampled['badge'].str.fullmatch('X[0-9]{4}').all()
    synthesizer.fit(table.data)
    assert only(synthesizer.sample(5))['badge'].str.startswith('X').all()


@pytest.mark.parametrize('kind', KINDS)
def test_a_key_needs_a_generator(kind, table):
    with pytest.raises(SynthesizerInputError, match='key'):
        assigned(kind, table).update_transformers({'key': FloatFormatter()})


@pytest.mark.parametrize('kind', KINDS)
def test_updating_after_the_fit_warns(kind, table):
    synthesizer = fit(kind, table)
    with pytest.warns(RefitWarning, match='refit'):
        synthesizer.update_transformers({'note': AnonymizedFaker(function_name='lexify')})
    with pytest.raises(ValueError, match="'others' is not present"):
        synthesizer.update_transformers({}, table_name='others')


@pytest.mark.parametrize('kind', STRUCTURES)
def test_one_that_was_fitted_elsewhere_is_refused(kind, table):
    bins = NumberBins(18, 99)
    bins.fit(pd.DataFrame({'age': [20]}), 'age')
    with pytest.raises(SynthesizerInputError, match='already been fit'):
        assigned(kind, table).update_transformers({'age': bins})


def test_a_column_that_does_not_exist_is_named(table):
    with pytest.raises(Exception, match='salary'):
        assigned('adaptive', table).update_transformers({'salary': NumberBins(0, 1)})


def test_one_of_the_wrong_kind_is_refused(table):
    with pytest.raises(Exception, match='age'):
        assigned('adaptive', table).update_transformers({'age': CategoryCodes([1, 2])})
